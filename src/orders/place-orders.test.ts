import { afterEach, describe, expect, it } from 'vitest';
import { auditOf } from '../../test/audit.ts';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import { type Caller, minutesAfterNoon, noon } from '../../test/world.ts';
import { boxOffice } from '../catalog/item.ts';
import type { InputError } from '../kernel/problem.ts';
import type { PlacedOrder } from './order-schemas.ts';
import type { OrderTicket } from './ticket-contract.ts';

const world = useWorld();
const shop = shopOf(world);
afterEach(() => {
  world.now = noon;
});

const buyer = { name: 'Ana Souza', email: 'ana@test.test' };
const place = (body: object, as?: Caller, headers = {}) => world.call('POST', '/orders', { ...(as && { as }), body, headers });
const order = (itemId: number, quantity = 1, more: object = {}) => ({
  eventId: world.event,
  items: [{ itemId, quantity }],
  buyer,
  ...more,
});
const at = ({ id, secret }: PlacedOrder, rest = '') => `/orders/${id}${rest}?secret=${secret}`;
const counters = async (itemId: number) =>
  (await world.pool.query<{ sold: number; held: number }>('select sold, held from item where id = $1', [itemId])).rows[0];

async function placed(body: object): Promise<PlacedOrder> {
  const answer = await place(body);
  expect(answer.statusCode).toBe(201);
  return answer.json();
}

