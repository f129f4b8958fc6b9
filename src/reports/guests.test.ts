import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { auditFindings } from '../../test/audit-findings.ts';
import { eventuallyWaiting } from '../../test/eventually.ts';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import { buffersOf, statementsOf } from '../../test/statements.ts';
import { type Caller, minutesAfterNoon, noon } from '../../test/world.ts';
import { makeCheckins } from '../door/check-in.ts';
import { undoCheckins } from '../door/undo-checkins.ts';
import { systemAct } from '../kernel/act.ts';
import type { OrderTicket } from '../orders/ticket-contract.ts';
import { inTransaction } from '../postgres/transaction.ts';
import type { EntryReport, Guest } from './contract.ts';

const world = useWorld();
const shop = shopOf(world);

interface Page {
  data: Guest[];
  nextCursor: string | null;
  total?: number;
}

async function read<T>(query: string, as: Caller = 'owner'): Promise<T> {
  const response = await world.call('GET', `/event/${world.event}/guestlist${query}`, { as });
  expect(response.statusCode, response.body).toBe(200);
  return response.json();
}
const report = (query = '') => read<EntryReport>(`?method=report${query}`);
const guests = (query = '', as: Caller = 'owner') => read<Page>(query, as);

interface Entry {
  ticketId?: number;
  codeId?: number;
  sessionId: number | null;
  at: string;
  undone?: boolean;
}

const secondsAfterNoon = (n: number) => minutesAfterNoon(n / 60);

/** A scan that is already in the log. */
interface SentScan {
  nonce: string;
  at: string;
}

let nonces = 0;
const codeOfTicket = new Map<number, string>();
const scansOfSlot = new Map<string, SentScan[]>();

const slotOf = ({ ticketId, codeId, sessionId }: Entry): string => `${ticketId} ${codeId} ${sessionId}`;

async function codeOf({ ticketId, codeId }: Entry): Promise<string> {
  if (ticketId !== undefined) return codeOfTicket.get(ticketId) ?? '';
  const { rows } = await world.pool.query<{ code: string }>('select code from external_code where id = $1', [codeId]);
  return rows[0]?.code ?? '';
}

/**
 * Checks in these entries, in one batch if `receivedAt` is given. It calls the use-case, because the clock of the service stays at noon. An
 * entry that is `undone` is undone with all earlier scans of its ticket in the session.
 */
async function admit(entries: readonly Entry[], receivedAt?: Date): Promise<void> {
  await undo(entries.filter(({ undone }) => undone));
  const scans = await Promise.all(
    entries.map(async (entry) => {
      const scan = { nonce: `n${++nonces}`, at: entry.at };
      scansOfSlot.set(slotOf(entry), [...(scansOfSlot.get(slotOf(entry)) ?? []), scan]);
      return {
        ...scan,
        code: await codeOf(entry),
        device: 'd',
        gate: 'Gate A',
        ...(entry.sessionId !== null && { sessionId: entry.sessionId }),
      };
    }),
  );
  const batches = receivedAt ? [scans] : scans.map((scan) => [scan]);
  for (const batch of batches) {
    const act = systemAct('test', receivedAt ?? new Date(batch[0]?.at ?? 0));
    await inTransaction(world.db, {}, (tx) => makeCheckins(tx, [{ act, eventId: world.event, entries: batch }], false));
  }
  await undo(entries.filter(({ undone }) => undone));
}

/** Undoes all scans of these tickets in these sessions. */
async function undo(entries: readonly Entry[]): Promise<void> {
  const undos = entries.flatMap((entry) =>
    (scansOfSlot.get(slotOf(entry)) ?? []).map(({ nonce, at }) => ({ nonce: `undo ${nonce}`, undoes: nonce, at, device: 'd' })),
  );
  if (undos.length === 0) return;
  await inTransaction(world.db, {}, (tx) => undoCheckins(tx, systemAct('test', new Date('2026-06-03T00:00:00Z')), world.event, undos));
}

async function ticketsOf({ id, secret }: { id: number; secret: string }): Promise<number[]> {
  const { data } = (await world.call('GET', `/orders/${id}/tickets?secret=${secret}`)).json<{ data: OrderTicket[] }>();
  for (const ticket of data) codeOfTicket.set(ticket.id, ticket.code);
  return data.map((ticket) => ticket.id);
}

async function expectAudited(): Promise<void> {
  const found = await auditFindings(world.db, 'reports show');
  expect(found).toEqual([]);
}

