import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { auditFindings } from '../../test/audit-findings.ts';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import { noon } from '../../test/world.ts';
import type { OrderTicket } from '../orders/contract.ts';
import { isUndone, pickAdmission } from './admission.ts';
import type { Checkin } from './contract.ts';

const world = useWorld();
const shop = shopOf(world);
const runs = 16;
const tickets = 3;
let externalItem = 0;
let signedItem = 0;

beforeAll(async () => {
  const session = { name: 'Now', start: '2026-03-02 08:00:00', finish: '2026-03-02 14:00:00' };
  const { id } = await shop.write('POST', `/event/${world.event}/session`, session);
  externalItem = await shop.newItem({ item: { type: 'external', sessionIds: [id] } });
  signedItem = await shop.newItem({ item: { sessionIds: [id], quantity: 100 } });
});

/** Random logs of two devices. `batch` is the number of the request that sends the scan or the undo. */
const logs = fc.array(
  fc.record({
    device: fc.constantFrom('a', 'b'),
    ticket: fc.nat(tickets - 1),
    second: fc.integer({ min: 0, max: 5 }),
    batch: fc.nat(3),
    undo: fc.option(fc.record({ after: fc.constantFrom(0, 30, 31), batch: fc.nat(3) }), { freq: 3 }),
  }),
  { minLength: 8, maxLength: 16 },
);

const secondsAfterNoon = (seconds: number) => new Date(noon.getTime() + seconds * 1_000).toISOString();

describe('POST /event/{eventId}/checkins with concurrent logs of two devices', () => {
  it('stores the same admissions, double entries and undos as if it got the complete log at once', async () => {
    for (const [run, log] of fc.sample(logs, { numRuns: runs }).entries()) {
      const codes = run % 2 === 0 ? await importCodes(run) : await sellTickets();
      const entries = log.map((scan, i) => ({ ...scan, nonce: `${run}-${i}`, code: codes[scan.ticket] ?? '' }));
      await send(entries);
      const seen = await statesOf(run);
      expect(seen).toEqual(expectedStates(entries));
    }
    const differences = await auditFindings(world.db);
    expect(differences).toEqual([]);
  });
});

async function importCodes(run: number): Promise<string[]> {
  const codes = Array.from({ length: tickets }, (_, n) => `T${run}-${n}`);
  await shop.importCodes(externalItem, ...codes);
  return codes;
}

async function sellTickets(): Promise<string[]> {
  const { id, secret } = await shop.buy([{ itemId: signedItem, quantity: tickets }]);
  const response = await world.call('GET', `/orders/${id}/tickets?secret=${secret}`);
  return response.json<{ data: OrderTicket[] }>().data.map(({ code }) => code);
}

type Entries = ((typeof logs extends fc.Arbitrary<infer L extends unknown[]> ? L[number] : never) & { nonce: string; code: string })[];

/** Sends all batches concurrently. Each batch is sent twice, like by a device that has lost the first response. */
async function send(entries: Entries): Promise<void> {
  const batches = [0, 1, 2, 3].flatMap((batch) => {
    const scans = entries
      .filter((entry) => entry.batch === batch)
      .map(({ code, nonce, device, second }) => ({ code, nonce, device, at: secondsAfterNoon(second) }));
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
  await Promise.all(sent.map(({ path, entries: some }) => shop.write('POST', `/event/${world.event}/${path}`, { entries: some })));
}

async function statesOf(run: number): Promise<Record<string, string>> {
  const response = await world.call('GET', `/event/${world.event}/checkins?pageSize=200`, { as: 'owner' });
  const rows = response.json<{ data: Checkin[] }>().data.filter(({ nonce }) => nonce.startsWith(`${run}-`));
  return Object.fromEntries(rows.map(({ nonce, state }) => [nonce, state]));
}

function expectedStates(entries: Entries): Record<string, string> {
  const scans = entries.map(({ nonce, device, second, ticket }) => ({ nonce, device, at: second * 1_000, ticket }));
  const undos = entries.flatMap(({ nonce, device, second, undo }) =>
    undo ? [{ undoes: nonce, device, at: (second + undo.after) * 1_000 }] : [],
  );
  const states = new Map(scans.map(({ nonce }) => [nonce, 'undone']));
  for (let ticket = 0; ticket < tickets; ticket++) {
    const { admission, doubles } = pickAdmission(scans.filter((scan) => scan.ticket === ticket && !isUndone(scan, undos)));
    if (admission) states.set(admission.nonce, 'inside');
    for (const { nonce } of doubles) states.set(nonce, 'double');
  }
  return Object.fromEntries(states);
}
