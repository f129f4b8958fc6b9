import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { auditFindings } from '../../test/audit-findings.ts';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import { statementsOf } from '../../test/statements.ts';
import { minutesAfterNoon, noon } from '../../test/world.ts';
import type { OrderTicket } from '../orders/ticket-contract.ts';
import type { Counters } from './counters-contract.ts';

const world = useWorld();
const shop = shopOf(world);
let counter = 0;
const sessions: number[] = [];
let items: number[] = [];
let passport = 0;

beforeAll(async () => {
  for (const name of ['One', 'Two']) {
    const times = { start: '2026-03-02 08:00:00', finish: '2026-03-02 14:00:00' };
    sessions.push((await shop.write('POST', `/event/${world.event}/session`, { name, ...times })).id);
  }
  items = [await shop.newItem({ item: { sessionIds: [sessions[0]] } }), await shop.newItem({ item: { sessionIds: [sessions[1]] } })];
  passport = await shop.newItem({ item: { type: 'passport', sessionIds: sessions } });
});
afterEach(() => {
  world.now = noon;
});

async function buy(itemId: number, quantity: number) {
  const order = await shop.buy([{ itemId, quantity }], { buyer: { name: 'Ana', email: `ana${++counter}@test.test` } });
  const { data } = (await world.call('GET', `/orders/${order.id}/tickets?secret=${order.secret}`)).json<{ data: OrderTicket[] }>();
  return { order, codes: data.map(({ code }) => code) };
}

/** Checks in at this minute after noon, and returns the nonce. */
async function enter(code: string, minute: number, more: object = {}): Promise<string> {
  const nonce = `n${++counter}`;
  const entry = { code, at: minutesAfterNoon(minute).toISOString(), device: 'phone', nonce, ...more };
  const response = await world.call('POST', `/event/${world.event}/checkins`, { as: 'owner', body: { entries: [entry] } });
  expect(response.json().results[0].result).toBe('admitted');
  return nonce;
}

async function counters(sessionId?: number): Promise<Counters> {
  const query = sessionId === undefined ? '' : `?sessionId=${sessionId}`;
  const response = await world.call('GET', `/event/${world.event}/checkins/counters${query}`, { as: 'crew_entrance_operator' });
  expect(response.statusCode).toBe(200);
  return response.json();
}

const figures = async (sessionId?: number) => {
  const { inside, expected, admitted, gates, minutes } = await counters(sessionId);
  const busy = minutes.flatMap(({ minute, admitted: n }) => (n > 0 ? [[(Date.parse(minute) - noon.getTime()) / 60_000, n]] : []));
  return { inside, expected, admitted, gates: Object.fromEntries(gates.map(({ gate, admitted: n }) => [gate, n])), busy };
};

describe('GET /event/{eventId}/checkins/counters', () => {
  it('counts guests of a session and of the event, by gate and by minute, and follows undos and refunds', async () => {
    const [one, two, pass] = [await buy(items[0] as number, 3), await buy(items[1] as number, 2), await buy(passport, 1)];
    const [first = '', second = '', third = ''] = one.codes;
    await enter(first, -40, { gate: 'Gate A' });
    await enter(second, -2, { gate: 'Gate A' });
    const undone = await enter(third, 0, { gate: 'Gate B' });
    await enter(two.codes[0] as string, 0);
    for (const sessionId of sessions) await enter(pass.codes[0] as string, 0, { sessionId, gate: 'Gate B' });

    const ofOne = {
      inside: 4,
      expected: 4,
      admitted: 4,
      gates: { 'Gate A': 2, 'Gate B': 2 },
      busy: [
        [-2, 1],
        [0, 2],
      ],
    };
    expect(await figures(sessions[0])).toEqual(ofOne);
    expect(await figures(sessions[1])).toMatchObject({ inside: 2, expected: 3, admitted: 2, gates: { 'Gate B': 1 } });
    // The guest with the passport is one guest of the event, with two entries.
    expect(await figures()).toMatchObject({ inside: 6, expected: 6, admitted: 5, gates: { 'Gate A': 2, 'Gate B': 3 } });

    const undo = { undoes: undone, at: minutesAfterNoon(0.2).toISOString(), device: 'phone', nonce: 'u1' };
    await world.call('POST', `/event/${world.event}/checkins/undo`, { as: 'owner', body: { entries: [undo] } });
    expect((await shop.refund(pass.order, { includeUsed: true })).statusCode).toBe(200);
    expect(await figures(sessions[0])).toEqual({
      inside: 2,
      expected: 3,
      admitted: 2,
      gates: { 'Gate A': 2 },
      busy: [
        [-2, 1],
        [0, 1],
      ],
    });
    expect(await auditFindings(world.db)).toEqual([]);
  });

  it('returns the last 30 minutes, the current one last, and the time of the server', async () => {
    world.now = new Date(noon.getTime() + 17_120);
    const { minutes, now } = await counters();
    expect(minutes).toHaveLength(30);
    expect([minutes[0]?.minute, minutes.at(-1)?.minute, now]).toEqual([
      minutesAfterNoon(-29).toISOString(),
      noon.toISOString(),
      '2026-03-02T12:00:17.120Z',
    ]);
  });

  it('reads no tickets', async () => {
    const { statements } = await statementsOf(() => counters(sessions[0]));
    expect(statements.filter(({ text }) => /\bticket\b|ticket_guest|ticket_order/.test(text))).toEqual([]);
  });

  it('GET /event/{eventId}/door lists the gates of entries', async () => {
    const door = await world.call('GET', `/event/${world.event}/door`, { as: 'owner' });
    expect(door.json().gates).toEqual(['Gate A', 'Gate B']);
  });
});
