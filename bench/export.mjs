// Figures S5 and M1: how long an export of transactions takes, and how much memory. Needs dist/, which `npm run build` makes.
//   node bench/export.mjs [--orders 1000000] [--rounds 3] [--format csv]
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { Kysely, PostgresDialect } from 'kysely';
import { median } from './median.mjs';
import { startService } from './service.mjs';
import { openShop } from './shop.mjs';

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Paid orders, each with its payment, as selling them would have left them. */
async function fill(client, { eventId, itemIds: [itemId] }, count) {
  await client.query(`
    with o as (
      insert into ticket_order (event_id, id, status, app_category_id, buyer_name, buyer_email, buyer_document, total, currency, secret_hash,
                                created_at, expires_at, approved_at)
      select ${eventId}, nextval('ticket_order_id'), 'approved', 1, 'Maria da Silva ' || n, 'maria' || n || '@example.com',
             (10000000000 + n)::text, 8800, 'BRL', sha256(n::text::bytea), now(), now(), now() from generate_series(1, ${count}) n
      returning event_id, id),
    l as (
      insert into order_line (event_id, order_id, item_id, session_ids, quantity, price, fee_sale, fee_producer, unlocked)
      select event_id, id, ${itemId}, array(select id from event_session where event_id = ${eventId}), 1, 8000, 800, 200, false from o)
    insert into payment (event_id, order_id, method, amount, status, created_at)
    select event_id, id, 'card', 8800, 'approved', now() from o`);
  await client.query('vacuum analyze');
  await client.query('checkpoint');
}

/** The same columns as they stand in the tables, written by the server itself: no guard, no hash, no waiting for the disk. */
async function rawCopy(client, eventId) {
  const { selectTransactions } = await import(new URL('../dist/exports/transactions.sql.js', import.meta.url));
  const { rows } = await client.query(`select timezone, current_setting('data_directory') as folder from event where id = ${eventId}`);
  const [{ timezone, folder }] = rows;
  const query = selectTransactions(eventId, {}, 'csv', timezone, new Date());
  const { sql, parameters } = query.compile(new Kysely({ dialect: new PostgresDialect({ pool: null }) }));
  const literal = (value) => (typeof value === 'number' ? String(value) : client.escapeLiteral(value.toISOString?.() ?? value));
  const text = sql.replaceAll(/\$(\d+)/g, (_, n) => literal(parameters[n - 1])).replaceAll(/csv_text\(([^)]*)\)/g, '$1');
  const started = performance.now();
  const { rowCount } = await client.query(`copy (${text}) to '${folder}/raw.csv' (format csv)`);
  return { ms: performance.now() - started, rows: rowCount };
}

const memoryOf = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;

/** From the request to the moment in which the file may be downloaded, by the clock of the service: whoever asks is not in the way. */
async function ourExport({ api, pid }, token, eventId, format) {
  const ask = async (path, method = 'GET', body) => {
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) };
    const answer = await fetch(`${api}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  };
  const idle = memoryOf(pid);
  let peak = idle;
  // Another filter each time, as the same request would be joined; it leaves nothing out.
  let made = await ask(`/event/${eventId}/export`, 'POST', { format, filters: [{ name: 'from', value: fresh() }] });
  while (made.finishedAt === null) {
    await pause(100);
    peak = Math.max(peak, memoryOf(pid));
    made = await ask(`/exports/${made.id}`);
  }
  if (made.status !== 'ready') throw new Error(JSON.stringify(made));
  return { ms: Date.parse(made.finishedAt) - Date.parse(made.createdAt), rows: made.rows, bytes: made.bytes, growth: peak - idle };
}

let asked = 0;
const fresh = () => `2001-01-01 00:00:${String(++asked).padStart(2, '0')}`;

/** The figures as data: each round both by turns, after one to warm up. */
export async function measure({ orders = 1_000_000, rounds = 3, format = 'csv' } = {}) {
  const service = await startService();
  const client = await service.connect();
  try {
    const shop = await openShop(service.api);
    const place = await shop.createEvent();
    await fill(client, place, orders);
    const results = [];
    for (let round = 0; round <= rounds; round++) {
      const control = await rawCopy(client, place.eventId);
      const ours = await ourExport(service, shop.token, place.eventId, format);
      if (ours.rows !== control.rows || ours.rows !== orders) throw new Error(`${ours.rows} rows instead of ${control.rows}`);
      if (round > 0) results.push({ ours, control, ratio: control.ms / ours.ms });
    }
    return {
      orders,
      format,
      ratio: median(results.map(({ ratio }) => ratio)),
      growthMiB: Math.max(...results.map(({ ours }) => ours.growth)),
      results,
    };
  } finally {
    await client.end();
    await service.stop();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { values } = parseArgs({
    options: {
      orders: { type: 'string', default: '1000000' },
      rounds: { type: 'string', default: '3' },
      format: { type: 'string', default: 'csv' },
    },
  });
  const { orders, format, ratio, growthMiB, results } = await measure({
    orders: Number(values.orders),
    rounds: Number(values.rounds),
    format: values.format,
  });
  for (const { ours, control } of results) {
    console.log(
      `    ours ${(ours.ms / 1000).toFixed(2)} s (${(ours.bytes / 1_048_576).toFixed(0)} MiB, memory +${ours.growth.toFixed(0)} MiB), raw COPY ${(control.ms / 1000).toFixed(2)} s`,
    );
  }
  console.log(`S5 export of ${orders} orders to ${format} : raw COPY   ${ratio.toFixed(2)}  (must 0.4, aim 0.8)`);
  console.log(`M1 memory of the service during it      +${growthMiB.toFixed(0)} MiB  (must 128, aim 48)`);
}
