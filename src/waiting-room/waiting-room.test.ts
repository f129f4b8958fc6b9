import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import { minutesAfterNoon, noon } from '../../test/world.ts';
import type { PlacedOrder } from '../orders/order-schemas.ts';
import { adjustRates, drawDueRooms } from './adjust-rate.ts';
import type { Load } from './automatic-rate.ts';
import type { Queue, QueueNumber, QueuePlace, WaitingRoom } from './contract.ts';

const world = useWorld();
const shop = shopOf(world);

/** Simulates a second process on the same database. */
let otherApp: FastifyInstance;
beforeAll(async () => {
  otherApp = await world.newApp();
});
afterEach(() => {
  world.now = noon;
});

interface Sale {
  eventId: number;
  itemId: number;
}

async function newSale(settings?: object): Promise<Sale> {
  const basics = { producerId: world.producer, category: 'music', title: 'Sale', timezone: 'America/Sao_Paulo', challenge: 'off' };
  const { id: eventId } = await shop.write('POST', '/event', basics);
  const session = { name: 'Night', start: '2026-06-01 20:00:00', finish: '2026-06-01 23:00:00' };
  await shop.write('POST', `/event/${eventId}/session`, session);
  await shop.write('POST', `/event/${eventId}/publish`, {});
  const itemId = await shop.newItem({ item: { eventId, quantity: 1000 } });
  if (settings) await setRoom(eventId, settings);
  return { eventId, itemId };
}

const inMinutes = (n: number): string => minutesAfterNoon(n).toISOString();
const setRoom = (eventId: number, settings: object) => shop.write<WaitingRoom>('PUT', `/event/${eventId}/waiting-room`, settings);
const room = async (eventId: number) => (await world.call('GET', `/event/${eventId}/waiting-room`, { as: 'owner' })).json<WaitingRoom>();
const queueOf = async (eventId: number, app = world.app) => (await world.call('GET', `/queue/${eventId}`, { app })).json<Queue>();
const join1 = async (eventId: number, app = world.app) =>
  (await world.call('POST', `/queue/${eventId}/numbers`, { app })).json<QueueNumber>();
const joinAll = (eventId: number, count: number, app = world.app) => Promise.all(Array.from({ length: count }, () => join1(eventId, app)));
const claim = async (eventId: number, ticket: string, app = world.app) =>
  (await world.call('POST', `/queue/${eventId}/place`, { app, body: { ticket } })).json<QueuePlace>();
const order = ({ eventId, itemId }: Sale, admission?: string | null, app = world.app) =>
  world.call('POST', '/orders', { app, body: { eventId, items: [{ itemId, quantity: 1 }], ...(admission && { admission }) } });

/** Returns a sale whose room is open and a valid admission for it. */
async function admitted(settings: object = {}): Promise<{ sale: Sale; admission: string; ticket: string }> {
  world.now = noon;
  const sale = await newSale({ opensAt: inMinutes(0), admitPerMinute: 60_000, ...settings });
  const { ticket } = await join1(sale.eventId);
  world.now = new Date(noon.getTime() + 1_000);
  const { admission } = await claim(sale.eventId, ticket);
  return { sale, ticket, admission: admission ?? '' };
}

