import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { newItem, write } from './new-item.ts';
import { cutOffIn, looks, overflowOf, violationsOf, watchErrors } from './page-checks.ts';
import { closeAfterEach, hasBrowser, screens, useBrowser } from './use-browser.ts';

const shop = useBrowser();
closeAfterEach(shop);

/** The page is usable before its script has run. Tests of the script wait for it. */
const whenLive = (page: Page) => page.waitForFunction("document.documentElement.dataset.live === 'true'");
const orderId = (page: Page): number => Number(/\/orders\/(\d+)/.exec(page.url())?.[1]);
const heading = (page: Page) => page.locator('h1').innerText();

/** Chooses tickets on the event page and continues to the checkout. */
async function choose(
  options: BrowserContextOptions = {},
  { locale = 'en', item = 'Camarote', event = 'noite-de-samba' } = {},
): Promise<Page> {
  const page = await shop.visit(`/${locale}/event/${event}`, options);
  const field = page.locator('li.ticket', { hasText: item }).locator('input[type=number]');
  await field.fill('1');
  await field.blur();
  await Promise.all([page.waitForURL('**/orders/*'), page.locator('.total-bar button[type=submit]').click()]);
  return page;
}

let buyers = 0;

/** Each buyer has an own address, because some tickets have a limit per buyer. */
async function fillBuyer(page: Page): Promise<void> {
  await page.fill('#name', 'Ana Souza');
  await page.fill('#email', `ana${++buyers}@example.com`);
  await page.fill('#document', '12345678909');
  await Promise.all([page.waitForSelector('.pay-form'), page.locator('.buyer-form button').click()]);
}

const pay = (page: Page) => page.locator('.method-body button:visible').click();

async function payByCard(page: Page): Promise<void> {
  await Promise.all([page.waitForSelector('.paid'), pay(page)]);
}

async function toPix(page: Page, outcome: 'approve' | 'never'): Promise<void> {
  await page.locator('input[value=pix]').check();
  await page.selectOption('#outcome-pix', outcome);
  await pay(page);
}

/** Moves the end of the hold, as if time had passed. */
const setHold = (page: Page, seconds: number) =>
  shop.query(`update ticket_order set expires_at = now() + $2 * interval '1 second' where id = $1`, [orderId(page), seconds]);

