import { describe, expect, it } from 'vitest';
import { useStripeShop } from '../../test/stripe/use-stripe-shop.ts';
import { minutesAfterNoon } from '../../test/world.ts';
import { renderRefund } from '../orders/order-mails.ts';
import type { Order, OrderRefund, PlacedOrder } from '../orders/order-schemas.ts';
import { writeLetter } from '../platform/mail/letter.ts';
import { inTransaction } from '../postgres/transaction.ts';
import type { Refund } from './contract.ts';
import { finishRefunds } from './finish-refunds.ts';

const { world, standIn, shop, run, rowsOf, hold, start, read, deliver, chargesOf } = useStripeShop();
const crew = { as: 'crew_sales_manager' } as const;

/** Buys a ticket with a card. Returns the order and the name of the payment at Stripe. */
async function buyByCard(): Promise<{ order: PlacedOrder; intent: string }> {
  const order = await hold();
  const { intent } = await start(order, { method: 'card' });
  standIn.confirm(intent, { paymentMethod: 'pm_card_visa' });
  await deliver();
  expect((await read(order)).status).toBe('approved');
  return { order, intent };
}

const readByCrew = async ({ id }: PlacedOrder) => (await world.call('GET', `/orders/${id}`, crew)).json<Order>();
const refundOf = async (order: PlacedOrder) => (await readByCrew(order)).refunds[0] as OrderRefund;
const act = (order: PlacedOrder, { id }: { id: number }, verb: 'retry' | 'settle', body?: object) =>
  world.call('POST', `/orders/${order.id}/refunds/${id}/${verb}`, { ...crew, ...(body && { body }) });
const retry = (order: PlacedOrder, refund: { id: number }) => act(order, refund, 'retry');
const settle = (order: PlacedOrder, refund: { id: number }, note = 'Paid by bank transfer') => act(order, refund, 'settle', { note });
const listed = async (query: string) =>
  (await world.call('GET', `/event/${world.event}/refunds${query}`, crew)).json<{
    data: Refund[];
    nextCursor: string | null;
    total?: number;
  }>();
const noticesOf = (order: PlacedOrder) =>
  rowsOf(
    `select n.type, n.status, n.outcome from payment_notice n join payment p on p.event_id = n.event_id and p.provider_id = n.provider_id
      where p.order_id = $1 and n.type like 'refund.%' order by n.id`,
    order.id,
  );

/** Refunds the order. Stripe takes the refund and fails it later, as it does for a canceled card. */
async function failRefund(): Promise<{ order: PlacedOrder; intent: string; refund: OrderRefund }> {
  const { order, intent } = await buyByCard();
  standIn.setNextRefundStatuses('pending');
  expect((await shop.refund(order)).statusCode).toBe(200);
  await run(finishRefunds);
  expect(await refundOf(order)).toMatchObject({ status: 'pending' });
  const [row] = await rowsOf('select provider_id from refund where order_id = $1', order.id);
  standIn.failRefund(String(row?.provider_id));
  await deliver();
  return { order, intent, refund: await refundOf(order) };
}

