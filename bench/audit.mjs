// A1: the audit of many orders, against reading every row of the same tables once.
import { checks } from '../dist/audit/checks.js';
import { liftLimits } from '../dist/audit/checks.sql.js';
import { connect } from '../dist/postgres/database.js';
import { inTransaction } from '../dist/postgres/transaction.js';
import { compare, secondsOf } from './compare.mjs';
import { startService } from './service.mjs';
import { openShop } from './shop.mjs';

/** Paid orders of one ticket each, whole: lines, tickets, payments, postings, and the counters that follow from them. */
async function fill(client, { eventId, itemIds: [itemId] }, orders) {
  await client.query(`
    with o as (
      insert into ticket_order (event_id, id, status, app_category_id, buyer_name, buyer_email, total, currency, secret_hash, created_at,
                                expires_at, approved_at)
      select ${eventId}, nextval('ticket_order_id'), 'approved', 1, 'Early Bird', 'early' || n || '@example.com', 8800, 'BRL',
             sha256(n::text::bytea), now(), now(), now() from generate_series(1, ${orders}) n returning event_id, id),
    l as (
      insert into order_line (event_id, order_id, item_id, session_ids, quantity, price, fee_sale, fee_producer, unlocked)
      select event_id, id, ${itemId}, array(select id from event_session where event_id = ${eventId}), 1, 8000, 800, 200, false from o
      returning event_id, order_id, item_id, session_ids),
    t as (
      insert into ticket (event_id, order_id, item_id, session_ids, holder, created_at)
      select event_id, order_id, item_id, session_ids, 'Early Bird', now() from l),
    p as (
      insert into payment (event_id, order_id, method, amount, received, status, created_at)
      select event_id, id, 'card', 8800, 8800, 'approved', now() from o),
    m as (
      insert into ledger_posting (event_id, order_id, item_id, reason, source, target, amount, quantity, created_at)
      select event_id, id, ${itemId}, 'sale', 'payment:card', target, amount, 1, now()
        from o, (values ('producer', 7800), ('platform', 1000)) as side (target, amount)),
    i as (update item set sold = sold + ${orders} where event_id = ${eventId}),
    s as (update event_session set sold = sold + ${orders} where event_id = ${eventId})
    update sale_period set sold = sold + ${orders} where item_id = ${itemId}`);
  await client.query('vacuum analyze');
  await client.query('checkpoint');
}

/** What anybody needs who looks at every row once. */
async function readOnce(client) {
  for (const table of ['ticket_order', 'order_line', 'ticket', 'payment', 'ledger_posting']) {
    await client.query(`select sum(hashtext(r::text)) from ${table} r`);
  }
}

const auditAll = (db) =>
  inTransaction(db, { readOnly: true, isolation: 'repeatable read' }, async (tx) => {
    await liftLimits(tx);
    for (const check of checks) {
      const found = await check.find(tx);
      if (found.length > 0) throw new Error(`${check.name}: ${found[0]}`);
    }
  });

export async function measure(_ids, { rounds, quick, progress }) {
  const orders = quick ? 10_000 : 1_000_000;
  progress(`A1: selling ${orders} tickets`);
  const service = await startService({ SERVE: 'event,ticket,shop,account' });
  const client = await service.connect();
  const { db, close } = connect({ url: service.databaseUrl, max: 1, onError: () => undefined });
  try {
    await fill(client, await (await openShop(service.api)).createEvent(), orders);
    progress('A1');
    const ratioOf = (own, other) => own.seconds / other.seconds;
    const result = await compare({
      rounds,
      ours: async () => ({ seconds: await secondsOf(() => auditAll(db)) }),
      control: async () => ({ seconds: await secondsOf(() => readOnce(client)) }),
      ratioOf,
    });
    return { A1: { ...result, orders } };
  } finally {
    await close();
    await client.end();
    await service.stop();
  }
}
