import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { demoPassword } from '../../src/demo/people.ts';
import { hasBrowser } from './use-browser.ts';
import { complete, useConsole } from './use-console.ts';

const shop = useConsole();
const newOwner = 'nova@demo.test';

/** A producer that was just created, whose owner has never used the console. */
async function createProducer(): Promise<void> {
  const { token } = await shop.service.logIn('admin@demo.test');
  await shop.service.call('POST', '/v1/users', { token, body: { email: newOwner, name: 'Nova Produtora', password: demoPassword } });
  await shop.service.call('POST', '/v1/producers', { token, body: { name: 'Nova Produções', owner: { email: newOwner } } });
}

const mostTabs = 60;

/** Presses Tab until the focus is on the control with this name. */
async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const wanted = page.getByLabel(name).or(page.getByRole('button', { name })).or(page.getByRole('link', { name }));
  for (let count = 0; count < mostTabs; count += 1) {
    await page.keyboard.press('Tab');
    const focused = page.locator(':focus');
    if ((await focused.count()) === 1 && (await focused.and(wanted).count()) === 1) return;
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

describe.skipIf(!hasBrowser)('an event in the console', () => {
  it('a new producer puts an event on sale with the keyboard alone, and buyers see it in the shop', async () => {
    await createProducer();
    const page = await shop.signIn(newOwner);
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
    expect(page.url()).toMatch(/\/console\/events\/\d+$/);

    const buyer = await shop.visit('/en/event/noite-do-teclado');
    const offer = await buyer.locator('main').innerText();
    expect(offer).toContain('Casa da Rua');
    expect(offer).toMatch(/1st lot[^]*88\.00/);
  });

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
