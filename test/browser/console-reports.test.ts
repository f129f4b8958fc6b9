import { readFile } from 'node:fs/promises';
import type { Download, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { openPdf } from '../pdf.ts';
import { eventId } from './console-screens.ts';
import { hasBrowser } from './use-browser.ts';
import { complete, useConsole } from './use-console.ts';

const shop = useConsole();
const draftId = 9;
const title = 'Noite de Samba com Velha Guarda';

interface Answer {
  data: { tickets: { id: number; status: string }[] }[];
  id: number;
  secret: string;
}

async function call(path: string, body?: object): Promise<Answer> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${shop.service.origin}/v1${path}`, body ? { method: 'POST', headers, body: JSON.stringify(body) } : {});
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Answer;
}

/** Orders tickets of the first item on sale. Card payments of the sandbox are approved at once. */
async function buy(quantity: number, isPaid = true): Promise<void> {
  const { data } = await call(`/event/${eventId}/tickets`);
  const item = data.flatMap(({ tickets }) => tickets).find(({ status }) => status === 'available');
  const buyer = { name: 'Ana Souza', email: 'ana@example.com' };
  const { id, secret } = await call('/orders', { eventId, items: [{ itemId: item?.id, quantity }], buyer });
  if (isPaid) await call(`/orders/${id}/payment?secret=${secret}`, { method: 'card' });
}

const figure = (page: Page, label: string) => page.locator('.figure', { hasText: label }).locator('.figure-value');
const textOf = async (download: Download): Promise<string> => readFile((await download.path()) ?? '', 'utf8');

describe.skipIf(!hasBrowser)('the overview of an event', () => {
  let page: Page;
  beforeAll(async () => {
    page = await shop.signIn('producer@demo.test', `/events/${eventId}`);
    await complete(page, '.figures');
  });

  it('follows the sale without a reload, and offers the chart as a table and as a file', async () => {
    expect(await figure(page, 'Tickets sold').textContent()).toBe('0');
    await buy(2);
    await buy(3, false);
    await figure(page, 'Tickets sold').filter({ hasText: /^2$/ }).waitFor();
    await figure(page, 'Held now').filter({ hasText: /^3$/ }).waitFor();
    expect(await figure(page, 'Revenue').textContent()).toBe('R$160.00');
    await page.waitForSelector('.chart canvas');
    await page.getByText('Show as a table').click();
    expect(await page.locator('.overview-table tbody').innerText()).toContain('R$176.00');
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByText('Download CSV').click()]);
    expect(await textOf(download)).toMatch(/^\uFEFFTime,Tickets,Paid \(BRL\)\r\n\d{4}-\d\d-\d\d \d\d:00:00,2,176\.00\r\n$/);
    expect(await page.locator('.overview-activity').innerText()).toContain('Tickets were reserved');
    await page.getByText('By day').click();
    await complete(page, '[aria-current=true]:text("By day")');
    expect(new URL(page.url()).search).toBe('?by=day');
    expect(await page.locator('.overview-table tbody').innerText()).toContain('R$176.00');
  });

  it('of a draft lists what is missing, and leads to the step that publishes it', async () => {
    await page.goto(`/console/events/${draftId}`);
    await complete(page, '.overview-checklist li');
    expect(await page.locator('.overview-checklist a').count()).toBeGreaterThan(0);
    await page.getByRole('link', { name: 'Check and publish' }).click();
    await page.getByRole('button', { name: 'Publish event' }).waitFor();
  });
});

describe.skipIf(!hasBrowser)('the status of an event', () => {
  it('can be changed and changed back; cancelling needs the title, says what it does in numbers, and shows the refunds', async () => {
    const page = await shop.signIn('producer@demo.test', `/events/${eventId}`);
    await page.getByRole('link', { name: 'Publish, duplicate, cancel' }).click();
    const status = page.locator('h2 .pill');
    await page.getByRole('button', { name: 'Only for people with the link' }).click();
    await status.getByText('Private').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await status.getByText('On sale').waitFor();

    await page.getByRole('button', { name: 'Cancel the event' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('2 tickets are sold.').waitFor();
    expect(await dialog.innerText()).toContain('R$176.00 is refunded to the buyers.');
    expect(await dialog.innerText()).toContain('3 tickets in carts are released.');
    const confirm = dialog.getByRole('button', { name: `Cancel ${title}` });
    await confirm.click();
    await dialog.getByText('Type the title of the event exactly as it is shown.').waitFor();
    await dialog.getByLabel(`To confirm, type ${title}`).fill(title);
    await confirm.click();
    await page.getByText('1 order was refunded, R$176.00.').waitFor();
    expect(await status.textContent()).toBe('Cancelled');
  });
});

describe.skipIf(!hasBrowser)('reports and exports', () => {
  it('the bordero has the figures of the event, also as PDF, and an export is made and downloaded', async () => {
    const page = await shop.signIn('producer@demo.test', `/events/${eventId}/reports/bordero`);
    await complete(page, '.figures');
    const hash = (await page.locator('.reports-hash').textContent()) ?? '';
    const [pdf] = await Promise.all([page.waitForEvent('download'), page.getByText('Download PDF').click()]);
    const { pages } = openPdf(await readFile((await pdf.path()) ?? ''));
    expect(pages[0]?.text).toContain(hash);

    await page.getByRole('link', { name: 'Exports' }).click();
    await complete(page, '.empty');
    await page.getByRole('button', { name: 'Create an export' }).click();
    await page.getByLabel('List').selectOption({ label: 'Orders · Refunded orders' });
    await page.getByRole('button', { name: 'Create the file' }).click();
    await page.getByRole('link', { name: 'Download' }).waitFor();
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Download' }).click()]);
    expect(await textOf(file)).toContain('ana@example.com');
  });

  it('people at the door see the entry report, but neither sales nor files', async () => {
    const page = await shop.signIn('door@demo.test', `/events/${eventId}`);
    await complete(page, 'h1');
    expect(await page.locator('.figures').count()).toBe(0);
    await page.getByRole('link', { name: 'Reports' }).click();
    await complete(page, '.figures');
    expect(await page.getByRole('link', { name: 'Bordero' }).count()).toBe(0);
    for (const path of ['reports/bordero', 'exports']) {
      await page.goto(`/console/events/${eventId}/${path}`);
      await page.getByText('You may not see this').first().waitFor();
    }
  });
});
