import { beforeAll, describe, expect, it } from 'vitest';
import { auditFindings, auditFindingsAfter } from '../../test/audit-findings.ts';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import { minutesAfterNoon } from '../../test/world.ts';
import type { OrderTicket } from '../orders/ticket-contract.ts';
import type { CheckinResult, Manifest } from './contract.ts';
import type { Counters } from './counters-contract.ts';

const world = useWorld();
const shop = shopOf(world);
let counter = 0;
let session = 0;
let item = 0;

const setRule = (reentry: string) => world.call('PUT', `/event/${world.event}`, { as: 'owner', body: { reentry } });

beforeAll(async () => {
  const times = { start: '2026-03-02 08:00:00', finish: '2026-03-02 14:00:00' };
  session = (await shop.write('POST', `/event/${world.event}/session`, { name: 'Now', ...times })).id;
  item = await shop.newItem({ item: { sessionIds: [session] } });
});

async function buy() {
  const order = await shop.buy([{ itemId: item, quantity: 1 }], { buyer: { name: 'Ana', email: `ana${++counter}@test.test` } });
  const { data } = (await world.call('GET', `/orders/${order.id}/tickets?secret=${order.secret}`)).json<{ data: OrderTicket[] }>();
  return { order, ...(data[0] as OrderTicket) };
}

/** Scans a code as the guest enters or leaves, some minutes before noon or after. */
async function scan(code: string, direction: 'in' | 'out', minute: number, more: object = {}): Promise<CheckinResult> {
  const entry = { code, direction, at: minutesAfterNoon(minute).toISOString(), device: 'phone', nonce: `n${++counter}`, ...more };
  const response = await world.call('POST', `/event/${world.event}/checkins`, { as: 'owner', body: { entries: [entry] } });
  return response.json<{ results: CheckinResult[] }>().results[0] as CheckinResult;
}

const walk = async (code: string, ...steps: ['in' | 'out', number][]): Promise<string[]> => {
  const results: string[] = [];
  for (const [direction, minute] of steps) results.push((await scan(code, direction, minute)).result);
  return results;
};

const undo = (nonce: string, minute: number) => {
  const entries = [{ undoes: nonce, at: minutesAfterNoon(minute).toISOString(), device: 'phone', nonce: `u${++counter}` }];
  return world.call('POST', `/event/${world.event}/checkins/undo`, { as: 'owner', body: { entries } });
};

const counters = async (): Promise<Counters> =>
  (await world.call('GET', `/event/${world.event}/checkins/counters?sessionId=${session}`, { as: 'owner' })).json();

/** Returns how many more guests are admitted and inside after the work than before. */
async function countedBy(work: () => Promise<unknown>): Promise<[admitted: number, inside: number]> {
  const before = await counters();
  await work();
  const after = await counters();
  return [after.admitted - before.admitted, after.inside - before.inside];
}

const report = async () =>
  (await world.call('GET', `/event/${world.event}/guestlist?method=report&sessionId=${session}`, { as: 'owner' })).json().totals;

const manifest = async (since = ''): Promise<Manifest> =>
  (await world.call('GET', `/event/${world.event}/checkins/manifest?${since && `since=${since}`}`, { as: 'owner' })).json();

describe('an event with reentry none', () => {
  it('refuses exits, and the guest stays inside', async () => {
    const { code } = await buy();
    expect(await walk(code, ['in', -20], ['out', -10], ['in', -5])).toEqual(['admitted', 'not_allowed', 'already_used']);
  });
});

