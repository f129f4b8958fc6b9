import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { looks, overflowOf, violationsOf, watchErrors } from './page-checks.ts';
import { closeAfterEach, hasBrowser, screens, useBrowser } from './use-browser.ts';

const shop = useBrowser();
closeAfterEach(shop);
const event = 'noite-de-samba';
const waitingRoom = (locale: string) => `/${locale}/event/${event}/queue`;

let token = '';
async function change(method: 'PUT' | 'POST' | 'DELETE', path = '', body?: object): Promise<number> {
  token ||= (await shop.service.logIn('producer@demo.test')).token;
  const response = await fetch(`${shop.service.origin}/v1/event/1/waiting-room${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return response.status;
}

/** A new waiting room that opens when the test says so. */
async function newRoom(): Promise<void> {
  await change('DELETE');
  expect(await change('PUT', '', { opensAt: '2098-01-01 00:00:00', admitPerMinute: 60 })).toBe(200);
}

const join = (page: Page) => Promise.all([page.waitForSelector('[data-number]'), page.locator('.queue-card button').click()]);
const placeOn = async (page: Page) => Number((await page.locator('[data-number]').innerText()).replaceAll(/\D/g, ''));

describe.skipIf(!hasBrowser)('the waiting room', () => {
  it('takes a visitor from the event page through the draw to the order, on one device or two', async () => {
    await newRoom();
    const page = await shop.visit(`/en/event/${event}`);
    const errors = watchErrors(page);
    await page.locator('.event-queue a').click();
    await join(page);
    expect(await placeOn(page)).toBe(1);
    await page.reload();
    expect(await placeOn(page)).toBe(1);
    const address = await page.inputValue('#queue-address');
    const other = await shop.visit(address.replace(/^https?:\/\/[^/]+/, ''));
    expect(other.url()).not.toContain('number=');
    expect(await placeOn(other)).toBe(1);

    await page.locator('[data-sound]').click();
    expect(await change('POST', '/open')).toBe(200);
    await page.waitForSelector('.queue-card.turn');
    expect(await page.title()).toContain('It is your turn!');
    expect(await violationsOf(page)).toEqual([]);
    await page.waitForURL('**/event/*?admitted=1**');
    const field = page.locator('li.ticket', { hasText: 'Camarote' }).locator('input[type=number]');
    await field.fill('1');
    await field.blur();
    await Promise.all([page.waitForURL('**/orders/*'), page.locator('.total-bar button[type=submit]').click()]);
    expect(errors).toEqual([]);
  });

  it('sends an order without an admission to the waiting room, which also works without JavaScript', async () => {
    await newRoom();
    const page = await shop.visit(`/en/event/${event}?admitted=1`, { javaScriptEnabled: false });
    const field = page.locator('li.ticket', { hasText: 'Camarote' }).locator('input[type=number]');
    await field.fill('1');
    await Promise.all([page.waitForURL('**/queue'), page.locator('form[action$="/orders"] button[type=submit]').first().click()]);
    await join(page);
    expect(await page.locator('noscript meta[http-equiv=refresh], meta[http-equiv=refresh]').count()).toBe(1);
    await change('POST', '/open');
    await expect.poll(async () => ((await page.reload())?.ok() ? page.locator('.queue-card.turn').count() : 0)).toBe(1);
  });

  it.each(looks)('is accessible and fits narrow screens in %s with %s colours', async (locale, colorScheme, rules) => {
    await newRoom();
    const page = await shop.visit(waitingRoom(locale), { viewport: screens.narrow, colorScheme });
    const errors = watchErrors(page);
    expect(await violationsOf(page, rules)).toEqual([]);
    await join(page);
    await page.locator('.queue-more summary').first().click();
    expect(await violationsOf(page, rules)).toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    await change('PUT', '', { paused: true });
    await change('POST', '/open');
    await page.waitForSelector('[data-paused]:not([hidden])');
    expect(await violationsOf(page, rules)).toEqual([]);
    expect(errors).toEqual([]);
  });
});
