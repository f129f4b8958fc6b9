import { createHash, createPublicKey } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import type { OrderTicket } from '../orders/ticket-contract.ts';
import type { Tx } from '../postgres/database.ts';
import { executeAll } from '../postgres/pipeline.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { verifyTicketCode } from '../tickets/ticket-code.ts';
import { logChangedTickets, logIssuedTickets } from '../tickets/ticket-log.ts';
import type { Manifest } from './manifest-contract.ts';

const world = useWorld();
const shop = shopOf(world);
let counter = 0;

async function readPage(query = ''): Promise<Manifest> {
  const response = await world.call('GET', `/event/${world.event}/checkins/manifest?${query}`, { as: 'crew_entrance_operator' });
  if (response.statusCode !== 200) throw new Error(response.body);
  return response.json();
}

/** Reads page after page until `more` is false, as a device does. */
async function readAll(since?: string, pageSize = 5_000) {
  const all = { tickets: [] as Manifest['tickets'], codes: [] as Manifest['codes'], admissions: [] as Manifest['admissions'], pages: 0 };
  let next = since;
  let last: Manifest;
  do {
    last = await readPage(`pageSize=${pageSize}${next === undefined ? '' : `&since=${next}`}`);
    for (const part of ['tickets', 'codes', 'admissions'] as const) all[part].push(...(last[part] as never[]));
    all.pages++;
    next = last.next;
  } while (last.more);
  return { ...all, next, last };
}

async function untilQueryWaitsForLock(): Promise<void> {
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await expect.poll(async () => (await world.pool.query(waiting)).rowCount, { timeout: 20_000 }).toBeGreaterThan(0);
}

async function buy(itemId: number, quantity = 1) {
  const order = await shop.buy([{ itemId, quantity }], { buyer: { name: 'Ana', email: `ana${++counter}@test.test` } });
  const { data } = (await world.call('GET', `/orders/${order.id}/tickets?secret=${order.secret}`)).json<{ data: OrderTicket[] }>();
  return { order, tickets: data };
}

/** Runs `work` in a transaction. The transaction stays open until the returned function is called, which commits it. */
async function openTransaction(work: (tx: Tx) => Promise<void>): Promise<() => Promise<void>> {
  let mayCommit = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    mayCommit = resolve;
  });
  let committed = Promise.resolve();
  await new Promise<void>((written, failed) => {
    committed = inTransaction(world.db, {}, async (tx) => {
      await work(tx);
      written();
      await gate;
    });
    committed.catch(failed);
  });
  return () => {
    mayCommit();
    return committed;
  };
}

async function refund(tx: Tx, id: number): Promise<void> {
  await sql`update ticket set status = 'refunded' where event_id = ${world.event} and id = ${id}`.execute(tx);
  await executeAll(tx, logChangedTickets([{ eventId: world.event, id }]));
}

