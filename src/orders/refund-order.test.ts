import type { LightMyRequestResponse } from 'fastify';
import { describe, expect, it } from 'vitest';
import { auditOf } from '../../test/audit.ts';
import { runBehindLock } from '../../test/behind-lock.ts';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import { minutesAfterNoon, noon } from '../../test/world.ts';
import type { InputError } from '../kernel/problem.ts';
import type { Order, PlacedOrder } from './order-schemas.ts';
import type { OrderTicket } from './ticket-contract.ts';

const world = useWorld();
const shop = shopOf(world);

const ticketsOf = async ({ id }: PlacedOrder) =>
  (await world.call('GET', `/orders/${id}/tickets`, { as: 'owner' })).json<{ data: OrderTicket[] }>().data;
const statusesOf = async (order: PlacedOrder) => (await ticketsOf(order)).map(({ status }) => status);
const countersOf = async (itemId: number) =>
  (await world.pool.query<{ sold: number; held: number }>('select sold, held from item where id = $1', [itemId])).rows[0];
const postingsOf = async ({ id }: PlacedOrder) =>
  (
    await world.pool.query(
      `select source, target, amount, quantity from ledger_posting where order_id = $1 and reason = 'refund' order by id`,
      [id],
    )
  ).rows;
const errorsOf = (answer: LightMyRequestResponse) =>
  answer.json<{ errors: InputError[] }>().errors.map(({ field, code }) => ({ field, code }));

