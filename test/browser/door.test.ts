import { describe, expect, it } from 'vitest';
import { hasBrowser } from './use-browser.ts';
import { eventId, scan, useDoor } from './use-door.ts';

const shop = useDoor();

describe.skipIf(!hasBrowser)('without a network', () => {
  it('scans are decided on the device, survive a reload, and are sent once when the network is back', async () => {
    const [ticket] = await shop.buy(1);
    const page = await shop.open('Gate A');
    await page.context().setOffline(true);
    expect(await scan(page, ticket?.code ?? '')).toBe('admitted');
    await expect.poll(() => page.locator('.banner').innerText()).toMatch(/^Offline since .* Ticket data from /);
    await page.reload();
    await page.waitForSelector('.scan');
    expect(await scan(page, ticket?.code ?? '')).toBe('already_used');
    expect(await page.locator('.counters').innerText()).toContain('2 scans to send');
    await page.context().setOffline(false);
    await expect.poll(() => page.locator('.counters').innerText()).not.toContain('to send');
    const sent = (await shop.checkins()).filter(({ ticketId }) => ticketId === ticket?.id);
    expect(sent.map(({ result }) => result)).toEqual(['already_used', 'admitted']);
    expect(await page.locator('.banner').count()).toBe(0);
  });

  it('two devices that admit the same ticket learn of the double entry, and it can be worked off', async () => {
    const [ticket] = await shop.buy(1);
    const [first, second] = [await shop.open('Gate A'), await shop.open('Gate B')];
    for (const page of [first, second]) {
      await page.context().setOffline(true);
      expect(await scan(page, ticket?.code ?? '')).toBe('admitted');
    }
    await first.context().setOffline(false);
    await expect.poll(() => shop.checkins().then(([newestScan]) => newestScan?.ticketId)).toBe(ticket?.id);
    await second.context().setOffline(false);
    await second.waitForSelector('.badge');
    await second.getByRole('button', { name: 'To do' }).click();
    expect(await second.locator('.cards').innerText()).toMatch(/^Double entry\n[^]*This ticket was also used .*, Gate A\./);
    await second.getByRole('button', { name: 'Done' }).click();
    await expect.poll(() => second.locator('.cards li').count()).toBe(0);
    expect(await shop.checkins(`&double=true&ticketId=${ticket?.id}`)).toHaveLength(1);
    expect(await first.locator('.badge').count()).toBe(0);
  });

  it('a device that was revoked keeps its scans, and sends them after it is paired again', async () => {
    const [ticket] = await shop.buy(1);
    const device = await shop.newDevice();
    const page = await shop.open('Gate A', { token: device.token });
    await page.context().setOffline(true);
    expect(await scan(page, ticket?.code ?? '')).toBe('admitted');
    await shop.manage('DELETE', `/event/${eventId}/devices/${device.id}`);
    await page.context().setOffline(false);
    await expect.poll(() => page.locator('h1').innerText()).toBe('This device was revoked');
    expect(await page.locator('main').innerText()).toContain('1 scan was not sent yet. It is kept on this device.');
    const { token } = await shop.newDevice();
    await page.goto(`/door/#pair=${token}`);
    await page.waitForSelector('.scan');
    await expect.poll(() => shop.checkins(`&ticketId=${ticket?.id}`).then((rows) => rows.length)).toBe(1);
  });

  it('the app starts without a network and without a cache of the browser, and its camera reads codes', async () => {
    const [ticket] = await shop.buy(1);
    const page = await shop.open('Gate A');
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
});