let night = 0;
let late = 0;
let seat = 0;
let pass = 0;
let external = 0;
let seats: number[] = [];
let passes: number[] = [];
let codes: number[] = [];

beforeAll(async () => {
  const session = { name: 'Late', start: '2026-06-02 20:00:00', finish: '2026-06-02 23:00:00' };
  late = (await shop.write('POST', `/event/${world.event}/session`, session)).id;
  const { rows } = await world.pool.query<{ id: number }>('select min(id) as id from event_session where event_id = $1', [world.event]);
  night = rows[0]?.id ?? 0;
  seat = await shop.newItem({ item: { name: 'Seat', sessionIds: [night] } });
  pass = await shop.newItem({ item: { name: 'Pass', type: 'passport' } });
  external = (await shop.write('POST', '/items', { eventId: world.event, name: 'Partner', type: 'external', sessionIds: [night] })).id;
  await shop.importCodes(external, 'PX-1', 'PX-2');
  await world.pool.query(`update external_code set holder_name = 'Érica Lima', holder_document = '777' where code = 'PX-2'`);
  codes = (await world.pool.query<{ id: number }>('select id from external_code order by id')).rows.map(({ id }) => id);
  const buyer = { name: 'João Dias', email: 'joao@test.test', document: '123' };
  seats = await ticketsOf(await shop.buy([{ itemId: seat, quantity: 3 }], { buyer }));
  passes = await ticketsOf(await shop.buy([{ itemId: pass, quantity: 1 }]));
});

describe('GET /event/{eventId}/guestlist', () => {
  it('returns 200 with one row per ticket and per imported code of an external item', async () => {
    const { data, nextCursor, total } = await guests('?count=true');
    expect(nextCursor).toBeNull();
    expect(total).toBe(6);
    expect(data.map(({ ticketId, codeId }) => ticketId ?? -(codeId ?? 0))).toEqual([...seats, ...passes, ...codes.map((id) => -id)]);
    expect(data[0]).toEqual({
      ticketId: seats[0],
      codeId: null,
      orderId: expect.any(Number),
      itemId: seat,
      item: 'Seat',
      type: 'ticket',
      sessionIds: [night],
      name: 'João Dias',
      email: 'joao@test.test',
      document: '123',
      status: 'unchecked',
      checkedAt: null,
      gate: null,
      channel: 'online',
      appCategoryId: 1,
    });
    expect(data[3]?.sessionIds).toEqual([night, late]);
    expect(data[5]).toMatchObject({
      ticketId: null,
      codeId: codes[1],
      name: 'Érica Lima',
      document: '777',
      channel: 'offline',
      sessionIds: [night],
    });
  });

  it('returns 200 with the same rows for any page size', async () => {
    const { data: all } = await guests();
    for (const size of [1, 2, 4, 5]) {
      const seen: Guest[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const page: Page = await guests(`?pageSize=${size}${cursor && `&cursor=${cursor}`}`);
        seen.push(...page.data);
        cursor = page.nextCursor;
      }
      expect(seen).toEqual(all);
    }
  });

  it('returns 200 with the guests that match each filter, and ignores undone scans', async () => {
    await admit([
      { ticketId: seats[0] as number, sessionId: night, at: '2026-06-01T22:10:00Z' },
      { ticketId: seats[1] as number, sessionId: night, at: '2026-06-01T22:20:00Z', undone: true },
      { ticketId: passes[0] as number, sessionId: late, at: '2026-06-02T23:20:00Z' },
      { codeId: codes[0] as number, sessionId: night, at: '2026-06-01T23:05:00Z' },
    ]);
    const idsFor = async (query: string) => (await guests(query)).data.map(({ ticketId, codeId }) => ticketId ?? codeId);
    expect(await idsFor('?status=checked')).toEqual([seats[0], passes[0], codes[0]]);
    expect(await idsFor('?status=unchecked')).toEqual([seats[1], seats[2], codes[1]]);
    expect(await idsFor(`?status=checked&sessionId=${night}`)).toEqual([seats[0], codes[0]]);
    expect(await idsFor(`?status=unchecked&sessionId=${night}`)).toEqual([seats[1], seats[2], passes[0], codes[1]]);
    expect(await idsFor(`?sessionId=${late}`)).toEqual(passes);
    expect(await idsFor(`?itemId=${external}`)).toEqual(codes);
    expect(await idsFor('?channel=online')).toEqual([...seats, ...passes]);
    expect(await idsFor('?channel=offline')).toEqual(codes);
    expect(await idsFor('?term=JOAO')).toEqual(seats);
    expect(await idsFor('?term=erica')).toEqual([codes[1]]);
    // A number matches ticket ids and order ids, so other guests may be found too.
    expect(await idsFor(`?term=${seats[1]}`)).toContain(seats[1]);
    expect(await idsFor('?term=PX-1')).toEqual([codes[0]]);
    for (const query of ['', 'status=checked', 'status=unchecked', `sessionId=${night}`, 'channel=offline', 'term=joao']) {
      const { data, total } = await guests(`?count=true&${query}`);
      expect(total).toBe(data.length);
    }
    expect((await guests('?status=checked')).data[0]).toMatchObject({ checkedAt: '2026-06-01T22:10:00.000Z', gate: 'Gate A' });
  });

  it('returns e-mail and document only to callers with order.read, and searches them only for these callers', async () => {
    for (const as of ['crew_entrance_operator', 'crew_entrance_manager'] as const) {
      const { data } = await guests('', as);
      expect(data.map(({ email, document }) => [email, document])).toEqual(data.map(() => [null, null]));
      expect(data.map(({ name }) => name)).toContain('João Dias');
      for (const term of ['joao@test', '123', '777']) expect((await guests(`?term=${term}`, as)).data, term).toEqual([]);
    }
    for (const as of ['manager', 'crew_admin', 'crew_sales_manager'] as const) {
      expect((await guests('?term=joao@test', as)).data.map(({ email }) => email)).toEqual(seats.map(() => 'joao@test.test'));
      expect((await guests('?term=777', as)).data.map(({ document }) => document)).toEqual(['777']);
    }
  });

  it('returns 400 and lists the allowed values for an invalid method, status, channel or cursor', async () => {
    for (const [query, field, hint] of [
      ['method=list', 'method', 'report'],
      ['status=inside', 'status', 'checked'],
      ['channel=web', 'channel', 'offline'],
      ['cursor=xyz', 'cursor', 'unchanged'],
    ] as const) {
      const response = await world.call('GET', `/event/${world.event}/guestlist?${query}`, { as: 'owner' });
      expect(response.statusCode, query).toBe(400);
      expect(response.json()).toMatchObject({ errors: [{ in: 'query', field, message: expect.stringContaining(hint) }] });
    }
  });

  it('returns 404 if the session does not exist', async () => {
    for (const method of ['', '&method=report']) {
      const response = await world.call('GET', `/event/${world.event}/guestlist?sessionId=${world.missing}${method}`, { as: 'owner' });
      expect(response.statusCode).toBe(404);
    }
  });
});

