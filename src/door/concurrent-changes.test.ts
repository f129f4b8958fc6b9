import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { auditFindings } from '../../test/audit-findings.ts';
import { eventuallyWaiting } from '../../test/eventually.ts';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import { minutesAfterNoon, noon } from '../../test/world.ts';
import type { OrderTicket } from '../orders/ticket-contract.ts';
import type { CheckinResult } from './contract.ts';

/*
 * The server decides an optimistic batch before it takes the lock of the door. Each test takes the lock first. When the batch waits for the
 * lock, the test changes some data and releases the lock.
 */

const world = useWorld();
const shop = shopOf(world);
const sessions: number[] = [];
let item = 0;
let code = '';
let ticketId = 0;
let nonces = 0;

beforeAll(async () => {
  for (const name of ['Tonight', 'Tonight on the second stage']) {
    const session = { name, start: '2026-03-02 20:00:00', finish: '2026-03-02 23:00:00' };
    sessions.push((await shop.write('POST', `/event/${world.event}/session`, session)).id);
  }
  item = await shop.newItem({ item: { name: 'Seat', sessionIds: sessions.slice(0, 1), quantity: 100 } });
});

beforeEach(async () => {
  code = await newCode();
});

async function newCode(): Promise<string> {
  const order = await shop.buy([{ itemId: item, quantity: 1 }]);
  const response = await world.call('GET', `/orders/${order.id}/tickets?secret=${order.secret}`);
  const [ticket] = response.json<{ data: OrderTicket[] }>().data;
  ticketId = ticket?.id ?? 0;
  return ticket?.code ?? '';
}

const freshNonce = () => `n${++nonces}`;

async function scanAll(codes: readonly string[], nonce = freshNonce(), device = 'phone-1', sessionId?: number): Promise<CheckinResult[]> {
  const body = { entries: codes.map((each, i) => ({ code: each, at: noon.toISOString(), device, nonce: `${nonce}-${i}`, sessionId })) };
  const response = await world.call('POST', `/event/${world.event}/checkins`, { as: 'crew_entrance_operator', body });
  expect(response.statusCode).toBe(200);
  return response.json<{ results: CheckinResult[] }>().results;
}

const scan = async (nonce?: string, device?: string) => (await scanAll([code], nonce, device))[0];

type Query = (text: string, values: unknown[]) => Promise<unknown>;
const nothing = () => Promise.resolve();

/** Starts the scans one by one. Each scan must wait for the lock before the next one starts. Then runs `change` and releases the lock. */
async function withDoorLocked<T>(scans: readonly (() => Promise<T>)[], change: (query: Query) => Promise<unknown> = nothing): Promise<T[]> {
  const client = await world.pool.connect();
  try {
    await client.query('begin');
    await client.query('select from door where event_id = $1 for no key update', [world.event]);
    const started: Promise<T>[] = [];
    for (const each of scans) {
      started.push(each());
      await eventuallyWaiting(world.pool, started.length);
    }
    await change((text, values) => client.query(text, values));
    await client.query('commit');
    return await Promise.all(started);
  } finally {
    client.release();
  }
}

/** Returns the deadlocks that PostgreSQL has counted. Sessions report at most once a second, so every session of the pool reports first. */
async function deadlocks(): Promise<number> {
  const clients = await Promise.all(Array.from({ length: world.pool.totalCount }, () => world.pool.connect()));
  for (const client of clients) await client.query('select pg_stat_force_next_flush()');
  for (const client of clients) client.release();
  const { rows } = await world.pool.query<{ deadlocks: number }>(
    'select deadlocks from pg_stat_database where datname = current_database()',
  );
  return rows[0]?.deadlocks ?? 0;
}

/** Refunds the ticket without a request, because a request would wait for the lock of the door. */
async function refund(query: Query): Promise<void> {
  await query(`update ticket set status = 'refunded' where id = $1`, [ticketId]);
  await query('update ticket_log set last_change = last_change + 1 where event_id = $1', [world.event]);
  const change =
    'insert into ticket_change (event_id, id, changed_ids) select event_id, last_change, array[$2::bigint] from ticket_log where event_id = $1';
  await query(change, [world.event, ticketId]);
}

