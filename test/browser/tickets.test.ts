import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { watchErrors } from './page-checks.ts';
import { closeAfterEach, hasBrowser, screens, useBrowser } from './use-browser.ts';

const shop = useBrowser();
closeAfterEach(shop);

const row = (page: Page, name: string) => page.locator('li.ticket', { hasText: name });
const quantity = (page: Page, name: string) => row(page, name).locator('input[type=number]');
/** Intl puts a space that does not break into amounts. */
const total = async (page: Page): Promise<string> => (await page.locator('.total-bar-amount').innerText()).replaceAll(/\s/g, ' ');
/** The page is usable before its script has run. Tests of the script wait for it. */
const whenLive = (page: Page) => page.waitForFunction("document.querySelector('#ticket-choice form')?.dataset.live === 'true'");

describe.skipIf(!hasBrowser)('choosing tickets', () => {
  it('works with the keyboard alone, and shows the total', async () => {
    const page = await shop.visit('/pt-BR/event/noite-de-samba', { viewport: screens.desktop });
    const errors = watchErrors(page);
    await whenLive(page);
    await page.getByRole('button', { name: 'Um a mais: Camarote' }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await expect.poll(() => total(page)).toBe('Total: R$ 528,00');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    await expect.poll(() => total(page)).toBe('Total: R$ 264,00');
    await page.getByRole('button', { name: 'Continuar' }).focus();
    await Promise.all([page.waitForURL('**/pt-BR/orders/*'), page.keyboard.press('Enter')]);
    expect((await page.context().cookies()).map(({ name, httpOnly }) => [name.replace(/\d+/, ''), httpOnly])).toEqual([['order-', true]]);
    expect(errors).toEqual([]);
  });

  it('asks for a ticket if none is chosen', async () => {
    const page = await shop.visit('/en/event/noite-de-samba', { viewport: screens.desktop });
    await whenLive(page);
    await page.getByRole('button', { name: 'Continue' }).click();
    await expect.poll(() => page.getByRole('alert').innerText()).toBe('Choose at least one ticket.');
  });

  it('works without JavaScript up to the order', async () => {
    const page = await shop.visit('/es/event/noite-de-samba', { javaScriptEnabled: false });
    expect(await page.getByRole('button', { name: /Una más/ }).count()).toBe(0);
    await quantity(page, 'Camarote').fill('1');
    await Promise.all([page.waitForURL('**/es/orders/*'), page.getByRole('button', { name: 'Continuar' }).click()]);
  });

  it('a code reveals its tickets without JavaScript', async () => {
    const page = await shop.visit('/en/event/noite-de-samba', { javaScriptEnabled: false });
    await page.getByText('I have a code').click();
    await page.getByLabel('Access code').fill('amigos-da-casa');
    await Promise.all([page.waitForURL('**passkey=**'), page.getByRole('button', { name: 'Apply' }).click()]);
    expect(await row(page, 'Convidados').innerText()).toContain('Free');
  });

  it('rows that sell out while the page is open say so, and the focus stays in the row', async () => {
    const page = await shop.visit('/en/event/fado-ao-entardecer');
    await whenLive(page);
    const more = row(page, 'Balcão').getByRole('button', { name: /One more/ });
    await more.click();
    await more.focus();
    await page.route('**/v1/event/*/tickets', async (route) => {
      const response = await route.fetch();
      const text = (await response.text()).replace(/("name":"Balcão".*?"status":)"available"/, '$1"soldout"');
      await route.fulfill({ response, body: text });
    });
    await expect.poll(() => row(page, 'Balcão').innerText()).toContain('Sold out');
    expect(await page.evaluate('document.activeElement.textContent')).toContain('Balcão');
    expect(await page.locator('.total-bar-amount').count()).toBe(0);
  });
});
