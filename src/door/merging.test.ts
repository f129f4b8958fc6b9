import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { auditFindings } from '../../test/audit-findings.ts';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import { noon } from '../../test/world.ts';
import type { OrderTicket } from '../orders/ticket-contract.ts';
import { isUndone, maxEntries, settle } from './admission.ts';
import type { Checkin } from './contract.ts';

const world = useWorld();
const shop = shopOf(world);
const runs = 18;
const rules = ['none', 'once', 'unlimited'] as const;
type Reentry = (typeof rules)[number];
const tickets = 3;

/** An event for each rule, because the rule cannot change after exits. */
const events = {} as Record<Reentry, { id: number; externalItem: number; signedItem: number }>;

beforeAll(async () => {
  for (const reentry of rules) events[reentry] = await newEvent(reentry);
});

async function newEvent(reentry: Reentry) {
  const first = (await world.call('GET', `/event/${world.event}`, { as: 'owner' })).json();
  const { id } = await shop.write('POST', '/event', {
    producerId: world.producer,
    category: 'music',
    title: reentry,
    timezone: 'America/Sao_Paulo',
    venue: first.venue,
    challenge: 'off',
    reentry,
  });
  const session = { name: 'Now', start: '2026-03-02 08:00:00', finish: '2026-03-02 14:00:00' };
  const { id: sessionId } = await shop.write('POST', `/event/${id}/session`, session);
  await shop.write('POST', `/event/${id}/publish`, {});
  const item = { eventId: id, sessionIds: [sessionId] };
  const [externalItem, signedItem] = [await shop.newItem({ item: { ...item, type: 'external' } }), await shop.newItem({ item })];
  return { id, externalItem, signedItem };
}

/** Random logs of two devices. `batch` is the number of the request that sends the scan or the undo. */
const logs = fc.array(
  fc.record({
    device: fc.constantFrom('a', 'b'),
    ticket: fc.nat(tickets - 1),
    second: fc.integer({ min: 0, max: 5 }),
    direction: fc.constantFrom('in', 'in', 'out'),
    batch: fc.nat(3),
    undo: fc.option(fc.record({ after: fc.constantFrom(0, 30, 31), batch: fc.nat(3) }), { freq: 3 }),
  }),
  { minLength: 8, maxLength: 16 },
);

const secondsAfterNoon = (seconds: number) => new Date(noon.getTime() + seconds * 1_000).toISOString();

describe('POST /event/{eventId}/checkins with concurrent logs of two devices', () => {
  it('stores the same entries, exits, double entries and undos as if it got the complete log at once', async () => {
    for (const [run, log] of fc.sample(logs, { numRuns: runs }).entries()) {
      const reentry = rules[run % rules.length] as Reentry;
      const codes = run % 2 === 0 ? await importCodes(reentry, run) : await sellTickets(reentry);
      const entries = log.map((scan, i) => ({ ...scan, nonce: `${run}-${i}`, code: codes[scan.ticket] ?? '' }));
      await send(reentry, entries);
      const seen = await statesOf(reentry, run);
      expect(seen).toEqual(expectedStates(reentry, entries));
    }
    const differences = await auditFindings(world.db);
    expect(differences).toEqual([]);
  });
});

async function importCodes(reentry: Reentry, run: number): Promise<string[]> {
  const codes = Array.from({ length: tickets }, (_, n) => `T${run}-${n}`);
  await shop.importCodes(events[reentry].externalItem, ...codes);
  return codes;
}

async function sellTickets(reentry: Reentry): Promise<string[]> {
  const { id: eventId, signedItem } = events[reentry];
  const { id, secret } = await shop.buy([{ itemId: signedItem, quantity: tickets }], { eventId });
  const response = await world.call('GET', `/orders/${id}/tickets?secret=${secret}`);
  return response.json<{ data: OrderTicket[] }>().data.map(({ code }) => code);
}

type Entries = ((typeof logs extends fc.Arbitrary<infer L extends unknown[]> ? L[number] : never) & { nonce: string; code: string })[];

/** Sends all batches concurrently. Each batch is sent twice, like by a device that has lost the first response. */
async function send(reentry: Reentry, entries: Entries): Promise<void> {
  const batches = [0, 1, 2, 3].flatMap((batch) => {
    const scans = entries
      .filter((entry) => entry.batch === batch)
      .map(({ code, nonce, device, direction, second }) => ({ code, nonce, device, direction, at: secondsAfterNoon(second) }));
    const undos = entries
      .filter(({ undo }) => undo?.batch === batch)
      .map(({ nonce, device, second, undo }) => ({
        nonce: `u${nonce}`,
        undoes: nonce,
        device,
        at: secondsAfterNoon(second + (undo?.after ?? 0)),
      }));
    return [
      { path: 'checkins', entries: scans },
      { path: 'checkins/undo', entries: undos },
    ];
  });
  const sent = [...batches, ...batches].filter((batch) => batch.entries.length > 0);
  await Promise.all(sent.map(({ path, entries: some }) => shop.write('POST', `/event/${events[reentry].id}/${path}`, { entries: some })));
}

async function statesOf(reentry: Reentry, run: number): Promise<Record<string, string>> {
  const response = await world.call('GET', `/event/${events[reentry].id}/checkins?pageSize=200`, { as: 'owner' });
  const rows = response.json<{ data: Checkin[] }>().data.filter(({ nonce }) => nonce.startsWith(`${run}-`));
  return Object.fromEntries(rows.map(({ nonce, state }) => [nonce, state]));
}

function expectedStates(reentry: Reentry, entries: Entries): Record<string, string> {
  const scans = entries.map(({ nonce, device, direction, second, ticket }) => ({ nonce, device, direction, at: second * 1_000, ticket }));
  const undos = entries.flatMap(({ nonce, device, second, undo }) =>
    undo ? [{ undoes: nonce, device, at: (second + undo.after) * 1_000 }] : [],
  );
  const isRefused = ({ direction }: { direction: 'in' | 'out' }) => reentry === 'none' && direction === 'out';
  const states = new Map<string, string>(scans.map((scan) => [scan.nonce, isRefused(scan) ? 'refused' : 'undone']));
  for (let ticket = 0; ticket < tickets; ticket++) {
    const good = scans.filter((scan) => scan.ticket === ticket && !isRefused(scan) && !isUndone(scan, undos));
    for (const [{ nonce }, state] of settle(good, maxEntries[reentry]).states) states.set(nonce, state);
  }
  return Object.fromEntries(states);
}