/** Issues another ticket of the order. Returns its id. */
async function issueAnother(tx: Tx, orderId: number): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into ticket (event_id, order_id, item_id, session_ids, created_at)
    select event_id, order_id, item_id, session_ids, now() from order_line where order_id = ${orderId} returning id`.execute(tx);
  await executeAll(tx, logIssuedTickets([{ eventId: world.event, id: orderId }]));
  return rows[0]?.id ?? 0;
}

const openSession = async () =>
  (await shop.write('POST', `/event/${world.event}/session`, { name: 'Now', start: '2026-03-02 08:00:00', finish: '2026-03-02 14:00:00' }))
    .id;

const scanned = (code: string) => ({ code, at: world.now.toISOString(), device: 'phone', nonce: `n${++counter}` });
const checkIn = (...codes: string[]) => shop.write('POST', `/event/${world.event}/checkins`, { entries: codes.map(scanned) });

const hashOf = ({ codeSalt }: Manifest, code: string) =>
  createHash('sha256').update(Buffer.from(codeSalt, 'hex')).update(code).digest('hex').slice(0, 32);

describe('GET /event/{eventId}/checkins/manifest', () => {
  it('returns 200 with everything that a device needs to verify tickets offline, and no personal data', async () => {
    const session = await openSession();
    const item = await shop.newItem({ item: { name: 'Half', sessionIds: [session] }, attributes: { halfPrice: true } });
    const external = await shop.newItem({ item: { name: 'Partner', type: 'external', sessionIds: [session] } });
    const custom = await shop.newItem({ item: { name: 'Card', sessionIds: [session] }, attributes: { customCode: true } });
    await shop.importCodes(external, 'PARTNER-1');
    await shop.importCodes(custom, 'CARD-1', 'CARD-2');
    const [{ tickets }, { tickets: cards }] = [await buy(item, 2), await buy(custom)];
    await checkIn(tickets[0]?.code ?? '', 'PARTNER-1');

    const manifest = await readPage();
    expect(manifest.sessions.find(({ id }) => id === session)).toEqual({
      id: session,
      name: 'Now',
      startsAt: '2026-03-02T11:00:00.000Z',
      finishesAt: '2026-03-02T17:00:00.000Z',
      opensAt: '2026-03-01T23:00:00.000Z',
      closesAt: '2026-03-02T23:00:00.000Z',
    });
    expect(manifest.items.find(({ id }) => id === item)).toEqual({
      id: item,
      name: 'Half',
      type: 'ticket',
      halfPrice: true,
      sessionIds: [session],
    });
    const keys = manifest.keys.map(({ kid, publicKey }) => ({
      eventId: manifest.eventId,
      kid,
      publicKey: createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x: publicKey } }),
    }));
    expect((await verifyTicketCode(tickets[0]?.code ?? '', keys))?.ticketId).toBe(tickets[0]?.id);
    const valid = { status: 'valid', disputed: false, sessionIds: [session] };
    expect(manifest.tickets).toEqual([
      ...tickets.map(({ id, shortCode }) => ({
        id,
        itemId: item,
        codeHash: null,
        shortHash: hashOf(manifest, shortCode?.replace('-', '') ?? '').slice(0, 10),
        ...valid,
      })),
      { id: cards[0]?.id, itemId: custom, codeHash: hashOf(manifest, 'CARD-1'), shortHash: null, ...valid },
    ]);
    expect(manifest.codes).toEqual([
      { id: expect.any(Number), itemId: external, sessionId: null, codeHash: hashOf(manifest, 'PARTNER-1') },
    ]);
    const inside = { sessionId: session, at: world.now.toISOString(), gate: null, inside: true, entries: 1, undone: false };
    expect(manifest.admissions).toEqual(
      expect.arrayContaining([
        { ticketId: tickets[0]?.id, codeId: null, ...inside },
        { ticketId: null, codeId: manifest.codes[0]?.id, ...inside },
      ]),
    );
    expect(JSON.stringify(manifest)).not.toMatch(/CARD-|PARTNER-1|Ana|test\.test/);
  });

  it('returns 200 with only the changes since the cursor: sold, refunded, admitted, undone, imported', async () => {
    const session = await openSession();
    const item = await shop.newItem({ item: { sessionIds: [session] } });
    const external = await shop.newItem({ item: { type: 'external', sessionIds: [session] } });
    const { order, tickets } = await buy(item);
    const { next: first } = await readAll();

    await shop.refund(order);
    const { tickets: sold } = await buy(item);
    await checkIn(sold[0]?.code ?? '');
    await shop.importCodes(external, 'NEW');
    const second = await readAll(first);
    expect(second.tickets.map(({ id, status }) => [id, status])).toEqual([
      [tickets[0]?.id, 'refunded'],
      [sold[0]?.id, 'valid'],
    ]);
    expect(second.admissions.map(({ ticketId, undone }) => [ticketId, undone])).toEqual([[sold[0]?.id, false]]);
    expect(second.codes.map(({ itemId }) => itemId)).toEqual([external]);

    const undo = { undoes: `n${counter}`, at: world.now.toISOString(), device: 'phone', nonce: 'undo' };
    await shop.write('POST', `/event/${world.event}/checkins/undo`, { entries: [undo] });
    const third = await readAll(second.next);
    expect([third.tickets, third.codes, third.admissions.map(({ ticketId, undone }) => [ticketId, undone])]).toEqual([
      [],
      [],
      [[sold[0]?.id, true]],
    ]);
  });

  it('returns 200 with the same rows, each once, for any page size', async () => {
    const item = await shop.newItem({ item: { sessionIds: [await openSession()] } });
    for (let i = 0; i < 5; i++) await buy(item);
    const [whole, cut] = [await readAll(), await readAll(undefined, 1)];
    expect(cut.pages).toBeGreaterThan(5);
    for (const part of ['tickets', 'codes', 'admissions'] as const) expect(cut[part]).toEqual(whole[part]);
  });

  it('returns 200 with each change exactly once, in commit order', async () => {
    const item = await shop.newItem({ item: { sessionIds: [await openSession()] } });
    const [{ tickets: early }, { tickets: late }] = [await buy(item), await buy(item)];
    const { next: start } = await readAll();
    const commitEarly = await openTransaction((tx) => refund(tx, early[0]?.id as number));
    const second = inTransaction(world.db, {}, (tx) => refund(tx, late[0]?.id as number));
    await untilQueryWaitsForLock();
    const meanwhile = await readAll(start);
    expect(meanwhile.tickets).toEqual([]);
    await commitEarly();
    await second;
    const after = await readAll(meanwhile.next, 1);
    expect(after.tickets.map(({ id, status }) => [id, status])).toEqual([
      [early[0]?.id, 'refunded'],
      [late[0]?.id, 'refunded'],
    ]);
    expect((await readAll(after.next)).tickets).toEqual([]);
  });

  it('returns a ticket that commits late with a lower id than a ticket that was returned before', async () => {
    const item = await shop.newItem({ item: { sessionIds: [await openSession()] } });
    const orders = [await buy(item), await buy(item)].map(({ order }) => order.id);
    const { next: start } = await readAll();
    let lower = 0;
    const commitLower = await openTransaction(async (tx) => {
      lower = await issueAnother(tx, orders[0] as number);
    });
    // Another device has read a part of its first pass when the tickets are committed.
    const first = await readPage('pageSize=1');
    const second = inTransaction(world.db, {}, (tx) => issueAnother(tx, orders[1] as number));
    await untilQueryWaitsForLock();
    await commitLower();
    const issued = [lower, await second];
    const changed = (await readAll(start)).tickets.map(({ id }) => id);
    expect(changed.filter((id) => issued.includes(id))).toEqual(issued);
    const rest = await readAll(first.next, 1);
    expect([...first.tickets, ...rest.tickets].map(({ id }) => id)).toEqual(expect.arrayContaining(issued));
  });

  it('returns 200 and never splits the tickets of one change between pages', async () => {
    const item = await shop.newItem({ item: { sessionIds: [await openSession()] } });
    const { next: start } = await readAll();
    const bought = [await buy(item, 3), await buy(item, 2)];
    const ids = bought.map(({ tickets }) => tickets.map(({ id }) => id));
    const page = await readPage(`pageSize=2&since=${start}`);
    expect([page.more, page.tickets.map(({ id }) => id)]).toEqual([true, ids[0]]);
    const rest = await readPage(`pageSize=2&since=${page.next}`);
    expect([rest.more, rest.tickets.map(({ id }) => id)]).toEqual([false, ids[1]]);
  });

  it('returns 200 with codesReset and all remaining codes after codes were deleted', async () => {
    const external = await shop.newItem({ item: { type: 'external' } });
    await shop.importCodes(external, 'KEEP', 'DROP');
    const before = await readAll();
    const { rows } = await world.pool.query<{ id: number }>(`select id from external_code where code = 'DROP'`);
    const deleted = await world.call('DELETE', `/items/${external}/codes/${rows[0]?.id}`, { as: 'owner' });
    expect(deleted.statusCode, deleted.body).toBe(204);
    const after = await readPage(`since=${before.next}`);
    expect(after.codesReset).toBe(true);
    expect(after.codes.map(({ codeHash }) => codeHash)).toContain(hashOf(after, 'KEEP'));
    expect(after.codes.map(({ codeHash }) => codeHash)).not.toContain(hashOf(after, 'DROP'));
    expect((await readPage(`since=${after.next}`)).codesReset).toBe(false);
  });

  it('returns 200 with reset and all data if since is ahead of the database, from a restored database, or from an older release', async () => {
    const whole = await readAll();
    const [databaseHistoryId] = JSON.parse(Buffer.from(whole.next, 'base64url').toString()) as [string];
    const former = [
      [0, 2 ** 50, 2 ** 50, 5, 0],
      [812, 811, 3, 5, 0],
      [databaseHistoryId, 2 ** 50, -1, 0, 0, 0],
      [databaseHistoryId, 0, -1, 2 ** 50, 0, 0],
      ['another history', 1, -1, 0, 0, 0],
    ];
    for (const cursor of former) {
      const since = Buffer.from(JSON.stringify(cursor)).toString('base64url');
      const first = await readPage(`pageSize=2&since=${since}`);
      expect([first.reset, first.codesReset]).toEqual([true, true]);
      const rest = await readAll(first.next, 2);
      for (const part of ['tickets', 'codes', 'admissions'] as const) expect([...first[part], ...rest[part]]).toEqual(whole[part]);
      expect((await readPage(`since=${rest.next}`)).reset).toBe(false);
    }
  });

  it('returns 400 if since is not a cursor', async () => {
    const response = await world.call('GET', `/event/${world.event}/checkins/manifest?since=abc`, { as: 'owner' });
    expect(response.json()).toMatchObject({ status: 400, errors: [{ field: 'since' }] });
  });
});
