import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import { statementsOf } from '../../test/statements.ts';
import { boxOffice } from '../catalog/item.ts';
import { systemAct } from '../kernel/act.ts';
import type { PlacedOrder } from '../orders/order-schemas.ts';
import { applyNotices } from '../payments/apply-notices.ts';
import { finishRefunds } from '../payments/finish-refunds.ts';
import { runSandbox } from '../payments/run-sandbox.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { type Check, checks } from './checks.ts';

const world = useWorld();
const shop = shopOf(world);

const post = `insert into ledger_posting (event_id, order_id, reason, source, target, amount, quantity, created_at)
  select event_id, order_id`;

const dispute = `insert into payment_dispute (event_id, order_id, payment_id, provider_id, amount, fee, reason, status, movements, opened_at, closed_at)
  select event_id, order_id, id, 'dp_' || id`;

/** SQL statements by check. Each statement creates a fault that the check must find. */
const faults: Record<string, string[]> = {
  'constraints, indexes and triggers are valid and enabled': ['alter table audit_log disable trigger audit_log_append_only'],
  'exactly one signing key is active': ['update signing_key set retired_at = now()'],
  'every idempotency key has a response': [`insert into idempotency_key values ('anonymous', sha256('a'), sha256('b'), null, now())`],
  'every producer with events has an owner': [`delete from producer_member where role = 'owner'`],
  'every event has its rows in door and ticket_log': ['delete from door', 'delete from ticket_log'],
  'the counters of a group equal the sums of its items': [
    `update item set sold = sold + 1 where type = 'group'`,
    `update item set held = held + 1 where parent_id is not null`,
    `insert into item (event_id, type, name, sold, created_at, updated_at) select id, 'group', 'G', 1, now(), now() from event limit 1`,
  ],
  'the counters of items, sale periods, sessions and passkeys match the orders': [
    `update item set sold = sold + 1 where type <> 'group'`,
    `update item set held = held + 1 where id = (select max(id) from item)`,
    `update order_line set restocked = 0 where restocked > 0`,
    `update ticket_order set status = 'cancelled' where status = 'held'`,
    'update sale_period set sold = sold + 1',
    'update sale_period set held = held + 1',
    `update ticket_order set app_category_id = ${boxOffice}`,
    'update event_session set sold = sold + 1',
    'update event_session set held = held + 1',
    `update order_line set session_ids = '{}'`,
    'update passkey set used = used + 1',
    'update passkey set held = held + 1',
    'update ticket_order set passkey_id = null',
    'update order_line set unlocked = false',
  ],
  'the counts of networks match their held orders': [
    `insert into network_hold select event_id, 7, id, 1, 0, now() from item limit 1`,
    `update ticket_order set network = 7 where status = 'held'`,
  ],
  'the waiting list counts the tickets that its people wait for': [
    `insert into waiting_line (event_id, item_id, waiting) select event_id, id, 1 from item limit 1`,
  ],
  'every paid ticket was issued, and is valid until it is refunded': [
    'delete from ticket where id = (select max(id) from ticket)',
    `update ticket set status = 'refunded' where id = (select max(id) from ticket where status = 'valid')`,
    `update ticket set status = 'valid' where status = 'refunded'`,
    `insert into ticket (event_id, order_id, item_id, session_ids, created_at) select event_id, order_id, item_id, session_ids, now() from order_line l
      where exists (select from ticket_order o where o.id = l.order_id and o.status = 'held')`,
  ],
  'the sessions and holder of a ticket match its order': [
    `update ticket set session_ids = session_ids || 999::bigint where id = (select max(id) from ticket)`,
    `update ticket set holder = holder || '!' where id = (select max(id) from ticket)`,
    'update ticket set holder = null where id = (select max(id) from ticket where holder is not null)',
    `update ticket_order set buyer_name = 'Somebody else' where status = 'approved'`,
  ],
  'every assigned code is on one ticket': [
    `update external_code set status = 'assigned' where status = 'available'`,
    `update external_code set status = 'available' where status = 'assigned'`,
    'update ticket set external_code_id = null',
  ],
  'the total of an order equals the sum of its lines': [
    'update ticket_order set total = total + 1',
    'update order_line set price = price + 1',
    `update ticket_order set status = 'refunded' where status = 'approved'`,
    `update ticket_order set status = 'approved' where status = 'refunded'`,
  ],
  'approved payments equal the totals of approved orders': [
    `update payment set amount = amount + 1, received = received + 1 where status = 'approved'`,
    'delete from refund; delete from payment',
    `update payment set status = 'declined', received = 0, returned = 0`,
    `insert into payment (event_id, order_id, provider, method, amount, received, status, created_at)
      select event_id, id, 'sandbox', 'card', total, total, 'approved', now() from ticket_order where status = 'held'`,
  ],
  'every payment has tickets or a refund': [
    `delete from ticket where order_id = (select max(order_id) from payment where status = 'approved')`,
    `update ticket set status = 'refunded' where id = (select max(id) from ticket where status = 'valid')`,
    `update order_line set refunded = refunded + 1 where refunded < quantity`,
    `update payment set returned = 0, status = 'approved', amount = received where status = 'refunded'`,
    `insert into payment (event_id, order_id, provider, method, amount, received, status, created_at)
      select event_id, id, 'sandbox', 'card', total, total, 'approved', now() from ticket_order where status = 'held'`,
  ],
  'money returned without tickets is in the ledger': [
    `update payment set returned = returned + 1, received = received + 1 where returned > 0`,
    `${post}, 'late', 'payment:pix', 'suspense', 1, 0, now() from payment limit 1`,
    `${post}, 'late', 'suspense', 'payment:pix', 1, 0, now() from payment limit 1`,
    `alter table ledger_posting disable trigger all; delete from ledger_posting where reason = 'overpaid'`,
  ],
  'money that goes back has refunds': [
    'delete from refund where id = (select max(id) from refund)',
    'update refund set amount = amount + 1',
    'update order_line set refunded = refunded + 1 where refunded < quantity and price > 0',
  ],
  'no refund has failed': [`update refund set status = 'failed', failure = 'broken' where status = 'done'`],
  'the fees of providers are in the ledger': [
    'update payment set fee = 1 where received > 0',
    `${post}, 'provider_fee', 'platform', 'fee:sandbox:pix', 1, 0, now() from payment limit 1`,
    `update payment set fee = 1 where received > 0; ${post}, 'provider_fee', 'platform', 'fee:sandbox:cash', 1, 0, now() from payment where received > 0`,
  ],
  'disputes and their fees are in the ledger': [
    `${dispute}, amount, 0, 'fraudulent', 'open', 1, now(), null from payment where status = 'approved'`,
    `${dispute}, amount, 1, 'fraudulent', 'won', 1, now(), now() from payment where status = 'approved'`,
    `${post}, 'dispute', 'producer', 'payment:card', 1, 0, now() from payment limit 1`,
    `${post}, 'dispute_fee', 'producer', 'fee:sandbox:card', 1, 0, now() from payment limit 1`,
  ],
  'no money of an open dispute was refunded too': [
    `${dispute}, amount, 0, 'fraudulent', 'open', 1, now(), null from payment where id in (select payment_id from refund)`,
  ],
  'tickets show whether their payment is disputed': [
    `${dispute}, amount, 0, 'fraudulent', 'lost', 1, now(), now() from payment where status = 'approved'`,
    'update ticket set disputed = true',
  ],
  'settled payments match the records of the provider': [
    `update sandbox_charge set paid = paid + 1 where status = 'paid'`,
    'update sandbox_charge set returned = returned - 1 where returned > 0',
    'delete from sandbox_refund; delete from sandbox_charge',
    `update payment set received = amount, status = 'approved' where status = 'pending'`,
  ],
  'no payment notice has failed': [
    `insert into payment_notice (event_id, provider, notice_id, type, raw, reference, content, received_at, due_at, status, outcome)
     values (0, 'sandbox', 'failed-1', 'paid', '{}', 'NOBODYS', '{}', now(), now(), 'failed', 'failed: broken')`,
  ],
  'the payments match the notices that were applied': [
    `update payment_notice set content = jsonb_set(content, '{payment,received}', '1') where type = 'paid'`,
    `update payment set status = 'declined', received = 0, returned = 0`,
    `update payment set reference = null where status <> 'pending'`,
  ],
  'the ledger matches the tickets sold and not refunded, to the cent': [
    `${post}, 'sale', 'payment:card', 'producer', 1, 1, now() from payment limit 1`,
    `${post}, 'sale', 'producer', 'platform', 1, 1, now() from payment limit 1`,
    `${post}, 'refund', 'payment:card', 'payment:cash', 1, 1, now() from payment limit 1`,
    'alter table ledger_posting disable trigger all; delete from ledger_posting where id = (select max(id) from ledger_posting)',
    'update order_line set refunded = refunded + 1 where refunded < quantity',
  ],
  'every scan is in the log once': [`alter table checkin disable trigger all; update checkin set nonce = 'first' where nonce = 'second'`],
  'the states of scans match the log: entries and exits that count, all others double or unmatched': [
    `update checkin set state = 'double' where state = 'inside'`,
    `update checkin set state = 'undone' where state = 'inside'`,
    `update checkin set state = 'undone' where state = 'double'`,
    `update checkin set state = 'double' where state = 'undone'`,
    `alter table checkin disable trigger all; update checkin set at = at + interval '1 hour' where state = 'inside'`,
    'alter table checkin_undo disable trigger all; delete from checkin_undo',
  ],
  'a code has status used if and only if somebody was admitted with it': [
    `update external_code set status = 'used'`,
    `update external_code set status = 'available' where status = 'used'`,
  ],
  'reports show the sales of the orders': [
    'update sales_total set tickets = tickets + 1',
    'update sales_total set refunded = 0',
    'update sales_total set fee_sale = fee_sale - 1, platform = platform - 1 where fee_sale > 0',
    `update sales_total set last_at = last_at + interval '1 second'`,
    'delete from sales_total where price = (select max(price) from sales_total)',
    'update order_line set price = price + 1 where refunded > 0',
  ],
  'reports show when orders were placed and paid': [
    'update sales_quarter set ordered = ordered + 1',
    'update sales_quarter set paid = paid - 1 where paid > 0',
    `update sales_quarter set quarter = quarter + interval '15 minutes'`,
    'delete from sales_quarter',
  ],
  'reports show the amounts of the ledger': [
    'update sales_total set producer = producer + 1, platform = platform - 1 where price > 0',
    `update sales_total set method = 'cash' where method = 'card'`,
    'alter table ledger_posting disable trigger all; delete from ledger_posting where id = (select max(id) from ledger_posting)',
    `update sales_total set tickets = tickets + 1, refunded = refunded - 1 where refunded > 0 and price > 0`,
  ],
  'reports show the fees and disputes of the ledger': [
    `insert into fee_total (event_id, method, fee, dispute_fee, disputed) select id, 'card', 1, 0, 0 from event limit 1`,
    `${post}, 'provider_fee', 'platform', 'fee:sandbox:pix', 1, 0, now() from payment limit 1`,
    `${post}, 'dispute', 'payment:card', 'producer', 1, 0, now() from payment limit 1`,
  ],
  'reports show the entries of the admissions': [
    'update entry_total set entries = entries + 1',
    'delete from entry_total',
    'update guest_total set checked = checked - 1',
    'insert into away_total (event_id, item_id, session_id, away) select event_id, item_id, session_id, 1 from entry_total limit 1',
    'delete from returning_guest',
    `insert into returning_guest (event_id, ticket_id, item_id) select event_id, 0, id from item limit 1`,
    `alter table checkin disable trigger all; update checkin set state = 'undone' where state = 'inside'`,
    `alter table checkin disable trigger all; update checkin set at = at + interval '1 day'`,
    'alter table checkin disable trigger all; delete from checkin',
    `alter table ticket disable trigger all; update ticket set status = 'refunded' where id in (select ticket_id from admission)`,
  ],
};

