import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { auditFindings } from '../../test/audit-findings.ts';
import { eventuallyWaiting } from '../../test/eventually.ts';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import { minutesAfterNoon, noon } from '../../test/world.ts';
import type { OrderTicket } from '../orders/contract.ts';
import type { CheckinResult } from './contract.ts';

/*
 * Whoever was never scanned is let in by what was read before the door was locked. Here somebody else has the door locked meanwhile, so
 * that all has been read and decided when things change.
 */

const world = useWorld();
const shop = shopOf(world);
let item = 0;
let code = '';
let ticketId = 0;
let nonces = 0;

beforeAll(async () => {
  const session = { name: 'Tonight', start: '2026-03-02 20:00:00', finish: '2026-03-02 23:00:00' };
  const { id } = await shop.write('POST', `/event/${world.event}/session`, session);
  item = await shop.newItem({ item: { name: 'Seat', sessionIds: [id], quantity: 100 } });
});

beforeEach(async () => {
  code = await newCode();
});

async function newCode(): Promise<string> {
  const order = await shop.buy([{ itemId: item, quantity: 1 }]);
  const answer = await world.call('GET', `/orders/${order.id}/tickets?secret=${order.secret}`);
  const [ticket] = answer.json<{ data: OrderTicket[] }>().data;
  ticketId = ticket?.id ?? 0;
  return ticket?.code ?? '';
}

const freshNonce = () => `n${++nonces}`;

async function scanAll(codes: readonly string[], nonce = freshNonce(), device = 'phone-1'): Promise<CheckinResult[]> {
  const body = { entries: codes.map((each, i) => ({ code: each, at: noon.toISOString(), device, nonce: `${nonce}-${i}` })) };
  const answer = await world.call('POST', `/event/${world.event}/checkins`, { as: 'crew_entrance_operator', body });
  expect(answer.statusCode).toBe(200);
  return answer.json<{ results: CheckinResult[] }>().results;
}

const scan = async (nonce?: string, device?: string) => (await scanAll([code], nonce, device))[0];

type Query = (text: string, values: unknown[]) => Promise<unknown>;
const nothing = () => Promise.resolve();

/** Begins them one after the other, each when the one before waits for the lock; then lets `change` happen. */
async function withDoorLocked<T>(scans: readonly (() => Promise<T>)[], change: (query: Query) => Promise<unknown> = nothing): Promise<T[]> {
  const client = await world.pool.connect();
  try {
    await client.query('begin');
    await client.query('select from door where event_id = $1 for no key update', [world.event]);
    const begun: Promise<T>[] = [];
    for (const each of scans) {
      begun.push(each());
      await eventuallyWaiting(world.pool, begun.length);
    }
    await change((text, values) => client.query(text, values));
    await client.query('commit');
    return await Promise.all(begun);
  } finally {
    client.release();
  }
}

/** A session reports its deadlocks at most once a second, so every session of the pool is told to report now. */
async function deadlocks(): Promise<number> {
  const clients = await Promise.all(Array.from({ length: world.pool.totalCount }, () => world.pool.connect()));
  for (const client of clients) await client.query('select pg_stat_force_next_flush()');
  for (const client of clients) client.release();
  const { rows } = await world.pool.query<{ deadlocks: number }>(
    'select deadlocks from pg_stat_database where datname = current_database()',
  );
  return rows[0]?.deadlocks ?? 0;
}

const refund = (query: Query) => query(`update ticket set status = 'refunded' where id = $1`, [ticketId]);

describe('what happens between reading and writing', () => {
  it('nothing: admitted, as control of the others', async () => {
    expect(await withDoorLocked([() => scan()])).toMatchObject([{ result: 'admitted' }]);
  });

  it('the scan is taken back: it was told, and counts for nothing', async () => {
    const nonce = freshNonce();
    const at = minutesAfterNoon(0.2);
    const undo = `insert into checkin_undo (event_id, nonce, undoes, at, device, received_at) values ($1, $2, $3, $4, 'phone-1', $4)`;
    const answers = await withDoorLocked([() => scan(nonce)], (query) => query(undo, [world.event, freshNonce(), `${nonce}-0`, at]));
    expect(answers).toMatchObject([{ result: 'admitted' }]);
    const { rows } = await world.pool.query('select from admission where ticket_id = $1', [ticketId]);
    expect(rows).toHaveLength(0);
  });

  it('the ticket is scanned elsewhere: one is admitted', async () => {
    const answers = await withDoorLocked([() => scan(freshNonce(), 'phone-1'), () => scan(freshNonce(), 'phone-2')]);
    expect(new Set(answers.map((each) => each?.result))).toEqual(new Set(['admitted', 'already_used']));
  });

  it('the same scan comes again: both are told the same, and it counts once', async () => {
    const nonce = freshNonce();
    const answers = await withDoorLocked([() => scan(nonce), () => scan(nonce)]);
    expect(answers).toMatchObject([{ result: 'admitted' }, { result: 'admitted' }]);
    const { rows } = await world.pool.query('select from checkin where nonce = $1', [`${nonce}-0`]);
    expect(rows).toHaveLength(1);
  });

  it('somebody is known to one batch and new to another: they do not wait for each other in turn', async () => {
    const [used, fresh] = [code, await newCode()];
    await scanAll([used]);
    const answers = await withDoorLocked([() => scanAll([used, fresh]), () => scanAll([fresh])]);
    expect(answers.map((each) => each.map(({ result }) => result))).toEqual([['already_used', 'admitted'], ['already_used']]);
    expect(await deadlocks()).toBe(0);
  });

  it('and all of it adds up', async () => {
    expect(await auditFindings(world.db)).toEqual([]);
  });

  it('the ticket is refunded: it admits nobody', async () => {
    expect(await withDoorLocked([() => scan()], refund)).toMatchObject([{ result: 'refunded' }]);
  });

  it('control: without the look back who was refunded is let in', async () => {
    await world.pool.query('create or replace function overtaken() returns void language plpgsql as $$ begin end $$');
    expect(await withDoorLocked([() => scan()], refund)).toMatchObject([{ result: 'admitted' }]);
  });

  it('control: two sessions that wait for each other are counted as a deadlock', async () => {
    const [first, second] = [await world.pool.connect(), await world.pool.connect()];
    const lock = (n: number) => `select pg_advisory_xact_lock(${n})`;
    for (const client of [first, second]) await client.query('begin');
    await first.query(lock(1));
    await second.query(lock(2));
    const outcomes = await Promise.allSettled([first.query(lock(2)), second.query(lock(1))]);
    expect(outcomes.map(({ status }) => status).toSorted((a, b) => a.localeCompare(b))).toEqual(['fulfilled', 'rejected']);
    for (const client of [first, second]) {
      await client.query('rollback');
      client.release();
    }
    expect(await deadlocks()).toBe(1);
  });
});