describe('POST /orders', () => {
  it('returns 201 with a secret, and holds the tickets for ten minutes', async () => {
    const item = await shop.newItem({ item: { quantity: 10 } });
    const answer = await place(order(item, 3));
    expect(answer.statusCode).toBe(201);
    expect(answer.json()).toEqual({
      id: expect.any(Number),
      eventId: world.event,
      status: 'held',
      appCategoryId: 1,
      sessionId: null,
      lines: [{ itemId: item, name: 'Seat', quantity: 3, refunded: 0, refundedAmount: 0, price: 5000, feeSale: 500, finalPrice: 5500 }],
      total: 16500,
      refundedTotal: 0,
      currency: 'BRL',
      createdAt: noon.toISOString(),
      expiresAt: minutesAfterNoon(10).toISOString(),
      extended: false,
      approvedAt: null,
      testMoney: true,
      secret: expect.stringMatching(/^[\w-]{22}$/),
    });
    expect(await counters(item)).toEqual({ sold: 0, held: 3 });
    const [entry] = await auditOf(world, answer);
    expect(entry).toMatchObject({ operation: 'createOrder', after: { total: 16500 } });
    expect(JSON.stringify(entry)).not.toContain('ana@');
  });

  it('returns 201 with status approved for a free order, and issues its tickets', async () => {
    const item = await shop.newItem({ values: { price: 0, feeSale: 0, feeProducer: 0 } });
    const free = await placed(order(item, 2));
    expect(free).toMatchObject({ status: 'approved', total: 0 });
    expect(await counters(item)).toEqual({ sold: 2, held: 0 });
    const { data } = (await world.call('GET', at(free, '/tickets'))).json<{ data: OrderTicket[] }>();
    expect(data).toHaveLength(2);
  });

  it('returns 201 for a repeated Idempotency-Key and creates one order, even for concurrent requests', async () => {
    const item = await shop.newItem({ item: { quantity: 10 } });
    const headers = { 'idempotency-key': 'one-order' };
    const answers = await Promise.all([place(order(item), undefined, headers), place(order(item), undefined, headers)]);
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([201, 201]);
    expect(answers[0]?.body).toBe(answers[1]?.body);
    expect(answers.map(({ headers: { 'idempotency-replayed': replayed } }) => replayed).filter(Boolean)).toEqual(['true']);
    expect(await counters(item)).toEqual({ sold: 0, held: 1 });
    expect((await place(order(item, 2), undefined, headers)).statusCode).toBe(422);
  });

  it('returns 201 for as many concurrent orders as there are tickets, and 409 for the rest', async () => {
    const item = await shop.newItem({ item: { quantity: 40 } });
    const answers = await Promise.all(Array.from({ length: 60 }, () => place(order(item))));
    const ids = answers.filter(({ statusCode }) => statusCode === 201).map((answer) => answer.json<PlacedOrder>().id);
    expect([ids.length, new Set(ids).size]).toEqual([40, 40]);
    expect(answers.filter(({ statusCode }) => statusCode === 409)).toHaveLength(20);
    expect(await counters(item)).toEqual({ sold: 0, held: 40 });
  });

  it('returns 201 and holds places of the chosen session, or of all sessions for a passport', async () => {
    const there = (item: number, quantity: number, more: object = {}) => order(item, quantity, { eventId: world.siblingEvent, ...more });
    const sessions: number[] = [];
    for (const day of [11, 12]) {
      const times = { start: `2026-06-${day} 20:00:00`, finish: `2026-06-${day} 23:00:00` };
      sessions.push((await shop.write('POST', `/event/${world.siblingEvent}/session`, { name: String(day), capacity: 5, ...times })).id);
    }
    const either = await shop.newItem({ item: { eventId: world.siblingEvent, sessionIds: sessions } });
    const both = await shop.newItem({ item: { eventId: world.siblingEvent, sessionIds: sessions, type: 'passport' } });
    await placed(there(either, 2, { sessionId: sessions[1] }));
    await placed(there(both, 2));
    const held = await world.pool.query<{ held: number }>('select held from event_session where id = any($1) order by id', [sessions]);
    expect(held.rows.map((row) => row.held)).toEqual([2, 4]);
    expect((await place(there(either, 1))).json<{ errors: InputError[] }>().errors[0]).toMatchObject({
      field: 'sessionId',
      code: 'required',
    });
    expect((await place(there(either, 2, { sessionId: sessions[1] }))).json()).toMatchObject({ status: 409, lines: [{ remaining: 1 }] });
    expect((await place(there(both, 2))).json()).toMatchObject({ status: 409, code: 'sold_out', lines: [{ itemId: both, remaining: 1 }] });
  });

  it('returns 400 with the invalid fields', async () => {
    const answer = await place({ eventId: world.event, items: [], buyer: { name: 'x', email: 'nobody' } });
    expect(
      answer
        .json<{ errors: InputError[] }>()
        .errors.map(({ field }) => field)
        .toSorted(),
    ).toEqual(['buyer.email', 'items']);
  });

  it('returns 403 on the box office channel for callers who may not sell at the event', async () => {
    const item = await shop.newItem();
    await shop.write('POST', `/items/${item}/sales-period`, {
      appCategoryId: boxOffice,
      start: '2026-02-01 10:00:00',
      finish: '2026-06-01 20:00:00',
      available: 5,
    });
    const body = order(item, 1, { appCategoryId: boxOffice });
    for (const as of [undefined, 'stranger', 'otherOwner', 'crew_entrance_operator'] as const)
      expect((await place(body, as)).statusCode).toBe(403);
    expect((await place(body, 'crew_sales_operator')).statusCode).toBe(201);
  });

  it('returns 409 sold_out with the remaining quantity for each kind of limit, and holds nothing', async () => {
    const group = (await shop.write('POST', '/items', { eventId: world.event, name: 'Group', type: 'group', quantity: 5 })).id;
    const inGroup = await shop.newItem({ item: { parentId: group } });
    const limited = await shop.newItem({ item: { quantity: 2 } });
    const channel = await shop.newItem({ available: 3 });
    for (const [item, quantity, remaining] of [
      [inGroup, 6, 5],
      [limited, 3, 2],
      [channel, 4, 3],
    ] as const) {
      const answer = await place({
        eventId: world.event,
        buyer,
        items: [
          { itemId: world.item, quantity: 1 },
          { itemId: item, quantity },
        ],
      });
      expect(answer.json()).toMatchObject({ status: 409, code: 'sold_out', lines: [{ itemId: item, quantity, remaining }] });
      expect(await counters(item)).toEqual({ sold: 0, held: 0 });
    }
    expect(await counters(world.item)).toEqual({ sold: 0, held: 0 });
  });

  it('returns 409 not_on_sale with the sale status', async () => {
    const item = await shop.newItem();
    await shop.write('PUT', `/items/${item}`, { salable: false });
    expect((await place(order(item))).json()).toMatchObject({
      status: 409,
      code: 'not_on_sale',
      lines: [{ itemId: item, status: 'unavailable' }],
    });
    await shop.write('PUT', `/items/${item}`, { salable: true });
    world.now = new Date('2026-01-01T00:00:00Z');
    expect((await place(order(item))).json()).toMatchObject({ status: 409, lines: [{ status: 'notstarted' }] });
    world.now = new Date('2026-06-01T23:00:01Z');
    expect((await place(order(item))).json()).toMatchObject({ status: 409, lines: [{ status: 'finished' }] });
  });

  it('returns 409 buyer_limit by e-mail address and by document, and does not count cancelled orders', async () => {
    const item = await shop.newItem();
    await shop.write('POST', `/items/${item}/attributes`, { key: 'maximumPerBuyer', value: 3, type: 'integer' });
    const as = (email: string, document: string, quantity: number) =>
      place({ ...order(item, quantity), buyer: { name: 'x', email, document } });
    const first = await as('One@test.test', '123.456', 2);
    expect(first.statusCode).toBe(201);
    expect((await as('one@TEST.test', '999', 2)).json()).toMatchObject({
      status: 409,
      code: 'buyer_limit',
      lines: [{ itemId: item, remaining: 1 }],
    });
    expect((await as('two@test.test', '123456', 2)).statusCode).toBe(409);
    expect((await as('two@test.test', '777', 3)).statusCode).toBe(201);
    await world.call('POST', at(first.json(), '/cancel'));
    expect((await as('one@test.test', '123-456', 3)).statusCode).toBe(201);
  });

  it('returns 422 for a hidden item without a passkey, and 403 when the passkey has too few tickets left', async () => {
    const item = await shop.newItem({ item: { hidden: true } });
    expect((await place(order(item))).statusCode).toBe(422);
    const { id } = await shop.write('POST', '/passkeys', { eventId: world.event, passkey: 'three-only', limit: 3 });
    await shop.write('PUT', `/passkeys/${id}/items`, { itemIds: [item] });
    const using = (quantity: number) => place(order(item, quantity, { passkey: ' THREE-only' }));
    const two = await using(2);
    expect(two.statusCode).toBe(201);
    expect((await using(2)).json()).toMatchObject({ status: 403, code: 'passkey_rejected', reason: 'exhausted', left: 1 });
    await shop.pay(two.json());
    const used = () => world.call('GET', `/passkeys/${id}`, { as: 'owner' });
    expect((await used()).json()).toMatchObject({ used: 2, limit: 3 });
    expect((await place(order(item, 1, { passkey: 'wrong' }))).json()).toMatchObject({ status: 403, reason: 'unknown' });
  });

  it('returns 422 for quantities out of range, unknown items and duplicate items', async () => {
    const item = await shop.newItem();
    await shop.write('POST', `/items/${item}/attributes`, { key: 'minimum', value: 2, type: 'integer' });
    await shop.write('POST', `/items/${item}/attributes`, { key: 'maximum', value: 4, type: 'integer' });
    const fault = async (body: object) => (await place(body)).json<{ status: number; errors: InputError[] }>();
    expect(await fault(order(item, 1))).toMatchObject({ status: 422, errors: [{ field: 'items[0].quantity', code: 'minimum' }] });
    expect(await fault(order(item, 5))).toMatchObject({ status: 422, errors: [{ field: 'items[0].quantity', code: 'maximum' }] });
    for (const unknown of [world.missing, world.siblingItem, world.foreignItem]) {
      expect(await fault(order(unknown))).toMatchObject({ status: 422, errors: [{ field: 'items[0].itemId', code: 'unknown' }] });
    }
    const draft = await shop.write('POST', '/event', {
      producerId: world.producer,
      title: 'Secret plan',
      category: 'music',
      timezone: 'UTC',
    });
    const planned = await shop.write('POST', '/items', { eventId: draft.id, name: 'Secret item' });
    const answer = await place({ ...order(planned.id), eventId: draft.id });
    expect([answer.statusCode, answer.body.includes('Secret')]).toEqual([422, false]);
    const twice = {
      ...order(item, 2),
      items: [
        { itemId: item, quantity: 2 },
        { itemId: item, quantity: 2 },
      ],
    };
    expect(await fault(twice)).toMatchObject({ status: 422, errors: [{ field: 'items[1].itemId', code: 'twice' }] });
  });
});