/** Scans a new passport in two sessions at the same time. Returns the item and the results. */
async function scanPassportTwice() {
  const passport = await shop.newItem({ item: { name: 'Passport', type: 'passport', sessionIds: sessions } });
  const order = await shop.buy([{ itemId: passport, quantity: 1 }]);
  const tickets = await world.call('GET', `/orders/${order.id}/tickets?secret=${order.secret}`);
  code = tickets.json<{ data: OrderTicket[] }>().data[0]?.code ?? '';
  const results = await withDoorLocked(sessions.map((id) => async () => (await scanAll([code], freshNonce(), 'phone-1', id))[0]?.result));
  const { rows } = await world.pool.query('select checked::int from guest_total where event_id = $1 and item_id = $2', [
    world.event,
    passport,
  ]);
  return { results, guests: rows };
}

describe('a change between the unlocked read and the write of a check-in', () => {
  it('control: without a change the scan returns admitted', async () => {
    expect(await withDoorLocked([() => scan()])).toMatchObject([{ result: 'admitted' }]);
  });

  it('an undo of the scan: the scan returns admitted, and the ticket has no admission afterwards', async () => {
    const nonce = freshNonce();
    const at = minutesAfterNoon(0.2);
    const undo = `insert into checkin_undo (event_id, nonce, undoes, at, device, received_at) values ($1, $2, $3, $4, 'phone-1', $4)`;
    const responses = await withDoorLocked([() => scan(nonce)], (query) => query(undo, [world.event, freshNonce(), `${nonce}-0`, at]));
    expect(responses).toMatchObject([{ result: 'admitted' }]);
    const { rows } = await world.pool.query('select from admission where ticket_id = $1', [ticketId]);
    expect(rows).toHaveLength(0);
  });

  it('a scan of the ticket on another device: only one of the two scans returns admitted', async () => {
    const responses = await withDoorLocked([() => scan(freshNonce(), 'phone-1'), () => scan(freshNonce(), 'phone-2')]);
    expect(new Set(responses.map((each) => each?.result))).toEqual(new Set(['admitted', 'already_used']));
  });

  it('a repeat of the same scan: both requests return admitted, and the scan is logged once', async () => {
    const nonce = freshNonce();
    const responses = await withDoorLocked([() => scan(nonce), () => scan(nonce)]);
    expect(responses).toMatchObject([{ result: 'admitted' }, { result: 'admitted' }]);
    const { rows } = await world.pool.query('select from checkin where nonce = $1', [`${nonce}-0`]);
    expect(rows).toHaveLength(1);
  });

  it('a locked batch and an optimistic batch with the same ticket do not deadlock', async () => {
    const [used, fresh] = [code, await newCode()];
    await scanAll([used]);
    const responses = await withDoorLocked([() => scanAll([used, fresh]), () => scanAll([fresh])]);
    expect(responses.map((each) => each.map(({ result }) => result))).toEqual([['already_used', 'admitted'], ['already_used']]);
    expect(await deadlocks()).toBe(0);
  });

  it('a scan of the same passport in another session: both scans return admitted, and the passport is one guest', async () => {
    expect(await scanPassportTwice()).toEqual({ results: ['admitted', 'admitted'], guests: [{ checked: 1 }] });
  });

  it('the audit finds no differences after these changes', async () => {
    expect(await auditFindings(world.db)).toEqual([]);
  });

  it('a refund of the ticket: the scan returns refunded', async () => {
    expect(await withDoorLocked([() => scan()], refund)).toMatchObject([{ result: 'refunded' }]);
  });

  it('control: without the constraint returning_guest_once the passport is counted as two guests', async () => {
    await world.pool.query('alter table returning_guest drop constraint returning_guest_once');
    expect(await scanPassportTwice()).toEqual({ results: ['admitted', 'admitted'], guests: [{ checked: 2 }] });
  });

  it('control: without failIfChanged a refunded ticket is admitted', async () => {
    await world.pool.query('create or replace function overtaken() returns void language plpgsql as $$ begin end $$');
    expect(await withDoorLocked([() => scan()], refund)).toMatchObject([{ result: 'admitted' }]);
  });

  it('control: the deadlock counter counts a deadlock', async () => {
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
