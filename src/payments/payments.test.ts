import { describe, expect, it } from 'vitest';
import { auditOf } from '../../test/audit.ts';
import { useWorld } from '../../test/harness.ts';
import { pixPaymentsOf } from '../../test/pix-payments.ts';
import { shopOf } from '../../test/shop.ts';
import { minutesAfterNoon, noon } from '../../test/world.ts';
import { expireOrders } from '../orders/expire-orders.ts';
import type { Order, PlacedOrder } from '../orders/order-schemas.ts';
import { applyNotices } from './apply-notices.ts';
import { reconcilePayments } from './reconcile-payments.ts';
import { runSandbox } from './run-sandbox.ts';

const world = useWorld();
const shop = shopOf(world);
const { run, runInTransaction, rowsOf, payPix, startPix, read, ticketsOf, sendAndApply } = pixPaymentsOf(world);

const countersOf = async (itemId: number) => (await rowsOf('select sold, held from item where id = $1', itemId))[0];

describe('POST /orders/{id}/payment', () => {
  it('returns 201 for PIX and keeps the order held, with a pending payment and a PIX code', async () => {
    const itemId = await shop.newItem({ item: { quantity: 1 } });
    const order = await shop.hold([{ itemId, quantity: 1 }]);
    const answer = await payPix(order);
    expect(answer.statusCode).toBe(201);
    const [payment] = answer.json<Order>().payments;
    expect(payment).toEqual({
      provider: 'sandbox',
      method: 'pix',
      status: 'pending',
      amount: 5500,
      received: 0,
      returned: 0,
      refunded: 0,
      reference: expect.stringMatching(/^[0-9A-Z]{24}$/),
      expiresAt: minutesAfterNoon(15).toISOString(),
      action: { type: 'display', code: payment?.pixCode, imageUrl: null },
      pixCode: expect.stringContaining('540555.00'),
      failure: null,
      createdAt: noon.toISOString(),
    });
    expect(payment?.pixCode).toContain(payment?.reference);
    expect(answer.json()).toMatchObject({ status: 'held', approvedAt: null, expiresAt: minutesAfterNoon(15).toISOString() });
    expect(await read(order)).toEqual(answer.json());
    expect(await countersOf(itemId)).toEqual({ sold: 0, held: 1 });
    expect(await ticketsOf(order)).toEqual([]);
    expect(await auditOf(world, answer)).toMatchObject([
      { operation: 'payOrder', after: { payment: { status: 'begun' } } },
      { operation: 'payOrder', before: { payment: { status: 'begun' } }, after: { payment: { status: 'pending' } } },
    ]);
  });

  it('returns 201 for a card and lists an approved payment', async () => {
    const order = await shop.hold([{ itemId: world.item, quantity: 1 }]);
    const answer = await shop.pay(order);
    expect(answer.json()).toEqual(await read(order));
    expect(answer.json<Order>().payments).toEqual([
      {
        provider: 'sandbox',
        method: 'card',
        status: 'approved',
        amount: 5500,
        received: 5500,
        returned: 0,
        refunded: 0,
        reference: null,
        expiresAt: null,
        action: null,
        pixCode: null,
        failure: null,
        createdAt: noon.toISOString(),
      },
    ]);
  });

  it('returns the open payment when PIX is asked for again', async () => {
    const order = await shop.hold([{ itemId: world.item, quantity: 1 }]);
    const first = await startPix(order);
    world.now = minutesAfterNoon(1);
    const again = await payPix(order);
    expect(again.statusCode).toBe(201);
    expect(again.json<Order>().payments).toEqual([first]);
    expect(await rowsOf('select count(*)::int as n from sandbox_charge where reference = $1', first.reference)).toEqual([{ n: 1 }]);
  });

  it('extends the hold until the payment expires, but only for the first payment', async () => {
    const itemId = await shop.newItem();
    const order = await shop.hold([{ itemId, quantity: 1 }]);
    world.now = minutesAfterNoon(9);
    expect(await startPix(order)).toMatchObject({ expiresAt: minutesAfterNoon(24).toISOString() });
    expect(await read(order)).toMatchObject({ expiresAt: minutesAfterNoon(24).toISOString(), extended: false });
    await world.pool.query(`update payment set status = 'declined', due_at = null where order_id = $1`, [order.id]);
    world.now = minutesAfterNoon(23);
    expect(await startPix(order)).toMatchObject({ expiresAt: minutesAfterNoon(25).toISOString() });
    expect(await read(order)).toMatchObject({ expiresAt: minutesAfterNoon(24).toISOString() });
  });

  it('returns 409 when the hold has expired or the order is paid', async () => {
    const itemId = await shop.newItem();
    const [expired, paid] = [await shop.hold([{ itemId, quantity: 1 }]), await shop.hold([{ itemId, quantity: 1 }])];
    await shop.pay(paid);
    expect((await payPix(paid)).json()).toMatchObject({
      status: 409,
      detail: 'This order is already paid. Get its tickets with GET /orders/{id}/tickets.',
    });
    world.now = minutesAfterNoon(10);
    expect((await payPix(expired)).json()).toMatchObject({ status: 409, code: 'hold_expired' });
    expect((await read(expired)).payments).toEqual([]);
  });

  it('returns 422 for a card with an outcome that only PIX supports', async () => {
    const order = await shop.hold([{ itemId: world.item, quantity: 1 }]);
    const body = { method: 'card', outcome: 'late' };
    const answer = await world.call('POST', `/orders/${order.id}/payment?secret=${order.secret}`, { body });
    expect(answer.json()).toMatchObject({ status: 422, errors: [{ field: 'outcome', code: 'method' }] });
  });
});

