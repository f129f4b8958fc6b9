import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { auditFindings } from '../../test/audit-findings.ts';
import { useWorld } from '../../test/harness.ts';
import { pixPaymentsOf } from '../../test/pix-payments.ts';
import { shopOf } from '../../test/shop.ts';
import { minutesAfterNoon, noon } from '../../test/world.ts';
import { expireOrders } from '../orders/expire-orders.ts';
import type { PlacedOrder } from '../orders/order-schemas.ts';
import { applyNotices } from './apply-notices.ts';
import { finishRefunds } from './finish-refunds.ts';
import { listOpenNotices, retryNotices } from './notices.ts';

const world = useWorld();
const shop = shopOf(world);
const { run, runInTransaction, rowsOf, startPix, read, ticketsOf, noticesOf, signatureOf, sendNotice, sendAndApply } = pixPaymentsOf(world);

/** Returns the postings of money that was received and sent back without buying tickets. */
const returnsOf = ({ id }: PlacedOrder) =>
  rowsOf(
    `select reason, source || ' → ' || target as way, amount from ledger_posting where order_id = $1 and reason not in ('sale', 'refund') order by id`,
    id,
  );
const postingsBack = (reason: string, amount: number) => [
  { reason, way: 'payment:pix → suspense', amount },
  { reason, way: 'suspense → payment:pix', amount },
];
const salesOf = ({ id }: PlacedOrder) =>
  rowsOf(`select source, target, amount from ledger_posting where order_id = $1 and reason = 'sale' order by id`, id);
const countersOf = async (itemId: number) => (await rowsOf('select sold, held from item where id = $1', itemId))[0];
const chargeOf = async (reference: string) =>
  (await rowsOf('select status, paid, returned from sandbox_charge where reference = $1', reference))[0];

interface StoredNotice {
  status: string;
  due_at: Date;
}
const metrics = async () => (await world.app.inject({ url: '/metrics' })).body;

async function letExpire(): Promise<void> {
  world.now = minutesAfterNoon(15);
  await run(expireOrders);
}