/** Creates a fault, runs the check and rolls the fault back. Returns the findings of the check. */
async function findAfter(fault: string, check: Check): Promise<string[]> {
  const rolledBack = new Error('rolled back');
  let found: string[] = [];
  const trying = inTransaction(world.db, {}, async (tx) => {
    await sql.raw(fault).execute(tx);
    found = await check.find(tx);
    throw rolledBack;
  });
  await expect(trying).rejects.toBe(rolledBack);
  return found;
}

/** Creates PIX payments with all outcomes. One of them is partially refunded. */
async function payByPix(itemId: number): Promise<void> {
  const orders: PlacedOrder[] = [];
  for (const outcome of ['approve', 'tooMuch', 'tooLittle', 'decline', 'never']) {
    const order = await shop.hold([{ itemId, quantity: 2 }]);
    await world.call('POST', `/orders/${order.id}/payment?secret=${order.secret}`, { body: { method: 'pix', outcome } });
    orders.push(order);
  }
  await inTransaction(world.db, {}, (tx) => runSandbox(tx, systemAct('test', world.now)));
  await applyNotices(world.db, systemAct('test', world.now), world.providers);
  expect((await shop.refund(orders[0] as PlacedOrder, { lines: [{ itemId, quantity: 1 }] })).statusCode).toBe(200);
  await finishRefunds(world.db, systemAct('test', world.now), world.providers, new AbortController().signal);
}