/** The audit reports failed refunds, and it runs after each test. So every test ends its failed refunds. */
describe('a refund that the provider fails', () => {
  it('is in the order and in the list of the crew, and a retry returns the money once', async () => {
    const { order, intent, refund } = await failRefund();
    expect(refund).toMatchObject({ amount: 5500, reason: 'refund', status: 'failed', failure: 'The card expired or was canceled.' });
    expect((await listed('?status=failed')).data).toEqual([
      { ...refund, orderId: order.id, provider: 'stripe', method: 'card', currency: 'BRL' },
    ]);
    const answer = await retry(order, refund);
    expect(answer.statusCode, answer.body).toBe(200);
    expect(answer.json()).toMatchObject({ id: refund.id, status: 'begun', failure: null, finishedAt: null });
    await run(finishRefunds);
    expect(await refundOf(order)).toMatchObject({ id: refund.id, status: 'done', failure: null });
    expect(chargesOf(intent)).toMatchObject([{ amount: 5500, amountRefunded: 5500 }]);
    expect((await listed('?status=failed')).data).toEqual([]);
    const entries = await rowsOf(
      `select before, after from audit_log where subject_id = $1 and operation = 'retryRefund'`,
      String(order.id),
    );
    expect(entries).toEqual([
      {
        before: { refund: { id: refund.id, status: 'failed', failure: refund.failure } },
        after: { refund: { id: refund.id, status: 'begun' } },
      },
    ]);
  });

  it('shows the buyer the status, but not the words of the provider or the crew', async () => {
    const { order, refund } = await failRefund();
    expect((await read(order)).refunds).toEqual([{ ...refund, failure: null }]);
    await settle(order, refund);
    expect((await read(order)).refunds).toMatchObject([{ status: 'done', failure: null, note: null }]);
  });

  it('ignores late notices about the failed attempt after a retry', async () => {
    const { order, refund } = await failRefund();
    const events = standIn.deliveries().filter(({ type }) => type === 'refund.failed');
    await retry(order, refund);
    await rowsOf(`delete from payment_notice where type like 'refund.%'`);
    await deliver({ ids: events.map(({ event }) => event) });
    expect(await noticesOf(order)).toEqual([
      { type: 'refund.failed', status: 'ignored', outcome: `an earlier attempt of refund ${refund.id} is failed` },
    ]);
    expect(await refundOf(order)).toMatchObject({ status: 'begun' });
    await run(finishRefunds);
  });

  it('stays done after the crew has settled it, even if its failure is reported again', async () => {
    const { order, intent, refund } = await failRefund();
    const answer = await settle(order, refund);
    expect(answer.json()).toMatchObject({ status: 'done', failure: null, note: 'Paid by bank transfer' });
    await rowsOf(`delete from payment_notice where type like 'refund.%'`);
    await deliver({ ids: standIn.deliveries().flatMap(({ type, event }) => (type === 'refund.failed' ? [event] : [])) });
    expect(await refundOf(order)).toMatchObject({ status: 'done', note: 'Paid by bank transfer' });
    expect(chargesOf(intent)).toMatchObject([{ amountRefunded: 0 }]);
  });

  it('stays done if older reports arrive late', async () => {
    const { order } = await buyByCard();
    standIn.setNextRefundStatuses('pending');
    await shop.refund(order);
    await run(finishRefunds);
    const [row] = await rowsOf('select provider_id from refund where order_id = $1', order.id);
    standIn.settleRefund(String(row?.provider_id));
    await deliver({ order: 'reversed', copies: 2 });
    expect(await refundOf(order)).toMatchObject({ status: 'done' });
    expect((await noticesOf(order)).map(({ type, status }) => [type, status])).toEqual([
      ['refund.updated', 'applied'],
      ['refund.created', 'ignored'],
    ]);
  });

  it('can be refused at once, for example for a disputed payment', async () => {
    const { order, intent } = await buyByCard();
    await shop.refund(order);
    const { id } = standIn.openDispute(chargesOf(intent)[0]?.id ?? '', 'fraudulent');
    await run(finishRefunds);
    const refund = await refundOf(order);
    expect(refund).toMatchObject({ status: 'failed', failure: expect.stringMatching(/charged back/) as string });
    standIn.closeDispute(id, 'lost');
    await settle(order, refund, 'The bank returned the money');
  });

  it('is not promised by the mail to the buyer', async () => {
    const { order, refund } = await failRefund();
    const textOf = async () => {
      const payload = { eventId: world.event, orderId: order.id, lines: [{ itemId: world.item, quantity: 1 }], amount: 5500 };
      const mail = { payload, locale: 'en', recipient: null, at: world.now } as const;
      const rendered = await inTransaction(world.db, {}, (tx) => renderRefund('https://shop.test')(tx, mail));
      return rendered ? writeLetter(rendered.letter).text : '';
    };
    expect(await textOf()).toContain('The money could not be returned to the payment method you used.');
    await retry(order, refund);
    expect(await textOf()).toContain('The money is being returned to the payment method you used.');
    await run(finishRefunds);
  });
});

describe('GET /event/{eventId}/refunds', () => {
  it('returns 200 with pages, newest first', async () => {
    const all = await listed('?count=true&pageSize=200');
    expect(all.total).toBe(all.data.length);
    expect(all.data.map(({ id }) => id)).toEqual(all.data.map(({ id }) => id).toSorted((a, b) => b - a));
    const first = await listed('?pageSize=2');
    const second = await listed(`?pageSize=2&cursor=${first.nextCursor}`);
    expect([...first.data, ...second.data]).toEqual(all.data.slice(0, 4));
  });

  it('returns 400 for an unknown status', async () => {
    expect((await world.call('GET', `/event/${world.event}/refunds?status=lost`, crew)).statusCode).toBe(400);
  });
});

describe('POST /orders/{id}/refunds/{refundId}/retry and settle', () => {
  it('return 404 for a refund of another order', async () => {
    const { order, refund } = await failRefund();
    const other = await hold();
    expect((await retry(other, refund)).statusCode).toBe(404);
    expect((await settle(other, refund)).statusCode).toBe(404);
    expect((await retry(order, { id: world.missing })).statusCode).toBe(404);
    await settle(order, refund);
  });

  it('return 409 if the refund has not failed', async () => {
    const { order } = await buyByCard();
    world.now = minutesAfterNoon(1);
    await shop.refund(order);
    const begun = await refundOf(order);
    for (const answer of [await retry(order, begun), await settle(order, begun)]) {
      expect(answer.statusCode).toBe(409);
      expect(answer.json()).toMatchObject({ code: 'wrong_state', detail: expect.stringMatching(/^The refund is begun\./) as string });
    }
    await run(finishRefunds);
    expect((await retry(order, begun)).json()).toMatchObject({ detail: 'The refund is done. Only failed refunds can be retried.' });
  });

  it('two retries at the same time start one refund', async () => {
    const { order, intent, refund } = await failRefund();
    const answers = await Promise.all([retry(order, refund), retry(order, refund)]);
    expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([200, 409]);
    await run(finishRefunds);
    expect(chargesOf(intent)).toMatchObject([{ amountRefunded: 5500 }]);
  });
});