describe('POST /orders/{id}/refund', () => {
  it('returns 200 with the refunded amounts: total, per line and per payment', async () => {
    const [itemId, other] = [await shop.newItem(), await shop.newItem({ values: { price: 1000, feeSale: 1, feeProducer: 0 } })];
    const order = await shop.buy([
      { itemId, quantity: 2 },
      { itemId: other, quantity: 1 },
    ]);
    expect(order).toMatchObject({ refundedTotal: 0, lines: [{ refundedAmount: 0 }, { refundedAmount: 0 }] });
    const answer = await shop.refund(order, { lines: [{ itemId, quantity: 1 }] });
    const [first, second] = [{ refunded: 1, refundedAmount: 5500 }, { refundedAmount: 0 }];
    expect(answer.json()).toMatchObject({ total: 12_001, refundedTotal: 5500, lines: [first, second], payments: [{ refunded: 5500 }] });
    expect((await shop.refund(order)).json()).toMatchObject({ refundedTotal: 12_001, payments: [{ received: 12_001, refunded: 12_001 }] });
  });

  it('returns 200 and refunds the tickets in ticketIds', async () => {
    const [itemId, other] = [await shop.newItem(), await shop.newItem()];
    const order = await shop.buy([
      { itemId, quantity: 3 },
      { itemId: other, quantity: 1 },
    ]);
    const [oldest, , , ofOther] = (await ticketsOf(order)) as [OrderTicket, OrderTicket, OrderTicket, OrderTicket];
    const answer = await shop.refund(order, { ticketIds: [ofOther.id, oldest.id] });
    expect(answer.json()).toMatchObject({ status: 'approved', lines: [{ refunded: 1 }, { refunded: 1 }] });
    expect(await statusesOf(order)).toEqual(['refunded', 'valid', 'valid', 'refunded']);
    expect([await countersOf(itemId), await countersOf(other)]).toEqual([
      { sold: 2, held: 0 },
      { sold: 0, held: 0 },
    ]);
    expect(await auditOf(world, answer)).toMatchObject([{ after: { ticketIds: [ofOther.id, oldest.id] } }]);
  });

  it('returns 422 for tickets that are unknown, already refunded or listed twice, and refunds nothing', async () => {
    const itemId = await shop.newItem();
    const [order, stranger] = [await shop.buy([{ itemId, quantity: 2 }]), await shop.buy([{ itemId, quantity: 1 }])];
    const [gone, good] = (await ticketsOf(order)) as [OrderTicket, OrderTicket];
    const [foreign] = (await ticketsOf(stranger)) as [OrderTicket];
    await shop.refund(order, { ticketIds: [gone.id] });
    expect(errorsOf(await shop.refund(order, { ticketIds: [good.id, gone.id, foreign.id, good.id] }))).toEqual([
      { field: 'ticketIds[1]', code: 'refunded' },
      { field: 'ticketIds[2]', code: 'unknown' },
      { field: 'ticketIds[3]', code: 'twice' },
    ]);
    const both = { ticketIds: [good.id], lines: [{ itemId, quantity: 1 }] };
    expect(errorsOf(await shop.refund(order, both))).toEqual([{ field: 'ticketIds', code: 'exclusive' }]);
    expect(await statusesOf(order)).toEqual(['refunded', 'valid']);
  });

  it('returns 200 for a partial refund, refunds the price of the newest tickets and restocks them', async () => {
    const itemId = await shop.newItem({ item: { quantity: 3 }, values: { price: 5001, feeSale: 333, feeProducer: 77 } });
    const order = await shop.buy([{ itemId, quantity: 3 }]);
    expect((await shop.place([{ itemId, quantity: 1 }])).statusCode).toBe(409);
    const answer = await shop.refund(order, { lines: [{ itemId, quantity: 2 }], reason: 'Ill' });
    expect(answer.statusCode).toBe(200);
    expect(answer.json<Order>()).toMatchObject({ id: order.id, status: 'approved', lines: [{ itemId, quantity: 3, refunded: 2 }] });
    expect(answer.json()).toEqual((await world.call('GET', `/orders/${order.id}`, { as: 'owner' })).json());
    expect(await statusesOf(order)).toEqual(['valid', 'refunded', 'refunded']);
    expect(await postingsOf(order)).toEqual([
      { source: 'producer', target: 'payment:card', amount: 2 * (5001 - 77), quantity: 2 },
      { source: 'platform', target: 'payment:card', amount: 2 * (333 + 77), quantity: 2 },
    ]);
    expect(await countersOf(itemId)).toEqual({ sold: 1, held: 0 });
    await shop.hold([{ itemId, quantity: 2 }]);
    expect(await auditOf(world, answer)).toMatchObject([
      { operation: 'refundOrder', on: `order ${order.id}`, after: { refunded: [{ itemId, quantity: 2 }], restock: true, reason: 'Ill' } },
    ]);
  });

  it('returns 200 with status refunded and refunds all remaining tickets when lines is left out', async () => {
    const [itemId, other] = [await shop.newItem(), await shop.newItem()];
    const order = await shop.buy([
      { itemId, quantity: 2 },
      { itemId: other, quantity: 1 },
    ]);
    await shop.refund(order, { lines: [{ itemId, quantity: 1 }] });
    const answer = await world.call('POST', `/orders/${order.id}/refund`, { as: 'owner' });
    expect(answer.json()).toMatchObject({ status: 'refunded', lines: [{ refunded: 2 }, { refunded: 1 }] });
    expect(await statusesOf(order)).toEqual(['refunded', 'refunded', 'refunded']);
    expect([await countersOf(itemId), await countersOf(other)]).toEqual([
      { sold: 0, held: 0 },
      { sold: 0, held: 0 },
    ]);
  });

  it('returns 200 and does not restock the tickets when restock is false', async () => {
    const itemId = await shop.newItem({ item: { quantity: 1 } });
    const order = await shop.buy([{ itemId, quantity: 1 }]);
    expect((await shop.refund(order, { restock: false })).json()).toMatchObject({ status: 'refunded' });
    expect(await statusesOf(order)).toEqual(['refunded']);
    expect(await countersOf(itemId)).toEqual({ sold: 1, held: 0 });
    expect((await shop.place([{ itemId, quantity: 1 }])).json()).toMatchObject({ status: 409, code: 'sold_out' });
  });

  it('returns 200 for a free order and posts nothing to the ledger', async () => {
    const itemId = await shop.newItem({ values: { price: 0, feeSale: 0, feeProducer: 0 } });
    const order = await shop.buy([{ itemId, quantity: 2 }]);
    expect((await shop.refund(order)).json()).toMatchObject({ status: 'refunded' });
    expect(await postingsOf(order)).toEqual([]);
    expect(await countersOf(itemId)).toEqual({ sold: 0, held: 0 });
  });

  it('returns 200 and lowers the passkey and buyer counts, unless restock is false', async () => {
    const itemId = await shop.newItem({ item: { hidden: true }, attributes: { maximumPerBuyer: 2 } });
    const { id } = await shop.write('POST', '/passkeys', { eventId: world.event, passkey: 'two-only', limit: 2 });
    await shop.write('PUT', `/passkeys/${id}/items`, { itemIds: [itemId] });
    const buyer = (name: string) => ({ passkey: 'two-only', buyer: { name, email: `${name}@refund.test`, document: '1' } });
    const [two, one] = [[{ itemId, quantity: 2 }], [{ itemId, quantity: 1 }]];
    const order = await shop.buy(two, buyer('first'));
    expect((await shop.place(one, buyer('first'))).statusCode).toBe(403);
    await shop.refund(order, { lines: one, restock: false });
    expect((await shop.place(one, buyer('first'))).statusCode).toBe(403);
    await shop.refund(order, { lines: one });
    expect((await shop.place(two, buyer('first'))).statusCode).toBe(403);
    await shop.write('PUT', `/passkeys/${id}`, { limit: 10 });
    expect((await shop.place(two, buyer('first'))).json()).toMatchObject({ code: 'buyer_limit', lines: [{ remaining: 1 }] });
    expect((await shop.place(one, buyer('first'))).statusCode).toBe(201);
  });

  it('returns 200 and leaves imported codes on the refunded tickets', async () => {
    const itemId = await shop.newItem({ attributes: { customCode: true } });
    await shop.importCodes(itemId, 'R-1', 'R-2', 'R-3');
    const order = await shop.buy([{ itemId, quantity: 2 }]);
    await shop.refund(order);
    expect((await ticketsOf(order)).map(({ code, status }) => `${code} ${status}`)).toEqual(['R-1 refunded', 'R-2 refunded']);
    const next = await shop.buy([{ itemId, quantity: 1 }]);
    expect((await ticketsOf(next)).map(({ code }) => code)).toEqual(['R-3']);
  });

  it('returns 200 for an order of a cancelled event', async () => {
    const order = await shop.buy([{ itemId: world.item, quantity: 1 }]);
    await world.pool.query(`update event set status = 'cancelled' where id = $1`, [world.event]);
    expect((await shop.refund(order)).statusCode).toBe(200);
    await world.pool.query(`update event set status = 'published' where id = $1`, [world.event]);
  });

  it('returns 200 and 422 for two concurrent refunds that together exceed the order', async () => {
    const itemId = await shop.newItem();
    const order = await shop.buy([{ itemId, quantity: 3 }]);
    const half = () => shop.refund(order, { lines: [{ itemId, quantity: 2 }] });
    const answers = await runBehindLock(world, `select from ticket_order where id = ${order.id} for update`, [half, half]);
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 422]);
    expect(await statusesOf(order)).toEqual(['valid', 'refunded', 'refunded']);
    const whole = () => shop.refund(order);
    const rest = await runBehindLock(world, `select from ticket_order where id = ${order.id} for update`, [whole, whole]);
    expect(rest.map(({ statusCode }) => statusCode)).toEqual([200, 409]);
    expect(await countersOf(itemId)).toEqual({ sold: 0, held: 0 });
    const overdraw = world.pool.query('update order_line set refunded = refunded + 1 where order_id = $1', [order.id]);
    await expect(overdraw).rejects.toThrow('line_refunded');
  });

  it('returns 200 for a repeated Idempotency-Key and refunds once', async () => {
    const itemId = await shop.newItem();
    const order = await shop.buy([{ itemId, quantity: 3 }]);
    const body = { lines: [{ itemId, quantity: 1 }] };
    const options = { as: 'owner', body, headers: { 'idempotency-key': 'one-refund' } } as const;
    for (let i = 0; i < 2; i++) expect((await world.call('POST', `/orders/${order.id}/refund`, options)).statusCode).toBe(200);
    expect(await countersOf(itemId)).toEqual({ sold: 2, held: 0 });
  });

  it('returns 401, 403 or 404 to callers without the permission to refund', async () => {
    const order = await shop.buy([{ itemId: world.item, quantity: 1 }]);
    expect((await world.call('POST', `/orders/${order.id}/refund`)).statusCode).toBe(401);
    for (const as of [undefined, 'crew_sales_operator', 'otherOwner'] as const) {
      expect((await world.call('POST', `/orders/${order.id}/refund?secret=wrong`, as && { as })).statusCode).toBe(404);
    }
    expect((await world.call('POST', `/orders/${order.id}/refund`, { as: 'crew_sales_operator' })).statusCode).toBe(403);
    expect((await world.call('POST', `/orders/${order.id}/refund`, { as: 'otherOwner' })).statusCode).toBe(404);
    expect(await statusesOf(order)).toEqual(['valid']);
  });

  it('returns 409 for orders that are not approved', async () => {
    const items = [{ itemId: await shop.newItem(), quantity: 1 }];
    const [held, cancelled, refunded] = [await shop.hold(items), await shop.hold(items), await shop.buy(items)];
    await shop.cancel(cancelled);
    await shop.refund(refunded);
    for (const [order, status] of [
      [held, 'held'],
      [cancelled, 'cancelled'],
      [refunded, 'refunded'],
    ] as const) {
      expect((await shop.refund(order)).json()).toMatchObject({
        code: 'wrong_state',
        detail: expect.stringContaining(`The order is ${status}.`),
      });
    }
    world.now = minutesAfterNoon(10);
    expect((await shop.refund(held)).json()).toMatchObject({
      code: 'wrong_state',
      detail: expect.stringContaining('The order is expired.'),
    });
    world.now = noon;
  });

  it('returns 422 for lines that are unknown, listed twice or too large, and refunds nothing', async () => {
    const [itemId, other] = [await shop.newItem(), await shop.newItem()];
    const order = await shop.buy([
      { itemId, quantity: 2 },
      { itemId: other, quantity: 2 },
    ]);
    const good = { itemId: other, quantity: 1 };
    const faultOf = async (line: object) => errorsOf(await shop.refund(order, { lines: [good, line] }));
    expect(await faultOf({ itemId, quantity: 3 })).toEqual([{ field: 'lines[1].quantity', code: 'maximum' }]);
    expect(await faultOf({ itemId: world.item, quantity: 1 })).toEqual([{ field: 'lines[1].itemId', code: 'unknown' }]);
    expect(await faultOf(good)).toEqual([{ field: 'lines[1].itemId', code: 'twice' }]);
    expect(await statusesOf(order)).toEqual(['valid', 'valid', 'valid', 'valid']);
  });
});