/** Places orders in all states: held, cancelled, paid, free, partially and fully refunded, restocked or not. */
async function placeOrdersOfAllKinds(): Promise<void> {
  const group = (await shop.write('POST', '/items', { eventId: world.event, name: 'Group', type: 'group' })).id;
  const seat = await shop.newItem({ item: { parentId: group }, values: { price: 5001, feeSale: 333, feeProducer: 77 } });
  const hidden = await shop.newItem({ item: { hidden: true } });
  const coded = await shop.newItem({ attributes: { customCode: true } });
  const free = await shop.newItem({ values: { price: 0, feeSale: 0, feeProducer: 0 } });
  await shop.importCodes(coded, 'A', 'B', 'C');
  const passkey = (await shop.write('POST', '/passkeys', { eventId: world.event, passkey: 'let me in' })).id;
  await shop.write('PUT', `/passkeys/${passkey}/items`, { itemIds: [hidden] });
  await shop.hold([{ itemId: seat, quantity: 2 }]);
  await shop.cancel(await shop.hold([{ itemId: seat, quantity: 2 }]));
  const some = [
    { itemId: seat, quantity: 3 },
    { itemId: hidden, quantity: 2 },
    { itemId: coded, quantity: 2 },
    { itemId: free, quantity: 1 },
  ];
  const order = await shop.buy(some, { passkey: 'let me in' });
  const parts = some.map(({ itemId }) => ({ itemId, quantity: 1 }));
  expect((await shop.refund(order, { lines: parts })).statusCode).toBe(200);
  expect((await shop.refund(order, { lines: parts.slice(0, 1), restock: false })).statusCode).toBe(200);
  expect((await shop.refund(await shop.buy(parts.slice(0, 1)))).statusCode).toBe(200);
  await shop.refund(await shop.buy([{ itemId: free, quantity: 2 }]), { restock: false });
  await payByPix(seat);
  await checkIn();
}

