import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { stripeSettings } from '../stripe/settings.ts';
import { useStandIn } from '../stripe/use-stand-in.ts';
import { hasBrowser, useBrowser } from './use-browser.ts';

const standIn = useStandIn();
const shop = useBrowser(() => ({ ...stripeSettings, STRIPE_API_BASE: standIn.origin }));

/**
 * Stands in for Stripe.js: one field for the name of a test card, and the calls that our page makes. `confirmAtStripe` is a function of the
 * test. The real script cannot be loaded here, because tests have no network.
 */
const script = `
  window.Stripe = (key, { locale }) => {
    if (key !== 'pk_test_tessera' || locale !== 'en') throw new Error('unexpected key or locale');
    const field = Object.assign(document.createElement('input'), { id: 'test-card' });
    const ready = [];
    return {
      elements: ({ clientSecret }) => ({
        clientSecret,
        create: () => ({ on: (event, run) => event === 'ready' && ready.push(run), mount: (place) => { place.append(field); ready.forEach((run) => run()); } }),
      }),
      confirmPayment: async ({ elements, confirmParams, redirect }) => {
        if (redirect !== 'if_required' || !confirmParams.return_url.startsWith(location.origin)) throw new Error('unexpected parameters');
        const message = await confirmAtStripe(elements.clientSecret, field.value);
        return message ? { error: { message } } : {};
      },
    };
  };`;

/** Confirms the payment at the stand-in of Stripe. Returns the reason if the card is declined. */
async function confirm(clientSecret: string, paymentMethod: string): Promise<string | null> {
  const intent = standIn.confirm(clientSecret.split('_secret_')[0] ?? '', { paymentMethod });
  return intent.last_payment_error?.message ?? null;
}

async function startCheckout(): Promise<Page> {
  const page = await shop.visit('/en/event/noite-de-samba');
  await page.context().route('https://js.stripe.com/**', (route) => route.fulfill({ contentType: 'text/javascript', body: script }));
  await page.exposeFunction('confirmAtStripe', confirm);
  const field = page.locator('li.ticket', { hasText: 'Camarote' }).locator('input[type=number]');
  await field.fill('1');
  await field.blur();
  await Promise.all([page.waitForURL('**/orders/*'), page.locator('.total-bar button[type=submit]').click()]);
  await page.fill('#name', 'Ana Souza');
  await page.fill('#email', 'ana@example.com');
  await Promise.all([page.waitForSelector('.pay-form'), page.locator('.buyer-form button').click()]);
  return page;
}

describe.skipIf(!hasBrowser)("Stripe's web component", () => {
  it('is loaded under the policy of the page; a declined card says why, and another card shows the tickets', async () => {
    const page = await startCheckout();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    expect(await page.locator('main').innerText()).not.toContain('Test money');
    await page.getByRole('button', { name: 'Enter the card' }).click();
    await page.fill('#test-card', 'pm_card_chargeDeclined');
    const pay = page.getByRole('button', { name: 'Pay R$264.00' });
    await pay.click();
    await expect.poll(() => page.locator('[data-component-error]').innerText()).toContain('declined');
    await page.fill('#test-card', 'pm_card_visa');
    await pay.click();
    await page.waitForSelector('.paid');
    expect(errors).toEqual([]);
  });

  it('that does not load says so, and the hold stays', async () => {
    const page = await startCheckout();
    await page.context().unroute('https://js.stripe.com/**');
    await page.context().route('https://js.stripe.com/**', (route) => route.abort());
    await page.getByRole('button', { name: 'Enter the card' }).click();
    await expect.poll(() => page.locator('[data-component-error]').innerText()).toContain('The card form did not load.');
    expect(await page.locator('.countdown-time').innerText()).toMatch(/^\d+:\d\d$/);
  });
});
