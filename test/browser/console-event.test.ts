import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { eventually } from '../eventually.ts';
import { watchErrors } from './page-checks.ts';
import { hasBrowser, screens } from './use-browser.ts';
import { complete, useConsole } from './use-console.ts';
import { scan } from './use-door.ts';

const shop = useConsole();
/** The story has as many steps as ten other tests. */
const storyMs = 900_000;

const mostTabs = 60;

/** Presses Tab until the focus is on the control with this name. */
async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const wanted = page.getByLabel(name).or(page.getByRole('button', { name })).or(page.getByRole('link', { name }));
  for (let count = 0; count < mostTabs; count += 1) {
    await page.keyboard.press('Tab');
    if ((await wanted.and(page.locator(':focus')).count()) === 1) return;
  }
  throw new Error(`Tab does not reach ${name}`);
}

const atHeading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

/** Goes on to the field, types into it, and submits the form with Enter. */
async function typeAndSubmit(page: Page, name: string | RegExp, text: string): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });

/** The link of the mail of the demo that was sent to this address. */
const linkFor = (admin: Page, email: string): Promise<string> =>
  eventually('the mail arrives', async () => {
    await admin.goto('/console/platform/mailbox');
    await complete(admin, '.table, .empty');
    await admin.getByRole('row').filter({ hasText: email }).getByRole('link').click({ timeout: 500 });
    // The service was started without a fixed port, so the link has the wrong one.
    const { pathname, hash } = new URL((await admin.locator('.platform-mail-text a').first().getAttribute('href')) ?? '');
    return `${pathname}${hash}`;
  });

/** From the empty list of events to an event on sale, without a mouse. Returns the path of the event. */
async function createEventByKeyboard(page: Page): Promise<string> {
  await complete(page, '.empty');
  await tabTo(page, 'Create event');
  await page.keyboard.press('Enter');
  await atHeading(page, 'What is your event called?');
  await complete(page, 'form');
  await typeAndSubmit(page, 'Title', 'Noite do Teclado');
  await atHeading(page, 'When and where does it take place?');
  await complete(page, 'form');
  await typeAndSubmit(page, /^Venue/, 'Casa da Rua');
  await atHeading(page, 'Which tickets do you sell?');
  await complete(page, 'form');
  await typeAndSubmit(page, 'Name of the area', 'Pista');
  await atHeading(page, 'What do they cost?');

  // Leaving and coming back continues at the same step.
  await page.goto(page.url().replace(/\/prices$/, ''));
  await atHeading(page, 'What do they cost?');
  await complete(page, 'form');
  for (const [lot, price] of [
    ['1st lot', '80'],
    ['2nd lot', '90.50'],
  ] as const) {
    await tabTo(page, lot);
    await page.keyboard.type(price);
  }
  expect(await page.locator('.create-fees').first().innerText()).toBe('Buyers pay R$88.00, with a fee of R$8.00. You receive R$80.00.');
  await typeAndSubmit(page, '3rd lot', '100');
  await atHeading(page, 'Ready to publish?');
  await complete(page, '.create-facts');
  await tabTo(page, 'Publish event');
  await page.keyboard.press('Enter');
  await page.getByText('Your event is on sale.').waitFor();
  return new URL(page.url()).pathname;
}

/** Buys two tickets of the first lot in the shop. Returns their short codes. */
async function buyInShop(): Promise<string[]> {
  const buyer = await shop.visit('/en/event/noite-do-teclado');
  expect(await buyer.locator('main').innerText()).toContain('Casa da Rua');
  const quantity = buyer.locator('li.ticket', { hasText: '1st lot' }).locator('input[type=number]');
  await quantity.fill('2');
  await quantity.blur();
  await Promise.all([buyer.waitForURL('**/orders/*'), buyer.locator('.total-bar button[type=submit]').click()]);
  await buyer.fill('#name', 'Vera Lins');
  await buyer.fill('#email', 'vera@example.com');
  await buyer.fill('#document', '12345678909');
  await Promise.all([buyer.waitForSelector('.pay-form'), buyer.locator('.buyer-form button').click()]);
  await Promise.all([buyer.waitForSelector('.paid'), buyer.locator('.method-body button:visible').click()]);
  const codes = await buyer.locator('.pass-short').allInnerTexts();
  return codes.map((text) => text.split(':').at(-1)?.trim() ?? '');
}

/** Finds the order by its buyer and refunds its second ticket. */
async function refundOne(page: Page, eventPath: string): Promise<void> {
  await page.goto(`${eventPath}/orders`);
  await complete(page, '.table');
  await page.getByRole('searchbox').fill('vera');
  await expect.poll(() => page.url()).toContain('term=vera');
  await page.locator('tbody a').click();
  await complete(page, '.orders-detail');
  await button(page, 'Refund tickets').click();
  expect(await button(page, 'Choose tickets to refund').isDisabled()).toBe(true);
  await page.getByRole('checkbox', { name: 'All tickets' }).check();
  await button(page, 'Refund 2 tickets, R$176.00').waitFor();
  await page
    .getByRole('checkbox', { name: /^1st lot/ })
    .first()
    .uncheck();
  await page.getByLabel('Reason').fill('Came alone');
  await button(page, 'Refund 1 ticket, R$88.00').click();
  await page.locator('.page-about').getByText('Partly refunded').waitFor();
  expect(await page.locator('.orders-timeline').innerText()).toMatch(/^1 ticket refunded\n+“Came alone”\n+Nova Lima/);
  await page.getByLabel('New note').fill('Called the buyer.');
  await button(page, 'Add the note').click();
  await page.locator('.orders-notes').getByText('Called the buyer.').waitFor();
  await page.goBack();
  expect(await page.getByRole('searchbox').inputValue()).toBe('vera');
}