describe('the queue', () => {
  it('GET /queue/{id} is the same for everybody, may be cached for a second, and hides the seed until the opening', async () => {
    const { eventId } = await newSale();
    expect((await world.call('GET', `/queue/${eventId}`)).statusCode).toBe(404);
    await setRoom(eventId, { opensAt: '2026-03-02 10:00:00', admitPerMinute: 60 });
    const answer = await world.call('GET', `/queue/${eventId}`);
    expect(answer.headers['cache-control']).toBe('public, max-age=1, stale-while-revalidate=5');
    const before = answer.json<Queue>();
    expect(before).toMatchObject({ state: 'before', opensAt: '2026-03-02T13:00:00.000Z', nextChange: '2026-03-02T13:00:00.000Z' });
    expect(before.draw).toMatchObject({ seed: null, first: 1, last: null });
    await joinAll(eventId, 3);
    expect((await world.call('GET', `/queue/${eventId}`)).headers.etag).toBe(answer.headers.etag);
    world.now = minutesAfterNoon(60);
    await claim(eventId, (await join1(eventId)).ticket);
    const after = await queueOf(eventId, otherApp);
    expect(after).toMatchObject({ state: 'open', nextChange: null, watermark: { place: 0, perMinute: 60 } });
    expect(after.draw).toMatchObject({ commitment: before.draw.commitment, last: 3 });
    expect(after.draw.seed).toMatch(/^[0-9a-f]{64}$/);
  });

  it('draws the places of early visitors at the opening, as a script without our code computes them, and serves later visitors in order', async () => {
    const { eventId } = await newSale({ opensAt: inMinutes(5), admitPerMinute: 60 });
    const early = [...(await joinAll(eventId, 150)), ...(await joinAll(eventId, 150, otherApp))];
    expect(early.map(({ number }) => number).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 300 }, (_, i) => i + 1));
    expect(early.every(({ place }) => place === null)).toBe(true);
    expect(await claim(eventId, early[0]?.ticket ?? '')).toMatchObject({ state: 'drawing', place: null, admission: null });

    world.now = minutesAfterNoon(5);
    const late = await joinAll(eventId, 20, otherApp);
    expect(late.map(({ place }) => place)).toEqual(Array.from({ length: 20 }, (_, i) => 301 + i));
    const claimed = await Promise.all(early.map(({ ticket }, i) => claim(eventId, ticket, i % 2 ? world.app : otherApp)));
    const places = new Map(claimed.map(({ number, place }) => [number, place]));
    expect([...places.values()].toSorted((a, b) => Number(a) - Number(b))).toEqual(Array.from({ length: 300 }, (_, i) => i + 1));
    expect(places).not.toEqual(new Map(early.map(({ number }) => [number, number])));
    expect(places).toEqual(recompute(await queueOf(eventId)));
  });

  it('admits places at the set rate, which can be changed and paused', async () => {
    const { eventId } = await newSale({ opensAt: inMinutes(0), admitPerMinute: 60 });
    const visitors = await joinAll(eventId, 300);
    const places = () => Promise.all(visitors.map(({ ticket }) => claim(eventId, ticket)));
    const admittedNow = async () => (await places()).filter(({ state }) => state === 'admitted').length;
    expect(await admittedNow()).toBe(0);
    world.now = minutesAfterNoon(1);
    expect(await admittedNow()).toBe(60);
    expect(await room(eventId)).toMatchObject({ state: 'open', waiting: 240, admitted: 60, perMinute: 60 });
    await setRoom(eventId, { admitPerMinute: 120 });
    world.now = minutesAfterNoon(2);
    expect(await admittedNow()).toBe(180);
    await setRoom(eventId, { paused: true });
    world.now = minutesAfterNoon(3);
    expect(await admittedNow()).toBe(180);
    expect((await queueOf(eventId)).state).toBe('paused');
    expect((await claim(eventId, visitors.at(-1)?.ticket ?? '')).turnAt).toBeNull();
    await setRoom(eventId, { paused: false });
    world.now = minutesAfterNoon(3.5);
    expect(await admittedNow()).toBe(240);
  });

  it('does not save up admissions while nobody waits', async () => {
    const { eventId } = await newSale({ opensAt: inMinutes(0), admitPerMinute: 60 });
    await joinAll(eventId, 1);
    world.now = minutesAfterNoon(9);
    const crowd = await joinAll(eventId, 100);
    const states = await Promise.all(crowd.map(async ({ ticket }) => (await claim(eventId, ticket)).state));
    expect(states.filter((state) => state === 'admitted')).toEqual([]);
    expect(await room(eventId)).toMatchObject({ waiting: 100, admitted: 1 });
  });

  it('gives a visitor who missed the turn nothing, and admits a visitor again on another device within the time', async () => {
    const { sale, ticket } = await admitted({ minutes: 5 });
    world.now = minutesAfterNoon(9);
    const again = await claim(sale.eventId, ticket, otherApp);
    expect(again.state).toBe('admitted');
    expect(new Date(again.expiresAt ?? '').getTime() - noon.getTime()).toBeLessThan(10.1 * 60_000);
    world.now = minutesAfterNoon(11);
    expect(await claim(sale.eventId, ticket)).toMatchObject({ state: 'missed', admission: null });
  });
});

