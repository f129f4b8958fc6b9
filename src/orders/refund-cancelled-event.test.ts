import { afterEach, describe, expect, it } from 'vitest';
import { auditFindings } from '../../test/audit-findings.ts';
import { eventuallyWaiting } from '../../test/eventually.ts';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import { minutesAfterNoon, noon } from '../../test/world.ts';
import type { Cancellation } from '../events/contract.ts';
import { systemAct } from '../kernel/act.ts';
import { returnMoney } from '../payments/refunds.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { createOrders } from './create-orders.ts';
import type { Order, PlacedOrder } from './order-schemas.ts';
import { refundBatch, refundCancelled } from './refund-cancelled-event.ts';
import type { OrderTicket } from './ticket-contract.ts';

const world = useWorld();
const shop = shopOf(world);
afterEach(async () => {
  world.now = noon;
  const found = await auditFindings(world.db);
  if (found.length > 0) throw new Error(found.join('\n'));
});

let shows = 0;
/** Creates an event with one item. The doors of the event are open now. */
async function newShow(price = 5000): Promise<{ eventId: number; itemId: number; sessionId: number }> {
  const link = `cancelled-show-${++shows}`;
  const about = { producerId: world.producer, category: 'music', title: link, link, timezone: 'America/Sao_Paulo' };
  const { id: eventId } = await shop.write('POST', '/event', about);
  const session = { name: 'Night', start: '2026-03-02 10:00:00', finish: '2026-03-02 23:00:00' };
  const { id: sessionId } = await shop.write('POST', `/event/${eventId}/session`, session);
  await shop.write('POST', `/event/${eventId}/publish`, {});
  const fee = price === 0 ? 0 : 500;
  const itemId = await shop.newItem({ item: { eventId }, values: { price, feeSale: fee, feeProducer: 0 } });
  return { eventId, itemId, sessionId };
}

const cancel = (eventId: number, body: object = { refund: true, reason: 'Storm' }) =>
  world.call('POST', `/event/${eventId}/cancel`, { as: 'owner', body });
const progress = async (eventId: number) =>
  (await world.call('GET', `/event/${eventId}/cancellation`, { as: 'owner' })).json<Cancellation>();
const read = async ({ id }: PlacedOrder) => (await world.call('GET', `/orders/${id}`, { as: 'admin' })).json<Order>();
const ticketsOf = async ({ id }: PlacedOrder) =>
  (await world.call('GET', `/orders/${id}/tickets`, { as: 'admin' })).json<{ data: OrderTicket[] }>().data;
const refundMails = async (orders: readonly PlacedOrder[]) => {
  const { rows } = await world.pool.query<{ order_id: number }>(
    `select (payload ->> 'orderId')::bigint as order_id from mail where kind = 'order_refunded' order by 1`,
  );
  return rows.map(({ order_id }) => order_id).filter((id) => orders.some((order) => order.id === id));
};
const countersOf = async (itemId: number) => (await world.pool.query('select sold, held from item where id = $1', [itemId])).rows[0];

const work = () => refundCancelled(world.db, systemAct('test', world.now), new AbortController().signal, returnMoney);
async function workUntilDone(): Promise<void> {
  while (await work());
}

