// G3: what bordero and entry report cost over a million tickets, beside ten thousand. Beside it, in milliseconds, what the same figures cost
// when they are counted from the ledger and the admissions.
import { compare, secondsOf } from './compare.mjs';
import { startService } from './service.mjs';
import { call, openShop } from './shop.mjs';

const requests = 40;
const perChunk = 50_000;
const small = 10_000;

/** Where each is read, and the views that count it anew. */
const reports = {
  bordero: { address: 'bordero', recounts: ['sales_recount'] },
  entries: { address: 'guestlist?method=report', recounts: ['entry_recount', 'guest_recount'] },
};

/** Paid orders of two tickets each, at two prices, some refunded, through three channels, paid in two ways; half of the guests have come. */
async function fill(service, { eventId, itemIds }, tickets) {
  const { rows } = await query(service, 'select id from event_session where event_id = $1', [eventId]);
  const sessionId = rows[0].id;
  for (let done = 0; done < tickets; done += perChunk) {
    const orders = Math.min(perChunk, tickets - done) / 2;
    // A connection of its own for each chunk: they count on rows of their own.
    await query(
      service,
      `with o as (
         insert into ticket_order (event_id, id, status, app_category_id, buyer_name, buyer_email, total, currency, secret_hash, created_at,
                                   expires_at, approved_at)
         select ${eventId}, nextval('ticket_order_id'), 'approved', n % 3 + 1, 'Early Bird', 'early' || n || '@example.com', 17600, 'BRL',
                sha256(n::text::bytea), now(), now(), now() from generate_series(1, ${orders}) n returning event_id, id, app_category_id),
       l as (
         insert into order_line (event_id, order_id, item_id, session_ids, quantity, refunded, price, fee_sale, fee_producer, unlocked)
         select event_id, id, (array[${itemIds}])[id % ${itemIds.length} + 1], array[${sessionId}], 2, (id % 20 = 0)::int, 8000 + id % 2 * 1000, 800,
                200, false from o returning *),
       p as (
         insert into ledger_posting (event_id, order_id, item_id, reason, source, target, amount, quantity, created_at)
         select l.event_id, l.order_id, l.item_id, r.reason, case when r.reason = 'sale' then m.paid else a.account end,
                case when r.reason = 'sale' then a.account else m.paid end, a.amount * r.quantity, r.quantity, now()
           from l cross join lateral (values ('producer', l.price - 200), ('platform', 1000)) as a (account, amount)
           cross join lateral (values ('sale', 2), ('refund', l.refunded)) as r (reason, quantity)
           cross join lateral (select case when l.order_id % 3 = 0 then 'payment:cash' else 'payment:card' end as paid) m
          where r.quantity > 0),
       t as (
         insert into ticket (event_id, order_id, item_id, session_ids, holder, created_at)
         select event_id, order_id, item_id, session_ids, 'Early Bird', now() from l, generate_series(1, 2))
       select`,
    );
  }
  await query(
    service,
    `update ticket set status = 'refunded' where event_id = ${eventId}
        and id in (select max(id) from ticket where event_id = ${eventId} and order_id % 20 = 0 group by order_id)`,
  );
  for (let done = 0; done < tickets; done += perChunk) {
    await query(
      service,
      `insert into checkin (event_id, ticket_id, session_id, item_id, nonce, at, received_at, gate, device, result, state)
       select event_id, id, ${sessionId}, item_id, id::text, now() + id % 180 * interval '1 minute', now(), 'Gate A', 'gate-a-1', 'admitted', 'inside'
         from (select * from ticket where event_id = ${eventId} order by id offset ${done} limit ${perChunk}) t where status = 'valid' and id % 2 = 0`,
    );
  }
}

async function query(service, text, values) {
  const client = await service.connect();
  try {
    return await client.query(text, values);
  } finally {
    await client.end();
  }
}

async function measureReport(service, token, { address, recounts }, [few, many], rounds) {
  const read =
    ({ eventId }) =>
    async () => ({
      seconds: await secondsOf(async () => {
        for (let i = 0; i < requests; i++) await call(service.api, token, 'GET', `/event/${eventId}/${address}`);
      }),
    });
  const ratioOf = (own, other) => own.seconds / other.seconds;
  const compared = await compare({ rounds, ours: read(many), control: read(few), ratioOf });
  const recount = async ({ eventId }) =>
    1_000 *
    (await secondsOf(async () => {
      for (const view of recounts) await query(service, `select * from ${view} where event_id = ${eventId}`);
    }));
  return { ...compared, recountedMs: { ours: await recount(many), control: await recount(few) } };
}

/** The value is that of the worse of the two. */
export async function measure(_ids, { rounds, quick, progress }) {
  const tickets = quick ? 20_000 : 1_000_000;
  progress(`G3: selling ${tickets} tickets`);
  const service = await startService();
  try {
    const { token, createEvent } = await openShop(service.api);
    const places = [await createEvent({ items: 4 }), await createEvent({ items: 4 })];
    await fill(service, places[0], small);
    await fill(service, places[1], tickets);
    await query(service, 'vacuum analyze');
    await query(service, 'checkpoint');
    const measured = {};
    for (const [name, report] of Object.entries(reports)) {
      progress(`G3: ${name}`);
      measured[name] = await measureReport(service, token, report, places, rounds);
    }
    const [worse] = Object.values(measured).toSorted((a, b) => b.value - a.value);
    return { G3: { ...worse, tickets, reports: measured } };
  } finally {
    await service.stop();
  }
}
