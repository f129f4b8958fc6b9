import { beforeAll, describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import { minutesAfterNoon, noon } from '../../test/world.ts';
import type { OrderTicket } from '../orders/contract.ts';
import { fromBase32, toBase32 } from '../tickets/base32.ts';
import type { Checkin, CheckinResult } from './contract.ts';

const world = useWorld();
const shop = shopOf(world);

/** At noon `now` has open doors, `later` has not opened, and `before` is over. */
const sessions = { now: 0, later: 0, before: 0 };
let item = 0;
let counter = 0;

beforeAll(async () => {
  const spans = { now: ['03-02 08:00', '03-02 14:00'], later: ['03-05 20:00', '03-05 23:00'], before: ['02-20 20:00', '02-20 23:00'] };
  for (const [name, [start, finish]] of Object.entries(spans)) {
    const { id } = await shop.write('POST', `/event/${world.event}/session`, {
      name,
      start: `2026-${start}:00`,
      finish: `2026-${finish}:00`,
    });
    sessions[name as keyof typeof sessions] = id;
  }
  item = await newItem();
});

const newItem = (more: object = {}, attributes: Record<string, number | boolean> = {}) =>
  shop.newItem({ item: { name: 'Seat', sessionIds: [sessions.now], ...more }, attributes });

async function buyTickets(itemId = item, quantity = 1, more: object = {}) {
  const order = await shop.buy([{ itemId, quantity }], { buyer: { name: 'Ana Souza', email: `ana${++counter}@test.test` }, ...more });
  const answer = await world.call('GET', `/orders/${order.id}/tickets?secret=${order.secret}&pageSize=200`);
  const tickets = answer.json<{ data: OrderTicket[] }>().data;
  return { order, tickets, ticket: tickets[0] as OrderTicket };
}

const entryOf = (code: string, more: object = {}) => ({
  code,
  at: noon.toISOString(),
  gate: 'Gate A',
  device: 'phone-1',
  nonce: `n${++counter}`,
  ...more,
});

const send = (entries: object[], as: 'crew_entrance_operator' | 'owner' = 'crew_entrance_operator') =>
  world.call('POST', `/event/${world.event}/checkins`, { as, body: { entries } });

async function scanAll(entries: object[]): Promise<CheckinResult[]> {
  const answer = await send(entries);
  if (answer.statusCode !== 200) throw new Error(answer.body);
  return answer.json<{ results: CheckinResult[] }>().results;
}

const scan = async (code: string, more: object = {}): Promise<CheckinResult> => (await scanAll([entryOf(code, more)]))[0] as CheckinResult;

async function undo(entry: { nonce: string; device: string }, at: Date, more: object = {}) {
  const body = { entries: [{ undoes: entry.nonce, at: at.toISOString(), device: entry.device, nonce: `u${++counter}`, ...more }] };
  const answer = await world.call('POST', `/event/${world.event}/checkins/undo`, { as: 'crew_entrance_operator', body });
  if (answer.statusCode !== 200) throw new Error(answer.body);
  return answer.json<{ results: { result: string }[] }>().results[0]?.result;
}

async function logOf(query: string): Promise<Checkin[]> {
  const answer = await world.call('GET', `/event/${world.event}/checkins?pageSize=200&${query}`, { as: 'crew_entrance_manager' });
  if (answer.statusCode !== 200) throw new Error(answer.body);
  return answer.json<{ data: Checkin[] }>().data;
}

const secondsAfterNoon = (n: number) => minutesAfterNoon(n / 60);

describe('POST /event/{eventId}/checkins', () => {
  it('200: lets in, and tells whom to greet and what to look at', async () => {
    const half = await newItem({ name: 'Half' }, { halfPrice: true });
    const { ticket } = await buyTickets(half);
    expect(await scan(ticket.code, { nonce: 'greet' })).toEqual({
      nonce: 'greet',
      result: 'admitted',
      used: null,
      holder: 'Ana Souza',
      itemId: half,
      item: 'Half',
      halfPrice: true,
      sessionId: sessions.now,
      session: 'now',
    });
  });

  it('200: the second time it was used, and when and where', async () => {
    const { ticket } = await buyTickets();
    expect(await scan(ticket.code, { at: secondsAfterNoon(-60).toISOString() })).toMatchObject({ result: 'admitted', halfPrice: false });
    const again = await scan(ticket.code.toLowerCase(), { gate: 'Gate B', device: 'phone-2' });
    expect(again).toMatchObject({ result: 'already_used', used: { at: secondsAfterNoon(-60).toISOString(), gate: 'Gate A' } });
  });

  it('200: the same nonce is answered the same and counts once, in one request or in several', async () => {
    const { ticket } = await buyTickets();
    const entry = entryOf(ticket.code);
    const [first, second] = await scanAll([entry, entry]);
    expect(first?.result).toBe('admitted');
    expect(second).toEqual(first);
    expect(await scanAll([entry])).toEqual([first]);
    expect(await logOf(`ticketId=${ticket.id}`)).toHaveLength(1);
  });

  it('200: a nonce that comes again with another code is another scan, and from another device admits nobody', async () => {
    const [{ ticket }, { ticket: other }] = [await buyTickets(), await buyTickets()];
    const entry = entryOf(ticket.code);
    const all = [{}, { code: other.code }, { code: 'forged' }, { device: 'another' }].map((change) => ({ ...entry, ...change }));
    const nothing = { result: 'unknown', holder: null, item: null };
    const told = [{ result: 'admitted' }, { result: 'admitted', itemId: item }, nothing, nothing];
    for (const entries of [all, all]) expect(await scanAll(entries)).toMatchObject(told);
    for (const entries of [all.slice(1, 3), all.slice(3)]) {
      expect(await scanAll(entries)).toMatchObject(entries.map((each) => told[all.indexOf(each)]));
    }
    for (const { id } of [ticket, other]) expect(await logOf(`ticketId=${id}`)).toHaveLength(1);
    // To take the nonce back takes back both.
    expect(await undo(entry, new Date(Date.parse(entry.at) + 5_000))).toBe('undone');
    for (const { id } of [ticket, other]) expect(await logOf(`ticketId=${id}`)).toMatchObject([{ state: 'undone' }]);
    expect(await scanAll(all)).toMatchObject(told);
    expect((await scan(ticket.code)).result).toBe('admitted');
  });

  it('200: a scan that was refused is refused when it comes again, also when it would be good by now', async () => {
    const { ticket } = await buyTickets();
    const entry = entryOf(ticket.code, { sessionId: 999_999 });
    expect(await scanAll([entry])).toMatchObject([{ result: 'wrong_session' }]);
    expect(await scanAll([entryOf(ticket.code, { nonce: entry.nonce })])).toMatchObject([{ result: 'wrong_session' }]);
    expect(await logOf(`ticketId=${ticket.id}`)).toHaveLength(1);
  });

  it('200: a forged code is unknown, whatever bit of it is another', async () => {
    const { ticket } = await buyTickets();
    const bytes = fromBase32(ticket.code) as Buffer;
    const forged = Array.from({ length: bytes.length }, (_, i) => {
      const copy = Buffer.from(bytes);
      copy[i] = (copy[i] ?? 0) ^ 1;
      return toBase32(copy);
    });
    const results = await scanAll([...forged, 'nonsense', ' '.repeat(200), `${ticket.code}0`].map((code) => entryOf(code)));
    expect(new Set(results.map(({ result }) => result))).toEqual(new Set(['unknown']));
    expect(results[0]).toMatchObject({ holder: null, item: null, sessionId: null });
    expect((await scan(ticket.code)).result).toBe('admitted');
  });

  it('200: a ticket of another event is unknown here', async () => {
    const { ticket } = await buyTickets();
    const answer = await world.call('POST', `/event/${world.siblingEvent}/checkins`, {
      as: 'owner',
      body: { entries: [entryOf(ticket.code)] },
    });
    expect(answer.json()).toMatchObject({ results: [{ result: 'unknown' }] });
  });

  it('200: refunded, before and after it was used', async () => {
    const { ticket, order } = await buyTickets();
    await shop.refund(order);
    expect(await scan(ticket.code)).toMatchObject({ result: 'refunded', item: 'Seat', holder: 'Ana Souza' });
  });

  it('200: wrong session: not of the ticket, not of the event, or over', async () => {
    const { ticket } = await buyTickets();
    for (const sessionId of [sessions.later, world.missing]) expect((await scan(ticket.code, { sessionId })).result).toBe('wrong_session');
    await shop.importCodes(await newItem({ type: 'external', sessionIds: [sessions.before] }), 'OVER');
    expect(await scan('OVER')).toMatchObject({ result: 'wrong_session', session: 'before' });
    expect((await scan(ticket.code, { sessionId: sessions.now })).result).toBe('admitted');
  });

  it('200: not yet valid before the doors open', async () => {
    const { ticket } = await buyTickets(await newItem({ sessionIds: [sessions.later] }));
    expect(await scan(ticket.code)).toMatchObject({ result: 'not_yet_valid', session: 'later' });
  });

  it('200: a passport admits once in each of its sessions, and the session is found by the time', async () => {
    const passport = await newItem({ type: 'passport', sessionIds: [sessions.before, sessions.now, sessions.later] });
    const { ticket } = await buyTickets(passport);
    const during = (day: string) => ({ at: `2026-02-${day}T23:30:00.000Z` });
    expect(await scan(ticket.code)).toMatchObject({ result: 'admitted', session: 'now' });
    expect(await scan(ticket.code, during('20'))).toMatchObject({ result: 'admitted', session: 'before' });
    expect(await scan(ticket.code)).toMatchObject({ result: 'already_used', session: 'now' });
    expect(await scan(ticket.code, { sessionId: sessions.later })).toMatchObject({ result: 'not_yet_valid' });
  });

  it('200: an imported code of an item sold elsewhere enters without an order, once, and is marked as used', async () => {
    const external = await newItem({ type: 'external', name: 'Partner' });
    await shop.importCodes(external, 'PARTNER-1', 'PARTNER-2');
    expect(await scan(' PARTNER-1 ')).toMatchObject({ result: 'admitted', item: 'Partner', session: 'now' });
    expect((await scan('PARTNER-1')).result).toBe('already_used');
    expect((await scan('partner-1')).result).toBe('unknown');
    const { rows } = await world.pool.query('select code, status from external_code where item_id = $1 order by code', [external]);
    expect(rows).toEqual([
      { code: 'PARTNER-1', status: 'used' },
      { code: 'PARTNER-2', status: 'available' },
    ]);
  });

  it('200: a ticket with an imported code enters by it; the same code unsold does not', async () => {
    const custom = await newItem({ name: 'Card' }, { customCode: true });
    await shop.importCodes(custom, 'CARD-1', 'CARD-2');
    const { ticket } = await buyTickets(custom);
    expect(ticket.code).toBe('CARD-1');
    expect(await scan('CARD-1')).toMatchObject({ result: 'admitted', holder: 'Ana Souza', item: 'Card' });
    expect((await scan('CARD-2')).result).toBe('unknown');
    const { rows } = await world.pool.query('select status from external_code where item_id = $1 order by code', [custom]);
    expect(rows).toEqual([{ status: 'used' }, { status: 'available' }]);
  });

  it('200: an earlier scan that comes later is the one that counts, and the other is reported', async () => {
    const { ticket } = await buyTickets();
    const late = entryOf(ticket.code, { device: 'phone-1' });
    const early = entryOf(ticket.code, { device: 'phone-2', at: secondsAfterNoon(-30).toISOString() });
    expect((await scanAll([late]))[0]?.result).toBe('admitted');
    expect((await scanAll([early]))[0]).toMatchObject({ result: 'already_used', used: { at: noon.toISOString() } });
    const states = (await logOf(`ticketId=${ticket.id}`)).map(({ nonce, state, result }) => ({ nonce, state, result }));
    expect(states).toEqual([
      { nonce: early.nonce, state: 'inside', result: 'already_used' },
      { nonce: late.nonce, state: 'double', result: 'admitted' },
    ]);
    expect((await logOf(`ticketId=${ticket.id}&double=true`)).map(({ nonce }) => nonce)).toEqual([late.nonce]);
    expect((await logOf(`ticketId=${ticket.id}&double=false`)).map(({ nonce }) => nonce)).toEqual([early.nonce]);
  });

  it('200: two devices at once: one is told admitted, and one double entry each is reported', async () => {
    const { tickets } = await buyTickets(item, 40);
    const logs = ['phone-1', 'phone-2'].map((device) => tickets.map(({ code }) => entryOf(code, { device })));
    const results = (await Promise.all(logs.map((log) => scanAll(log)))).flat();
    expect(results.filter(({ result }) => result === 'admitted')).toHaveLength(40);
    expect(results.filter(({ result }) => result === 'already_used')).toHaveLength(40);
    const ids = new Set(tickets.map(({ id }) => id));
    const doubles = (await logOf('double=true')).filter(({ ticketId }) => ids.has(ticketId ?? 0));
    expect(doubles.map(({ device }) => device)).toEqual(Array.from({ length: 40 }, () => 'phone-2'));
  });

  it('200: the database itself lets nobody in twice', async () => {
    const { ticket } = await buyTickets();
    await scan(ticket.code);
    const again = `insert into checkin (event_id, nonce, ticket_id, item_id, session_id, at, device, received_at, result, state)
      select event_id, 'other', ticket_id, item_id, session_id, at, device, received_at, result, state from checkin where ticket_id = $1`;
    await expect(world.pool.query(again, [ticket.id])).rejects.toThrow('admission_once');
    for (const change of ['update checkin set at = now()', 'delete from checkin', `update checkin set state = 'refused'`]) {
      await expect(world.pool.query(change)).rejects.toThrow('checkin');
    }
  });

  it('200: leaves one audit entry, with how many came in', async () => {
    const { ticket } = await buyTickets();
    const answer = await send([entryOf(ticket.code), entryOf(ticket.code), entryOf('nonsense')]);
    const { rows } = await world.pool.query('select operation, subject, after from audit_log where request_id = $1', [
      answer.headers['x-request-id'],
    ]);
    expect(rows).toEqual([{ operation: 'makeCheckins', subject: 'checkins', after: { entries: 3, admitted: 1 } }]);
  });

  it('409: a session that somebody was scanned for cannot be deleted', async () => {
    const { id } = await shop.write('POST', `/event/${world.event}/session`, {
      name: 'extra',
      start: '2026-03-02 09:00:00',
      finish: '2026-03-02 14:00:00',
    });
    await shop.importCodes(await newItem({ type: 'external', sessionIds: [] }), 'ANY-SESSION');
    expect(await scan('ANY-SESSION', { sessionId: id })).toMatchObject({ result: 'admitted', sessionId: id });
    const answer = await world.call('DELETE', `/event/${world.event}/session/${id}`, { as: 'owner' });
    expect([answer.statusCode, answer.json<{ detail: string }>().detail]).toEqual([409, 'Tickets were scanned for this session']);
  });

  it('422: a time ahead of ours or long gone, or none at all; nothing of the request is kept', async () => {
    const { ticket } = await buyTickets();
    const bad = [minutesAfterNoon(6).toISOString(), '2026-01-01T00:00:00Z', '2026-02-32T00:00:00Z', '2026-02-28T25:00:00Z'];
    const answer = await send([entryOf(ticket.code), ...bad.map((at) => entryOf(ticket.code, { at }))]);
    expect([
      answer.statusCode,
      answer.json<{ errors: { field: string; code: string }[] }>().errors.map(({ field, code }) => [field, code]),
    ]).toEqual([
      422,
      [
        ['entries[1].at', 'future'],
        ['entries[2].at', 'too_old'],
        ['entries[3].at', 'no_such_time'],
        ['entries[4].at', 'no_such_time'],
      ],
    ]);
    expect((await scan(ticket.code, { at: minutesAfterNoon(5).toISOString() })).result).toBe('admitted');
  });

  it('400: no entries, too many, or a name of a device that no other would sort alike', async () => {
    for (const entries of [
      [],
      Array.from({ length: 501 }, () => entryOf('x')),
      [entryOf('x', { device: 'é' })],
      [entryOf('x', { nonce: '' })],
    ]) {
      expect((await send(entries)).statusCode).toBe(400);
    }
  });
});

describe('POST /event/{eventId}/checkins/undo', () => {
  it('200: within 30 seconds nobody came in, and the ticket admits again', async () => {
    const { ticket } = await buyTickets();
    const entry = entryOf(ticket.code, { at: secondsAfterNoon(-40).toISOString() });
    await scanAll([entry]);
    expect(await undo(entry, secondsAfterNoon(-9))).toBe('too_late');
    expect(await undo({ ...entry, device: 'phone-2' }, secondsAfterNoon(-20))).toBe('other_device');
    expect(await undo(entry, secondsAfterNoon(-10), { nonce: 'undo' })).toBe('undone');
    expect(await undo(entry, secondsAfterNoon(-10), { nonce: 'undo' })).toBe('undone');
    expect((await logOf(`ticketId=${ticket.id}`))[0]).toMatchObject({ state: 'undone', result: 'admitted' });
    expect((await scan(ticket.code)).result).toBe('admitted');
  });

  it('200: whoever was scanned after is the one inside then', async () => {
    const { ticket } = await buyTickets();
    const [first, second, third] = [0, 1, 2].map((n) => entryOf(ticket.code, { at: secondsAfterNoon(n).toISOString() }));
    await scanAll([first, second, third] as object[]);
    expect(await undo(first as never, secondsAfterNoon(5))).toBe('undone');
    const states = () => logOf(`ticketId=${ticket.id}`).then((rows) => rows.toReversed().map(({ state }) => state));
    expect(await states()).toEqual(['undone', 'inside', 'double']);
    expect(await undo(third as never, secondsAfterNoon(5))).toBe('undone');
    expect(await states()).toEqual(['undone', 'inside', 'undone']);
  });

  it('200: before the scan is known it waits for it', async () => {
    const { ticket } = await buyTickets();
    const entry = entryOf(ticket.code);
    expect(await undo(entry, secondsAfterNoon(3))).toBe('waiting');
    await scanAll([entry]);
    expect((await logOf(`ticketId=${ticket.id}`))[0]).toMatchObject({ state: 'undone' });
    expect((await scan(ticket.code)).result).toBe('admitted');
  });

  it('200: an imported code is as it was before', async () => {
    const external = await newItem({ type: 'external' });
    const custom = await newItem({}, { customCode: true });
    await shop.importCodes(external, 'UNDO-1');
    await shop.importCodes(custom, 'UNDO-2');
    await buyTickets(custom);
    const entries = ['UNDO-1', 'UNDO-2'].map((code) => entryOf(code));
    await scanAll(entries);
    for (const entry of entries) await undo(entry, secondsAfterNoon(1));
    const { rows } = await world.pool.query(`select status from external_code where code like 'UNDO-%' order by code`);
    expect(rows).toEqual([{ status: 'available' }, { status: 'assigned' }]);
  });
});

describe('GET /event/{eventId}/checkins', () => {
  it('200: page by page nothing is lost or twice, newest first, and counted', async () => {
    const { tickets } = await buyTickets(item, 5);
    const entries = tickets.map(({ code }) => entryOf(code, { device: 'pager' }));
    await scanAll(entries);
    const seen: string[] = [];
    let cursor = '';
    do {
      const answer = await world.call('GET', `/event/${world.event}/checkins?device=pager&pageSize=2&count=true${cursor}`, { as: 'owner' });
      const page = answer.json<{ data: Checkin[]; nextCursor: string | null; total: number }>();
      expect(page.total).toBe(5);
      seen.push(...page.data.map(({ nonce }) => nonce));
      cursor = page.nextCursor === null ? '' : `&cursor=${page.nextCursor}`;
    } while (cursor !== '');
    expect(seen).toEqual(entries.map(({ nonce }) => nonce).toReversed());
    expect(await logOf('device=pager&result=unknown')).toEqual([]);
  });
});
