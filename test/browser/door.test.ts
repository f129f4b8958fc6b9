import type { Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { doorMessagesOf } from '../../web/messages/door-catalogues.ts';
import { looks, overflowOf, violationsOf } from './page-checks.ts';
import { startUpdatingProxy } from './updating-proxy.ts';
import { hasBrowser, screens } from './use-browser.ts';
import { eventId, resultAfter, scan, typeLikeScanner, useDoor } from './use-door.ts';

const shop = useDoor('no camera');

/** One device for all tests that need no other state, because installing the app takes long. It knows the tickets. */
let device: Page;
let tickets: Awaited<ReturnType<typeof shop.buy>>;
const nextTicket = () => tickets.shift() ?? { id: 0, code: '', shortCode: '' };

beforeAll(async () => {
  if (!hasBrowser) return;
  tickets = await shop.buy(6);
  device = await shop.open('Gate A');
});
afterEach(() => device?.context().setOffline(false));

describe.skipIf(!hasBrowser)('without a network', () => {
  it('scans are decided on the device, survive a reload, and are sent once when the network is back', async () => {
    const ticket = nextTicket();
    await device.context().setOffline(true);
    expect(await scan(device, ticket.code)).toBe('admitted');
    await expect.poll(() => device.locator('.banner').innerText()).toMatch(/^Offline since .* Ticket data from /);
    await device.reload();
    await device.waitForSelector('.scan');
    expect(await scan(device, ticket.code)).toBe('already_used');
    await expect.poll(() => device.locator('.counters').innerText()).toContain('2 scans to send');
    await device.context().setOffline(false);
    await expect.poll(() => device.locator('.counters').innerText()).not.toContain('to send');
    const sent = (await shop.checkins()).filter(({ ticketId }) => ticketId === ticket.id);
    expect(sent.map(({ result }) => result)).toEqual(['already_used', 'admitted']);
    expect(await device.locator('.banner').count()).toBe(0);
  });

  it('control: a scan that is answered but not stored is lost by a reload', async () => {
    const ticket = nextTicket();
    await device.context().setOffline(true);
    await device.evaluate('IDBObjectStore.prototype.add = function () { return this.count(); }');
    expect(await scan(device, ticket.code)).toBe('admitted');
    await device.reload();
    await device.waitForSelector('.scan');
    expect(await scan(device, ticket.code)).toBe('admitted');
    await device.context().setOffline(false);
    await expect.poll(() => shop.checkins(`&ticketId=${ticket.id}`)).toHaveLength(1);
  });

  it('two devices that admit the same ticket learn of the double entry, and it can be worked off', async () => {
    const ticket = nextTicket();
    const second = await shop.open('Gate B');
    for (const page of [device, second]) {
      await page.context().setOffline(true);
      expect(await scan(page, ticket.code)).toBe('admitted');
    }
    await device.context().setOffline(false);
    await expect.poll(() => shop.checkins(`&ticketId=${ticket.id}`)).toHaveLength(1);
    await second.context().setOffline(false);
    await second.waitForSelector('.badge');
    await second.getByRole('button', { name: 'To do' }).click();
    await expect.poll(() => second.locator('.cards').innerText()).toMatch(/^Double entry\n[^]*This ticket was also used .*, Gate A\./);
    await second.getByRole('button', { name: 'Done' }).click();
    await expect.poll(() => second.locator('.cards li').count()).toBe(0);
    expect(await shop.checkins(`&double=true&ticketId=${ticket.id}`)).toHaveLength(1);
    expect(await device.locator('.badge').count()).toBe(0);
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

  it('a ticket that the device does not know yet is refused, and can enter once the network is back', async () => {
    await device.context().setOffline(true);
    const [ticket] = await shop.buy(1);
    expect(await scan(device, ticket?.code ?? '')).toBe('unknown');
    await device.context().setOffline(false);
    // The server has counted an entry of the guest, who was sent away. The app undoes it.
    await expect.poll(() => shop.checkins(`&ticketId=${ticket?.id}`).then(([row]) => row?.state)).toBe('undone');
    await expect.poll(() => device.locator('.counters').innerText()).not.toContain('to send');
    expect(await scan(device, ticket?.code ?? '')).toBe('admitted');
  });

  it('short codes can be typed', async () => {
    await device.context().setOffline(true);
    const type = async () => {
      await device.getByRole('button', { name: 'Type code' }).click();
      await device.getByLabel('Code of the ticket').fill(nextTicket().shortCode.toLowerCase());
      await device.keyboard.press('Enter');
    };
    expect(await resultAfter(device, type)).toBe('admitted');
  });
});

describe.skipIf(!hasBrowser)('the device', () => {
  it('without space for a scan does not let the guest in, and continues when there is space', async () => {
    const ticket = nextTicket();
    await device.context().setOffline(true);
    // Chromium measures the space only now and then, so a real limit would take effect at some later time.
    await device.evaluate(`{
      const { add } = IDBObjectStore.prototype;
      IDBObjectStore.prototype.add = () => { throw new DOMException('The device is full', 'QuotaExceededError'); };
      globalThis.makeRoom = () => { IDBObjectStore.prototype.add = add; };
    }`);
    await device.waitForSelector('.answer', { state: 'detached' });
    await typeLikeScanner(device, ticket.code);
    await expect.poll(() => device.locator('h1').innerText()).toBe('The storage of this device is full');
    await device.evaluate('makeRoom()');
    await device.getByRole('button', { name: 'Try again' }).click();
    await device.waitForSelector('.scan');
    expect(await scan(device, ticket.code)).toBe('admitted');
  });

  it('with a wrong clock sends scans with the time of the server', async () => {
    const [ticket] = await shop.buy(1);
    const page = await shop.visit('about:blank', { locale: 'en' });
    await page.clock.setSystemTime(Date.now() + 3_600_000);
    const { token } = await shop.newDevice();
    await page.goto(`/door/#pair=${token}`);
    await page.getByRole('button', { name: 'Start scanning' }).click();
    await page.waitForSelector('.counters strong');
    // The server refuses scans that are more than 5 minutes in the future.
    expect(await scan(page, ticket?.code ?? '')).toBe('admitted');
    await page.getByRole('button', { name: 'Menu' }).click();
    await expect.poll(() => page.locator('.sheet').innerText()).toMatch(/off by 3[56]\d\d s/);
  });

  it('undoes its own scan, and the ticket can be used again', async () => {
    const ticket = nextTicket();
    expect(await scan(device, ticket.code)).toBe('admitted');
    const row = device.locator('.recent li').first();
    await row.getByRole('button', { name: 'Undo' }).click();
    await row.getByText('Undone').waitFor();
    await expect.poll(() => shop.checkins(`&ticketId=${ticket.id}`).then(([row]) => row?.state)).toBe('undone');
    expect(await scan(device, ticket.code)).toBe('admitted');
  });

  it('installs a new version while scans wait, and loses none', async () => {
    const [ticket] = await shop.buy(1);
    const proxy = await startUpdatingProxy(shop.service.origin);
    try {
      const page = await shop.open('Gate A', { baseURL: proxy.origin });
      await page.context().setOffline(true);
      expect(await scan(page, ticket?.code ?? '')).toBe('admitted');
      proxy.publish('next');
      proxy.refuseApi(true);
      await page.context().setOffline(false);
      await page.evaluate('navigator.serviceWorker.getRegistration().then((registration) => registration.update())');
      await page.getByRole('button', { name: 'Menu' }).click();
      await page.getByRole('button', { name: 'Install the new version' }).click();
      await expect.poll(() => page.evaluate('caches.keys()').catch(() => null)).toEqual(['tessera-door-next']);
      await page.waitForSelector('.scan');
      await expect.poll(() => page.locator('.counters').innerText()).toContain('1 scan to send');
      proxy.refuseApi(false);
      await expect.poll(() => shop.checkins(`&ticketId=${ticket?.id}`).then((rows) => rows.length)).toBe(1);
    } finally {
      await proxy.close();
    }
  });
});

describe.skipIf(!hasBrowser)('a guest', () => {
  it('is found by name by an entrance manager, can leave, and can come back once', async () => {
    await shop.manage('PUT', `/event/${eventId}`, { reentry: 'once' });
    const [ticket] = await shop.buy(1, 'Zulmira Quintanilha');
    const page = await shop.visit('/door/', { locale: 'en' });
    await page.fill('#email', 'gate@demo.test');
    await page.fill('#password', 'tessera-demo');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: /Noite de Samba/ }).click();
    await page.getByRole('button', { name: 'Start scanning' }).click();
    await page.waitForSelector('.counters strong');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByLabel('Name or document').fill('quintan');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Check in' }).click();
    await page.waitForSelector('.recent li[data-result=admitted]');
    await page.waitForSelector('.answer', { state: 'detached' });
    await page.getByText('Exit', { exact: true }).click();
    expect(await scan(page, ticket?.code ?? '')).toBe('exited');
    await page.getByText('Entry', { exact: true }).click();
    expect(await scan(page, ticket?.code ?? '')).toBe('admitted');
    await page.context().setOffline(true);
    expect(await scan(page, ticket?.code ?? '')).toBe('already_used');
    await shop.query(`update event set reentry = 'none' where id = $1`, [eventId]);
  });
});

describe.skipIf(!hasBrowser)('the screens', () => {
  it.each(looks)(
    'follow the accessibility rules of axe in %s with %s colours, from the sign-in to an answer',
    async (locale, colorScheme, rules) => {
      const t = await doorMessagesOf(locale);
      const page = await shop.visit('/door/', { bypassCSP: true, locale, colorScheme, viewport: screens.narrow });
      const check = async (name: string) => expect([name, await violationsOf(page, rules)]).toEqual([name, []]);
      await page.fill('#email', 'door@demo.test');
      await page.fill('#password', 'tessera-demo');
      await check('sign-in');
      await page.getByRole('button', { name: t.signIn.submit, exact: true }).click();
      await page.getByRole('button', { name: /Noite de Samba/ }).waitFor();
      await check('events');
      await page.getByRole('button', { name: /Noite de Samba/ }).click();
      await page.getByRole('button', { name: t.choose.start }).waitFor();
      await check('place');
      await page.getByRole('button', { name: t.choose.start }).click();
      await page.waitForSelector('.counters strong');
      await check('scan');
      await scan(page, 'NOT A TICKET');
      await page
        .locator('.answer')
        .click({ timeout: 1_000 })
        .catch(() => undefined);
      await check('answer');
      await page.keyboard.press('Enter');
      for (const panel of [t.scan.type, t.scan.menu]) {
        await page.getByRole('button', { name: panel, exact: true }).click();
        // The panel is loaded when it is first opened.
        await page.locator('dialog[open]').waitFor();
        await check(panel);
        await page.keyboard.press('Escape');
        await page.locator('dialog[open]').waitFor({ state: 'detached' });
      }
      expect(await overflowOf(page)).toBe(0);
    },
  );
});
