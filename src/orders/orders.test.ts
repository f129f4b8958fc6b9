import { afterEach, describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import { type Caller, minutesAfterNoon, noon } from '../../test/world.ts';
import { systemAct } from '../kernel/act.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { verifyTicketCode } from '../tickets/ticket-code.ts';
import { ticketPublicKeys } from '../tickets/ticket-keys.ts';
import { expireOrders } from './expire-orders.ts';
import type { Order, PlacedOrder } from './order-schemas.ts';
import type { OrderTicket } from './ticket-contract.ts';

const world = useWorld();
const shop = shopOf(world);
afterEach(() => {
  world.now = noon;
});

const at = ({ id, secret }: PlacedOrder, rest = '') => `/orders/${id}${rest}?secret=${secret}`;
const holdOne = (itemId: number): Promise<PlacedOrder> => shop.hold([{ itemId, quantity: 1 }]);
const pay = (order: PlacedOrder, body: object, as?: Caller) => world.call('POST', at(order, '/payment'), { body, ...(as && { as }) });
const counters = async (itemId: number) =>
  (await world.pool.query<{ sold: number; held: number }>('select sold, held from item where id = $1', [itemId])).rows[0];

describe('GET /orders/{id} and GET /event/{eventId}/orders', () => {
  it('returns 200 with the secret or a sales role, and 404 to other callers', async () => {
    const mine = await holdOne(world.item);
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
    expect((await world.call('GET', at(mine))).json()).toMatchObject({
      id: mine.id,
      buyer: { name: 'Ana Souza', email: 'ana@test.test', document: null },
    });
  });

  it('returns 200 with the orders of the event, newest first, and filters them', async () => {
    const item = await shop.newItem();
    const first = await shop.hold([{ itemId: item, quantity: 1 }], { buyer: { name: 'Zoé Listed', email: 'zoe@list.test' } });
    const second = await shop.hold([{ itemId: item, quantity: 1 }], { buyer: { name: 'Zoé Listed', email: 'zoe@list.test' } });
    await shop.pay(first);
    const list = async (query: string) =>
      (await world.call('GET', `/event/${world.event}/orders?itemId=${item}&${query}`, { as: 'crew_sales_operator' })).json<{
        data: Order[];
        total?: number;
      }>();
    expect((await list('count=true')).data.map(({ id }) => id)).toEqual([second.id, first.id]);
    expect((await list('count=true')).total).toBe(2);
    expect((await list('status=approved')).data.map(({ id }) => id)).toEqual([first.id]);
    expect((await list('method=card')).data.map(({ id }) => id)).toEqual([first.id]);
    expect((await list('method=cash')).data).toEqual([]);
    expect((await list('term=zoe')).data).toHaveLength(2);
    expect((await list(`term=${second.id}`)).data.map(({ id }) => id)).toEqual([second.id]);
    expect((await list('term=nobody')).data).toEqual([]);
    expect((await list('pageSize=1')).data).toHaveLength(1);
    world.now = minutesAfterNoon(10);
    expect((await list('status=expired')).data.map(({ id }) => id)).toEqual([second.id]);
  });
});

describe('POST /orders/{id}/payment', () => {
  it('returns 201, sells the held tickets, issues signed codes and posts to the ledger', async () => {
    const item = await shop.newItem({ item: { quantity: 10 } });
    const mine = await shop.hold([{ itemId: item, quantity: 2 }]);
    const answer = await shop.pay(mine);
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
    const mine = await holdOne(world.item);
    expect((await pay(mine, { method: 'cash' })).statusCode).toBe(403);
    expect((await pay(mine, { method: 'cash' }, 'stranger')).statusCode).toBe(403);
    expect(
      (await world.call('POST', `/orders/${mine.id}/payment`, { as: 'crew_sales_operator', body: { method: 'cash' } })).statusCode,
    ).toBe(201);
  });

  it('returns 201 and puts each imported code on one ticket', async () => {
    const item = await shop.newItem();
    await shop.write('POST', `/items/${item}/attributes`, { key: 'customCode', value: true, type: 'boolean' });
    for (const code of ['IMP-1', 'IMP-2', 'IMP-3']) {
      await world.pool.query(`insert into external_code (event_id, item_id, code, created_at) values ($1, $2, $3, now())`, [
        world.event,
        item,
        code,
      ]);
    }
    const paid = await shop.hold([{ itemId: item, quantity: 2 }]);
    expect((await shop.place([{ itemId: item, quantity: 2 }])).json()).toMatchObject({
      status: 409,
      code: 'sold_out',
      lines: [{ itemId: item, remaining: 1 }],
    });
    expect((await shop.pay(paid)).statusCode).toBe(201);
    const { data } = (await world.call('GET', at(paid, '/tickets'))).json<{ data: OrderTicket[] }>();
    expect(data.map(({ code }) => code)).toEqual(['IMP-1', 'IMP-2']);
    expect(await counters(item)).toEqual({ sold: 2, held: 0 });
  });

  it('returns 409 when the card is declined, and 201 once for a later payment', async () => {
    const mine = await holdOne(world.item);
    expect((await pay(mine, { method: 'card', outcome: 'decline' })).json()).toMatchObject({ status: 409, code: 'payment_declined' });
    const answers = await Promise.all([shop.pay(mine), shop.pay(mine), shop.pay(mine)]);
    expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([201, 409, 409]);
    expect((await world.call('GET', at(mine, '/tickets'))).json<{ data: OrderTicket[] }>().data).toHaveLength(1);
  });

  it('returns 409 hold_expired after the hold has expired, like /extend, even before the worker has updated the order', async () => {
    const item = await shop.newItem({ item: { quantity: 2 } });
    const mine = await holdOne(item);
    const cash = () => world.call('POST', `/orders/${mine.id}/payment`, { as: 'owner', body: { method: 'cash' } });
    const attempts = [() => shop.pay(mine), () => pay(mine, { method: 'pix' }), cash, () => world.call('POST', at(mine, '/extend'))];
    world.now = minutesAfterNoon(10);
    for (const updated of [false, true]) {
      if (updated) await expireOrders(world.db, systemAct('test', world.now));
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
    const item = await shop.newItem({ item: { quantity: 1 } });
    const first = await holdOne(item);
    world.now = new Date(minutesAfterNoon(10).getTime() - 1);
    expect((await shop.place([{ itemId: item, quantity: 1 }])).statusCode).toBe(409);
    world.now = minutesAfterNoon(10);
    expect((await world.call('GET', at(first))).json()).toMatchObject({ status: 'expired' });
    expect((await shop.place([{ itemId: item, quantity: 1 }])).statusCode).toBe(201);
    expect(await counters(item)).toEqual({ sold: 0, held: 1 });
  });

  it('no longer count against the passkey and the buyer limit after expiry', async () => {
    const item = await shop.newItem({ item: { hidden: true } });
    await shop.write('POST', `/items/${item}/attributes`, { key: 'maximumPerBuyer', value: 2, type: 'integer' });
    const { id } = await shop.write('POST', '/passkeys', { eventId: world.event, passkey: 'only-two', limit: 2 });
    await shop.write('PUT', `/passkeys/${id}/items`, { itemIds: [item] });
    await shop.hold([{ itemId: item, quantity: 2 }], { passkey: 'only-two' });
    world.now = minutesAfterNoon(10);
    await shop.hold([{ itemId: item, quantity: 1 }], { passkey: 'only-two' });
    const passkey = await world.pool.query('select used, held from passkey where id = $1', [id]);
    expect(passkey.rows).toEqual([{ used: 0, held: 1 }]);
    const taken = await world.pool.query('select taken from item_buyer where item_id = $1', [item]);
    expect(taken.rows).toEqual([{ taken: 1 }]);
  });

  it('POST /orders/{id}/extend returns 200 once, before the hold expires', async () => {
    const mine = await holdOne(world.item);
    const extend = () => world.call('POST', at(mine, '/extend'));
    expect((await extend()).json()).toMatchObject({ extended: true, expiresAt: minutesAfterNoon(20).toISOString() });
    expect((await extend()).statusCode).toBe(409);
    world.now = minutesAfterNoon(15);
    expect((await world.call('GET', at(mine))).json()).toMatchObject({ status: 'held' });
    const other = await holdOne(world.item);
    world.now = minutesAfterNoon(25);
    expect((await world.call('POST', at(other, '/extend'))).statusCode).toBe(409);
  });

  it('POST /orders/{id}/cancel returns 200 once and releases the stock', async () => {
    const item = await shop.newItem({ item: { quantity: 1 } });
    const mine = await holdOne(item);
    const cancel = () => world.call('POST', at(mine, '/cancel'));
    const answers = await Promise.all([cancel(), cancel()]);
    expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([200, 409]);
    expect(await counters(item)).toEqual({ sold: 0, held: 0 });
    expect((await shop.pay(mine)).statusCode).toBe(409);
    expect((await world.call('POST', `/orders/${mine.id}/cancel?secret=wrong`)).statusCode).toBe(404);
  });
});