describe('POST /event/{id}/cancel with refund', () => {
  it('cancels the event at once, and the worker then refunds paid orders, cancels holds and sends one mail per order', async () => {
    const { eventId, itemId } = await newShow();
    const buy = (quantity: number) => shop.buy([{ itemId, quantity }], { eventId });
    const [whole, part, used] = [await buy(2), await buy(3), await buy(1)];
    await shop.write('POST', `/orders/${part.id}/refund`, { lines: [{ itemId, quantity: 1 }] });
    const [ticket] = await ticketsOf(used);
    const entries = [{ code: ticket?.code, at: noon.toISOString(), device: 'gate', nonce: `cancelled-${eventId}` }];
    const scanned = await world.call('POST', `/event/${eventId}/checkins`, { as: 'owner', body: { entries } });
    expect(scanned.json()).toMatchObject({ results: [{ result: 'admitted' }] });
    const [held, givenUp] = [
      await shop.hold([{ itemId, quantity: 1 }], { eventId }),
      await shop.hold([{ itemId, quantity: 1 }], { eventId }),
    ];
    await shop.cancel(givenUp);

    expect((await cancel(eventId)).json()).toMatchObject({ status: 'cancelled' });
    const started = { status: 'running', orders: 0, refunded: 0, failed: 0, amount: 0, startedAt: noon.toISOString(), finishedAt: null };
    expect(await progress(eventId)).toEqual(started);
    expect((await cancel(eventId)).json()).toMatchObject({ status: 409, code: 'wrong_state' });

    world.now = minutesAfterNoon(1);
    await workUntilDone();
    const done = { status: 'done', orders: 3, refunded: 3, failed: 0, amount: 5 * 5500, finishedAt: minutesAfterNoon(1).toISOString() };
    expect(await progress(eventId)).toEqual({ ...started, ...done });
    for (const order of [whole, part, used]) {
      expect(await read(order)).toMatchObject({ status: 'refunded', refundedTotal: order.total });
      expect((await ticketsOf(order)).every(({ status }) => status === 'refunded')).toBe(true);
    }
    expect(await read(held)).toMatchObject({ status: 'cancelled' });
    expect(await countersOf(itemId)).toEqual({ sold: 0, held: 0 });
    // One order has two mails, because a part of it was refunded earlier.
    expect(await refundMails([whole, part, used, held])).toEqual([whole.id, part.id, part.id, used.id]);
  });

  it('continues after a crash and with several workers, and refunds each order once', async () => {
    const { eventId, itemId } = await newShow(0);
    const body = { eventId, items: [{ itemId, quantity: 1 }], buyer: { name: 'Ana', email: 'ana@test.test' } };
    const placing = Array.from({ length: 120 }, () => world.call('POST', '/orders', { as: 'owner', body }));
    const orders = (await Promise.all(placing)).map((answer) => answer.json<PlacedOrder>());
    await cancel(eventId);
    const batch = (crash: boolean) =>
      inTransaction(world.db, {}, async (tx) => {
        const done = await refundBatch(tx, systemAct('test', world.now), returnMoney);
        if (crash) throw new Error('killed');
        return done;
      });
    expect(await batch(false)).toMatchObject({ refunded: 0 });
    expect(await batch(false)).toMatchObject({ eventId, refunded: 50 });
    await expect(batch(true)).rejects.toThrow('killed');
    expect(await progress(eventId)).toMatchObject({ status: 'running', orders: 120, refunded: 50 });
    await Promise.all([workUntilDone(), workUntilDone(), workUntilDone()]);
    expect(await progress(eventId)).toMatchObject({ status: 'done', orders: 120, refunded: 120, failed: 0 });
    expect(await refundMails(orders)).toEqual(orders.map(({ id }) => id).toSorted((a, b) => a - b));
    expect(await countersOf(itemId)).toEqual({ sold: 0, held: 0 });
  });

  it('counts a failed refund, leaves the order approved, and refunds it when the cancellation is sent again', async () => {
    const { eventId, itemId } = await newShow();
    const orders = [1, 2, 3].map(() => shop.buy([{ itemId, quantity: 1 }], { eventId }));
    const [, poison] = (await Promise.all(orders)) as [PlacedOrder, PlacedOrder, PlacedOrder];
    await world.pool.query(`
      create function poison_refund() returns trigger language plpgsql as $$ begin raise 'poisoned'; end $$;
      create trigger poison_refund before update on ticket for each row when (new.order_id = ${poison.id}) execute function poison_refund()`);
    await cancel(eventId);
    await workUntilDone();
    expect(await progress(eventId)).toMatchObject({ status: 'done', orders: 3, refunded: 2, failed: 1, amount: 11_000 });
    expect(await read(poison)).toMatchObject({ status: 'approved', refundedTotal: 0 });
    const log = await world.pool.query(`select after from audit_log where operation = 'refundCancelled' and after ? 'refundFailed'`);
    expect(log.rows).toEqual([{ after: { refundFailed: 'poisoned' } }]);

    await world.pool.query('drop trigger poison_refund on ticket; drop function poison_refund');
    expect((await cancel(eventId)).statusCode).toBe(200);
    await workUntilDone();
    expect(await progress(eventId)).toMatchObject({ status: 'done', orders: 3, refunded: 3, failed: 0, amount: 16_500 });
    expect(await read(poison)).toMatchObject({ status: 'refunded' });
  });

  it('refunds an order that was placed by a transaction started before the cancellation', async () => {
    const { eventId, itemId } = await newShow(0);
    let commit: () => void = () => undefined;
    const mayCommit = new Promise<void>((resolve) => {
      commit = resolve;
    });
    const order = { eventId, items: [{ itemId, quantity: 1 }], buyer: { name: 'Ana', email: 'ana@test.test' } };
    let decided: () => void = () => undefined;
    const isDecided = new Promise<void>((resolve) => {
      decided = resolve;
    });
    const placing = inTransaction(world.db, {}, async (tx) => {
      const [placed] = await createOrders(tx, [{ act: systemAct('test', noon), order }]);
      decided();
      await mayCommit;
      return placed as PlacedOrder;
    });
    await isDecided;
    expect((await cancel(eventId)).statusCode).toBe(200);
    const working = workUntilDone();
    await eventuallyWaiting(world.pool, 1);
    commit();
    const placed = await placing;
    await working;
    expect(await progress(eventId)).toMatchObject({ status: 'done', orders: 1, refunded: 1 });
    expect(await read(placed)).toMatchObject({ status: 'refunded' });
  });

  it('refunds an event that was cancelled earlier without refund', async () => {
    const { eventId, itemId } = await newShow();
    const order = await shop.buy([{ itemId, quantity: 1 }], { eventId });
    expect((await cancel(eventId, {})).statusCode).toBe(200);
    expect((await world.call('GET', `/event/${eventId}/cancellation`, { as: 'owner' })).statusCode).toBe(404);
    expect((await cancel(eventId, {})).json()).toMatchObject({ status: 409, code: 'wrong_state' });
    expect((await cancel(eventId)).statusCode).toBe(200);
    await workUntilDone();
    expect(await read(order)).toMatchObject({ status: 'refunded' });
  });

  it('returns 403 to an API token that may manage the event but not refund', async () => {
    const { eventId, itemId } = await newShow();
    const order = await shop.buy([{ itemId, quantity: 1 }], { eventId });
    const { token } = await shop.write<{ token: string }>('POST', '/auth/tokens', { name: 'Planner', permissions: ['event.manage'] });
    const answer = await world.call('POST', `/event/${eventId}/cancel`, { token, body: { refund: true } });
    expect(answer.json()).toMatchObject({ status: 403, code: 'forbidden' });
    expect((await world.call('GET', `/event/${eventId}`)).json()).toMatchObject({ status: 'published' });
    expect(await read(order)).toMatchObject({ status: 'approved' });
  });
});
