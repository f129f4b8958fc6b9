import { describe, expect, it } from 'vitest';
import type { Manifest } from '../../src/door/contract.ts';
import { randomTicketKey, signTicket } from '../ticket-codes.ts';
import { hasBrowser } from './use-browser.ts';
import { eventId, useDoor } from './use-door.ts';

const shop = useDoor();

const ticketCount = 100_000;
const filmed = 5;
const samples = 6;

/** A manifest like that of the server, with a hundred thousand tickets. The test has the key that signs them. */
async function largeManifest() {
  const key = randomTicketKey();
  const { token } = await shop.newDevice();
  const address = `${shop.service.origin}/v1/event/${eventId}/checkins/manifest`;
  const response = await fetch(address, { headers: { authorization: `Bearer ${token}` } });
  const manifest = (await response.json()) as Manifest;
  const itemId = manifest.items[0]?.id ?? 0;
  const tickets = Array.from({ length: ticketCount }, (_, i) => ({
    id: i + 1_000_000,
    itemId,
    sessionIds: [],
    status: 'valid',
    disputed: false,
    codeHash: null,
    shortHash: (i + 2 ** 36).toString(16),
  }));
  const publicKey = key.publicKey.export({ format: 'jwk' }).x;
  const page = { ...manifest, keys: [{ kid: 0, publicKey }], tickets, admissions: [], codes: [] };
  const codes = await Promise.all(tickets.slice(-filmed).map(({ id }) => signTicket(key, id)));
  return { token, codes, first: JSON.stringify(page), next: JSON.stringify({ ...page, tickets: [] }) };
}

const measured = (name: string) => `performance.getEntriesByName('${name}').map(({ duration }) => duration)`;

describe.skipIf(!hasBrowser)('with a hundred thousand tickets', () => {
  it('and a slow processor, the app reads its data and answers without a network, and says how long it takes', async () => {
    const { token, codes, first, next } = await largeManifest();
    const page = await shop.visit('about:blank', { permissions: ['camera'], locale: 'en' });
    await page.route('**/checkins/manifest*', (route) =>
      route.fulfill({ contentType: 'application/json', body: route.request().url().includes('since=') ? next : first }),
    );
    await page.goto(`/door/#pair=${token}`);
    await page.getByRole('button', { name: 'Start scanning' }).click();
    await page.waitForSelector('.counters strong');
    await expect.poll(() => page.locator('.counters').innerText()).toContain('expected');
    shop.film(
      codes.flatMap((text) => [
        { codes: [{ text }], frames: 12 },
        { codes: [], frames: 2 },
      ]),
    );
    const client = await page.context().newCDPSession(page);
    await client.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    await page.evaluate('navigator.serviceWorker.ready');
    await page.context().setOffline(true);
    await page.reload();
    await page.waitForSelector('.recent li[data-result=admitted]');
    await expect.poll(() => page.evaluate(`${measured('frame to answer')}.length`)).toBeGreaterThanOrEqual(samples);
    const [load = 0] = await page.evaluate<number[]>(measured('read manifest'));
    const times = (await page.evaluate<number[]>(measured('frame to answer'))).toSorted((a, b) => a - b);
    const at = (share: number) => Math.round(times[Math.floor((times.length - 1) * share)] ?? 0);
    console.info(`door app, CPU slowed 4 times: manifest of ${ticketCount} tickets read in ${Math.round(load)} ms;`);
    console.info(`frame to answer: median ${at(0.5)} ms, p95 ${at(0.95)} ms (${times.length} scans)`);
  });
});