/** Pairs a phone with the code that the console shows once. */
async function pairPhone(page: Page, eventPath: string): Promise<Page> {
  await page.goto(`${eventPath}/door`);
  await complete(page, '.figures');
  await button(page, 'Add a device').click();
  await page.getByLabel('Name of the device').fill('Phone 7');
  await page.getByLabel('Gate').fill('North');
  const created = page.waitForResponse((response) => response.url().endsWith('/devices') && response.request().method() === 'POST');
  await button(page, 'Show the pairing code').click();
  await page.waitForSelector('.qr');
  const { link } = (await (await created).json()) as { link: string };
  const phone = await shop.visit(link.slice(link.indexOf('/door/')), { locale: 'en' });
  await button(phone, 'Start scanning').click();
  await phone.waitForSelector('.counters strong');
  await button(page, 'The phone is paired').click();
  return phone;
}

describe.skipIf(!hasBrowser)('an event in the console', () => {
  it(
    'a new producer is invited, sells with the keyboard alone, refunds, checks in, and gets the right bordero',
    async () => {
      const admin = await shop.signIn('admin@demo.test', '/producers');
      await button(admin, 'Create producer').click();
      await admin.getByLabel('Name', { exact: true }).fill('Nova Produções');
      await admin.getByLabel('E-mail of the first owner').fill('nova@example.com');
      await admin.getByRole('dialog').getByRole('button', { name: 'Create producer' }).click();
      await atHeading(admin, 'Nova Produções');
      const page = await shop.visit(await linkFor(admin, 'nova@example.com'), { viewport: screens.desktop, locale: 'en' });
      await page.getByLabel('Your name').fill('Nova Lima');
      await page.getByLabel('Password').fill('a password for nova');
      await page.keyboard.press('Enter');
      const errors = watchErrors(page);

      const eventPath = await createEventByKeyboard(page);
      const [first = '', second = ''] = await buyInShop();
      await refundOne(page, eventPath);

      // The doors of the event are closed until its day.
      const eventId = Number(eventPath.split('/').at(-1));
      await shop.query(`update event_session set starts_at = now(), finishes_at = now() + interval '7 hours' where event_id = $1`, [
        eventId,
      ]);
      const phone = await pairPhone(page, eventPath);
      const results = [await scan(phone, first), await scan(phone, first), await scan(phone, second)];
      expect(results).toEqual(['admitted', 'already_used', 'refunded']);
      await page.locator('.figure', { hasText: 'Entered' }).getByText('1', { exact: true }).waitFor();
      await button(page, 'Revoke: Phone 7').click();
      await button(page, 'Revoke Phone 7').click();
      await page.locator('tbody').getByText('Revoked').waitFor();

      await page.goto(`${eventPath}/reports/bordero`);
      await complete(page, '.figures');
      const figures = await page.locator('.figure').allInnerTexts();
      expect(figures.map((text) => text.split(/\n+/))).toEqual([
        ['Sold', '1', 'of 500 offered'],
        ['Refunded', '1', 'tickets'],
        ['Gross', 'R$80.00', 'prices without fees'],
        ['Net', 'R$80.00', 'for the producer'],
      ]);
      expect(errors).toEqual([]);
    },
    storyMs,
  );

  it('arrow keys order the lots, and a price is changed in its place', async () => {
    const page = await shop.signIn('producer@demo.test', '/events/1/tickets');
    await complete(page, '.tickets');
    const names = () => page.locator('.tickets-lot .tickets-link').allInnerTexts();
    const before = await names();
    await tabTo(page, 'Move 1º lote');
    await page.keyboard.press('ArrowDown');
    await page.getByText('1º lote is now at place 2 of 4.').waitFor({ state: 'attached' });
    await complete(page, '.tickets');
    const after = [before[1], before[0], ...before.slice(2)];
    expect(await names()).toEqual(after);
    expect(await page.locator(':focus').getAttribute('aria-label')).toBe('Move 1º lote');

    await tabTo(page, 'Price of 1º lote');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.tickets-edit input:focus');
    await page.keyboard.type('77');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByLabel('Price of 1º lote').innerText()).toContain('R$84.70');
    await page.reload();
    await complete(page, '.tickets');
    expect(await names()).toEqual(after);
    expect(await page.getByLabel('Price of 1º lote').innerText()).toContain('R$84.70');
  });

  it('an edit of a changed event shows both versions, and saves what the reader chooses', async () => {
    const mine = await shop.signIn('producer@demo.test', '/events/1/settings');
    const theirs = await mine.context().newPage();
    await theirs.goto('/console/events/1/settings');
    for (const page of [mine, theirs]) await complete(page, 'form');
    await theirs.getByLabel('Title', { exact: true }).fill('Their title');
    await theirs.getByLabel(/^Subtitle/).fill('Their subtitle');
    await theirs.keyboard.press('Enter');
    await theirs.getByText('Saved.').waitFor();

    await mine.getByLabel('Title', { exact: true }).fill('My title');
    await mine.keyboard.press('Enter');
    const dialog = mine.getByRole('dialog', { name: 'Somebody changed this in the meantime' });
    await dialog.waitFor();
    const versions = await dialog.innerText();
    for (const text of ['My title', 'Their title', 'Their subtitle']) expect(versions).toContain(text);
    await dialog.getByRole('button', { name: 'Save this choice' }).click();
    await mine.getByText('Saved.').waitFor();
    await theirs.reload();
    await complete(theirs, 'form');
    expect(await theirs.getByLabel('Title', { exact: true }).inputValue()).toBe('My title');
    expect(await theirs.getByLabel(/^Subtitle/).inputValue()).toBe('Their subtitle');
  });
});