/** Checks in tickets, with a double entry and an undone entry. */
async function checkIn(): Promise<void> {
  const session = { name: 'Now', start: '2026-03-02 08:00:00', finish: '2026-03-02 14:00:00' };
  const { id } = await shop.write('POST', `/event/${world.event}/session`, session);
  const seat = await shop.newItem({ item: { sessionIds: [id] } });
  const { id: orderId, secret } = await shop.buy([{ itemId: seat, quantity: 2 }]);
  const { data: tickets } = (await world.call('GET', `/orders/${orderId}/tickets?secret=${secret}`)).json<{ data: { code: string }[] }>();
  await shop.importCodes(await shop.newItem({ item: { type: 'external', sessionIds: [id] } }), 'X', 'Y');
  const entry = (code: string, nonce: string) => ({ code, nonce, at: world.now.toISOString(), device: 'phone' });
  await shop.write('POST', `/event/${world.event}/checkins`, {
    entries: [entry('X', 'first'), entry('X', 'second'), entry('Y', 'third'), ...tickets.map(({ code }, i) => entry(code, `ticket${i}`))],
  });
  const { code: _, ...undo } = { ...entry('Y', 'undo'), undoes: 'third' };
  await shop.write('POST', `/event/${world.event}/checkins/undo`, { entries: [undo] });
}

describe('audit', () => {
  beforeAll(placeOrdersOfAllKinds);

  it('has at least one fault in this file for every check', () => {
    expect(Object.keys(faults).toSorted()).toEqual(checks.map(({ name }) => name).toSorted());
  });

  it.each(checks.map((check) => [check.name, check] as const))('%s', async (name, check) => {
    expect(await inTransaction(world.db, { readOnly: true }, (tx) => check.find(tx))).toEqual([]);
    for (const fault of faults[name] ?? []) expect(await findAfter(fault, check), fault).not.toEqual([]);
  });

  it('compares single orders only if the sums differ', async () => {
    const { statements } = await statementsOf(() =>
      inTransaction(world.db, { readOnly: true }, async (tx) => {
        for (const check of checks) await check.find(tx);
      }),
    );
    expect(statements).toHaveLength(checks.length);
  });
});
