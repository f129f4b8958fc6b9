import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { eventually } from '../eventually.ts';
import { useReceiver } from '../webhook-receiver.ts';
import { buyTickets } from './buy-tickets.ts';
import { violationsOf, watchErrors } from './page-checks.ts';
import { hasBrowser, screens } from './use-browser.ts';
import { complete, useConsole } from './use-console.ts';

// The receiver of webhooks is on this machine.
const shop = useConsole(() => ({ WEBHOOKS_ALLOW_PRIVATE: 'on' }));
const receiver = useReceiver();
const admin = 'admin@demo.test';

/** The texts of the sections of the home page, as the preview in the editor shows them. */
const preview = (page: Page) => page.frameLocator('iframe').locator('.home-section h2');

describe.skipIf(!hasBrowser)('the platform in the console', () => {
  it('an admin adds a user, who chooses a password with the mail in the mailbox, works, and is locked out when disabled', async () => {
    const page = await shop.signIn(admin, '/platform/users');
    await page.getByRole('button', { name: 'Add a user' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('E-mail').fill('nina@example.com');
    await dialog.getByLabel('Name', { exact: true }).fill('Nina Nova');
    await page.getByRole('button', { name: 'Add the user' }).click();
    await page.getByRole('heading', { name: 'Nina Nova' }).waitFor();
    await page.getByText('No roles yet.').waitFor();

    const link = await eventually('the mail arrives', async () => {
      await page.goto('/console/platform/mailbox');
      await complete(page, '.table, .empty');
      await page.getByRole('row').filter({ hasText: 'nina@example.com' }).getByRole('link').click({ timeout: 500 });
      return page.locator('.platform-mail-text a').first().getAttribute('href');
    });
    // The service was started without a fixed port, so the link has the wrong one.
    const { pathname, hash } = new URL(link);
    const nina = await shop.visit(`${pathname}${hash}`, { viewport: screens.desktop, locale: 'en' });
    await nina.getByLabel('New password').fill('a password for nina');
    await nina.getByRole('button', { name: 'Save the password' }).click();
    await nina.getByLabel('E-mail').fill('nina@example.com');
    await nina.getByLabel('Password').fill('a password for nina');
    await nina.keyboard.press('Enter');
    await nina.waitForSelector('.top');
    expect(await nina.getByRole('link', { name: 'Platform' }).count()).toBe(0);

    await page.goto('/console/platform/users?term=nina');
    await page.getByRole('link', { name: 'Nina Nova' }).click();
    await page.getByRole('button', { name: 'Disable the user' }).click();
    await dialog.getByRole('button', { name: 'Disable the user' }).click();
    await page.getByText('Nina Nova is disabled.').waitFor();
    await nina.reload();
    await nina.getByLabel('Password').waitFor();

    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Disable the user' }).waitFor();
  });

  it('a fee shows what a ticket costs while it is typed, can be removed and restored, and the service charges exactly that', async () => {
    const page = await shop.signIn(admin, '/platform/tax');
    await complete(page, '.table');
    await page.getByRole('button', { name: 'Agree on another fee' }).click();
    await page.getByRole('button', { name: 'Aurora Produções' }).click();
    await page.getByRole('textbox', { name: 'Fee' }).fill('12,5');
    await page.getByRole('textbox', { name: 'Part that the buyer pays' }).fill('40');
    const example = page.getByRole('dialog').locator('.platform-example');
    expect(await example.textContent()).toBe(
      'A ticket of R$80.00 costs the buyer R$84.00. The producer gets R$74.00, the platform R$10.00.',
    );
    await page.getByRole('button', { name: 'Save' }).click();
    const agreement = page.getByRole('row').filter({ hasText: 'Aurora Produções' });
    await agreement.getByText('12.5%').waitFor();
    await agreement.getByRole('button', { name: 'Remove' }).click();
    await agreement.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await agreement.getByText('12.5%').waitFor();
    const { token } = await shop.service.logIn(admin);
    const { body } = await shop.service.call('GET', '/v1/tax?producerId=1&price=8000', { token });
    expect(body).toMatchObject({ finalPrice: 8_400, producerReceives: 7_400, tax: 1_000 });
  });

  it('the editor of the home page: a new section is in the preview at once, moves by keyboard, and can be removed and restored', async () => {
    const page = await shop.signIn(admin, '/platform/home');
    await complete(page, '.ordered');
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Add a section' }).click();
    await dialog.getByLabel('Title').fill('Our choice');
    await page.getByRole('button', { name: 'Add an event' }).click();
    await page.getByLabel('Search published events').fill('samba');
    await page.locator('.picker-event', { hasText: 'Noite de Samba' }).click();
    await dialog.getByRole('button', { name: 'Add a section' }).click();
    await preview(page).getByText('Our choice').waitFor();

    const titles = () => page.locator('.ordered').last().locator('b').allTextContents();
    const up = page.getByRole('button', { name: 'Move Our choice up' });
    await up.focus();
    for (let place = (await titles()).indexOf('Our choice'); place > 0; place--) await page.keyboard.press('Enter');
    expect((await titles())[0]).toBe('Our choice');
    await eventually('the preview has moved it', async () => (await preview(page).allTextContents())[1] === 'Our choice');

    await page.getByRole('button', { name: 'Remove Our choice' }).click();
    await preview(page).getByText('Our choice').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await preview(page).getByText('Our choice').waitFor();

    const entry = page.getByRole('listitem').filter({ hasText: 'Festival Aurora' });
    const featured = page.frameLocator('iframe').getByRole('region', { name: 'Featured' }).getByText('Festival Aurora');
    await featured.waitFor();
    await entry.getByRole('button', { name: 'Edit Festival Aurora' }).click();
    await dialog.getByLabel('Show from').fill('2035-01-01T12:00');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await entry.getByText('Not shown now').waitFor();
    await featured.waitFor({ state: 'detached' });
  });

  it('a producer adds a webhook whose secret is shown once, tests it, sends messages again, and deletes it', async () => {
    const page = await shop.signIn('producer@demo.test', '/producers/1/webhooks');
    const errors = watchErrors(page);
    const click = (name: string) => page.getByRole('button', { name, exact: true }).click();
    await complete(page, '.empty');
    await click('Add a webhook');
    await page.getByLabel('Address').fill(receiver.url);
    await page.getByLabel('Order refunded').uncheck();
    await click('Add the webhook');
    await page.waitForSelector('.secret');
    const secret = (await page.textContent('.secret')) ?? '';
    expect(secret).toMatch(/^whsec_/);
    expect(await violationsOf(page)).toEqual([]);
    await click('I have stored it');

    await page.getByRole('link', { name: receiver.url }).click();
    await complete(page, '.empty');
    await click('Send a test');
    await page.locator('.pill', { hasText: 'Delivered' }).waitFor();
    expect(receiver.received.map(({ message }) => message.type)).toEqual(['webhook.test']);
    await buyTickets(shop, 1, 'Ana Souza');
    await page
      .getByRole('button', { name: /^Order paid/ })
      .first()
      .click();
    await page.waitForSelector('.webhook-body');
    expect(await page.textContent('dialog')).toContain('Ana Souza');
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page
      .getByRole('button', { name: /^Send again: Order paid/ })
      .first()
      .click();
    await page.getByText('The message is sent again.').waitFor();

    await click('Replay');
    await page.getByLabel('Send again since').fill('2026-01-01T00:00');
    expect(await violationsOf(page)).toEqual([]);
    await page.locator('dialog').getByRole('button', { name: 'Replay' }).click();
    await page.getByText('already deleted').waitFor();
    const hourAgo = new Date(Date.now() - 3_600_000 - new Date().getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
    await page.getByLabel('Send again since').fill(hourAgo);
    await page.locator('dialog').getByRole('button', { name: 'Replay' }).click();
    await page.getByText('The messages are sent again.').waitFor();
    await eventually(
      'the message about the order arrives a third time',
      () => receiver.received.filter(({ message }) => message.type === 'order.approved').length === 3,
    );

    await click('Pause');
    await page.locator('.pill', { hasText: 'Paused' }).waitFor();
    await click('Delete the webhook');
    await page.locator('dialog input').fill(new URL(receiver.url).host);
    await page.locator('dialog').getByRole('button', { name: 'Delete the webhook' }).click();
    await complete(page, '.empty');
    expect(errors).toEqual([]);
  });
});
