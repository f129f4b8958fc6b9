import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { auditOf } from '../../test/audit.ts';
import { auditFindings } from '../../test/audit-findings.ts';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import { minutesAfterNoon, noon } from '../../test/world.ts';
import { type Act, systemAct } from '../kernel/act.ts';
import type { Order, OrderPayment, OrderTicket, PlacedOrder } from '../orders/contract.ts';
import { expireOrders } from '../orders/expire-orders.ts';
import type { Tx } from '../postgres/database.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { applyNotices } from './apply-notices.ts';
import { listOpenNotices, retryNotices } from './parked-notices.ts';
import { reconcilePayments } from './reconcile-payments.ts';
import { runSandbox } from './run-sandbox.ts';

const world = useWorld();
const shop = shopOf(world);
let secret: string;
beforeAll(async () => {
  secret = (await world.call('GET', '/payments/sandbox', { as: 'admin' })).json<{ secret: string }>().secret;
});
afterEach(async () => {
  world.now = noon;
  const found = await findings();
  if (found.length > 0) throw new Error(found.join('\n'));
});

const run = <T>(duty: (tx: Tx, act: Act) => Promise<T>) => inTransaction(world.db, {}, (tx) => duty(tx, systemAct('test', world.now)));
const rowsOf = async (statement: string, ...values: unknown[]) => (await world.pool.query(statement, values)).rows as unknown[];

const findings = () => auditFindings(world.db);

const payPix = (order: PlacedOrder, outcome = 'never') =>
  world.call('POST', `/orders/${order.id}/payment?secret=${order.secret}`, { body: { method: 'pix', outcome } });

async function pending(order: PlacedOrder, outcome = 'never'): Promise<OrderPayment & { reference: string }> {
  const answer = await payPix(order, outcome);
  expect(answer.statusCode).toBe(201);
  return answer.json<Order>().payments.at(-1) as OrderPayment & { reference: string };
}

const read = async ({ id, secret }: PlacedOrder) => (await world.call('GET', `/orders/${id}?secret=${secret}`)).json<Order>();
const ticketsOf = async ({ id, secret }: PlacedOrder) =>
  (await world.call('GET', `/orders/${id}/tickets?secret=${secret}`)).json<{ data: OrderTicket[] }>().data;

/** Money that came and bought nothing. */
const returnsOf = ({ id }: PlacedOrder) =>
  rowsOf(
    `select reason, source || ' → ' || target as way, amount from ledger_posting where order_id = $1 and reason not in ('sale', 'refund') order by id`,
    id,
  );
const wayBack = (reason: string, amount: number) => [
  { reason, way: 'payment:pix → suspense', amount },
  { reason, way: 'suspense → payment:pix', amount },
];
const salesOf = ({ id }: PlacedOrder) =>
  rowsOf(`select source, target, amount from ledger_posting where order_id = $1 and reason = 'sale' order by id`, id);
const noticesOf = (reference: string) => rowsOf('select status, outcome from payment_notice where reference = $1 order by id', reference);
const countersOf = async (itemId: number) => (await rowsOf('select sold, held from item where id = $1', itemId))[0];
const booksOf = async (reference: string) =>
  (await rowsOf('select status, paid, returned from sandbox_charge where reference = $1', reference))[0];

interface ParkedNotice {
  status: string;
  due_at: Date;
}
const metrics = async () => (await world.app.inject({ url: '/metrics' })).body;

let told = 0;
interface Told {
  id?: string;
  reference: string;
  event?: string;
  amount?: number;
}
function tell({ id = `n-${++told}`, reference, event = 'paid', amount = 5500 }: Told, headers?: Record<string, string>) {
  const body = JSON.stringify({ id, reference, event, amount, at: noon.toISOString() });
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  return world.app.inject({
    method: 'POST',
    url: '/v1/payments/sandbox/notices',
    headers: { 'content-type': 'application/json', ...(headers ?? { 'x-sandbox-signature': signature }) },
    payload: body,
  });
}

