import { beforeAll, describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import { statementsOf } from '../../test/statements.ts';
import { minutesAfterNoon, noon } from '../../test/world.ts';
import type { OrderTicket } from '../orders/ticket-contract.ts';
import { fromBase32, toBase32 } from '../tickets/base32.ts';
import type { Checkin, CheckinResult } from './contract.ts';

const world = useWorld();
const shop = shopOf(world);

/** At noon the doors of `now` are open, the doors of `later` have not opened, and the doors of `before` have closed. */
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
  const response = await world.call('GET', `/orders/${order.id}/tickets?secret=${order.secret}&pageSize=200`);
  const tickets = response.json<{ data: OrderTicket[] }>().data;
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
  const response = await send(entries);
  if (response.statusCode !== 200) throw new Error(response.body);
  return response.json<{ results: CheckinResult[] }>().results;
}

const scan = async (code: string, more: object = {}): Promise<CheckinResult> => (await scanAll([entryOf(code, more)]))[0] as CheckinResult;

async function undo(entry: { nonce: string; device: string }, at: Date, more: object = {}) {
  const body = { entries: [{ undoes: entry.nonce, at: at.toISOString(), device: entry.device, nonce: `u${++counter}`, ...more }] };
  const response = await world.call('POST', `/event/${world.event}/checkins/undo`, { as: 'crew_entrance_operator', body });
  if (response.statusCode !== 200) throw new Error(response.body);
  return response.json<{ results: { result: string }[] }>().results[0]?.result;
}

async function logOf(query: string): Promise<Checkin[]> {
  const response = await world.call('GET', `/event/${world.event}/checkins?pageSize=200&${query}`, { as: 'crew_entrance_manager' });
  if (response.statusCode !== 200) throw new Error(response.body);
  return response.json<{ data: Checkin[] }>().data;
}

const secondsAfterNoon = (n: number) => minutesAfterNoon(n / 60);

