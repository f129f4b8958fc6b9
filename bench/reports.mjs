// Figure G3: what bordero and entry report cost over a million tickets, beside ten thousand; what the same figures cost when they are counted
// from the ledger and the admissions; and what counting them while they happen costs those who pay. Needs dist/, which `npm run build` makes.
//   node bench/reports.mjs [--only reports,payments] [--rounds 3] [--tickets 1000000] [--small 10000]

import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { median } from './median.mjs';
import { startService } from './service.mjs';
import { call, openShop } from './shop.mjs';

const requests = 40;
const perChunk = 50_000;
const perPayment = 2_000;
const clients = 64;

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
         insert into ticket (event_id, order_id, item_id, created_at) select event_id, order_id, item_id, now() from l, generate_series(1, 2))
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
      `insert into admission (event_id, ticket_id, session_id, item_id, nonce, at, gate, device)
       select event_id, id, ${sessionId}, item_id, id::text, now() + id % 180 * interval '1 minute', 'Gate A', 'gate-a-1'
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

/** The median of so many requests, one after the other, in milliseconds. */
async function timeOf({ api }, token, path) {
  const times = [];
  for (let i = 0; i < requests; i++) {
    const began = performance.now();
    await call(api, token, 'GET', path);
    times.push(performance.now() - began);
  }
  return median(times);
}

async function timeOfQuery(service, text) {
  const client = await service.connect();
  try {
    const began = performance.now();
    await client.query(text);
    return performance.now() - began;
  } finally {
    await client.end();
  }
}

async function measureReports(service, shop, { rounds, tickets, small }) {
  const events = { small: await shop.createEvent({ items: 4 }), large: await shop.createEvent({ items: 4 }) };
  await fill(service, events.small, small);
  await fill(service, events.large, tickets);
  await query(service, 'vacuum analyze');
  await query(service, 'checkpoint');
  const figures = [];
  for (const [name, address, recounts] of [
    ['bordero', 'bordero', ['sales_recount']],
    ['entry report', 'guestlist?method=report', ['entry_recount', 'guest_recount']],
  ]) {
    const path = ({ eventId }) => `/event/${eventId}/${address}`;
    const results = [];
    for (let round = 0; round <= rounds; round++) {
      const control = await timeOf(service, shop.token, path(events.small));
      const own = await timeOf(service, shop.token, path(events.large));
      if (round > 0) results.push({ own, control, ratio: own / control });
    }
    const ratio = median(results.map((result) => result.ratio));
    const { own, control } = results.find((result) => result.ratio === ratio);
    const counted = {};
    for (const [size, { eventId }] of Object.entries(events)) {
      counted[size] = 0;
      for (const view of recounts) counted[size] += await timeOfQuery(service, `select * from ${view} where event_id = ${eventId}`);
    }
    figures.push({ figure: 'G3', name: `${name} of ${tickets} : ${small} tickets`, ratio, must: 30, aim: 3, own, control, counted });
  }
  return figures;
}

const counting = { ticket: 'ticket_counted', ledger_posting: 'ledger_posting_counted' };

/** Pays so many orders, many at once; answers payments a second. */
async function payAll({ api }, orders) {
  const left = orders.slice();
  const began = performance.now();
  const client = async () => {
    for (let order = left.pop(); order; order = left.pop()) {
      await call(api, null, 'POST', `/orders/${order.id}/payment?secret=${order.secret}`, { method: 'card' });
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return orders.length / ((performance.now() - began) / 1_000);
}

async function measurePayments(service, shop, { rounds }) {
  const { eventId, itemIds } = await shop.createEvent();
  const ordersToPay = () =>
    Promise.all(
      Array.from({ length: perPayment }, (_, i) =>
        call(service.api, null, 'POST', '/orders', {
          eventId,
          items: [{ itemId: itemIds[0], quantity: 1 }],
          buyer: { name: 'Ana Souza', email: `ana${Math.random()}${i}@example.com` },
        }),
      ),
    );
  const results = [];
  for (let round = 0; round <= rounds; round++) {
    const rates = {};
    for (const state of round % 2 === 0 ? ['enable', 'disable'] : ['disable', 'enable']) {
      for (const [table, trigger] of Object.entries(counting)) await query(service, `alter table ${table} ${state} trigger ${trigger}`);
      rates[state] = await payAll(service, await ordersToPay());
    }
    if (round > 0) results.push({ own: rates.enable, control: rates.disable, ratio: rates.enable / rates.disable });
  }
  const ratio = median(results.map((result) => result.ratio));
  const { own, control } = results.find((result) => result.ratio === ratio);
  return [{ figure: 'beside G3', name: 'payments a second, counted : not counted', ratio, own, control }];
}

/** Answers the figures as data. */
export async function measure({ only = ['reports', 'payments'], rounds = 3, tickets = 1_000_000, small = 10_000 } = {}) {
  const service = await startService();
  try {
    const shop = await openShop(service.api);
    return [
      ...(only.includes('reports') ? await measureReports(service, shop, { rounds, tickets, small }) : []),
      ...(only.includes('payments') ? await measurePayments(service, shop, { rounds }) : []),
    ];
  } finally {
    await service.stop();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: 'reports,payments' },
      rounds: { type: 'string', default: '3' },
      tickets: { type: 'string', default: '1000000' },
      small: { type: 'string', default: '10000' },
    },
  });
  const [rounds, tickets, small] = [values.rounds, values.tickets, values.small].map(Number);
  for (const { figure, name, ratio, must, aim, own, control, counted } of await measure({
    only: values.only.split(','),
    rounds,
    tickets,
    small,
  })) {
    const bound = must ? `  (at most ${must}, aim ${aim})` : '';
    console.log(`${figure} ${name}  ${ratio.toFixed(2)}${bound}\n    ours ${own.toFixed(1)}  control ${control.toFixed(1)}`);
    if (counted) console.log(`    counted anew: ${counted.large.toFixed(0)} ms, control ${counted.small.toFixed(0)} ms`);
  }
}