describe('an order for the last ticket', () => {
  it('fires the soldout trigger once, in the same transaction', async () => {
    const [first, next] = [await shop.newItem({ item: { quantity: 2 } }), await shop.newItem({ item: { salable: false } })];
    await shop.write('PUT', `/items/${first}/triggers`, { triggers: [{ on: 'soldout', action: 'open', targetItemId: next }] });
    await placed(order(first));
    expect((await place(order(next))).statusCode).toBe(409);
    await placed(order(first));
    expect((await place(order(next))).statusCode).toBe(201);
    const { data } = (await world.call('GET', `/items/${first}/triggers`, { as: 'owner' })).json<{ data: { firedAt: string }[] }>();
    expect(data[0]?.firedAt).toBe(noon.toISOString());
  });
});

// This must be the last test of the file, because the network stays blocked after it.
describe('a caller who guesses passkeys', () => {
  it('gets 429, and can retry later with the same Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'guessing' };
    for (let i = 0; i < 20; i++) await place(order(world.item, 1, { passkey: `guess-${i}` }));
    expect((await place(order(world.item, 1, { passkey: 'guess' }), undefined, headers)).statusCode).toBe(429);
    world.now = minutesAfterNoon(11);
    const again = await place(order(world.item, 1, { passkey: 'guess' }), undefined, headers);
    expect([again.statusCode, again.headers['idempotency-replayed']]).toEqual([403, undefined]);
  });
});
