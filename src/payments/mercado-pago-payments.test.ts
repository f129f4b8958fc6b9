import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { useMercadoPago } from '../../test/mercado-pago/stand-in.ts';
import { useStripeShop } from '../../test/stripe/use-stripe-shop.ts';
import { minutesAfterNoon, noon } from '../../test/world.ts';
import type { Order } from '../orders/order-schemas.ts';
import { applyNotices } from './apply-notices.ts';
import { finishPayments } from './finish-payments.ts';
import { finishRefunds } from './finish-refunds.ts';
import { reconcilePayments } from './reconcile-payments.ts';

const mercadoPago = useMercadoPago();
const { world, standIn, shop, run, rowsOf, hold, pay, start, read, ticketsOf } = useStripeShop({
  PAYMENTS: 'stripe,mercadopago,cash',
  STRIPE_METHODS: 'card',
  MERCADOPAGO_ACCESS_TOKEN: mercadoPago.accessToken,
  MERCADOPAGO_WEBHOOK_SECRET: mercadoPago.webhookSecret,
});

const pix = { method: 'pix' };

/** Both clocks must agree, because notices have a maximum age. */
function setTime(at: Date): void {
  world.now = at;
  mercadoPago.clock = at;
}
beforeEach(() => setTime(noon));
afterEach(() => setTime(noon));

async function send({ raw, headers }: ReturnType<typeof mercadoPago.notice>): Promise<number> {
  const answer = await world.app.inject({
    method: 'POST',
    url: '/v1/payments/mercadopago/notices',
    headers: { 'content-type': 'application/json', ...headers },
    payload: raw,
  });
  return answer.statusCode;
}

const paymentsAndOrders = async () => [
  await rowsOf('select p::text as row from payment p order by id'),
  await rowsOf('select o::text as row from ticket_order o order by id'),
  await rowsOf('select t::text as row from ticket t order by id'),
  await rowsOf('select l::text as row from ledger_posting l order by 1'),
];

describe('PIX with Mercado Pago', () => {
  it('shows a code, and the signed notice approves the order with its fee', async () => {
    const order = await hold();
    const { intent: id, ...payment } = await start(order, pix);
    expect(payment).toMatchObject({ provider: 'mercadopago', status: 'pending', action: { type: 'display', code: `00020126-pix-${id}` } });
    mercadoPago.pay(id);
    expect(await send(mercadoPago.notice(id))).toBe(202);
    await run(applyNotices);
    expect(await read(order)).toMatchObject({ status: 'approved', payments: [{ status: 'approved', received: 5500 }] });
    expect(await ticketsOf(order)).toHaveLength(1);
    expect(await rowsOf('select fee from payment where order_id = $1', order.id)).toEqual([{ fee: 99 }]);
  });

  it('a notice that is forged or replayed is not applied, and a duplicate is applied once', async () => {
    const order = await hold();
    const { intent: id } = await start(order, pix);
    mercadoPago.pay(id);
    const before = [...(await paymentsAndOrders()), await rowsOf('select n::text as row from payment_notice n order by id')];
    const signed = mercadoPago.notice(id);
    const refused = [
      await send(mercadoPago.notice(id, { secret: 'secret of a forger' })),
      await send(mercadoPago.notice(id, { ts: noon.getTime() / 1000 - 301 })),
      await send({ ...signed, raw: Buffer.from(JSON.stringify({ type: 'payment', data: { id: '1000000' } })) }),
      await send({ ...signed, headers: { ...signed.headers, 'x-request-id': 'another' } }),
    ];
    expect(refused).toEqual([401, 401, 401, 401]);
    await run(applyNotices);
    expect([...(await paymentsAndOrders()), await rowsOf('select n::text as row from payment_notice n order by id')]).toEqual(before);
    // Control: the signed notice is applied.
    expect([await send(signed), await send(signed), await send(mercadoPago.notice(id))]).toEqual([202, 202, 202]);
    await run(applyNotices);
    expect(await ticketsOf(order)).toHaveLength(1);
  });

  it('a notice of one provider about a payment of another changes nothing', async () => {
    const order = await hold();
    const { reference, intent } = await start(order, { method: 'card' });
    // The owner of the Mercado Pago account pays one cent there, with the reference of a payment at Stripe.
    const other = await start(await hold(), pix);
    const payment = mercadoPago.payments.get(Number(other.intent));
    mercadoPago.payments.set(900, { ...(payment ?? ({} as never)), id: 900, external_reference: reference, transaction_amount: 55 });
    mercadoPago.pay('900');
    const before = await paymentsAndOrders();
    expect(await send(mercadoPago.notice('900'))).toBe(202);
    await run(applyNotices);
    await run((db, act, providers, signal) => reconcilePayments(db, act, providers, noon, signal));
    await run(applyNotices);
    expect(await paymentsAndOrders()).toEqual(before);
    // After an hour the notice is left to the operator.
    setTime(minutesAfterNoon(61));
    await run(applyNotices);
    expect(await rowsOf(`select distinct status, event_id from payment_notice where reference = $1`, reference)).toEqual([
      { status: 'set_aside', event_id: 0 },
    ]);
    mercadoPago.payments.delete(900);
    expect(await standIn.client().paymentIntents.retrieve(intent)).toMatchObject({ status: 'requires_payment_method' });
  });

  it('a lost connection leaves the payment begun, the worker finishes it, and the code exists once', async () => {
    const order = await hold();
    mercadoPago.faults.push('cut_after_effect', 'cut_after_effect');
    const answer = await pay(order, pix);
    expect([answer.statusCode, answer.json()]).toMatchObject([201, { payments: [{ status: 'begun' }] }]);
    const reference = answer.json<Order>().payments[0]?.reference;
    world.now = new Date(noon.getTime() + 5_000);
    await run(finishPayments);
    expect(await read(order)).toMatchObject({ payments: [{ status: 'pending' }] });
    expect([...mercadoPago.payments.values()].filter((each) => each.external_reference === reference)).toHaveLength(1);
  });

  it('a lost notice is found by reconciliation, and the refund goes through Mercado Pago', async () => {
    const order = await hold();
    const { intent: id } = await start(order, pix);
    mercadoPago.pay(id);
    await run((db, act, providers, signal) => reconcilePayments(db, act, providers, noon, signal));
    await run(applyNotices);
    expect(await read(order)).toMatchObject({ status: 'approved' });
    await shop.refund(order);
    await run(finishRefunds);
    expect(mercadoPago.payments.get(Number(id))?.refunds).toMatchObject([{ amount: 55, status: 'approved' }]);
    expect(await rowsOf('select status from refund where order_id = $1', order.id)).toEqual([{ status: 'done' }]);
  });
});
