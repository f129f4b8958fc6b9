// S5 and M1: an export of transactions to CSV, against a raw COPY of the same columns to a file, and the memory it takes.
import { Kysely, PostgresDialect } from 'kysely';
import { transactionParts } from '../dist/exports/transactions.sql.js';
import { compare, secondsOf } from './compare.mjs';
import { growthOf } from './memory.mjs';
import { startService } from './service.mjs';
import { call, openShop } from './shop.mjs';

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
    insert into payment (event_id, order_id, method, amount, received, status, created_at)
    select event_id, id, 'card', 8800, 8800, 'approved', now() from o`);
  await client.query('vacuum analyze');
  await client.query('checkpoint');
}

/** The same columns as they stand in the tables, written by the server itself: no guard, no hash, no waiting for the disk. */
async function rawCopy(client, eventId) {
  const { rows } = await client.query(`select timezone, current_setting('data_directory') as folder from event where id = ${eventId}`);
  const [{ timezone, folder }] = rows;
  const [part] = await transactionParts(null, { eventId, filters: {}, personal: true, format: 'csv', zone: timezone, at: new Date() });
  const query = part.rows({ after: 0, upTo: Number.MAX_SAFE_INTEGER });
  const { sql, parameters } = query.compile(new Kysely({ dialect: new PostgresDialect({ pool: null }) }));
  const literal = (value) => (typeof value === 'number' ? String(value) : client.escapeLiteral(value.toISOString?.() ?? value));
  const text = sql.replaceAll(/\$(\d+)/g, (_, n) => literal(parameters[n - 1])).replaceAll('csv_text(', '(');
  return { seconds: await secondsOf(() => client.query(`copy (${text}) to '${folder}/raw.csv' (format csv)`)) };
}

let asked = 0;
/** Another filter each time, as the same request would be joined; it leaves nothing out. */
const fresh = () => [{ name: 'from', value: `2001-01-01 00:00:${String(++asked).padStart(2, '0')}` }];

/** From the request to the moment in which the file may be downloaded, by the clock of the service: whoever asks is not in the way. */
async function ourExport(api, token, eventId, rows) {
  let made = await call(api, token, 'POST', `/event/${eventId}/export`, { filters: fresh() });
  while (made.finishedAt === null) {
    await pause(100);
    made = await call(api, token, 'GET', `/exports/${made.id}`);
  }
  if (made.status !== 'ready' || made.rows !== rows) throw new Error(JSON.stringify(made));
  return { seconds: (Date.parse(made.finishedAt) - Date.parse(made.createdAt)) / 1_000 };
}

export async function measure(_ids, { rounds, quick, progress }) {
  const count = quick ? 30_000 : 1_000_000;
  progress(`S5, M1: selling ${count} tickets`);
  const service = await startService();
  const client = await service.connect();
  try {
    const { token, createEvent } = await openShop(service.api);
    const place = await createEvent();
    await fill(client, place, count);
    progress('S5, M1');
    const growths = [];
    const result = await compare({
      rounds,
      async ours() {
        let made;
        growths.push(
          await growthOf(service.pid, async () => {
            made = await ourExport(service.api, token, place.eventId, count);
          }),
        );
        return made;
      },
      control: () => rawCopy(client, place.eventId),
      ratioOf: (own, other) => other.seconds / own.seconds,
    });
    return { S5: { ...result, count }, M1: { value: Math.max(...growths), count } };
  } finally {
    await client.end();
    await service.stop();
  }
}