describe('POST /event/{eventId}/checkins', () => {
  it('returns 200 and admitted with holder, item, session and the half-price flag', async () => {
    const half = await newItem({ name: 'Half' }, { halfPrice: true });
    const { ticket } = await buyTickets(half);
    expect(await scan(ticket.code, { nonce: 'greet' })).toEqual({
      nonce: 'greet',
      result: 'admitted',
      note: null,
      used: null,
      holder: 'Ana Souza',
      itemId: half,
      item: 'Half',
      halfPrice: true,
      sessionId: sessions.now,
      session: 'now',
    });
  });

  it('returns 200 and already_used with time and gate of the entry for the second scan', async () => {
    const { ticket } = await buyTickets();
    expect(await scan(ticket.code, { at: secondsAfterNoon(-60).toISOString() })).toMatchObject({ result: 'admitted', halfPrice: false });
    const again = await scan(ticket.code.toLowerCase(), { gate: 'Gate B', device: 'phone-2' });
    expect(again).toMatchObject({ result: 'already_used', used: { at: secondsAfterNoon(-60).toISOString(), gate: 'Gate A' } });
  });

  it('returns 200 and the same result for a repeated nonce, and logs it once, within a request and across requests', async () => {
    const { ticket } = await buyTickets();
    const entry = entryOf(ticket.code);
    const [first, second] = await scanAll([entry, entry]);
    expect(first?.result).toBe('admitted');
    expect(second).toEqual(first);
    expect(await scanAll([entry])).toEqual([first]);
    expect(await logOf(`ticketId=${ticket.id}`)).toHaveLength(1);
  });

  it('returns 200, handles a repeated nonce with another code as another scan, and returns unknown to another device', async () => {
    const [{ ticket }, { ticket: other }] = [await buyTickets(), await buyTickets()];
    const entry = entryOf(ticket.code);
    const all = [{}, { code: other.code }, { code: 'forged' }, { device: 'another' }].map((change) => ({ ...entry, ...change }));
    const nothing = { result: 'unknown', holder: null, item: null };
    const results = [{ result: 'admitted' }, { result: 'admitted', itemId: item }, nothing, nothing];
    for (const entries of [all, all]) expect(await scanAll(entries)).toMatchObject(results);
    for (const entries of [all.slice(1, 3), all.slice(3)]) {
      expect(await scanAll(entries)).toMatchObject(entries.map((each) => results[all.indexOf(each)]));
    }
    for (const { id } of [ticket, other]) expect(await logOf(`ticketId=${id}`)).toHaveLength(1);
    // The undo names only the nonce, so it undoes both scans.
    expect(await undo(entry, new Date(Date.parse(entry.at) + 5_000))).toBe('undone');
    for (const { id } of [ticket, other]) expect(await logOf(`ticketId=${id}`)).toMatchObject([{ state: 'undone' }]);
    expect(await scanAll(all)).toMatchObject(results);
    expect((await scan(ticket.code)).result).toBe('admitted');
  });

  it('returns 200 and the first result for a repeated nonce, even if the scan would be valid now', async () => {
    const { ticket } = await buyTickets();
    const entry = entryOf(ticket.code, { sessionId: 999_999 });
    expect(await scanAll([entry])).toMatchObject([{ result: 'wrong_session' }]);
    expect(await scanAll([entryOf(ticket.code, { nonce: entry.nonce })])).toMatchObject([{ result: 'wrong_session' }]);
    expect(await logOf(`ticketId=${ticket.id}`)).toHaveLength(1);
  });

  it('returns 200 and unknown for a code in which one bit was changed, for each byte of the code', async () => {
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

  it('returns 200 and unknown for a ticket of another event', async () => {
    const { ticket } = await buyTickets();
    const response = await world.call('POST', `/event/${world.siblingEvent}/checkins`, {
      as: 'owner',
      body: { entries: [entryOf(ticket.code)] },
    });
    expect(response.json()).toMatchObject({ results: [{ result: 'unknown' }] });
  });

  it('returns 200 and refunded for a refunded ticket', async () => {
    const { ticket, order } = await buyTickets();
    await shop.refund(order);
    expect(await scan(ticket.code)).toMatchObject({ result: 'refunded', item: 'Seat', holder: 'Ana Souza' });
  });

  it('returns 200 and wrong_session if the ticket is not valid for the session, the session is of another event, or its doors have closed', async () => {
    const { ticket } = await buyTickets();
    for (const sessionId of [sessions.later, world.missing]) expect((await scan(ticket.code, { sessionId })).result).toBe('wrong_session');
    await shop.importCodes(await newItem({ type: 'external', sessionIds: [sessions.before] }), 'OVER');
    expect(await scan('OVER')).toMatchObject({ result: 'wrong_session', session: 'before' });
    expect((await scan(ticket.code, { sessionId: sessions.now })).result).toBe('admitted');
  });

  it('returns 200 and not_yet_valid before the doors open', async () => {
    const { ticket } = await buyTickets(await newItem({ sessionIds: [sessions.later] }));
    expect(await scan(ticket.code)).toMatchObject({ result: 'not_yet_valid', session: 'later' });
  });

  it('returns 200 and admits a passport once in each of its sessions, chosen by the time of the scan', async () => {
    const passport = await newItem({ type: 'passport', sessionIds: [sessions.before, sessions.now, sessions.later] });
    const { ticket } = await buyTickets(passport);
    const during = (day: string) => ({ at: `2026-02-${day}T23:30:00.000Z` });
    expect(await scan(ticket.code)).toMatchObject({ result: 'admitted', session: 'now' });
    expect(await scan(ticket.code, during('20'))).toMatchObject({ result: 'admitted', session: 'before' });
    expect(await scan(ticket.code)).toMatchObject({ result: 'already_used', session: 'now' });
    expect(await scan(ticket.code, { sessionId: sessions.later })).toMatchObject({ result: 'not_yet_valid' });
  });

  it('returns 200 and admits an imported code of an external item once, and marks it as used', async () => {
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

  it('returns 200 and admits a ticket by its imported code, and returns unknown for an unsold code', async () => {
    const custom = await newItem({ name: 'Card' }, { customCode: true });
    await shop.importCodes(custom, 'CARD-1', 'CARD-2');
    const { ticket } = await buyTickets(custom);
    expect(ticket.code).toBe('CARD-1');
    expect(await scan('CARD-1')).toMatchObject({ result: 'admitted', holder: 'Ana Souza', item: 'Card' });
    expect((await scan('CARD-2')).result).toBe('unknown');
    const { rows } = await world.pool.query('select status from external_code where item_id = $1 order by code', [custom]);
    expect(rows).toEqual([{ status: 'used' }, { status: 'available' }]);
  });

  it('returns 200 for an earlier scan that arrives later, counts it as the entry, and makes the later scan a double entry', async () => {
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

  it('returns admitted to only one of two devices that scan the same tickets concurrently, and logs the other as double', async () => {
    const { tickets } = await buyTickets(item, 40);
    const logs = ['phone-1', 'phone-2'].map((device) => tickets.map(({ code }) => entryOf(code, { device })));
    const results = (await Promise.all(logs.map((log) => scanAll(log)))).flat();
    expect(results.filter(({ result }) => result === 'admitted')).toHaveLength(40);
    expect(results.filter(({ result }) => result === 'already_used')).toHaveLength(40);
    const ids = new Set(tickets.map(({ id }) => id));
    const doubles = (await logOf('double=true')).filter(({ ticketId }) => ids.has(ticketId ?? 0));
    expect(doubles.map(({ device }) => device)).toEqual(Array.from({ length: 40 }, () => 'phone-2'));
  });

  it('sends as many statements for many tickets as for one', async () => {
    const { tickets } = await buyTickets(item, 21);
    const entries = tickets.map(({ code }) => entryOf(code));
    const sent = async (some: typeof entries) => (await statementsOf(() => scanAll(some))).statements.map(({ text }) => text);
    const [one, many] = [await sent(entries.slice(0, 1)), await sent(entries.slice(1))];
    expect(many).toEqual(one);
    // Two for the caller and the event, nine reads and eight writes, of which one tells webhooks. The door is busy: do not add any.
    expect(one.length).toBe(19);
    expect(many.filter((text) => /entry_total|guest_total|returning_guest/.test(text))).toHaveLength(2);
  });

  it('cannot admit a ticket twice or change the log, because database constraints refuse both', async () => {
    const { ticket } = await buyTickets();
    await scan(ticket.code);
    const again = `insert into checkin (event_id, nonce, ticket_id, item_id, session_id, at, device, received_at, result, state)
      select event_id, 'other', ticket_id, item_id, session_id, at, device, received_at, result, state from checkin where ticket_id = $1`;
    await expect(world.pool.query(again, [ticket.id])).rejects.toThrow('admission_once');
    for (const change of ['update checkin set at = now()', 'delete from checkin', `update checkin set state = 'refused'`]) {
      await expect(world.pool.query(change)).rejects.toThrow('checkin');
    }
  });

  it('returns 200 and writes one audit entry with the number of entries and admissions', async () => {
    const { ticket } = await buyTickets();
    const response = await send([entryOf(ticket.code), entryOf(ticket.code), entryOf('nonsense')]);
    const { rows } = await world.pool.query('select operation, subject, after from audit_log where request_id = $1', [
      response.headers['x-request-id'],
    ]);
    expect(rows).toEqual([{ operation: 'makeCheckins', subject: 'checkins', after: { entries: 3, admitted: 1 } }]);
  });

  it('DELETE /event/{eventId}/session/{id} returns 409 after a scan for the session', async () => {
    const { id } = await shop.write('POST', `/event/${world.event}/session`, {
      name: 'extra',
      start: '2026-03-02 09:00:00',
      finish: '2026-03-02 14:00:00',
    });
    await shop.importCodes(await newItem({ type: 'external', sessionIds: [] }), 'ANY-SESSION');
    expect(await scan('ANY-SESSION', { sessionId: id })).toMatchObject({ result: 'admitted', sessionId: id });
    const response = await world.call('DELETE', `/event/${world.event}/session/${id}`, { as: 'owner' });
    expect([response.statusCode, response.json<{ detail: string }>().detail]).toEqual([
      409,
      'Tickets were scanned for this session, so it cannot be deleted.',
    ]);
  });

  it('returns 422 and logs nothing if one time is in the future, too old, or does not exist', async () => {
    const { ticket } = await buyTickets();
    const bad = [minutesAfterNoon(6).toISOString(), '2026-01-01T00:00:00Z', '2026-02-32T00:00:00Z', '2026-02-28T25:00:00Z'];
    const response = await send([entryOf(ticket.code), ...bad.map((at) => entryOf(ticket.code, { at }))]);
    expect([
      response.statusCode,
      response.json<{ errors: { field: string; code: string }[] }>().errors.map(({ field, code }) => [field, code]),
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

  it('returns 400 for no entries, more than 500, a device name that is not ASCII, or an empty nonce', async () => {
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
  it('returns 200 and undone within 30 seconds, and the ticket can be used again', async () => {
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

  it('returns 200 and makes the earliest of the remaining scans the admission', async () => {
    const { ticket } = await buyTickets();
    const [first, second, third] = [0, 1, 2].map((n) => entryOf(ticket.code, { at: secondsAfterNoon(n).toISOString() }));
    await scanAll([first, second, third] as object[]);
    expect(await undo(first as never, secondsAfterNoon(5))).toBe('undone');
    const states = () => logOf(`ticketId=${ticket.id}`).then((rows) => rows.toReversed().map(({ state }) => state));
    expect(await states()).toEqual(['undone', 'inside', 'double']);
    expect(await undo(third as never, secondsAfterNoon(5))).toBe('undone');
    expect(await states()).toEqual(['undone', 'inside', 'undone']);
  });

  it('returns 200 and waiting if the scan has not arrived, and the undo is applied when the scan arrives', async () => {
    const { ticket } = await buyTickets();
    const entry = entryOf(ticket.code);
    expect(await undo(entry, secondsAfterNoon(3))).toBe('waiting');
    await scanAll([entry]);
    expect((await logOf(`ticketId=${ticket.id}`))[0]).toMatchObject({ state: 'undone' });
    expect((await scan(ticket.code)).result).toBe('admitted');
  });

  it('returns 200 and resets the status of an imported code', async () => {
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
  it('returns 200 and every scan once across pages, newest first, with the total', async () => {
    const { tickets } = await buyTickets(item, 5);
    const entries = tickets.map(({ code }) => entryOf(code, { device: 'pager' }));
    await scanAll(entries);
    const seen: string[] = [];
    let cursor = '';
    do {
      const response = await world.call('GET', `/event/${world.event}/checkins?device=pager&pageSize=2&count=true${cursor}`, {
        as: 'owner',
      });
      const page = response.json<{ data: Checkin[]; nextCursor: string | null; total: number }>();
      expect(page.total).toBe(5);
      seen.push(...page.data.map(({ nonce }) => nonce));
      cursor = page.nextCursor === null ? '' : `&cursor=${page.nextCursor}`;
    } while (cursor !== '');
    expect(seen).toEqual(entries.map(({ nonce }) => nonce).toReversed());
    expect(await logOf('device=pager&result=unknown')).toEqual([]);
  });
});
