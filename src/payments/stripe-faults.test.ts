import { describe, expect, it } from 'vitest';
import type { Fault } from '../../test/stripe/faults.ts';
import { useStripeShop } from '../../test/stripe/use-stripe-shop.ts';
import { noon } from '../../test/world.ts';
import type { Order } from '../orders/order-schemas.ts';
import { finishPayments } from './finish-payments.ts';

const { world, standIn, run, rowsOf, hold, pay, intentOf, read, ticketsOf, deliver, intentsOf, chargesOf } = useStripeShop();

const secondsAfterNoon = (n: number): Date => new Date(noon.getTime() + n * 1000);
const creation = { method: 'POST', path: '/v1/payment_intents' } as const;
const visa = { paymentMethod: 'pm_card_visa' };

/** Hits each request that starts a payment, until `clearFaults`. */
const failAlways = (kind: Fault['kind']): number => standIn.addFault({ ...creation, kind, times: 1000 });
const failOnce = (kind: Fault['kind']): number => standIn.addFault({ ...creation, kind, times: 1 });

const lastPayment = (order: Order) => order.payments.at(-1);

describe('POST /orders/{id}/payment while Stripe fails', () => {
  it.each<[Fault['kind']]>([['cut_before_effect'], ['cut_after_effect'], ['cut_body'], ['rate_limit']])(
    '%s: returns 201 with the payment begun, the worker finishes it, and the buyer is charged once',
    async (kind) => {
      const order = await hold();
      const fault = failAlways(kind);
      const answer = await pay(order, { method: 'card' });
      expect([answer.statusCode, answer.json()]).toMatchObject([201, { status: 'held', payments: [{ status: 'begun', action: null }] }]);
      const { used } = standIn.faultStatus(fault);
      expect(used >= 2 && used <= 4, `${used} requests`).toBe(true);
      standIn.clearFaults();
      world.now = secondsAfterNoon(5);
      await run(finishPayments);
      const payment = lastPayment(await read(order));
      expect(payment).toMatchObject({ status: 'pending', action: { type: 'client' } });
      const [intent, ...others] = await intentsOf(payment?.reference);
      expect(others).toEqual([]);
      standIn.confirm(intent?.id ?? '', visa);
      await deliver();
      expect(await read(order)).toMatchObject({ status: 'approved', payments: [{ status: 'approved' }] });
      expect(chargesOf(intent?.id ?? '')).toHaveLength(1);
    },
  );

  it.each<[Fault['kind'], string]>([
    ['cut_after_effect', 'card'],
    ['cut_body', 'pix'],
    ['api_error_after_effect', 'pix'],
  ])('%s, once: the same request is repeated with the same key, and returns one payment by %s', async (kind, method) => {
    const order = await hold();
    failOnce(kind);
    const answer = await pay(order, { method });
    expect([answer.statusCode, answer.json()]).toMatchObject([201, { payments: [{ status: 'pending' }] }]);
    expect(await intentsOf(lastPayment(answer.json<Order>())?.reference)).toHaveLength(1);
  });

  it('a request that is repeated with its Idempotency-Key after a crash finishes the same payment', async () => {
    const order = await hold();
    const headers = { 'idempotency-key': `crash-${order.id}` };
    failAlways('cut_after_effect');
    const first = await pay(order, { method: 'pix' }, headers);
    standIn.clearFaults();
    expect(lastPayment(first.json<Order>())).toMatchObject({ status: 'begun' });
    // The worker of the dead process did nothing meanwhile.
    const again = await pay(order, { method: 'pix' }, headers);
    expect([again.statusCode, again.headers['idempotency-replayed']]).toEqual([201, 'true']);
    const { reference } = lastPayment(first.json<Order>()) ?? {};
    expect(again.json()).toMatchObject({ payments: [{ reference, status: 'pending', action: { type: 'display' } }] });
    expect(await intentsOf(reference)).toHaveLength(1);
    standIn.payPix(await intentOf(reference ?? ''));
    await deliver();
    const approved = await pay(order, { method: 'pix' }, headers);
    expect(approved.json()).toMatchObject({ status: 'approved', payments: [{ reference, status: 'approved' }] });
    expect(await ticketsOf(order)).toHaveLength(1);
  });

  it('a worker that takes over at the same time as the buyer repeats the request charges once', async () => {
    const order = await hold();
    failAlways('cut_before_effect');
    const begun = lastPayment((await pay(order, { method: 'pix' })).json<Order>());
    standIn.clearFaults();
    expect(begun).toMatchObject({ status: 'begun' });
    world.now = secondsAfterNoon(5);
    await Promise.all([run(finishPayments), run(finishPayments), pay(order, { method: 'pix' }), pay(order, { method: 'pix' })]);
    expect(await intentsOf(begun?.reference)).toHaveLength(1);
    expect(await read(order)).toMatchObject({ payments: [{ reference: begun?.reference, status: 'pending' }] });
  });

  it('an internal error of Stripe without effect leaves the payment begun, with the reason', async () => {
    const order = await hold();
    failAlways('api_error');
    expect((await pay(order, { method: 'pix' })).json()).toMatchObject({ payments: [{ status: 'begun' }] });
    expect(await rowsOf('select last_error from payment where order_id = $1', order.id)).toEqual([
      { last_error: 'Stripe had an internal error.' },
    ]);
  });
});