describe('an event with reentry once', () => {
  it('admits a guest again after an exit, but only once', async () => {
    expect((await setRule('once')).json()).toMatchObject({ reentry: 'once' });
    const { code } = await buy();
    expect(await walk(code, ['out', -30], ['in', -25], ['in', -24], ['out', -20], ['in', -15], ['out', -10], ['in', -5])).toEqual([
      'not_inside',
      'admitted',
      'already_used',
      'exited',
      'admitted',
      'exited',
      'already_used',
    ]);
    expect(await scan(code, 'in', -4)).toMatchObject({ used: { at: minutesAfterNoon(-15).toISOString() } });
  });

  it('returns 422 for another rule after the first exit', async () => {
    const response = await setRule('unlimited');
    expect([response.statusCode, response.json().errors[0].field]).toEqual([422, 'reentry']);
    expect((await setRule('once')).statusCode).toBe(200);
  });

  it('counts guests who left as admitted but not inside, until they come back', async () => {
    const { code } = await buy();
    expect(await countedBy(() => walk(code, ['in', -20]))).toEqual([1, 1]);
    expect(await countedBy(() => walk(code, ['out', -15]))).toEqual([0, -1]);
    const { admitted, inside } = await counters();
    expect(await report()).toMatchObject({ checked: admitted, inside });
    expect(await countedBy(() => walk(code, ['in', -10]))).toEqual([0, 1]);
  });

  it('decides again when an exit arrives that was scanned offline between two entries', async () => {
    const { code } = await buy();
    expect(await walk(code, ['in', -20], ['in', -10], ['out', -15])).toEqual(['admitted', 'already_used', 'exited']);
    expect(await walk(code, ['out', -5])).toEqual(['exited']);
  });

  it('undoes exits and entries, and settles the remaining scans again', async () => {
    const { code } = await buy();
    const entry = await scan(code, 'in', -20);
    const exit = await scan(code, 'out', -15);
    expect(await countedBy(() => undo(exit.nonce, -14.9))).toEqual([0, 1]);
    expect((await scan(code, 'in', -10)).result).toBe('already_used');
    expect((await scan(code, 'out', -5)).result).toBe('exited');
    // Without the first entry, the scan that was a double becomes the entry.
    expect(await countedBy(() => undo(entry.nonce, -19.9))).toEqual([0, 0]);
  });

  it('subtracts a refunded guest from those inside, wherever the guest is', async () => {
    const [outside, inside] = [await buy(), await buy()];
    await walk(outside.code, ['in', -20], ['out', -15]);
    await walk(inside.code, ['in', -20], ['out', -15], ['in', -10]);
    expect(await countedBy(() => shop.refund(outside.order, { includeUsed: true }))).toEqual([-1, 0]);
    expect(await countedBy(() => shop.refund(inside.order, { includeUsed: true }))).toEqual([-1, -1]);
  });

  it('the manifest says whether each guest is inside and how often they entered, and sends every change', async () => {
    const { id, code } = await buy();
    const first = await manifest();
    expect(first.reentry).toBe('once');
    const changes: unknown[] = [];
    let { next } = first;
    for (const step of [
      ['in', -20],
      ['out', -15],
      ['in', -10],
      ['in', -9],
      ['out', -5],
    ] as ['in' | 'out', number][]) {
      await walk(code, step);
      const delta = await manifest(next);
      next = delta.next;
      changes.push(delta.admissions.map(({ ticketId, inside, entries, undone }) => ({ own: ticketId === id, inside, entries, undone })));
    }
    const state = (inside: boolean, entries: number) => [{ own: true, inside, entries, undone: false }];
    expect(changes).toEqual([state(true, 1), state(false, 1), state(true, 2), state(true, 2), state(false, 2)]);
    expect((await manifest(next)).admissions).toEqual([]);
    const complete = (await manifest()).admissions.filter(({ ticketId }) => ticketId === id);
    expect(complete).toEqual([expect.objectContaining({ inside: false, entries: 2, at: minutesAfterNoon(-10).toISOString() })]);
  });

  it('leaves nothing for the audit to find', async () => {
    expect(await auditFindings(world.db)).toEqual([]);
  });

  it.each([
    `update checkin set state = 'unmatched' where state = 'exited'`,
    `update checkin set state = 'double' where state = 'reentered'`,
    `alter table checkin disable trigger all; update checkin set at = at - interval '1 hour' where state = 'exited'`,
    'update away_total set away = away + 1',
    'delete from away_total',
  ])('control: the audit finds %s', async (fault) => {
    expect(await auditFindingsAfter(world.db, fault)).not.toEqual([]);
  });
});