async function tellAndApply(...notices: Told[]): Promise<void> {
  for (const notice of notices) expect((await tell(notice)).statusCode).toBe(202);
  await run(applyNotices);
}

/** Time goes by, and what was held is anybody's. */
async function letExpire(): Promise<void> {
  world.now = minutesAfterNoon(10);
  await run(expireOrders);
}

describe('payOrder with PIX', () => {
  it('201: the order stays held, with a payment that is pending and a code for the app of a bank', async () => {
    const itemId = await shop.newItem({ item: { quantity: 1 } });
    const order = await shop.hold([{ itemId, quantity: 1 }]);
    const answer = await payPix(order);
    expect(answer.statusCode).toBe(201);
    const [payment] = answer.json<Order>().payments;
    expect(payment).toEqual({
      method: 'pix',
      status: 'pending',
      amount: 5500,
      received: 0,
      returned: 0,
      refunded: 0,
      reference: expect.stringMatching(/^[0-9A-Z]{24}$/),
      pixCode: expect.stringContaining('540555.00'),
      createdAt: noon.toISOString(),
    });
    expect(payment?.pixCode).toContain(payment?.reference);
    expect(answer.json()).toMatchObject({ status: 'held', approvedAt: null });
    expect(await read(order)).toEqual(answer.json());
    expect(await countersOf(itemId)).toEqual({ sold: 0, held: 1 });
    expect(await ticketsOf(order)).toEqual([]);
    expect(await auditOf(world, answer)).toMatchObject([{ operation: 'payOrder', after: { payment: { status: 'pending' } } }]);
  });

  it('201: a card and cash stand among the payments of an order, approved', async () => {
    const order = await shop.hold([{ itemId: world.item, quantity: 1 }]);
    const answer = await shop.pay(order);
    expect(answer.json()).toEqual(await read(order));
    expect(answer.json<Order>().payments).toEqual([
      {
        method: 'card',
        status: 'approved',
        amount: 5500,
        received: 5500,
        returned: 0,
        refunded: 0,
        reference: null,
        pixCode: null,
        createdAt: noon.toISOString(),
      },
    ]);
  });

  it('409: when the hold ran out, when it is paid, and when five are pending', async () => {
    const itemId = await shop.newItem();
    const [expired, busy] = [await shop.hold([{ itemId, quantity: 1 }]), await shop.hold([{ itemId, quantity: 1 }])];
    for (let i = 0; i < 5; i++) await pending(busy);
    expect((await payPix(busy)).json()).toMatchObject({ status: 409, code: 'wrong_state' });
    await shop.pay(busy);
    expect((await payPix(busy)).json()).toMatchObject({ status: 409, detail: 'The order is paid already' });
    world.now = minutesAfterNoon(10);
    expect((await payPix(expired)).json()).toMatchObject({ status: 409, code: 'hold_expired' });
    expect((await read(expired)).payments).toEqual([]);
  });

  it('422: an outcome that only PIX can have', async () => {
    const order = await shop.hold([{ itemId: world.item, quantity: 1 }]);
    const body = { method: 'card', outcome: 'late' };
    const answer = await world.call('POST', `/orders/${order.id}/payment?secret=${order.secret}`, { body });
    expect(answer.json()).toMatchObject({ status: 422, errors: [{ field: 'outcome', code: 'method' }] });
  });
});