describe('the gate', () => {
  it('POST /orders needs an admission while the waiting room is on, and only then', async () => {
    const sale = await newSale();
    expect((await order(sale)).statusCode).toBe(201);
    await setRoom(sale.eventId, { opensAt: inMinutes(5), admitPerMinute: 60 });
    const refused = await order(sale);
    expect(refused.statusCode).toBe(403);
    expect(refused.json()).toMatchObject({ code: 'waiting_room', reason: 'missing', queue: `/v1/queue/${sale.eventId}` });
    const inEvent = await world.call('POST', `/event/${sale.eventId}/orders`, { body: { items: [{ itemId: sale.itemId, quantity: 1 }] } });
    expect(inEvent.json()).toMatchObject({ code: 'waiting_room' });
    expect((await world.call('DELETE', `/event/${sale.eventId}/waiting-room`, { as: 'owner' })).statusCode).toBe(204);
    expect((await order(sale)).statusCode).toBe(201);
  });

  it('accepts the admission of the event, and neither forged, foreign, copied nor expired ones', async () => {
    const { sale, admission, ticket } = await admitted();
    const foreign = await admitted();
    const reason = async (token: string) => (await order(sale, token)).json<{ reason?: string }>().reason ?? 'accepted';
    const [kind, event, number, expires, mac = ''] = admission.split('.');
    const flipped = `${mac.startsWith('A') ? 'B' : 'A'}${mac.slice(1)}`;
    expect(await reason([kind, event, number, expires, flipped].join('.'))).toBe('invalid');
    expect(await reason([kind, event, Number(number) + 1, expires, mac].join('.'))).toBe('invalid');
    expect(await reason([kind, event, number, Number(expires) + 60_000, mac].join('.'))).toBe('invalid');
    expect(await reason(ticket)).toBe('invalid');
    expect(await reason(ticket.replace(/^n/, 'a'))).toBe('invalid');
    expect(await reason(foreign.admission)).toBe('invalid');
    expect(await reason('x')).toBe('invalid');
    expect(await reason(admission)).toBe('accepted');
    world.now = minutesAfterNoon(11);
    expect(await reason(admission)).toBe('expired');
  });

  it('refuses a forged ticket and a ticket of another event', async () => {
    const { sale, ticket, admission } = await admitted();
    const other = await admitted();
    for (const token of [`${ticket.slice(0, -2)}AA`, other.ticket, admission, 'n.1.1.']) {
      const answer = await world.call('POST', `/queue/${sale.eventId}/place`, { body: { ticket: token } });
      expect([answer.statusCode, answer.json<{ code: string }>().code]).toEqual([422, 'rule_violation']);
    }
  });

  it('limits the orders of one place, also when several devices share it and order at once in two processes', async () => {
    const { sale, admission, ticket } = await admitted({ ordersPerPlace: 2 });
    const otherItem = await shop.newItem({ item: { eventId: sale.eventId, quantity: 1000 } });
    const shared = (await claim(sale.eventId, ticket, otherApp)).admission;
    const orders = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        order(i % 2 ? sale : { ...sale, itemId: otherItem }, i % 3 ? admission : shared, i % 2 ? world.app : otherApp),
      ),
    );
    expect(orders.filter(({ statusCode }) => statusCode === 201)).toHaveLength(2);
    const refused = orders.filter(({ statusCode }) => statusCode !== 201).map((each) => each.json<{ reason: string }>().reason);
    expect(new Set(refused)).toEqual(new Set(['limit']));
    const placed = orders.find(({ statusCode }) => statusCode === 201)?.json<PlacedOrder>();
    if (placed) await shop.cancel(placed);
    expect((await order(sale, admission)).statusCode).toBe(201);
  });

  it('never stops somebody who holds tickets, and never stops the crew', async () => {
    const { sale, admission } = await admitted();
    const held = (await order(sale, admission)).json<PlacedOrder>();
    await setRoom(sale.eventId, { paused: true });
    const boxOffice = { eventId: sale.eventId, items: [{ itemId: sale.itemId, quantity: 1 }] };
    expect((await world.call('POST', '/orders', { as: 'owner', body: boxOffice })).statusCode).toBe(201);
    expect((await world.call('POST', '/orders', { as: 'stranger', body: boxOffice })).json()).toMatchObject({ code: 'waiting_room' });
    world.now = minutesAfterNoon(9);
    const extended = await world.call('POST', `/orders/${held.id}/extend?secret=${held.secret}`);
    expect(extended.statusCode).toBe(200);
    world.now = minutesAfterNoon(18);
    const buyer = { name: 'Ana Souza', email: 'ana@test.test' };
    expect((await world.call('PUT', `/orders/${held.id}/buyer?secret=${held.secret}`, { body: buyer })).statusCode).toBe(200);
    expect((await shop.pay(held)).statusCode).toBe(201);
  });

  it('a new waiting room makes earlier numbers and admissions invalid', async () => {
    const { sale, admission, ticket } = await admitted();
    await world.call('DELETE', `/event/${sale.eventId}/waiting-room`, { as: 'owner' });
    await setRoom(sale.eventId, { opensAt: inMinutes(0), admitPerMinute: 60 });
    expect((await order(sale, admission)).json()).toMatchObject({ reason: 'invalid' });
    expect((await world.call('POST', `/queue/${sale.eventId}/place`, { body: { ticket } })).statusCode).toBe(422);
    expect((await join1(sale.eventId)).number).toBe(2);
  });
});