describe.skipIf(!hasBrowser)('buying', () => {
  it('by card on a phone: a declined card keeps the hold, and another card works', async () => {
    const page = await choose({ viewport: screens.phone }, { locale: 'pt-BR' });
    const errors = watchErrors(page);
    await fillBuyer(page);
    await page.locator('input[value=decline]').check();
    await pay(page);
    await expect.poll(() => page.getByRole('alert').first().innerText()).toContain('O pagamento não foi aprovado.');
    await payByCard(page);
    expect(await heading(page)).toBe('Você vai!');
    expect(await page.locator('.pass-qr').first().isVisible()).toBe(true);
    expect(errors).toEqual([]);
  });

  it('by PIX on a desktop: the page shows the tickets as soon as the payment arrives, without a reload', async () => {
    const page = await choose({ viewport: screens.desktop });
    await fillBuyer(page);
    await toPix(page, 'approve');
    await page.waitForSelector('.paid');
    expect(await heading(page)).toBe('You are going!');
  });

  it('PIX shows a code to scan and to copy, and the buyer can still pay by card', async () => {
    const page = await choose({ permissions: ['clipboard-read', 'clipboard-write'] });
    await fillBuyer(page);
    await toPix(page, 'never');
    await page.waitForSelector('.pix');
    await whenLive(page);
    await page.getByRole('button', { name: 'Copy the code' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(await page.inputValue('#pix-code'));
    await page.getByText('Pay another way').click();
    await payByCard(page);
  });

  it('works with the keyboard alone, and the focus goes to the first invalid field', async () => {
    const page = await choose({ viewport: screens.desktop });
    await whenLive(page);
    await page.locator('#email').focus();
    await page.keyboard.type('ana@');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('name');
    expect(await page.locator('.field-error').allInnerTexts()).toEqual(['Enter your name.', expect.stringContaining('not complete')]);
    await page.keyboard.type('Ana Souza');
    await page.locator('#email').fill('keyboard@example.com');
    await page.locator('#document').focus();
    await page.keyboard.type('12345678900');
    expect(await page.inputValue('#document')).toBe('123.456.789-00');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('document');
    await page.locator('#document').fill('');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.pay-form');
    await page.locator('input[name=method]:checked').focus();
    await page.keyboard.press('ArrowDown');
    expect(await page.locator('input[value=pix]').isChecked()).toBe(true);
    await page.keyboard.press('ArrowUp');
    await page.locator('.method-body button:visible').focus();
    await Promise.all([page.waitForSelector('.paid'), page.keyboard.press('Enter')]);
  });

  it('works without JavaScript up to the tickets', async () => {
    const page = await choose({ javaScriptEnabled: false }, { locale: 'es' });
    expect(await page.locator('.countdown').innerText()).toContain('Tus entradas están reservadas hasta las');
    await fillBuyer(page);
    await payByCard(page);
    expect(await heading(page)).toBe('¡Ya tienes tu lugar!');
  });

  it('with an access code buys hidden tickets, and a free order needs no payment', async () => {
    const page = await shop.visit('/en/event/noite-de-samba?passkey=amigos-da-casa');
    const field = page.locator('li.ticket', { hasText: 'Convidados' }).locator('input[type=number]');
    await field.fill('1');
    await field.blur();
    await Promise.all([page.waitForURL('**/orders/*'), page.locator('.total-bar button[type=submit]').click()]);
    expect(await page.locator('.step').count()).toBe(2);
    await page.fill('#name', 'Ana');
    await page.fill('#email', 'guest@example.com');
    await Promise.all([page.waitForSelector('.paid'), page.getByRole('button', { name: 'Get my tickets' }).click()]);
  });

  it('tickets that sell out while the buyer chooses are named, and the choice stays', async () => {
    const itemId = await newItem(shop, 'Last one', 1);
    const page = await shop.visit('/en/event/noite-de-samba', { javaScriptEnabled: false });
    const field = (name: string) => page.locator('li.ticket', { hasText: name }).locator('input[type=number]');
    await field('Last one').fill('1');
    await field('Camarote').fill('1');
    await write(shop, '/orders', { eventId: 1, items: [{ itemId, quantity: 1 }] });
    await page.getByRole('button', { name: 'Continue' }).click();
    await expect.poll(() => page.getByRole('alert').innerText()).toContain('Last one: sold out');
    expect(await field('Camarote').inputValue()).toBe('1');
  });
});

describe.skipIf(!hasBrowser)('the hold', () => {
  it('survives a reload, the back button, a second tab and a new browser session, and so does what was typed', async () => {
    const page = await choose();
    await whenLive(page);
    const address = page.url();
    await page.fill('#name', 'Ana Souza');
    await page.reload();
    await whenLive(page);
    expect(await page.inputValue('#name')).toBe('Ana Souza');
    await page.goBack();
    await page.goForward();
    expect([page.url(), await heading(page)]).toEqual([address, 'Checkout']);
    const second = await page.context().newPage();
    await second.goto(address);
    await fillBuyer(second);
    await payByCard(second);
    // The first tab notices that the order was paid in the second.
    await page.bringToFront();
    await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
    await page.waitForSelector('.paid');
    const crashed = await shop.visit('about:blank', { storageState: await page.context().storageState() });
    await crashed.goto(address);
    expect(await heading(crashed)).toBe('You are going!');
  });

  it('offers more time shortly before it ends, and keeps what was typed', async () => {
    const page = await choose();
    await setHold(page, 40);
    await page.reload();
    await whenLive(page);
    await page.fill('#name', 'Ana Souza');
    await page.getByRole('button', { name: 'Keep my tickets' }).click();
    await expect.poll(() => page.locator('.countdown-time').innerText()).toMatch(/^10:[0-4]\d$/);
    expect(await page.getByRole('button', { name: 'Keep my tickets' }).count()).toBe(0);
    expect(await page.inputValue('#name')).toBe('Ana Souza');
  });

  it('that ends says so by itself, and the same tickets can be reserved again', async () => {
    const page = await choose();
    const first = orderId(page);
    await whenLive(page);
    await page.fill('#name', 'Ana Souza');
    await setHold(page, 2);
    await page.reload();
    await expect.poll(() => heading(page)).toBe('Your reservation has ended.');
    await Promise.all([
      page.waitForURL((url) => !url.pathname.endsWith(`/${first}`)),
      page.getByRole('button', { name: 'Reserve the same tickets again' }).click(),
    ]);
    await whenLive(page);
    expect(await heading(page)).toBe('Checkout');
    expect(await page.inputValue('#name')).toBe('Ana Souza');
  });

  it('the countdown follows the clock of the server, not of the device', async () => {
    const page = await choose();
    await page.clock.install({ time: new Date('2030-01-01T00:00:00Z') });
    await page.reload();
    await whenLive(page);
    expect(await page.locator('.countdown-time').innerText()).toMatch(/^(9|10):\d\d$/);
    await page.clock.runFor(61_000);
    expect(await page.locator('[data-announce]').textContent()).toMatch(/^\d+ minutes left to pay\.$/);
  });
});

describe.skipIf(!hasBrowser)('a paid order', () => {
  it('can be sent again and withdrawn from, after a confirmation', async () => {
    const page = await choose();
    await fillBuyer(page);
    await payByCard(page);
    await page.getByRole('button', { name: 'Send the tickets again' }).click();
    await expect.poll(() => page.getByRole('alert').innerText()).toMatch(/on their way|just sent/);
    await page.getByText('Withdraw from the purchase').click();
    const withdraw = page.getByRole('button', { name: /Withdraw and get R\$264\.00 back/ });
    await withdraw.click();
    expect(await heading(page)).toBe('You are going!');
    await page.getByText('I understand.').click();
    await Promise.all([page.waitForSelector('.ended'), withdraw.click()]);
    expect(await heading(page)).toBe('You have withdrawn from the purchase.');
    expect(await page.locator('main').innerText()).toContain('R$264.00 was returned to you.');
  });
});

describe.skipIf(!hasBrowser)('accessibility', () => {
  it('all states follow the rules of axe and fit into 320 px, in all languages and colours', async () => {
    // 320 px is also a screen of 640 px at a zoom of 200 %.
    const page = await choose({ viewport: screens.narrow });
    const errors = watchErrors(page);
    const path = `/orders/${orderId(page)}`;
    /** `prepare` opens what is closed at first. It runs in each language. */
    const check = async (state: string, prepare: () => Promise<void> = async () => undefined, address = path) => {
      for (const [locale, colorScheme, rules] of looks) {
        await page.emulateMedia({ colorScheme });
        await page.goto(`/${locale}${address}`);
        if (address === path) await whenLive(page);
        await prepare();
        expect([state, locale, await violationsOf(page, rules)]).toEqual([state, locale, []]);
        expect([state, locale, await overflowOf(page), await cutOffIn(page)]).toEqual([state, locale, 0, []]);
      }
    };
    await check('buyer with errors and summary', async () => {
      await page.locator('.buyer-form button').click();
      await page.locator('.summary-bar summary').click();
    });
    await page.locator('.summary-bar summary').click();
    await fillBuyer(page);
    await check('payment');
    await toPix(page, 'never');
    await page.waitForSelector('.pix');
    await check('PIX', () => page.locator('.other-way summary').click());
    await payByCard(page);
    await check('paid', () => page.locator('.withdraw summary').click());
    await page.locator('.withdraw input[type=checkbox]').check();
    await Promise.all([page.waitForSelector('.ended'), page.locator('.withdraw button').click()]);
    await check('withdrawn');
    await check('unknown', undefined, '/orders/999999');
    expect(errors).toEqual([]);
  });

  it('nothing moves while the pages load', async () => {
    const page = await choose();
    const shiftOf = () =>
      page.evaluate<number>(`new Promise((resolve) => {
        let sum = 0;
        new PerformanceObserver((list) => { for (const entry of list.getEntries()) sum += entry.value; }).observe({ type: 'layout-shift', buffered: true });
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)));
      })`);
    await page.waitForLoadState('networkidle');
    expect(await shiftOf()).toBeLessThan(0.02);
    await fillBuyer(page);
    await payByCard(page);
    await page.waitForLoadState('networkidle');
    expect(await shiftOf()).toBeLessThan(0.02);
  });
});