describe('the sandbox', () => {
  const simulate = async (): Promise<void> => {
    await runInTransaction(runSandbox);
    await run(applyNotices);
  };

  it.each([
    ['approve', 'approved', { status: 'approved', received: 5500, returned: 0 }],
    ['decline', 'held', { status: 'declined', received: 0, returned: 0 }],
    ['twice', 'approved', { status: 'approved', received: 5500, returned: 0 }],
    ['tooLittle', 'held', { status: 'refunded', received: 5499, returned: 5499 }],
    ['tooMuch', 'approved', { status: 'approved', received: 5501, returned: 1 }],
    ['never', 'held', { status: 'pending', received: 0, returned: 0 }],
  ])('simulates the outcome %s', async (outcome, status, payment) => {
    const order = await shop.hold([{ itemId: world.item, quantity: 1 }]);
    await startPix(order, outcome);
    await simulate();
    expect(await read(order)).toMatchObject({ status, payments: [payment] });
    expect((await ticketsOf(order)).length).toBe(status === 'approved' ? 1 : 0);
    expect(await runInTransaction(runSandbox)).toBe(0);
  });

  it('simulates a buyer who pays when the hold expires', async () => {
    const itemId = await shop.newItem({ item: { quantity: 1 } });
    const order = await shop.hold([{ itemId, quantity: 1 }]);
    await startPix(order, 'late');
    await simulate();
    expect(await read(order)).toMatchObject({ status: 'held', payments: [{ status: 'pending' }] });
    world.now = minutesAfterNoon(15);
    await run(expireOrders);
    await shop.hold([{ itemId, quantity: 1 }]);
    await simulate();
    expect(await read(order)).toMatchObject({ status: 'expired', payments: [{ status: 'refunded', returned: 5500 }] });
  });
});

describe('reconcilePayments', () => {
  const reconcile = () => run((db, act, providers, signal) => reconcilePayments(db, act, providers, noon, signal));

  it('finds paid and failed payments whose notice has not arrived', async () => {
    const orders = [await shop.hold([{ itemId: world.item, quantity: 1 }]), await shop.hold([{ itemId: world.item, quantity: 1 }])];
    const [lost, failed] = [await startPix(orders[0] as PlacedOrder, 'lost'), await startPix(orders[1] as PlacedOrder)];
    await runInTransaction(runSandbox);
    await world.pool.query(`update sandbox_charge set status = 'failed', settled_at = $2 where reference = $1`, [failed.reference, noon]);
    expect(await run(applyNotices)).toBe(0);
    const missed = await reconcile();
    expect(missed).toContainEqual({ provider: 'sandbox', noticeId: `${lost.reference}-paid-1`, type: 'paid' });
    expect(missed).toContainEqual({ provider: 'sandbox', noticeId: `${failed.reference}-failed`, type: 'failed' });
    await run(applyNotices);
    expect(await Promise.all(orders.map(read))).toMatchObject([
      { status: 'approved', payments: [{ status: 'approved' }] },
      { status: 'held', payments: [{ status: 'declined' }] },
    ]);
    expect(await reconcile()).toEqual([]);
    // The lost notice arrives late and changes nothing.
    await sendAndApply({ reference: lost.reference });
    expect((await ticketsOf(orders[0] as PlacedOrder)).length).toBe(1);
  });
});