describe('the automatic rate', () => {
  const idle = { pressure: 0.1, capacity: null };
  const busy = { pressure: 1.5, capacity: 10_000 };
  const adjust = (seconds: number, process: string, load: Load) => {
    world.now = new Date(noon.getTime() + seconds * 1_000);
    return adjustRates(world.db, world.now, process, load);
  };

  it('is chosen by one process at a time from the load of all processes, and keeps the watermark continuous', async () => {
    const { eventId } = await newSale({ opensAt: inMinutes(0), admitPerMinute: 'auto' });
    await joinAll(eventId, 400);
    await adjust(5, 'a', idle);
    expect((await queueOf(eventId)).watermark).toEqual({ place: 25, at: '2026-03-02T12:00:05.000Z', perMinute: 450 });
    // The second process comes too early for another change, but its report counts for the next one.
    await adjust(6, 'b', busy);
    expect((await room(eventId)).perMinute).toBe(450);
    await adjust(10, 'a', idle);
    expect((await queueOf(eventId, otherApp)).watermark).toMatchObject({ place: 62.5, perMinute: 225 });
    expect(await room(eventId)).toMatchObject({ admitPerMinute: 'auto', perMinute: 225 });
    // Process b has stopped.
    await adjust(30, 'a', idle);
    expect((await room(eventId)).perMinute).toBe(338);
    await setRoom(eventId, { admitPerMinute: 50 });
    await adjust(60, 'a', idle);
    expect((await room(eventId)).perMinute).toBe(50);
  });

  it('stays while nobody waits', async () => {
    const { eventId } = await newSale({ opensAt: inMinutes(0), admitPerMinute: 'auto' });
    await adjust(5, 'a', idle);
    expect((await room(eventId)).perMinute).toBe(300);
  });

  it('a room without visitors is drawn when it opens', async () => {
    const { eventId } = await newSale({ opensAt: inMinutes(1) });
    await joinAll(eventId, 3);
    await drawDueRooms(world.db, noon);
    expect((await queueOf(eventId)).draw.last).toBeNull();
    world.now = minutesAfterNoon(1);
    await drawDueRooms(world.db, world.now);
    expect((await queueOf(eventId, otherApp)).draw.last).toBe(3);
  });
});

