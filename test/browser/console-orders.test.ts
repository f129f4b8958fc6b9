import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { eventId } from './buy-tickets.ts';
import { hasBrowser } from './use-browser.ts';
import { complete, useConsole } from './use-console.ts';

const shop = useConsole();
const inEvent = (path: string) => `/events/${eventId}${path}`;
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const textOf = (page: Page, selector: string): Promise<string> => page.locator(selector).innerText();

describe.skipIf(!hasBrowser)('the box office and imported codes in the console', () => {
  it('the box office sells for cash with the keyboard, and only once if the answer is lost and the page is loaded again', async () => {
    const page = await shop.signIn('boxoffice@demo.test', inEvent('/box-office'));
    await page.addInitScript('window.print = () => { window.prints = (window.prints ?? 0) + 1; }');
    await page.reload();
    await complete(page, '.box');
    let isLost = true;
    // The service stores the payment, but the browser never learns it.
    await page.route('**/v1/orders/*/payment', async (route) => {
      await route.fetch();
      if (isLost) await route.abort('connectionreset');
      else await route.continue();
    });
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowDown', '1', 'Enter']) await page.keyboard.press(key);
    expect(await textOf(page, '.box-total output')).toBe('R$220.00');
    await page.keyboard.type('250');
    expect(await textOf(page, '.box-change output')).toBe('R$30.00');
    await page.keyboard.press('Enter');
    await page.getByText('No answer from the service').waitFor();
    await page.reload();
    isLost = false;
    await page.waitForSelector('.box-sold');
    expect(await textOf(page, '.box-sold')).toContain('3 tickets sold\n\nChange: R$30.00');
    await expect.poll(() => page.evaluate('window.prints')).toBe(1);
    await page.emulateMedia({ media: 'print' });
    expect([await page.locator('.box-ticket .qr').count(), await page.locator('.box-sold').isVisible()]).toEqual([3, false]);
    await page.emulateMedia({ media: 'screen' });

    const orders = await shop.query('select status, total::int from ticket_order where event_id = $1 and app_category_id = 2', [eventId]);
    expect(orders).toEqual([{ status: 'approved', total: 22_000 }]);
    await page.keyboard.press('Enter');
    await page.waitForSelector('.box');
    await complete(page, '.box');
    await expect.poll(() => page.evaluate('document.activeElement.className')).toContain('box-quantity');
    expect(await textOf(page, '.box-total output')).toBe('R$0.00');
  });

  it('a file of codes is checked before it is imported: its bad lines are listed, and the codes can be deleted', async () => {
    const page = await shop.signIn('producer@demo.test', inEvent('/codes'));
    await complete(page, '.empty');
    const check = async (lines: string[]) => {
      const buffer = Buffer.from(['code,item', ...lines].join('\n'));
      await page.getByLabel('CSV file').setInputFiles({ name: 'partner.csv', mimeType: 'text/csv', buffer });
      await page.getByLabel('Create a ticket for each unknown name').check();
      await button(page, 'Check the file').click();
    };
    await button(page, 'Upload a CSV file').click();
    await check(['P-1,Partners', ',Partners', 'P-1,Partners']);
    await page.getByText('2 errors in the file. Nothing was stored.').waitFor();
    expect(await page.locator('dialog tbody tr').allInnerTexts()).toEqual([
      expect.stringMatching(/^3\s+code\s+code is empty/),
      expect.stringMatching(/^4\s+code\s+P-1 is already in line 2/),
    ]);
    await button(page, 'Choose another file').click();
    await check(['P-1,Partners', 'P-2,Partners']);
    await button(page, 'Import 2 codes').click();
    await expect.poll(() => page.locator('tbody tr').allInnerTexts()).toHaveLength(2);
    await button(page, 'Delete codes').click();
    await page.getByText('2 available codes will be deleted.').waitFor();
    await page.getByLabel('To confirm, type Partners').fill('Partners');
    await button(page, 'Delete 2 codes').click();
    await page.waitForSelector('main .empty');
  });
});