describe('POST /payments/sandbox/notices', () => {
  it('returns 202, and the worker then approves the order and issues its tickets', async () => {
    const itemId = await shop.newItem({ item: { quantity: 1 } });
    const order = await shop.hold([{ itemId, quantity: 1 }]);
    const { reference } = await startPix(order);
    const answer = await sendNotice({ id: 'first', reference });
    expect([answer.statusCode, answer.json()]).toEqual([202, { id: 'first' }]);
    expect(await read(order)).toMatchObject({ status: 'held' });
    expect(await rowsOf(`select raw::json ->> 'id' as id from payment_notice where reference = $1`, reference)).toEqual([{ id: 'first' }]);
    await run(applyNotices);
    expect(await read(order)).toMatchObject({
      status: 'approved',
      approvedAt: noon.toISOString(),
      payments: [{ status: 'approved', received: 5500, returned: 0, pixCode: null }],
    });
    expect((await ticketsOf(order)).map(({ status }) => status)).toEqual(['valid']);
    expect(await salesOf(order)).toEqual([
      { source: 'payment:pix', target: 'producer', amount: 5000 },
      { source: 'payment:pix', target: 'platform', amount: 500 },
    ]);
    expect(await countersOf(itemId)).toEqual({ sold: 1, held: 0 });
    expect(await noticesOf(reference)).toEqual([{ status: 'applied', outcome: 'approved' }]);
    expect(await chargeOf(reference)).toEqual({ status: 'paid', paid: 5500, returned: 0 });
  });

  it('a notice with the event "failed" declines the payment, and the order can be paid in another way', async () => {
    const order = await shop.hold([{ itemId: world.item, quantity: 1 }]);
    const { reference } = await startPix(order);
    await sendAndApply({ reference, event: 'failed' });
    expect(await read(order)).toMatchObject({ status: 'held', payments: [{ status: 'declined', received: 0 }] });
    expect(await chargeOf(reference)).toEqual({ status: 'failed', paid: 0, returned: 0 });
    expect((await shop.pay(order)).statusCode).toBe(201);
  });

  it('a late payment approves the order if tickets are left, and is refunded otherwise', async () => {
    const itemId = await shop.newItem({ item: { quantity: 2 } });
    const [lucky, late] = [await shop.hold([{ itemId, quantity: 1 }]), await shop.hold([{ itemId, quantity: 1 }])];
    const [first, second] = [await startPix(lucky), await startPix(late)];
    await letExpire();
    await sendAndApply({ reference: first.reference });
    expect(await read(lucky)).toMatchObject({ status: 'approved' });
    await shop.buy([{ itemId, quantity: 1 }]);
    await sendAndApply({ reference: second.reference });
    expect(await read(late)).toMatchObject({ status: 'expired', payments: [{ status: 'refunded', received: 5500, returned: 5500 }] });
    expect(await returnsOf(late)).toEqual(postingsBack('late', 5500));
    expect(await ticketsOf(late)).toEqual([]);
    expect(await countersOf(itemId)).toEqual({ sold: 2, held: 0 });
    expect(await chargeOf(second.reference)).toEqual({ status: 'paid', paid: 5500, returned: 5500 });
    expect(await noticesOf(second.reference)).toEqual([{ status: 'applied', outcome: 'refunded: late, sold out' }]);
  });

  it('one of two late payments for the last ticket approves its order, and the other is refunded', async () => {
    const itemId = await shop.newItem({ item: { quantity: 2 } });
    const orders = [await shop.hold([{ itemId, quantity: 1 }]), await shop.hold([{ itemId, quantity: 1 }])];
    const payments = [await startPix(orders[0] as PlacedOrder), await startPix(orders[1] as PlacedOrder)];
    await letExpire();
    await shop.buy([{ itemId, quantity: 1 }]);
    await sendAndApply(...payments.map(({ reference }) => ({ reference })));
    const after = await Promise.all(orders.map(read));
    expect(after.map(({ status, payments: [payment] }) => `${status} ${payment?.status}`)).toEqual([
      'approved approved',
      'expired refunded',
    ]);
    expect(await countersOf(itemId)).toEqual({ sold: 2, held: 0 });
  });

  it('a repeated notice is stored once, and a second notice about the same payment is ignored', async () => {
    const order = await shop.hold([{ itemId: world.item, quantity: 1 }]);
    const { reference } = await startPix(order);
    await sendAndApply({ id: 'same', reference }, { id: 'same', reference }, { id: 'other', reference });
    await sendAndApply({ id: 'same', reference }, { id: 'third', reference });
    expect(await noticesOf(reference)).toEqual([
      { status: 'applied', outcome: 'approved' },
      { status: 'ignored', outcome: 'the payment is approved' },
      { status: 'ignored', outcome: 'the payment is approved' },
    ]);
    expect([(await ticketsOf(order)).length, (await salesOf(order)).length]).toEqual([1, 2]);
  });

  it('a payment that is too low is refunded, and the order is not approved', async () => {
    const order = await shop.hold([{ itemId: world.item, quantity: 1 }]);
    const { reference } = await startPix(order);
    await sendAndApply({ reference, amount: 5499 });
    expect(await read(order)).toMatchObject({ status: 'held', payments: [{ status: 'refunded', received: 5499, returned: 5499 }] });
    expect(await returnsOf(order)).toEqual(postingsBack('underpaid', 5499));
    expect((await shop.pay(order)).statusCode).toBe(201);
  });

  it('a payment that is too high approves the order, and the difference is refunded', async () => {
    const order = await shop.hold([{ itemId: world.item, quantity: 1 }]);
    const { reference } = await startPix(order);
    await sendAndApply({ reference, amount: 6000 });
    expect(await read(order)).toMatchObject({ status: 'approved', payments: [{ status: 'approved', received: 6000, returned: 500 }] });
    expect(await returnsOf(order)).toEqual(postingsBack('overpaid', 500));
    expect(await chargeOf(reference)).toEqual({ status: 'paid', paid: 6000, returned: 500 });
    await shop.refund(order);
    await run(finishRefunds);
    expect(await chargeOf(reference)).toEqual({ status: 'paid', paid: 6000, returned: 6000 });
  });

  it('a "paid" notice is applied after a "failed" notice, and a "failed" notice is ignored after a "paid" notice', async () => {
    const [one, two] = [await shop.hold([{ itemId: world.item, quantity: 1 }]), await shop.hold([{ itemId: world.item, quantity: 1 }])];
    const [first, second] = [await startPix(one), await startPix(two)];
    await sendAndApply({ reference: first.reference, event: 'failed' }, { reference: first.reference });
    await sendAndApply({ reference: second.reference });
    await sendAndApply({ reference: second.reference, event: 'failed' });
    for (const order of [one, two]) expect(await read(order)).toMatchObject({ status: 'approved', payments: [{ status: 'approved' }] });
    expect(await noticesOf(second.reference)).toMatchObject([{ status: 'applied' }, { status: 'ignored' }]);
    expect(await chargeOf(second.reference)).toMatchObject({ status: 'paid' });
  });

  it('a notice about an unknown payment waits, and is set aside after an hour', async () => {
    await sendAndApply({ reference: 'COMES-LATER' }, { reference: 'COMES-NEVER' });
    expect(await noticesOf('COMES-LATER')).toEqual([{ status: 'received', outcome: null }]);
    const order = await shop.hold([{ itemId: world.item, quantity: 1 }]);
    const { reference } = await startPix(order);
    for (const table of ['payment', 'sandbox_charge']) {
      await world.pool.query(`update ${table} set reference = 'COMES-LATER' where reference = $1`, [reference]);
    }
    await world.pool.query(`update sandbox_charge set status = 'paid', paid = amount where reference = 'COMES-LATER'`);
    world.now = minutesAfterNoon(1);
    await run(applyNotices);
    expect(await read(order)).toMatchObject({ status: 'approved' });
    expect(await noticesOf('COMES-NEVER')).toEqual([{ status: 'received', outcome: null }]);
    world.now = minutesAfterNoon(61);
    await run(applyNotices);
    expect(await noticesOf('COMES-NEVER')).toEqual([{ status: 'set_aside', outcome: 'there is no payment COMES-NEVER' }]);
  });

  it('a notice that arrived before its payment and is sent again is applied once', async () => {
    const early = { id: 'early', reference: 'KNOWN-SOON' };
    await sendAndApply(early);
    const order = await shop.hold([{ itemId: world.item, quantity: 1 }]);
    const { reference } = await startPix(order);
    for (const table of ['payment', 'sandbox_charge']) {
      await world.pool.query(`update ${table} set reference = $2 where reference = $1`, [reference, early.reference]);
    }
    await world.pool.query(`update sandbox_charge set status = 'paid', paid = amount where reference = $1`, [early.reference]);
    world.now = minutesAfterNoon(1);
    for (let times = 0; times < 3; times++) await sendAndApply(early);
    expect(await read(order)).toMatchObject({ status: 'approved', payments: [{ received: 5500, returned: 0 }] });
    expect(await rowsOf('select event_id, status from payment_notice where reference = $1', early.reference)).toEqual([
      { event_id: world.event, status: 'applied' },
    ]);
  });

  it('a payment is refunded when the order is cancelled or already paid, or the event is cancelled', async () => {
    const orders = await Promise.all([1, 2, 3].map(() => shop.hold([{ itemId: world.item, quantity: 1 }])));
    const [cancelled, paid, ofCancelledEvent] = orders as [PlacedOrder, PlacedOrder, PlacedOrder];
    const payments = [await startPix(cancelled), await startPix(paid), await startPix(ofCancelledEvent)];
    await shop.cancel(cancelled);
    await shop.pay(paid);
    await sendAndApply(...payments.slice(0, 2).map(({ reference }) => ({ reference })));
    await world.pool.query(`update event set status = 'cancelled' where id = $1`, [world.event]);
    await sendAndApply({ reference: payments[2]?.reference ?? '' });
    await world.pool.query(`update event set status = 'published' where id = $1`, [world.event]);
    expect(await Promise.all(orders.map(async (order) => (await returnsOf(order)).slice(0, 1)))).toMatchObject([
      [{ reason: 'cancelled' }],
      [{ reason: 'duplicate' }],
      [{ reason: 'cancelled' }],
    ]);
    expect((await Promise.all(orders.map(read))).map(({ status }) => status)).toEqual(['cancelled', 'approved', 'held']);
    expect((await ticketsOf(paid)).length).toBe(1);
  });

  it('a payment is refunded when there are too few imported codes', async () => {
    const itemId = await shop.newItem({ attributes: { customCode: true } });
    await shop.importCodes(itemId, 'ONLY', 'DELETED');
    const [one, two] = [await shop.hold([{ itemId, quantity: 1 }]), await shop.hold([{ itemId, quantity: 1 }])];
    await world.pool.query(`delete from external_code where item_id = $1 and code = 'DELETED'`, [itemId]);
    const [first, second] = [await startPix(one), await startPix(two)];
    await sendAndApply({ reference: first.reference }, { reference: second.reference });
    expect([(await read(one)).status, (await read(two)).status]).toEqual(['approved', 'held']);
    expect(await returnsOf(two)).toEqual(postingsBack('sold_out', 5500));
  });

  it('a notice with an unknown event is accepted, and not stored', async () => {
    const order = await shop.hold([{ itemId: world.item, quantity: 1 }]);
    const { reference } = await startPix(order);
    await sendAndApply({ reference, event: 'chargeback' });
    expect(await noticesOf(reference)).toEqual([]);
    expect(await read(order)).toMatchObject({ status: 'held', payments: [{ status: 'pending' }] });
  });

  it('a notice that cannot be applied is retried for at least 24 hours, then has status failed, and can be retried by an operator', async () => {
    const orders = await Promise.all([1, 2, 3].map(() => shop.hold([{ itemId: world.item, quantity: 1 }])));
    const payments = await Promise.all(orders.map((order) => startPix(order)));
    const poison = orders[1] as PlacedOrder;
    await world.pool.query(`
      create function poison() returns trigger language plpgsql as $$ begin raise 'poisoned'; end $$;
      create trigger poison before insert on ticket for each row when (new.order_id = ${poison.id}) execute function poison()`);
    await sendAndApply(...payments.map(({ reference }) => ({ reference })));
    expect((await Promise.all(orders.map(read))).map(({ status }) => status)).toEqual(['approved', 'held', 'approved']);
    const reference = payments[1]?.reference ?? '';
    const notice = async () => (await rowsOf('select * from payment_notice where reference = $1', reference))[0] as StoredNotice;
    expect(await notice()).toMatchObject({ status: 'received', outcome: null, last_error: 'poisoned', attempts: 1 });
    expect(await metrics()).toContain('tessera_payment_notices{status="received"} 1');

    for (let known = await notice(); known.status === 'received'; known = await notice()) {
      expect(known.due_at > world.now).toBe(true);
      world.now = known.due_at;
      await run(applyNotices);
    }
    expect(world.now.getTime() - noon.getTime()).toBeGreaterThanOrEqual(24 * 60 * 60_000);
    expect(await noticesOf(reference)).toEqual([{ status: 'failed', outcome: 'failed: poisoned' }]);
    expect(await run(applyNotices)).toBe(0);
    expect(await metrics()).toContain('tessera_payment_notices{status="failed"} 1');
    expect(await auditFindings(world.db)).toEqual([expect.stringContaining('tessera notices retry')]);
    expect(await runInTransaction(listOpenNotices)).toMatchObject(
      expect.arrayContaining([expect.objectContaining({ payment: reference, why: 'failed: poisoned' })]),
    );

    await world.pool.query('drop trigger poison on ticket; drop function poison');
    expect(await runInTransaction((tx, act) => retryNotices(tx, act, null))).toBe(1);
    await run(applyNotices);
    expect(await read(poison)).toMatchObject({ status: 'approved' });
    expect(await noticesOf(reference)).toEqual([{ status: 'applied', outcome: 'approved' }]);
    expect(await runInTransaction((tx, act) => retryNotices(tx, act, null))).toBe(0);
  });

  it('a notice that was set aside can be retried by its id, and an applied notice cannot', async () => {
    const order = await shop.hold([{ itemId: world.item, quantity: 1 }]);
    const { reference } = await startPix(order);
    await sendAndApply({ reference: 'NOBODYS' }, { reference });
    world.now = minutesAfterNoon(61);
    await run(applyNotices);
    const [aside, applied] = (await rowsOf(`select id from payment_notice where reference in ('NOBODYS', $1) order by id`, reference)) as {
      id: number;
    }[];
    expect(await noticesOf('NOBODYS')).toMatchObject([{ status: 'set_aside' }]);
    expect(await runInTransaction((tx, act) => retryNotices(tx, act, aside?.id ?? 0))).toBe(1);
    await run(applyNotices);
    expect(await noticesOf('NOBODYS')).toMatchObject([{ status: 'set_aside' }]);
    await expect(runInTransaction((tx, act) => retryNotices(tx, act, applied?.id ?? 0))).rejects.toThrow('There is no notice');
  });

  it('several workers apply each notice once', async () => {
    const itemId = await shop.newItem();
    const orders = await Promise.all(Array.from({ length: 30 }, () => shop.hold([{ itemId, quantity: 1 }])));
    const payments = await Promise.all(orders.map((order) => startPix(order)));
    await Promise.all(
      payments.flatMap(({ reference }) => [
        sendNotice({ reference }),
        sendNotice({ reference, event: 'failed' }),
        sendNotice({ reference }),
      ]),
    );
    await Promise.all([run(applyNotices), run(applyNotices), run(applyNotices)]);
    await run(applyNotices);
    expect(await countersOf(itemId)).toEqual({ sold: 30, held: 0 });
    expect((await Promise.all(orders.map(ticketsOf))).every((tickets) => tickets.length === 1)).toBe(true);
  });

  it('returns 400 for an invalid body and 401 for a missing or wrong signature, and stores nothing', async () => {
    const order = await shop.hold([{ itemId: world.item, quantity: 1 }]);
    const { reference } = await startPix(order);
    const forged = createHmac('sha256', 'a guess').update('x').digest('hex');
    for (const headers of [
      {},
      { 'x-sandbox-signature': '' },
      { 'x-sandbox-signature': forged },
      { 'x-sandbox-signature': 'x'.repeat(64) },
    ]) {
      expect((await sendNotice({ reference }, headers)).json()).toMatchObject({ status: 401, code: 'invalid_signature' });
    }
    const ofAnotherBody = signatureOf('{}');
    expect((await sendNotice({ reference }, { 'x-sandbox-signature': ofAnotherBody })).statusCode).toBe(401);
    expect((await sendNotice({ reference, amount: 0 })).statusCode).toBe(400);
    expect(await noticesOf(reference)).toEqual([]);
    await run(applyNotices);
    expect(await read(order)).toMatchObject({ status: 'held', payments: [{ status: 'pending' }] });
    expect(await chargeOf(reference)).toEqual({ status: 'open', paid: 0, returned: 0 });
  });

  it('GET /payments/sandbox returns 200 to admins only', async () => {
    expect((await world.call('GET', '/payments/sandbox', { as: 'owner' })).statusCode).toBe(403);
    expect(await (await world.call('GET', '/payments/sandbox', { as: 'admin' })).json()).toEqual({
      secret: expect.stringMatching(/^[0-9a-f]{64}$/),
      algorithm: 'HMAC-SHA256',
      header: 'X-Sandbox-Signature',
    });
  });
});