describe('notices', () => {
  it('202: paid in time: approved, with tickets and sale', async () => {
    const itemId = await shop.newItem({ item: { quantity: 1 } });
    const order = await shop.hold([{ itemId, quantity: 1 }]);
    const { reference } = await pending(order);
    const answer = await tell({ id: 'first', reference });
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
    expect(await booksOf(reference)).toEqual({ status: 'paid', paid: 5500, returned: 0 });
  });

  it('202: failed: declined, and the order can be paid otherwise', async () => {
    const order = await shop.hold([{ itemId: world.item, quantity: 1 }]);
    const { reference } = await pending(order);
    await tellAndApply({ reference, event: 'failed' });
    expect(await read(order)).toMatchObject({ status: 'held', payments: [{ status: 'declined', received: 0 }] });
    expect(await booksOf(reference)).toEqual({ status: 'failed', paid: 0, returned: 0 });
    expect((await shop.pay(order)).statusCode).toBe(201);
  });

  it('202: late: takes stock again while there is some, and goes back by itself when there is none', async () => {
    const itemId = await shop.newItem({ item: { quantity: 2 } });
    const [lucky, late] = [await shop.hold([{ itemId, quantity: 1 }]), await shop.hold([{ itemId, quantity: 1 }])];
    const [first, second] = [await pending(lucky), await pending(late)];
    await letExpire();
    await tellAndApply({ reference: first.reference });
    expect(await read(lucky)).toMatchObject({ status: 'approved' });
    await shop.buy([{ itemId, quantity: 1 }]);
    await tellAndApply({ reference: second.reference });
    expect(await read(late)).toMatchObject({ status: 'expired', payments: [{ status: 'refunded', received: 5500, returned: 5500 }] });
    expect(await returnsOf(late)).toEqual(wayBack('late', 5500));
    expect(await ticketsOf(late)).toEqual([]);
    expect(await countersOf(itemId)).toEqual({ sold: 2, held: 0 });
    expect(await booksOf(second.reference)).toEqual({ status: 'paid', paid: 5500, returned: 5500 });
    expect(await noticesOf(second.reference)).toEqual([{ status: 'applied', outcome: 'refunded: late, sold out' }]);
  });

  it('202: late, two at once for the last one: one has it, the other the money', async () => {
    const itemId = await shop.newItem({ item: { quantity: 2 } });
    const orders = [await shop.hold([{ itemId, quantity: 1 }]), await shop.hold([{ itemId, quantity: 1 }])];
    const payments = [await pending(orders[0] as PlacedOrder), await pending(orders[1] as PlacedOrder)];
    await letExpire();
    await shop.buy([{ itemId, quantity: 1 }]);
    await tellAndApply(...payments.map(({ reference }) => ({ reference })));
    const after = await Promise.all(orders.map(read));
    expect(after.map(({ status, payments: [payment] }) => `${status} ${payment?.status}`)).toEqual([
      'approved approved',
      'expired refunded',
    ]);
    expect(await countersOf(itemId)).toEqual({ sold: 2, held: 0 });
  });

  it('202: twice: the same notice is one, and another that tells the same tells nothing', async () => {
    const order = await shop.hold([{ itemId: world.item, quantity: 1 }]);
    const { reference } = await pending(order);
    await tellAndApply({ id: 'same', reference }, { id: 'same', reference }, { id: 'other', reference });
    await tellAndApply({ id: 'same', reference }, { id: 'third', reference });
    expect(await noticesOf(reference)).toEqual([
      { status: 'applied', outcome: 'approved' },
      { status: 'ignored', outcome: 'the payment is approved' },
      { status: 'ignored', outcome: 'the payment is approved' },
    ]);
    expect([(await ticketsOf(order)).length, (await salesOf(order)).length]).toEqual([1, 2]);
  });

  it('202: too little: goes back, and the order is not approved', async () => {
    const order = await shop.hold([{ itemId: world.item, quantity: 1 }]);
    const { reference } = await pending(order);
    await tellAndApply({ reference, amount: 5499 });
    expect(await read(order)).toMatchObject({ status: 'held', payments: [{ status: 'refunded', received: 5499, returned: 5499 }] });
    expect(await returnsOf(order)).toEqual(wayBack('underpaid', 5499));
    expect((await shop.pay(order)).statusCode).toBe(201);
  });

  it('202: too much: approved, and the difference goes back', async () => {
    const order = await shop.hold([{ itemId: world.item, quantity: 1 }]);
    const { reference } = await pending(order);
    await tellAndApply({ reference, amount: 6000 });
    expect(await read(order)).toMatchObject({ status: 'approved', payments: [{ status: 'approved', received: 6000, returned: 500 }] });
    expect(await returnsOf(order)).toEqual(wayBack('overpaid', 500));
    expect(await booksOf(reference)).toEqual({ status: 'paid', paid: 6000, returned: 500 });
    await shop.refund(order);
    expect(await booksOf(reference)).toEqual({ status: 'paid', paid: 6000, returned: 6000 });
  });

  it('202: out of order: paid counts after failed, failed does not count after paid', async () => {
    const [one, two] = [await shop.hold([{ itemId: world.item, quantity: 1 }]), await shop.hold([{ itemId: world.item, quantity: 1 }])];
    const [first, second] = [await pending(one), await pending(two)];
    await tellAndApply({ reference: first.reference, event: 'failed' }, { reference: first.reference });
    await tellAndApply({ reference: second.reference });
    await tellAndApply({ reference: second.reference, event: 'failed' });
    for (const order of [one, two]) expect(await read(order)).toMatchObject({ status: 'approved', payments: [{ status: 'approved' }] });
    expect(await noticesOf(second.reference)).toMatchObject([{ status: 'applied' }, { status: 'ignored' }]);
    expect(await booksOf(second.reference)).toMatchObject({ status: 'paid' });
  });

  it('202: before its payment is known: kept until it is, and set aside when it never is', async () => {
    await tellAndApply({ reference: 'COMES-LATER' }, { reference: 'COMES-NEVER' });
    expect(await noticesOf('COMES-LATER')).toEqual([{ status: 'received', outcome: null }]);
    const order = await shop.hold([{ itemId: world.item, quantity: 1 }]);
    const { reference } = await pending(order);
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

  it('202: for an order that was given up, is paid otherwise or of a cancelled event: goes back', async () => {
    const orders = await Promise.all([1, 2, 3].map(() => shop.hold([{ itemId: world.item, quantity: 1 }])));
    const [given, paid, off] = orders as [PlacedOrder, PlacedOrder, PlacedOrder];
    const payments = [await pending(given), await pending(paid), await pending(off)];
    await shop.cancel(given);
    await shop.pay(paid);
    await tellAndApply(...payments.slice(0, 2).map(({ reference }) => ({ reference })));
    await world.pool.query(`update event set status = 'cancelled' where id = $1`, [world.event]);
    await tellAndApply({ reference: payments[2]?.reference ?? '' });
    await world.pool.query(`update event set status = 'published' where id = $1`, [world.event]);
    expect(await Promise.all(orders.map(async (order) => (await returnsOf(order)).slice(0, 1)))).toMatchObject([
      [{ reason: 'cancelled' }],
      [{ reason: 'duplicate' }],
      [{ reason: 'cancelled' }],
    ]);
    expect((await Promise.all(orders.map(read))).map(({ status }) => status)).toEqual(['cancelled', 'approved', 'held']);
    expect((await ticketsOf(paid)).length).toBe(1);
  });

  it('202: when there are no codes left for its tickets: goes back', async () => {
    const itemId = await shop.newItem({ attributes: { customCode: true } });
    await shop.importCodes(itemId, 'ONLY', 'DELETED');
    const [one, two] = [await shop.hold([{ itemId, quantity: 1 }]), await shop.hold([{ itemId, quantity: 1 }])];
    await world.pool.query(`delete from external_code where item_id = $1 and code = 'DELETED'`, [itemId]);
    const [first, second] = [await pending(one), await pending(two)];
    await tellAndApply({ reference: first.reference }, { reference: second.reference });
    expect([(await read(one)).status, (await read(two)).status]).toEqual(['approved', 'held']);
    expect(await returnsOf(two)).toEqual(wayBack('sold_out', 5500));
  });

  it('202: an event that nobody knows is set aside', async () => {
    const order = await shop.hold([{ itemId: world.item, quantity: 1 }]);
    const { reference } = await pending(order);
    await tellAndApply({ reference, event: 'chargeback' });
    expect(await noticesOf(reference)).toEqual([{ status: 'set_aside', outcome: 'unknown event chargeback' }]);
    expect(await read(order)).toMatchObject({ status: 'held', payments: [{ status: 'pending' }] });
  });

  it('a notice that cannot be applied is retried for at least 24 hours, then fails where operators see it, and can be retried', async () => {
    const orders = await Promise.all([1, 2, 3].map(() => shop.hold([{ itemId: world.item, quantity: 1 }])));
    const payments = await Promise.all(orders.map((order) => pending(order)));
    const poison = orders[1] as PlacedOrder;
    await world.pool.query(`
      create function poison() returns trigger language plpgsql as $$ begin raise 'poisoned'; end $$;
      create trigger poison before insert on ticket for each row when (new.order_id = ${poison.id}) execute function poison()`);
    await tellAndApply(...payments.map(({ reference }) => ({ reference })));
    expect((await Promise.all(orders.map(read))).map(({ status }) => status)).toEqual(['approved', 'held', 'approved']);
    const reference = payments[1]?.reference ?? '';
    const notice = async () => (await rowsOf('select * from payment_notice where reference = $1', reference))[0] as ParkedNotice;
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
    expect(await findings()).toEqual([expect.stringContaining('tessera notices retry')]);
    expect(await run(listOpenNotices)).toMatchObject(
      expect.arrayContaining([expect.objectContaining({ reference, why: 'failed: poisoned' })]),
    );

    await world.pool.query('drop trigger poison on ticket; drop function poison');
    expect(await run((tx, act) => retryNotices(tx, act, null))).toBe(1);
    await run(applyNotices);
    expect(await read(poison)).toMatchObject({ status: 'approved' });
    expect(await noticesOf(reference)).toEqual([{ status: 'applied', outcome: 'approved' }]);
    expect(await run((tx, act) => retryNotices(tx, act, null))).toBe(0);
  });

  it('a notice that was set aside is retried by its id, and one that is applied is not', async () => {
    const order = await shop.hold([{ itemId: world.item, quantity: 1 }]);
    const { reference } = await pending(order);
    await tellAndApply({ reference, event: 'chargeback' }, { reference });
    const [aside, applied] = (await rowsOf('select id from payment_notice where reference = $1 order by id', reference)) as {
      id: number;
    }[];
    expect(await run((tx, act) => retryNotices(tx, act, aside?.id ?? 0))).toBe(1);
    await run(applyNotices);
    expect(await noticesOf(reference)).toMatchObject([{ status: 'set_aside' }, { status: 'applied' }]);
    await expect(run((tx, act) => retryNotices(tx, act, applied?.id ?? 0))).rejects.toThrow('There is no notice');
  });

  it('many at once, by several workers: each once', async () => {
    const itemId = await shop.newItem();
    const orders = await Promise.all(Array.from({ length: 30 }, () => shop.hold([{ itemId, quantity: 1 }])));
    const payments = await Promise.all(orders.map((order) => pending(order)));
    await Promise.all(
      payments.flatMap(({ reference }) => [tell({ reference }), tell({ reference, event: 'failed' }), tell({ reference })]),
    );
    await Promise.all([run(applyNotices), run(applyNotices), run(applyNotices)]);
    await run(applyNotices);
    expect(await countersOf(itemId)).toEqual({ sold: 30, held: 0 });
    expect((await Promise.all(orders.map(ticketsOf))).every((tickets) => tickets.length === 1)).toBe(true);
  });

  it('400, 401: unreadable, unsigned or forged, nothing is stored', async () => {
    const order = await shop.hold([{ itemId: world.item, quantity: 1 }]);
    const { reference } = await pending(order);
    const forged = createHmac('sha256', 'a guess').update('x').digest('hex');
    for (const headers of [
      {},
      { 'x-sandbox-signature': '' },
      { 'x-sandbox-signature': forged },
      { 'x-sandbox-signature': 'x'.repeat(64) },
    ]) {
      expect((await tell({ reference }, headers)).json()).toMatchObject({ status: 401, code: 'invalid_signature' });
    }
    // Signed, but for another body.
    const signature = createHmac('sha256', secret).update('{}').digest('hex');
    expect((await tell({ reference }, { 'x-sandbox-signature': signature })).statusCode).toBe(401);
    expect((await tell({ reference, amount: 0 })).statusCode).toBe(400);
    expect(await noticesOf(reference)).toEqual([]);
    await run(applyNotices);
    expect(await read(order)).toMatchObject({ status: 'held', payments: [{ status: 'pending' }] });
    expect(await booksOf(reference)).toEqual({ status: 'open', paid: 0, returned: 0 });
  });

  it('the secret of the sandbox is for admins', async () => {
    expect((await world.call('GET', '/payments/sandbox', { as: 'owner' })).statusCode).toBe(403);
    expect(await (await world.call('GET', '/payments/sandbox', { as: 'admin' })).json()).toEqual({
      secret: expect.stringMatching(/^[0-9a-f]{64}$/),
      algorithm: 'HMAC-SHA256',
      header: 'X-Sandbox-Signature',
    });
  });
});

describe('the sandbox', () => {
  const play = async (): Promise<void> => {
    await run(runSandbox);
    await run(applyNotices);
  };

  it.each([
    ['approve', 'approved', { status: 'approved', received: 5500, returned: 0 }],
    ['decline', 'held', { status: 'declined', received: 0, returned: 0 }],
    ['twice', 'approved', { status: 'approved', received: 5500, returned: 0 }],
    ['tooLittle', 'held', { status: 'refunded', received: 5499, returned: 5499 }],
    ['tooMuch', 'approved', { status: 'approved', received: 5501, returned: 1 }],
    ['never', 'held', { status: 'pending', received: 0, returned: 0 }],
  ])('plays a buyer whose payment comes out as %s', async (outcome, status, payment) => {
    const order = await shop.hold([{ itemId: world.item, quantity: 1 }]);
    await pending(order, outcome);
    await play();
    expect(await read(order)).toMatchObject({ status, payments: [payment] });
    expect((await ticketsOf(order)).length).toBe(status === 'approved' ? 1 : 0);
    expect(await run(runSandbox)).toBe(0);
  });

  it('plays a buyer who is late', async () => {
    const itemId = await shop.newItem({ item: { quantity: 1 } });
    const order = await shop.hold([{ itemId, quantity: 1 }]);
    await pending(order, 'late');
    await play();
    expect(await read(order)).toMatchObject({ status: 'held', payments: [{ status: 'pending' }] });
    await letExpire();
    await shop.hold([{ itemId, quantity: 1 }]);
    await play();
    expect(await read(order)).toMatchObject({ status: 'expired', payments: [{ status: 'refunded', returned: 5500 }] });
  });
});

describe('reconcilePayments', () => {
  it('finds what was paid or failed and never told, once there was time to tell it', async () => {
    const orders = [await shop.hold([{ itemId: world.item, quantity: 1 }]), await shop.hold([{ itemId: world.item, quantity: 1 }])];
    const [lost, failed] = [await pending(orders[0] as PlacedOrder, 'lost'), await pending(orders[1] as PlacedOrder)];
    await run(runSandbox);
    await world.pool.query(`update sandbox_charge set status = 'failed', settled_at = $2 where reference = $1`, [failed.reference, noon]);
    expect(await run(applyNotices)).toBe(0);
    expect(await run(reconcilePayments)).toEqual([]);
    world.now = minutesAfterNoon(2);
    expect(await run(reconcilePayments)).toMatchObject([
      { reference: lost.reference, event: 'paid', amount: 5500 },
      { reference: failed.reference, event: 'failed' },
    ]);
    await run(applyNotices);
    expect(await Promise.all(orders.map(read))).toMatchObject([
      { status: 'approved', payments: [{ status: 'approved' }] },
      { status: 'held', payments: [{ status: 'declined' }] },
    ]);
    expect(await run(reconcilePayments)).toEqual([]);
    // The notice comes after all.
    await tellAndApply({ reference: lost.reference });
    expect((await ticketsOf(orders[0] as PlacedOrder)).length).toBe(1);
  });
});

const which = fc.nat(99);
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('place' as const), quantity: fc.integer({ min: 1, max: 2 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('pix' as const), which }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('tell' as const),
      which,
      event: fc.constantFrom('paid', 'paid', 'failed'),
      off: fc.constantFrom(0, 0, 0, -1, 1),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('apply' as const, 'card' as const, 'cancel' as const, 'refund' as const), which }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), minutes: fc.integer({ min: 1, max: 8 }) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Orders for an item of which there are few, and everything that may happen to them, in any order. */
class Round {
  readonly orders: PlacedOrder[] = [];
  readonly #payments: { reference: string; amount: number }[] = [];
  readonly #itemId: number;

  constructor(itemId: number) {
    this.#itemId = itemId;
  }

  async carryOut(each: Step): Promise<void> {
    if (each.do === 'wait') world.now = new Date(world.now.getTime() + each.minutes * 60_000);
    if (each.do === 'apply') await run(applyNotices);
    if (each.do === 'place') await this.#place(each.quantity);
    const order = 'which' in each && this.orders[each.which % Math.max(1, this.orders.length)];
    if (order && each.do === 'pix') await this.#pix(order);
    if (order && each.do === 'card') await shop.pay(order);
    if (order && each.do === 'cancel') await shop.cancel(order);
    if (order && each.do === 'refund') await shop.refund(order);
    const payment = each.do === 'tell' && this.#payments[each.which % Math.max(1, this.#payments.length)];
    if (payment && each.do === 'tell') await tell({ reference: payment.reference, event: each.event, amount: payment.amount + each.off });
  }

  async #place(quantity: number): Promise<void> {
    const answer = await shop.place([{ itemId: this.#itemId, quantity }]);
    if (answer.statusCode === 201) this.orders.push(answer.json());
  }

  async #pix(order: PlacedOrder): Promise<void> {
    const answer = await payPix(order);
    const payment = answer.statusCode === 201 ? answer.json<Order>().payments.at(-1) : undefined;
    if (payment?.reference) this.#payments.push({ reference: payment.reference, amount: payment.amount });
  }
}

describe('whatever is told, in whatever order', () => {
  it('no order is paid without tickets or refund, and every cent is accounted for', async () => {
    const seen = new Set<string>();
    const telling = async (steps: readonly Step[]) => {
      world.now = noon;
      const round = new Round(await shop.newItem({ item: { quantity: 4 } }));
      for (const each of steps) await round.carryOut(each);
      await run(applyNotices);
      expect(await findings()).toEqual([]);
      for (const order of round.orders) {
        const { status, total, payments } = await read(order);
        const kept = payments.reduce((sum, { received, returned }) => sum + received - returned, 0);
        const tickets = await ticketsOf(order);
        expect({ kept, tickets: tickets.length > 0 }).toEqual(
          status === 'approved' || status === 'refunded' ? { kept: total, tickets: true } : { kept: 0, tickets: false },
        );
        for (const payment of payments) seen.add(`${status} ${payment.method} ${payment.status}`);
      }
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 40 }), telling), { numRuns: 12 });
    // It was not for want of trying.
    expect([...seen].map((each) => each.split(' ').slice(1).join(' '))).toEqual(
      expect.arrayContaining(['pix approved', 'pix pending', 'pix declined', 'pix refunded', 'card approved']),
    );
  }, 240_000);
});
