import { afterEach, describe, expect, it } from 'vitest';
import { auditOf } from '../../test/audit.ts';
import { useWorld } from '../../test/harness.ts';
import { type Caller, noon } from '../../test/world.ts';
import { boxOffice } from '../catalog/item.ts';
import { systemAct } from '../kernel/act.ts';
import type { InputError } from '../kernel/problem.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { verifyTicketCode } from '../tickets/ticket-code.ts';
import { ticketPublicKeys } from '../tickets/ticket-keys.ts';
import type { Order, OrderTicket, PlacedOrder } from './contract.ts';
import { expireOrders } from './expire-orders.ts';

const world = useWorld();
afterEach(() => {
  world.now = noon;
});

const buyer = { name: 'Ana Souza', email: 'ana@test.test' };
const minutes = (n: number) => new Date(noon.getTime() + n * 60_000);
const write = async <T = { id: number }>(method: 'POST' | 'PUT', path: string, body: object): Promise<T> => {
  const answer = await world.call(method, path, { as: 'owner', body });
  if (answer.statusCode >= 300) throw new Error(answer.body);
  return answer.json<T>();
};
const place = (body: object, as?: Caller, headers = {}) => world.call('POST', '/orders', { ...(as && { as }), body, headers });
const order = (itemId: number, quantity = 1, more: object = {}) => ({
  eventId: world.event,
  items: [{ itemId, quantity }],
  buyer,
  ...more,
});
const at = ({ id, secret }: PlacedOrder, rest = '') => `/orders/${id}${rest}?secret=${secret}`;
const pay = (placed: PlacedOrder, body: object = { method: 'card' }, as?: Caller) =>
  world.call('POST', at(placed, '/payment'), { body, ...(as && { as }) });
const counters = async (itemId: number) =>
  (await world.pool.query<{ sold: number; held: number }>('select sold, held from item where id = $1', [itemId])).rows[0];

async function newItem(fields: object = {}, price = 5000, available = 1000): Promise<number> {
  const { id } = await write('POST', '/items', { eventId: world.event, name: 'Seat', ...fields });
  await write('POST', `/items/${id}/values`, { price, feeSale: price / 10, feeProducer: 0 });
  await write('POST', `/items/${id}/sales-period`, {
    appCategoryId: 1,
    start: '2026-02-01 10:00:00',
    finish: '2026-06-01 20:00:00',
    available,
  });
  return id;
}

async function placed(body: object): Promise<PlacedOrder> {
  const answer = await place(body);
  expect(answer.statusCode).toBe(201);
  return answer.json();
}

