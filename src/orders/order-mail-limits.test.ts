import { beforeEach, describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import { minutesAfterNoon, noon } from '../../test/world.ts';
import { deleteOldMailCounts } from '../platform/mail/outbox.ts';
import { inTransaction } from '../postgres/transaction.ts';
import type { PlacedOrder } from './order-schemas.ts';

const world = useWorld();
const shop = shopOf(world);
const nothing = { price: 0, feeSale: 0, feeProducer: 0 };
let free = 0;
let paid = 0;

beforeEach(async () => {
  world.now = noon;
  free ||= await shop.newItem({ values: nothing, available: 10_000 });
  paid ||= await shop.newItem({ available: 10_000 });
  await world.pool.query('delete from mail; delete from mail_count');
});

const buyerOf = (email: string) => ({ buyer: { name: 'Ana Souza', email } });

/** Places an order from this address. Requests of `world.call` come from 127.0.0.1. */
async function orderFrom(remoteAddress: string, email: string): Promise<PlacedOrder> {
  const payload = { eventId: world.event, items: [{ itemId: free, quantity: 1 }], ...buyerOf(email) };
  const answer = await world.app.inject({ method: 'POST', url: '/v1/orders', remoteAddress, payload });
  if (answer.statusCode !== 201) throw new Error(answer.body);
  return answer.json();
}

/** Counts the queued mails, and the mails that were dropped because of a limit. */
async function mails(): Promise<{ queued: number; limited: number }> {
  const { rows } = await world.pool.query(
    `select count(*) filter (where status = 'queued') as queued, count(*) filter (where status = 'failed' and payload is null) as limited from mail`,
  );
  return rows[0];
}

describe('mails about orders', () => {
  it('POST /orders returns 201 for every free order and queues at most 10 mails an hour to one address', async () => {
    const orders = await Promise.all(
      Array.from({ length: 40 }, (_, i) => orderFrom(`192.0.2.${i}`, i % 2 ? 'victim@test.test' : 'Victim+x@test.test')),
    );
    expect(new Set(orders.map(({ status }) => status))).toEqual(new Set(['approved']));
    expect(await mails()).toEqual({ queued: 10, limited: 30 });
    world.now = minutesAfterNoon(60);
    await orderFrom('192.0.2.1', 'victim@test.test');
    await orderFrom('192.0.2.1', 'other@test.test');
    expect(await mails()).toEqual({ queued: 12, limited: 30 });
  });

  it('POST /orders queues at most 200 mails a day about free orders from one network', async () => {
    await Promise.all(Array.from({ length: 210 }, (_, i) => orderFrom(`2001:db8:0:7::${i + 1}`, `buyer${i}@test.test`)));
    expect(await mails()).toEqual({ queued: 200, limited: 10 });
    await orderFrom('2001:db8:0:8::1', 'buyer@test.test');
    expect((await mails()).queued).toBe(201);
    world.now = minutesAfterNoon(24 * 60);
    await orderFrom('2001:db8:0:7::1', 'buyer@test.test');
    expect((await mails()).queued).toBe(202);
  });

  it('POST /orders by the crew has no mail limit per network', async () => {
    await world.pool.query(
      `insert into mail_count (scope, period, n) values ('network:127.0.0.1', date_trunc('day', $1::timestamptz, 'UTC'), 200)`,
      [noon],
    );
    const body = { eventId: world.event, items: [{ itemId: free, quantity: 1 }], ...buyerOf('guest@test.test') };
    expect((await world.call('POST', '/orders', { as: 'crew_sales_operator', body })).statusCode).toBe(201);
    expect(await mails()).toEqual({ queued: 1, limited: 0 });
    expect((await world.call('POST', '/orders', { body })).statusCode).toBe(201);
    expect(await mails()).toEqual({ queued: 1, limited: 1 });
  });

  it('paid orders have no mail limit per network, and a limit of 50 mails an hour per address', async () => {
    await world.pool.query(
      `insert into mail_count (scope, period, n) values ('network:127.0.0.1', date_trunc('day', $1::timestamptz, 'UTC'), 200)`,
      [noon],
    );
    for (let i = 0; i < 51; i++) await shop.buy([{ itemId: paid, quantity: 1 }], buyerOf('buyer@test.test'));
    expect(await mails()).toEqual({ queued: 50, limited: 1 });
  });

  it('POST /orders/{id}/tickets/mail returns 429 when the address is over its limit, and 202 an hour later', async () => {
    const orders = await Promise.all(Array.from({ length: 11 }, () => orderFrom('192.0.2.1', 'victim@test.test')));
    const resend = ({ id, secret }: PlacedOrder) => world.call('POST', `/orders/${id}/tickets/mail?secret=${secret}`, { body: {} });
    const [order] = orders as [PlacedOrder];
    world.now = minutesAfterNoon(30);
    const refused = await resend(order);
    expect([refused.statusCode, refused.json().code, refused.headers['retry-after']]).toEqual([429, 'rate_limited', '1800']);
    world.now = minutesAfterNoon(60);
    expect((await resend(order)).statusCode).toBe(202);
  });

  it('POST /orders/{id}/refund of a free order queues a mail when the crew refunds, and no mail when an anonymous buyer withdraws', async () => {
    const [first, second] = [await orderFrom('192.0.2.1', 'a@test.test'), await orderFrom('192.0.2.1', 'b@test.test')];
    expect((await world.call('POST', `/orders/${first.id}/refund?secret=${first.secret}`, { body: {} })).statusCode).toBe(200);
    expect((await shop.refund(second)).statusCode).toBe(200);
    const { rows } = await world.pool.query(`select payload->>'orderId' as id from mail where kind = 'order_refunded'`);
    expect(rows).toEqual([{ id: String(second.id) }]);
  });

  it('housekeeping deletes mail counts older than two days', async () => {
    await orderFrom('192.0.2.1', 'a@test.test');
    const keep = (minutes: number) => inTransaction(world.db, {}, (tx) => deleteOldMailCounts(tx, minutesAfterNoon(minutes), 1_000));
    expect(await keep(24 * 60)).toBe(0);
    expect(await keep(4 * 24 * 60)).toBe(2);
  });
});