describe('GET /event/{eventId}/guestlist?method=report', () => {
  it('returns 200 with totals of the event, each passport once, and entries by local hour', async () => {
    expect(await report()).toEqual({
      eventId: world.event,
      sessionId: null,
      totals: { tickets: 6, checked: 3, unchecked: 3, percent: 50, inside: 3 },
      stats: [
        { id: seat, name: 'Seat', type: 'ticket', checkedTickets: 1, uncheckedTickets: 2, external: false },
        { id: pass, name: 'Pass', type: 'passport', checkedTickets: 1, uncheckedTickets: 0, external: false },
        { id: external, name: 'Partner', type: 'external', checkedTickets: 1, uncheckedTickets: 1, external: true },
      ],
      perHour: [
        { hour: '2026-06-01 19:00:00', checked: 1 },
        { hour: '2026-06-01 20:00:00', checked: 1 },
        { hour: '2026-06-02 20:00:00', checked: 1 },
      ],
      unsynced: 0,
    });
  });

  it('returns 200 with totals of one session', async () => {
    expect(await report(`&sessionId=${night}`)).toMatchObject({
      sessionId: night,
      totals: { tickets: 6, checked: 2, unchecked: 4, percent: 33.33, inside: 2 },
      stats: [{ id: seat }, { id: pass, checkedTickets: 0, uncheckedTickets: 1 }, { id: external, checkedTickets: 1 }],
    });
    expect((await report(`&sessionId=${late}`)).totals).toEqual({ tickets: 1, checked: 1, unchecked: 0, percent: 100, inside: 1 });
  });

  it('counts a passport that enters two sessions as two entries and one guest', async () => {
    const before = await report();
    await admit([{ ticketId: passes[0] as number, sessionId: night, at: '2026-06-01T22:30:00Z' }]);
    const after = await report();
    expect(after.totals).toEqual({ ...before.totals, inside: before.totals.inside + 1 });
    expect(after.perHour[0]).toEqual({ hour: '2026-06-01 19:00:00', checked: 2 });
    await expectAudited();
  });

  it('moves an entry to the hour of an earlier scan that arrives late, and removes the entry when that scan is undone', async () => {
    await admit([{ ticketId: seats[0] as number, sessionId: night, at: '2026-06-01T21:50:00Z' }]);
    expect((await report()).perHour[0]).toEqual({ hour: '2026-06-01 18:00:00', checked: 1 });
    // One statement that merges an offline log can undo an entry in one session and add an entry in another session.
    await admit([{ ticketId: passes[0] as number, sessionId: late, at: '2026-06-02T23:20:00Z', undone: true }]);
    expect((await report()).totals.checked).toBe(3);
    await admit([
      { ticketId: passes[0] as number, sessionId: late, at: '2026-06-02T23:25:00Z' },
      { ticketId: passes[0] as number, sessionId: night, at: '2026-06-01T22:30:00Z', undone: true },
    ]);
    expect((await report()).totals.checked).toBe(3);
    await expectAudited();
  });

  it('does not count a refunded ticket, even if it was used', async () => {
    const order = await shop.buy([{ itemId: seat, quantity: 1 }]);
    const [ticketId = 0] = await ticketsOf(order);
    await admit([{ ticketId, sessionId: night, at: '2026-06-01T22:40:00Z' }]);
    const before = await report();
    await shop.refund(order, { includeUsed: true });
    const after = await report();
    expect(after.totals).toEqual({
      ...before.totals,
      tickets: before.totals.tickets - 1,
      checked: before.totals.checked - 1,
      percent: 50,
      inside: before.totals.inside - 1,
    });
    expect((await guests()).data.map((guest) => guest.ticketId)).not.toContain(ticketId);
    // A scan that arrives after the refund does not count either.
    await admit([{ ticketId, sessionId: night, at: '2026-06-01T22:35:00Z', undone: true }]);
    expect((await report()).totals).toEqual(after.totals);
    await expectAudited();
  });

  it('does not count a ticket that is refunded and scanned concurrently', async () => {
    const order = await shop.buy([{ itemId: seat, quantity: 1 }]);
    const [ticketId] = await ticketsOf(order);
    const scan = { code: codeOfTicket.get(ticketId ?? 0) ?? '', at: '2026-06-01T22:00:00Z', device: 'd', nonce: 'race', sessionId: night };
    const act = systemAct('test', new Date(scan.at));
    const refund = await inTransaction(world.db, {}, async (tx) => {
      await makeCheckins(tx, [{ act, eventId: world.event, entries: [scan] }], true);
      const waiting = shop.refund(order, { includeUsed: true });
      await eventuallyWaiting(world.pool, 1);
      return { waiting };
    });
    expect((await refund.waiting).statusCode).toBe(200);
    await expectAudited();
  });

  it('returns the number of scans received more than two minutes late as unsynced', async () => {
    const scan = (receivedAt: string) =>
      world.pool.query(
        `insert into checkin (event_id, nonce, session_id, at, device, received_at, result, state)
         values ($1, $2, $3, $4, 'd', $5, 'unknown', 'refused')`,
        [world.event, `n${++nonces}`, night, '2026-06-01T22:00:00Z', receivedAt],
      );
    await scan('2026-06-01T22:01:00Z');
    await scan('2026-06-01T22:03:00Z');
    expect((await report()).unsynced).toBe(1);
    expect((await report(`&sessionId=${night}`)).unsynced).toBe(1);
    expect((await report(`&sessionId=${late}`)).unsynced).toBe(0);
  });

  it('counts a check-in until it is undone', async () => {
    const open = { name: 'Now', start: '2026-03-02 08:00:00', finish: '2026-03-02 14:00:00' };
    const { id: sessionId } = await shop.write('POST', `/event/${world.event}/session`, open);
    const order = await shop.buy([{ itemId: await shop.newItem({ item: { sessionIds: [sessionId] } }), quantity: 2 }]);
    const tickets = (await world.call('GET', `/orders/${order.id}/tickets?secret=${order.secret}`)).json<{ data: { code: string }[] }>()
      .data;
    const entries = tickets.map(({ code }, i) => ({ code, at: noon.toISOString(), device: 'gate-1', gate: 'Gate B', nonce: `scan-${i}` }));
    const send = async (path: string, body: object) =>
      (await world.call('POST', `/event/${world.event}/checkins${path}`, { as: 'crew_entrance_operator', body })).json<unknown>();
    expect(await send('', { entries })).toMatchObject({ results: [{ result: 'admitted' }, { result: 'admitted' }] });
    expect(await report(`&sessionId=${sessionId}`)).toMatchObject({
      totals: { tickets: 2, checked: 2, unchecked: 0, percent: 100, inside: 2 },
      perHour: [{ hour: '2026-03-02 09:00:00', checked: 2 }],
    });
    const undo = { undoes: 'scan-0', at: secondsAfterNoon(10).toISOString(), device: 'gate-1', nonce: 'undo' };
    expect(await send('/undo', { entries: [undo] })).toMatchObject({ results: [{ result: 'undone' }] });
    expect((await report(`&sessionId=${sessionId}`)).totals.checked).toBe(1);
    const inside = (await guests(`?status=checked&sessionId=${sessionId}`)).data;
    expect(inside).toMatchObject([{ orderId: order.id, gate: 'Gate B', checkedAt: noon.toISOString() }]);
    await expectAudited();
  });

  it('has the same totals as the guest list after random scans, undos and refunds', async () => {
    const bought = [await shop.buy([{ itemId: seat, quantity: 3 }]), await shop.buy([{ itemId: pass, quantity: 2 }])];
    const ids = (await Promise.all(bought.map(ticketsOf))).flat();
    const entry = fc.record({
      nth: fc.nat(ids.length - 1),
      other: fc.boolean(),
      minute: fc.nat(300),
      undone: fc.boolean(),
    });
    const batch = fc.uniqueArray(entry, { minLength: 1, maxLength: 6, selector: ({ nth, other }) => `${nth} ${other}` });
    await fc.assert(
      fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 3 }), async (batches) => {
        for (const entries of batches) {
          await admit(
            entries
              .map(({ nth, other, minute, undone }) => ({
                ticketId: ids[nth] as number,
                sessionId: other && nth >= 3 ? late : night,
                at: new Date(Date.UTC(2026, 5, 1, 20, minute)).toISOString(),
                undone,
              }))
              .filter((one, i, all) => all.findIndex((two) => two.ticketId === one.ticketId && two.sessionId === one.sessionId) === i),
            new Date('2026-06-03T00:00:00Z'),
          );
        }
        for (const query of ['', `&sessionId=${night}`, `&sessionId=${late}`]) {
          const { totals } = await report(query);
          expect((await guests(`?count=true&status=checked${query}`)).total).toBe(totals.checked);
          expect((await guests(`?count=true${query}`)).total).toBe(totals.tickets);
        }
      }),
      { numRuns: 8, endOnFailure: true },
    );
    await shop.refund(bought[1] as { id: number }, { lines: [{ itemId: pass, quantity: 1 }] });
    expect((await guests('?count=true&status=checked')).total).toBe((await report()).totals.checked);
    await expectAudited();
  });
});

describe('GET /event/{eventId}/guestlist of a large event', () => {
  it('reads less than twice as many database pages for the last page of the list as for the first', async () => {
    const order = await shop.hold([{ itemId: seat, quantity: 1 }]);
    await world.pool.query(`update ticket_order set status = 'approved', approved_at = now() where id = $1`, [order.id]);
    await world.pool.query(
      `insert into ticket (event_id, order_id, item_id, session_ids, created_at) select $1, $2, $3, '{}', now() from generate_series(1, 20000)`,
      [world.event, order.id, seat],
    );
    await world.pool.query('analyze');
    const { rows } = await world.pool.query<{ id: number }>('select max(id) - 100 as id from ticket');
    const far = Buffer.from(JSON.stringify([0, rows[0]?.id, 0])).toString('base64url');
    const costOf = async (query: string) => {
      const { statements } = await statementsOf(() => guests(query));
      const page = statements.find(({ text }) => text.includes('from ticket_guest t') || text.includes('join ticket_guest t'));
      return page ? buffersOf(world.pool, page) : Number.NaN;
    };
    const [first, last] = [await costOf('?pageSize=25'), await costOf(`?pageSize=25&cursor=${far}`)];
    expect(last).toBeLessThan(first * 2);
  });
});
