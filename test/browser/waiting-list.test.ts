import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { eventually } from '../eventually.ts';
import { newItem, write } from './new-item.ts';
import { overflowOf, violationsOf, watchErrors } from './page-checks.ts';
import { hasBrowser } from './use-browser.ts';
import { complete, useConsole } from './use-console.ts';

const shop = useConsole();
const email = 'waiting@example.com';

/** Waits for the mail to the visitor with this subject, and returns the first link in it that has this path. */
async function linkInMail(subject: RegExp, path: RegExp): Promise<string> {
  const { token } = await shop.service.logIn('admin@demo.test');
  const read = async <T>(way: string) => (await shop.service.call('GET', `/v1/mailbox${way}`, { token })).body as T;
  const mail = await eventually('the mail is sent', async () =>
    (await read<{ data: { id: number; to: string; subject: string }[] }>('?pageSize=50')).data.find(
      (each) => each.to === email && subject.test(each.subject),
    ),
  );
  const { text } = await read<{ text: string }>(`/${mail.id}`);
  return new URL(text.split(/\s/).find((word) => path.test(word)) ?? '').href.replace(/^https?:\/\/[^/]+/, '');
}

/** Sells the only ticket of a new item. */
async function sellOut(name: string): Promise<{ id: number; token: string }> {
  const itemId = await newItem(shop, name, 1);
  const buyer = { name: 'First Buyer', email: 'first@example.com', document: '12345678909' };
  const { id, secret } = await write(shop, '/orders', { eventId: 1, items: [{ itemId, quantity: 1 }], buyer });
  await write(shop, `/orders/${id}/payment?secret=${secret}`, { method: 'card' });
  const { token } = await shop.service.logIn('producer@demo.test');
  return { id, token };
}

const title = (page: Page) => page.locator('h1').innerText();

async function expectSound(page: Page): Promise<void> {
  expect(await violationsOf(page)).toEqual([]);
  expect(await overflowOf(page)).toBe(0);
}

describe.skipIf(!hasBrowser)('the waiting list', () => {
  it('takes a visitor from the sold-out item to the tickets that come back, and the console counts it', async () => {
    const order = await sellOut('Balcony');
    const page = await shop.visit('/en/event/noite-de-samba');
    const errors = watchErrors(page);
    await page.locator('#waiting-list summary').click();
    await page.selectOption('#waiting-item', { label: 'Balcony' });
    await page.fill('#waiting-email', email);
    await page.locator('.waiting-form button').click();
    await page.waitForURL(/\/waiting-list\/1/);
    expect(await title(page)).toBe('Check your mail');

    await page.goto(await linkInMail(/./, /\/waiting-list\/1\?token=/));
    await expectSound(page);
    await page.getByRole('button', { name: 'Confirm my place' }).click();
    await page.getByText('You are number 1 in line').waitFor();
    const desk = await shop.signIn('producer@demo.test', '/events/1/waiting-list');
    await complete(desk, '.table');
    const figures = () => desk.locator('.figure-value').allTextContents();
    expect(await figures()).toEqual(['1', '0', '0', '0']);
    expect(await desk.locator('.table').last().textContent()).toContain(email);

    await write(shop, `/orders/${order.id}/refund`, {}, order.token);
    await eventually('the tickets are offered', async () => {
      await page.reload();
      return (await title(page)) === 'It is your turn';
    });
    await expectSound(page);
    const entry = page.url();
    await page.getByRole('button', { name: 'Buy the tickets' }).click();
    await page.waitForURL(/\/en\/orders\/\d+$/);
    const offered = page.url();
    // The link in the mail leads to the same order.
    const mailed = await shop.visit(await linkInMail(/turn/, /\/orders\/\d+\?token=/));
    expect(mailed.url()).toBe(offered);

    await page.fill('#name', 'Ana Souza');
    await page.fill('#email', email);
    await page.fill('#document', '12345678909');
    await page.locator('.buyer-form button').click();
    await page.waitForSelector('.pay-form');
    await page.locator('.method-body button:visible').click();
    await page.waitForSelector('.paid');
    await page.goto(entry);
    expect(await title(page)).toBe('You have your tickets');
    await desk.reload();
    await complete(desk, '.table');
    expect(await figures()).toEqual(['0', '0', '1', '0']);
    expect(errors).toEqual([]);
  });
});