describe('POST /orders/{id}/anonymize', () => {
  const anonymize = ({ id }: { id: number }) => world.call('POST', `/orders/${id}/anonymize`, { as: 'admin' });
  const buyer = { name: 'Zilda Erased', email: 'zilda@erased.test', document: '987.654' };

  it('returns 200 and erases the buyer, keeps lines and payments, and can be repeated', async () => {
    const itemId = await shop.newItem({ attributes: { maximumPerBuyer: 2 } });
    const order = await shop.buy([{ itemId, quantity: 2 }], { buyer });
    const facts = async () => [
      await ticketsOf(order),
      (await world.pool.query('select * from ledger_posting where order_id = $1', [order.id])).rows,
    ];
    const before = await facts();
    for (let i = 0; i < 2; i++) {
      const answer = await anonymize(order);
      expect(answer.json()).toMatchObject({ id: order.id, status: 'approved', buyer: null, lines: [{ quantity: 2 }] });
      const entries = await auditOf(world, answer);
      expect(entries).toMatchObject([{ operation: 'anonymizeOrder', after: { anonymized: true } }]);
      expect(JSON.stringify(entries)).not.toMatch(/zilda|987\.654/i);
    }
    expect(await facts()).toEqual(before);
    const { rows } = await world.pool.query<{ line: string }>(
      `select o::text as line from ticket_order o union all select t::text from ticket t
       union all select b::text from item_buyer b where item_id = $1`,
      [itemId],
    );
    expect(rows.filter(({ line }) => /zilda|987\.654/i.test(line))).toEqual([]);
    expect((await world.pool.query('select from item_buyer where item_id = $1', [itemId])).rowCount).toBe(0);
    expect((await shop.refund(order)).json()).toMatchObject({ status: 'refunded', buyer: null });
  });

  it('returns 200 and leaves other orders of the same buyer unchanged', async () => {
    const itemId = await shop.newItem({ attributes: { maximumPerBuyer: 3 } });
    const [first, given, second] = [
      await shop.buy([{ itemId, quantity: 1 }], { buyer }),
      await shop.hold([{ itemId, quantity: 1 }], { buyer }),
      await shop.buy([{ itemId, quantity: 1 }], { buyer }),
    ];
    await shop.cancel(given);
    for (const order of [first, given]) expect((await anonymize(order)).statusCode).toBe(200);
    expect((await world.call('GET', `/orders/${second.id}`, { as: 'owner' })).json()).toMatchObject({ buyer });
    expect((await world.pool.query('select taken from item_buyer where item_id = $1', [itemId])).rows).toEqual([
      { taken: 1 },
      { taken: 1 },
    ]);
  });

  it('returns 404 for an unknown order', async () => {
    expect((await anonymize({ id: world.missing })).statusCode).toBe(404);
  });

  it('returns 409 while the order is held, and 200 after its hold has expired, even before the worker has updated the order', async () => {
    const itemId = await shop.newItem({ attributes: { maximumPerBuyer: 2 } });
    const order = await shop.hold([{ itemId, quantity: 2 }], { buyer });
    expect((await anonymize(order)).json()).toMatchObject({ status: 409, code: 'wrong_state' });
    world.now = minutesAfterNoon(10);
    expect((await anonymize(order)).json()).toMatchObject({ status: 'expired', buyer: null });
    expect((await shop.place([{ itemId, quantity: 2 }], { buyer })).statusCode).toBe(201);
    expect(await countersOf(itemId)).toEqual({ sold: 0, held: 2 });
    world.now = noon;
  });
});
