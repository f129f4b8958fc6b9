// C1: the CPU time of the costliest anonymous request, compared with `GET /event/1`. Log-in is left out: hashing a
// password is slow on purpose, and log-ins have a limit of their own.
import { readFileSync } from 'node:fs';
import { median } from './compare.ts';
import type { Measure } from './measure.ts';
import { behindProxy, buyerHeaders } from './requests.ts';
import { type MeasuredService, withService } from './service.ts';
import { openShop } from './shop.ts';

/** The length of a clock tick of the kernel, in milliseconds. Linux uses 100 ticks per second for user programs. */
const tickMs = 10;

/** Returns the CPU time of a process so far, in milliseconds. It works only on Linux. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}

/** Without the worker, whose jobs would be counted as the cost of the requests. */
const environment = { ...behindProxy, SERVE: 'event,ticket,shop,account,web' };

interface Candidate {
  name: string;
  path: string;
  body?: object;
  /** Whether the request is refused on purpose. */
  refused?: true;
}

/** Counts all requests, so that each one has another buyer, query and key. */
let sent = 0;

async function costOf({ pid, origin }: MeasuredService, candidate: (n: number) => Candidate, requests: number): Promise<number> {
  const before = cpuMs(pid);
  for (let i = 0; i < requests; i++) {
    const n = ++sent;
    const { path, body, refused } = candidate(n);
    const response = await fetch(`${origin}${path}`, {
      headers: buyerHeaders(n, `cost-${n}`),
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    if (refused ? response.status >= 500 : !response.ok) throw new Error(`${path} returned ${response.status}: ${await response.text()}`);
    await response.arrayBuffer();
  }
  return (cpuMs(pid) - before) / requests;
}

export const measureRequestCost: Measure = ({ rounds, quick, progress }) =>
  withService({ environment }, async (service) => {
    const { eventId, itemIds } = await openShop(service).createEvent({ items: 20, perBuyer: 1_000_000 });
    const requests = quick ? 50 : 1_000;
    const lines = itemIds.map((itemId) => ({ itemId, quantity: 1 }));
    const buyer = (n: number) => ({ name: 'Ana Souza', email: `ana${n}@example.com`, document: String(100_000_000 + n) });
    // A new query each time, so that the page cache does not have the page.
    const candidates: ((n: number) => Candidate)[] = [
      (n) => ({ name: 'event page, HTML', path: `/en/event/noite-de-samba?session=${n}` }),
      (n) => ({ name: 'event page with an access code', path: `/en/event/noite-de-samba?passkey=WRONG${n}`, refused: true }),
      (n) => ({ name: 'search page, HTML', path: `/en/search?q=noite%20samba%20${n}` }),
      (n) => ({ name: 'search', path: `/v1/event?term=noite%20samba%20${n}` }),
      (n) => ({ name: 'tickets with a passkey', path: `/v1/event/${eventId}/tickets?passkey=WRONG${n}`, refused: true }),
      (n) => ({ name: 'order of 20 items', path: '/v1/orders', body: { eventId, items: lines, buyer: buyer(n) } }),
    ];
    const costs = [];
    for (const candidate of candidates) {
      const { name } = candidate(0);
      progress(`C1: ${name}`);
      await costOf(service, candidate, Math.ceil(requests / 4));
      const measured: number[] = [];
      while (measured.length < rounds) measured.push(await costOf(service, candidate, requests));
      costs.push({ name, ms: median(measured, (ms) => ms) });
    }
    const plain = await costOf(service, () => ({ name: 'plain', path: '/v1/event/1' }), requests);
    return { C1: { value: Math.max(...costs.map(({ ms }) => ms)), requests: costs, plainEventPage: plain } };
  });