describe('POST /orders', () => {
  it('returns 201 with a secret, and holds the tickets for ten minutes', async () => {
    const item = await newItem({ quantity: 10 });
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
      expiresAt: minutes(10).toISOString(),
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
    const item = await newItem({}, 0);
    const free = await placed(order(item, 2));
    expect(free).toMatchObject({ status: 'approved', total: 0 });
    expect(await counters(item)).toEqual({ sold: 2, held: 0 });
    const { data } = (await world.call('GET', at(free, '/tickets'))).json<{ data: OrderTicket[] }>();
    expect(data).toHaveLength(2);
  });

  it('returns 201 for a repeated Idempotency-Key and creates one order, also concurrently', async () => {
    const item = await newItem({ quantity: 10 });
    const headers = { 'idempotency-key': 'one-order' };
    const answers = await Promise.all([place(order(item), undefined, headers), place(order(item), undefined, headers)]);
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([201, 201]);
    expect(answers[0]?.body).toBe(answers[1]?.body);
    expect(answers.map(({ headers: { 'idempotency-replayed': replayed } }) => replayed).filter(Boolean)).toEqual(['true']);
    expect(await counters(item)).toEqual({ sold: 0, held: 1 });
    expect((await place(order(item, 2), undefined, headers)).statusCode).toBe(422);
  });

  it('returns 201 for as many concurrent orders as there are tickets, and 409 for the rest', async () => {
    const item = await newItem({ quantity: 40 });
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
      sessions.push((await write('POST', `/event/${world.siblingEvent}/session`, { name: String(day), capacity: 5, ...times })).id);
    }
    const either = await newItem({ eventId: world.siblingEvent, sessionIds: sessions });
    const both = await newItem({ eventId: world.siblingEvent, sessionIds: sessions, type: 'passport' });
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
    const item = await newItem();
    await write('POST', `/items/${item}/sales-period`, {
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
    const group = (await write('POST', '/items', { eventId: world.event, name: 'Group', type: 'group', quantity: 5 })).id;
    const inGroup = await newItem({ parentId: group });
    const limited = await newItem({ quantity: 2 });
    const channel = await newItem({}, 5000, 3);
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
    const item = await newItem();
    await write('PUT', `/items/${item}`, { salable: false });
    expect((await place(order(item))).json()).toMatchObject({
      status: 409,
      code: 'not_on_sale',
      lines: [{ itemId: item, status: 'unavailable' }],
    });
    await write('PUT', `/items/${item}`, { salable: true });
    world.now = new Date('2026-01-01T00:00:00Z');
    expect((await place(order(item))).json()).toMatchObject({ status: 409, lines: [{ status: 'notstarted' }] });
    world.now = new Date('2026-06-01T23:00:01Z');
    expect((await place(order(item))).json()).toMatchObject({ status: 409, lines: [{ status: 'finished' }] });
  });

  it('returns 409 buyer_limit by e-mail and by document, and counts cancelled orders no longer', async () => {
    const item = await newItem();
    await write('POST', `/items/${item}/attributes`, { key: 'maximumPerBuyer', value: 3, type: 'integer' });
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
    const item = await newItem({ hidden: true });
    expect((await place(order(item))).statusCode).toBe(422);
    const { id } = await write('POST', '/passkeys', { eventId: world.event, passkey: 'three-only', limit: 3 });
    await write('PUT', `/passkeys/${id}/items`, { itemIds: [item] });
    const using = (quantity: number) => place(order(item, quantity, { passkey: ' THREE-only' }));
    const two = await using(2);
    expect(two.statusCode).toBe(201);
    expect((await using(2)).json()).toMatchObject({ status: 403, code: 'passkey_rejected', reason: 'exhausted', left: 1 });
    await pay(two.json());
    const used = () => world.call('GET', `/passkeys/${id}`, { as: 'owner' });
    expect((await used()).json()).toMatchObject({ used: 2, limit: 3 });
    expect((await place(order(item, 1, { passkey: 'wrong' }))).json()).toMatchObject({ status: 403, reason: 'unknown' });
  });

  it('returns 422 for quantities out of range, unknown items and duplicate items', async () => {
    const item = await newItem();
    await write('POST', `/items/${item}/attributes`, { key: 'minimum', value: 2, type: 'integer' });
    await write('POST', `/items/${item}/attributes`, { key: 'maximum', value: 4, type: 'integer' });
    const fault = async (body: object) => (await place(body)).json<{ status: number; errors: InputError[] }>();
    expect(await fault(order(item, 1))).toMatchObject({ status: 422, errors: [{ field: 'items[0].quantity', code: 'minimum' }] });
    expect(await fault(order(item, 5))).toMatchObject({ status: 422, errors: [{ field: 'items[0].quantity', code: 'maximum' }] });
    for (const unknown of [world.missing, world.siblingItem, world.foreignItem]) {
      expect(await fault(order(unknown))).toMatchObject({ status: 422, errors: [{ field: 'items[0].itemId', code: 'unknown' }] });
    }
    const draft = await write('POST', '/event', { producerId: world.producer, title: 'Secret plan', category: 'music', timezone: 'UTC' });
    const planned = await write('POST', '/items', { eventId: draft.id, name: 'Secret item' });
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

describe('GET /orders/{id} and GET /event/{eventId}/orders', () => {
  it('returns 200 with the secret or a sales role, and 404 to other callers', async () => {
    const mine = await placed(order(world.item));
    for (const rest of ['', '/tickets']) {
      expect((await world.call('GET', at(mine, rest))).statusCode).toBe(200);
      const path = `/orders/${mine.id}${rest}`;
      for (const as of ['admin', 'owner', 'crew_sales_operator'] as const)
        expect((await world.call('GET', path, { as })).statusCode).toBe(200);
      for (const as of ['stranger', 'otherOwner', 'crew_entrance_operator'] as const)
        expect((await world.call('GET', path, { as })).statusCode).toBe(404);
      for (const secret of ['', 'x', mine.secret.slice(1)])
        expect((await world.call('GET', `${path}?secret=${secret}`)).statusCode).toBe(404);
    }
    expect((await world.call('GET', at(mine))).json()).toMatchObject({ id: mine.id, buyer: { ...buyer, document: null } });
  });

  it('returns 200 with the orders of the event, filtered, newest first', async () => {
    const item = await newItem();
    const first = await placed({ ...order(item), buyer: { name: 'Zoé Listed', email: 'zoe@list.test' } });
    const second = await placed({ ...order(item), buyer: { name: 'Zoé Listed', email: 'zoe@list.test' } });
    await pay(first);
    const list = async (query: string) =>
      (await world.call('GET', `/event/${world.event}/orders?itemId=${item}&${query}`, { as: 'crew_sales_operator' })).json<{
        data: Order[];
        total?: number;
      }>();
    expect((await list('count=true')).data.map(({ id }) => id)).toEqual([second.id, first.id]);
    expect((await list('count=true')).total).toBe(2);
    expect((await list('status=approved')).data.map(({ id }) => id)).toEqual([first.id]);
    expect((await list('term=zoe')).data).toHaveLength(2);
    expect((await list(`term=${second.id}`)).data.map(({ id }) => id)).toEqual([second.id]);
    expect((await list('term=nobody')).data).toEqual([]);
    expect((await list('pageSize=1')).data).toHaveLength(1);
    world.now = minutes(10);
    expect((await list('status=expired')).data.map(({ id }) => id)).toEqual([second.id]);
  });
});

describe('POST /orders/{id}/payment', () => {
  it('returns 201, sells the held tickets, issues signed codes and posts to the ledger', async () => {
    const item = await newItem({ quantity: 10 });
    const mine = await placed(order(item, 2));
    const answer = await pay(mine);
    expect(answer.statusCode).toBe(201);
    expect(answer.json()).toMatchObject({ id: mine.id, status: 'approved', approvedAt: noon.toISOString() });
    expect(await counters(item)).toEqual({ sold: 2, held: 0 });
    const { data } = (await world.call('GET', at(mine, '/tickets'))).json<{ data: OrderTicket[] }>();
    const keys = await inTransaction(world.db, {}, (tx) => ticketPublicKeys(tx, [world.event]));
    const verified = await Promise.all(data.map(({ code }) => verifyTicketCode(code, keys)));
    expect(verified.map((claim) => claim?.ticketId)).toEqual(data.map(({ id }) => id));
    const { rows } = await world.pool.query('select source, target, amount from ledger_posting where order_id = $1 order by id', [mine.id]);
    expect(rows).toEqual([
      { source: 'payment:card', target: 'producer', amount: 10000 },
      { source: 'payment:card', target: 'platform', amount: 1000 },
    ]);
  });

  it('returns 201 for cash taken by the crew, and 403 for cash from a buyer', async () => {
    const mine = await placed(order(world.item));
    expect((await pay(mine, { method: 'cash' })).statusCode).toBe(403);
    expect((await pay(mine, { method: 'cash' }, 'stranger')).statusCode).toBe(403);
    expect(
      (await world.call('POST', `/orders/${mine.id}/payment`, { as: 'crew_sales_operator', body: { method: 'cash' } })).statusCode,
    ).toBe(201);
  });

  it('returns 201 and puts each imported code on one ticket', async () => {
    const item = await newItem();
    await write('POST', `/items/${item}/attributes`, { key: 'customCode', value: true, type: 'boolean' });
    for (const code of ['IMP-1', 'IMP-2', 'IMP-3']) {
      await world.pool.query(`insert into external_code (event_id, item_id, code, created_at) values ($1, $2, $3, now())`, [
        world.event,
        item,
        code,
      ]);
    }
    const paid = await placed(order(item, 2));
    expect((await place(order(item, 2))).json()).toMatchObject({ status: 409, code: 'sold_out', lines: [{ itemId: item, remaining: 1 }] });
    expect((await pay(paid)).statusCode).toBe(201);
    const { data } = (await world.call('GET', at(paid, '/tickets'))).json<{ data: OrderTicket[] }>();
    expect(data.map(({ code }) => code)).toEqual(['IMP-1', 'IMP-2']);
    expect(await counters(item)).toEqual({ sold: 2, held: 0 });
  });

  it('returns 409 when the card is declined, and approves the order once after that', async () => {
    const mine = await placed(order(world.item));
    expect((await pay(mine, { method: 'card', outcome: 'decline' })).json()).toMatchObject({ status: 409, code: 'payment_declined' });
    const answers = await Promise.all([pay(mine), pay(mine), pay(mine)]);
    expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([201, 409, 409]);
    expect((await world.call('GET', at(mine, '/tickets'))).json<{ data: OrderTicket[] }>().data).toHaveLength(1);
  });

  it('returns 409 hold_expired after the hold expired, like /extend, also before the worker has updated the order', async () => {
    const item = await newItem({ quantity: 2 });
    const mine = await placed(order(item));
    const cash = () => world.call('POST', `/orders/${mine.id}/payment`, { as: 'owner', body: { method: 'cash' } });
    const attempts = [() => pay(mine), () => pay(mine, { method: 'pix' }), cash, () => world.call('POST', at(mine, '/extend'))];
    world.now = minutes(10);
    for (const updated of [false, true]) {
      if (updated) await inTransaction(world.db, {}, (tx) => expireOrders(tx, systemAct('test', world.now)));
      for (const attempt of attempts) {
        const detail = 'This hold has expired. Place a new order.';
        expect((await attempt()).json()).toMatchObject({ status: 409, code: 'hold_expired', detail });
      }
      expect(await counters(item)).toEqual({ sold: 0, held: updated ? 0 : 1 });
    }
    expect((await world.call('GET', at(mine))).json()).toMatchObject({ status: 'expired', payments: [] });
  });
});

describe('holds', () => {
  it('release their stock at expiry without the worker', async () => {
    const item = await newItem({ quantity: 1 });
    const first = await placed(order(item));
    world.now = new Date(minutes(10).getTime() - 1);
    expect((await place(order(item))).statusCode).toBe(409);
    world.now = minutes(10);
    expect((await world.call('GET', at(first))).json()).toMatchObject({ status: 'expired' });
    expect((await place(order(item))).statusCode).toBe(201);
    expect(await counters(item)).toEqual({ sold: 0, held: 1 });
  });

  it('no longer count against the passkey and the buyer limit after expiry', async () => {
    const item = await newItem({ hidden: true });
    await write('POST', `/items/${item}/attributes`, { key: 'maximumPerBuyer', value: 2, type: 'integer' });
    const { id } = await write('POST', '/passkeys', { eventId: world.event, passkey: 'only-two', limit: 2 });
    await write('PUT', `/passkeys/${id}/items`, { itemIds: [item] });
    await placed(order(item, 2, { passkey: 'only-two' }));
    world.now = minutes(10);
    await placed(order(item, 1, { passkey: 'only-two' }));
    const passkey = await world.pool.query('select used, held from passkey where id = $1', [id]);
    expect(passkey.rows).toEqual([{ used: 0, held: 1 }]);
    const taken = await world.pool.query('select taken from item_buyer where item_id = $1', [item]);
    expect(taken.rows).toEqual([{ taken: 1 }]);
  });

  it('POST /orders/{id}/extend returns 200 once, before the hold expires', async () => {
    const mine = await placed(order(world.item));
    const extend = () => world.call('POST', at(mine, '/extend'));
    expect((await extend()).json()).toMatchObject({ extended: true, expiresAt: minutes(20).toISOString() });
    expect((await extend()).statusCode).toBe(409);
    world.now = minutes(15);
    expect((await world.call('GET', at(mine))).json()).toMatchObject({ status: 'held' });
    const other = await placed(order(world.item));
    world.now = minutes(25);
    expect((await world.call('POST', at(other, '/extend'))).statusCode).toBe(409);
  });

  it('POST /orders/{id}/cancel returns 200 once and releases the stock', async () => {
    const item = await newItem({ quantity: 1 });
    const mine = await placed(order(item));
    const cancel = () => world.call('POST', at(mine, '/cancel'));
    const answers = await Promise.all([cancel(), cancel()]);
    expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([200, 409]);
    expect(await counters(item)).toEqual({ sold: 0, held: 0 });
    expect((await pay(mine)).statusCode).toBe(409);
    expect((await world.call('POST', `/orders/${mine.id}/cancel?secret=wrong`)).statusCode).toBe(404);
  });
});

describe('an order for the last ticket', () => {
  it('fires the soldout trigger once, in the same transaction', async () => {
    const [first, next] = [await newItem({ quantity: 2 }), await newItem({ salable: false })];
    await write('PUT', `/items/${first}/triggers`, { triggers: [{ on: 'soldout', action: 'open', targetItemId: next }] });
    await placed(order(first));
    expect((await place(order(next))).statusCode).toBe(409);
    await placed(order(first));
    expect((await place(order(next))).statusCode).toBe(201);
    const { data } = (await world.call('GET', `/items/${first}/triggers`, { as: 'owner' })).json<{ data: { firedAt: string }[] }>();
    expect(data[0]?.firedAt).toBe(noon.toISOString());
  });
});

// The last test of the file, because the network stays blocked.
describe('a caller who guesses passkeys', () => {
  it('gets 429, and can retry later with the same Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'guessing' };
    for (let i = 0; i < 20; i++) await place(order(world.item, 1, { passkey: `guess-${i}` }));
    expect((await place(order(world.item, 1, { passkey: 'guess' }), undefined, headers)).statusCode).toBe(429);
    world.now = minutes(11);
    const again = await place(order(world.item, 1, { passkey: 'guess' }), undefined, headers);
    expect([again.statusCode, again.headers['idempotency-replayed']]).toEqual([403, undefined]);
  });
});