describe('the settings', () => {
  it('need an opening time, keep it after the opening, and can open at once', async () => {
    const { eventId } = await newSale();
    expect((await room(eventId)).state).toBe('off');
    const put = (body: object) => world.call('PUT', `/event/${eventId}/waiting-room`, { as: 'owner', body });
    expect((await put({ admitPerMinute: 60 })).json()).toMatchObject({ errors: [{ field: 'opensAt', code: 'required' }] });
    expect((await world.call('POST', `/event/${eventId}/waiting-room/open`, { as: 'owner' })).statusCode).toBe(409);
    expect((await put({ opensAt: '2026-03-02 12:00:00' })).json()).toMatchObject({
      state: 'before',
      opensAt: '2026-03-02 12:00:00',
      admitPerMinute: 'auto',
      minutes: 10,
      ordersPerPlace: 2,
    });
    expect((await put({ admitPerMinute: 90, opensAt: '2026-03-02 13:00:00' })).json()).toMatchObject({ perMinute: 90 });
    await joinAll(eventId, 2);
    const opened = await world.call('POST', `/event/${eventId}/waiting-room/open`, { as: 'owner' });
    expect(opened.json()).toMatchObject({ state: 'open', waiting: 2, opensAt: '2026-03-02 09:00:00' });
    expect((await queueOf(eventId)).draw.last).toBe(2);
    expect((await put({ opensAt: '2026-03-02 15:00:00' })).json()).toMatchObject({ errors: [{ field: 'opensAt', code: 'opened' }] });
    expect((await world.call('POST', `/event/${eventId}/waiting-room/open`, { as: 'owner' })).statusCode).toBe(409);
    expect((await world.call('DELETE', `/event/${eventId}/waiting-room`, { as: 'owner' })).statusCode).toBe(204);
    expect((await world.call('DELETE', `/event/${eventId}/waiting-room`, { as: 'owner' })).statusCode).toBe(409);
    expect((await world.call('POST', `/queue/${eventId}/numbers`)).statusCode).toBe(404);
  });
});

/** Runs the script of the documentation, which uses nothing of the service. */
function recompute(queue: Queue): Map<number, number> {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-draw-'));
  try {
    writeFileSync(join(folder, 'queue.json'), JSON.stringify(queue));
    const printed = execFileSync(process.execPath, ['trust/recompute-places.js', join(folder, 'queue.json')], { encoding: 'utf8' });
    return new Map(
      printed
        .trim()
        .split('\n')
        .map((line) => line.split(' ').map(Number) as [number, number]),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('a link with a number', () => {
  const open = (eventId: number, number: string, cookie = '') =>
    world.app.inject({ url: `/en/event/${eventId}/queue?number=${encodeURIComponent(number)}`, headers: { cookie } });

  it('brings the place to another device', async () => {
    const { eventId } = await newSale({ opensAt: inMinutes(5), admitPerMinute: 60 });
    const { ticket } = await join1(eventId);
    const { statusCode, headers } = await open(eventId, ticket);
    expect([statusCode, headers['set-cookie']]).toEqual([303, expect.stringContaining(ticket)]);
  });

  it('is ignored if the number is not valid, or if the visitor has a place', async () => {
    const { eventId } = await newSale({ opensAt: inMinutes(5), admitPerMinute: 60 });
    const [own, other] = [await join1(eventId), await join1(eventId)];
    for (const number of ['garbage', `${'a'.repeat(99)}😀`]) {
      const { statusCode, headers } = await open(eventId, number);
      expect([statusCode, headers['set-cookie']]).toEqual([303, undefined]);
    }
    const cookie = String((await open(eventId, own.ticket)).headers['set-cookie']).split(';')[0] ?? '';
    expect((await open(eventId, other.ticket, cookie)).headers['set-cookie']).toBeUndefined();
    expect((await open(eventId, other.ticket, 'queue-0=x')).headers['set-cookie']).toContain(other.ticket);
  });
});

it('numbers of a room that admits many for a long time are larger than 32 bits', async () => {
  const { eventId } = await newSale({ opensAt: inMinutes(0), admitPerMinute: 60_000 });
  world.now = minutesAfterNoon(60 * 24 * 60);
  expect((await join1(eventId)).number).toBeGreaterThan(2 ** 31);
});
