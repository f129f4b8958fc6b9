import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { type BoughtTicket, buyTickets, eventId } from './buy-tickets.ts';
import { type Scene, writeFilm } from './camera-film.ts';
import { type BrowserShop, closeAfterEach, hasBrowser, useBrowser } from './use-browser.ts';

export { eventId } from './buy-tickets.ts';

interface LoggedCheckin {
  nonce: string;
  ticketId: number | null;
  device: string;
  result: string;
  state: string;
}

export interface DoorShop extends BrowserShop {
  buy(quantity: number, name?: string): Promise<BoughtTicket[]>;
  newDevice(): Promise<{ id: number; token: string }>;
  /** Sends a request as the owner of the event. */
  manage(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object): Promise<unknown>;
  /**
   * Opens the app with a new paired device, at a gate, with the manifest and the files of the app on the device. Without `camera` the app may
   * not use the camera, because reading its frames keeps the processor busy.
   */
  open(gate: string, options?: BrowserContextOptions & { token?: string; camera?: true }): Promise<Page>;
  /** What the camera shows from the next time that a page opens it. */
  film(scenes: readonly Scene[]): void;
  /** The log of the server, the newest scan first. */
  checkins(query?: string): Promise<LoggedCheckin[]>;
}

/**
 * Starts the service and a browser with a fake camera. Call it once at the top of a test file. Tests without a camera share the faster browser
 * of the other tests.
 */
export function useDoor(hardware: 'camera' | 'no camera' = 'camera'): DoorShop {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-film-'));
  const filmPath = join(folder, 'camera.y4m');
  const options = () =>
    hardware === 'camera' ? ['--use-fake-device-for-media-stream', `--use-file-for-fake-video-capture=${filmPath}`] : [];
  const shop = useBrowser(undefined, options) as DoorShop;
  if (!hasBrowser) return shop;
  closeAfterEach(shop);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  shop.film = (scenes) => writeFilm(filmPath, scenes);
  if (hardware === 'camera') beforeEach(() => shop.film([{ codes: [], frames: 5 }]));
  beforeAll(async () => {
    await shop.query(
      `update event_session set starts_at = now() + interval '1 hour', finishes_at = now() + interval '7 hours' where event_id = $1`,
      [eventId],
    );
  });
  let login: Promise<{ token: string }> | null = null;
  shop.manage = async (method, path, body) => {
    login ??= shop.service.logIn('producer@demo.test');
    const { token } = await login;
    const response = await fetch(`${shop.service.origin}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(await response.text());
    return response.status === 204 ? null : response.json();
  };
  shop.buy = (quantity, name = 'Ana Souza') => buyTickets(shop, quantity, name);
  shop.newDevice = async () => (await shop.manage('POST', `/event/${eventId}/devices`, { name: 'Phone' })) as { id: number; token: string };
  shop.checkins = async (query = '') =>
    ((await shop.manage('GET', `/event/${eventId}/checkins?pageSize=100${query}`)) as { data: LoggedCheckin[] }).data;
  shop.open = async (gate, { token, camera, ...context } = {}) => {
    const pairing = token ?? (await shop.newDevice()).token;
    const permissions = [...(camera ? ['camera'] : []), 'screen-wake-lock'];
    const page = await shop.visit(`/door/#pair=${pairing}`, { permissions, locale: 'en', ...context });
    await page.getByLabel('Gate').fill(gate);
    await page.getByRole('button', { name: 'Start scanning' }).click();
    await page.waitForSelector('.counters strong');
    await whenInstalled(page);
    return page;
  };
  return shop;
}

/** Waits until the service worker has stored all files and answers the requests of the page. */
const whenInstalled = (page: Page) =>
  page.waitForFunction('navigator.serviceWorker.ready.then(() => navigator.serviceWorker.controller !== null)');

const newest = (page: Page, attribute: string): Promise<string | null> =>
  page
    .locator('.recent li')
    .first()
    .getAttribute(attribute, { timeout: 1_000 })
    .catch(() => null);

/** Returns the result that the steward sees after `act`. */
export async function resultAfter(page: Page, act: () => Promise<unknown>): Promise<string | null> {
  const before = await newest(page, 'data-scan');
  await act();
  await expect.poll(() => newest(page, 'data-scan')).not.toBe(before);
  return newest(page, 'data-result');
}

/**
 * Types a code like a hand-held scanner. The page gets all keys at once, because the app takes keys with long pauses between them for the keys
 * of a person, and a busy machine makes long pauses.
 */
export const typeLikeScanner = (page: Page, code: string): Promise<void> =>
  page.evaluate(
    (keys) => {
      const { document, KeyboardEvent } = globalThis as unknown as KeyboardScope;
      for (const key of keys) document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
    },
    [...code.split(''), 'Enter'],
  );

/** The test files have no types of browsers. */
interface KeyboardScope {
  document: { activeElement: EventTarget };
  KeyboardEvent: new (type: string, init: { key: string; bubbles: boolean; cancelable: boolean }) => Event;
}

/** Scans a code with a hand-held scanner. Returns the result that the steward sees. */
export async function scan(page: Page, code: string): Promise<string | null> {
  // The app ignores a code that is scanned again while its answer is on the screen.
  await page.waitForSelector('.answer', { state: 'detached' });
  return resultAfter(page, () => typeLikeScanner(page, code));
}
