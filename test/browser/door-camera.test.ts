import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { hasBrowser } from './use-browser.ts';
import { scan, useDoor } from './use-door.ts';

const shop = useDoor();

const resultsOf = async (page: Page): Promise<string[]> =>
  page.locator('.recent li').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-result') ?? ''));

describe.skipIf(!hasBrowser)('the camera', () => {
  it('reads codes upside-down, inverted and side by side, and no code that is torn', async () => {
    const tickets = await shop.buy(6);
    const [plain, used, upsideDown, inverted, left, right] = tickets.map(({ code }) => code) as [
      string,
      string,
      string,
      string,
      string,
      string,
    ];
    const [torn] = await shop.buy(1);
    const setUp = await shop.open('Gate B');
    await scan(setUp, used);
    const shown = (codes: Parameters<typeof shop.film>[0][number]['codes']) => [
      { codes, frames: 15 },
      { codes: [], frames: 2 },
    ];
    shop.film([
      ...shown([{ text: torn?.code ?? '', isTorn: true }]),
      ...shown([{ text: plain }]),
      ...shown([{ text: used }]),
      ...shown([{ text: 'https://example.com/menu' }]),
      ...shown([{ text: upsideDown, isUpsideDown: true }]),
      ...shown([{ text: inverted, isInverted: true }]),
      ...shown([
        { text: left, side: 'left' },
        { text: right, side: 'right' },
      ]),
    ]);
    await shop.open('Gate A', { camera: true });
    const results = async (id: number | undefined) => (await shop.checkins(`&ticketId=${id}`)).map(({ result }) => result);
    // On a busy machine a scene may be missed. The film repeats, so every code is read at some time.
    for (const ticket of tickets) await expect.poll(() => results(ticket.id)).toContain('admitted');
    await expect.poll(() => results(tickets[1]?.id)).toContain('already_used');
    await expect.poll(() => shop.checkins('&result=unknown')).not.toEqual([]);
    expect(await results(torn?.id)).toEqual([]);
  });

  it('the app starts without a network and without a cache of the browser, and its camera reads codes', async () => {
    const [ticket] = await shop.buy(1);
    const page = await shop.open('Gate A', { camera: true });
    const context = page.context();
    await (await context.newCDPSession(page)).send('Network.clearBrowserCache');
    await page.close();
    await context.setOffline(true);
    shop.film([{ codes: [{ text: ticket?.code ?? '' }], frames: 5 }]);
    const again = await context.newPage();
    await again.goto('/door/');
    await again.waitForSelector('.recent li[data-result=admitted]');
    expect(await shop.checkins(`&ticketId=${ticket?.id}`)).toEqual([]);
  });

  it('announces a code once while it is in view, and a code that is not valid does not block the next', async () => {
    const [first, second] = await shop.buy(2);
    const poster = { text: 'https://example.com/poster', side: 'left' } as const;
    shop.film([
      { codes: [poster], frames: 15 },
      { codes: [poster, { text: first?.code ?? '', side: 'right' }], frames: 15 },
      { codes: [poster, { text: second?.code ?? '', side: 'right' }], frames: 15 },
    ]);
    const posters = async () => (await shop.checkins('&result=unknown')).length;
    const before = await posters();
    await shop.open('Gate A', { camera: true });
    await expect.poll(posters).toBe(before + 1);
    // Each ticket leaves the view and comes back, the poster stays.
    for (const ticket of [first, second]) {
      await expect.poll(async () => (await shop.checkins(`&ticketId=${ticket?.id}`)).length).toBeGreaterThan(1);
    }
    expect(await posters()).toBe(before + 1);
  });

  it('that is blocked leaves hand-held scanners and typing', async () => {
    const [first, second] = await shop.buy(2);
    const page = await shop.open('Gate A', { permissions: [] });
    await expect.poll(() => page.locator('.camera-trouble').innerText()).toContain('The camera is blocked');
    expect(await scan(page, first?.code ?? '')).toBe('admitted');
    await page.getByRole('button', { name: 'Type code' }).click();
    await page.getByLabel('Code of the ticket').fill(second?.code.toLowerCase() ?? '');
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await expect.poll(() => resultsOf(page)).toEqual(['admitted', 'admitted']);
  });
});
