// Writes the rows of orders with plain SQL, as a part of the controls of S1 and S3. test/bench-data.test.ts compares the rows with those of
// real orders.
import pg from 'pg';
import type { Throughput } from './measure.ts';
import type { MeasuredService } from './service.ts';
import type { Sale } from './shop.ts';

const batch = 128;

/** Parts of a real order that have no columns of their own. They are copied, so that the rows have the same size. */
interface Example {
  answer: string;
  after: string;
}

/** The items in turn, with everything whose counter changes with an order. */
const createTargets = (sales: readonly Sale[]): string => `
  create temp table target as
  select row_number() over (order by i.id) - 1 as turn, i.event_id, i.id as item_id, i.parent_id as group_id,
         array(select s.id from event_session s where s.event_id = i.event_id) as session_ids
    from item i where i.id in (${sales.flatMap(({ itemIds }) => itemIds).join(',')});
  analyze target`;

/** Inserts rows for the orders `first` to `first + batch - 1`. All statements are one transaction, because they are sent as one query. */
const writeBatch = (first: number, targets: number, { answer, after }: Example): string => `
  create temp table placed on commit drop as
    select n as order_id, t.*, sha256(('plain' || n)::bytea) as hash from generate_series(${first}, ${first + batch - 1}) n join target t on t.turn = n % ${targets};
  insert into idempotency_key (caller, key_hash, fingerprint, answer, created_at) select 'anonymous', hash, hash, ${answer}, now() from placed;
  update item i set held = held + d.count from (select event_id, item_id, count(*) from placed group by 1, 2) d where i.event_id = d.event_id and i.id = d.item_id;
  update item i set held = held + d.count from (select event_id, group_id, count(*) from placed group by 1, 2) d where i.event_id = d.event_id and i.id = d.group_id;
  update event_session s set held = held + d.count from (select event_id, count(*) from placed group by 1) d where s.event_id = d.event_id;
  update sale_period p set held = held + d.count from (select event_id, item_id, count(*) from placed group by 1, 2) d
   where p.event_id = d.event_id and p.item_id = d.item_id;
  insert into item_buyer (event_id, item_id, buyer, taken, most)
    select event_id, item_id, substr(hash, first, 16), 1, 4 from placed cross join (values (1), (17)) as person (first);
  insert into network_hold (event_id, network, item_id, held, lapsed, lapsed_at) select event_id, order_id, item_id, 1, 0, now() from placed;
  insert into ticket_order (event_id, id, status, app_category_id, buyer_name, buyer_email, buyer_document, locale, total, currency, secret_hash,
                            created_at, expires_at, network)
    select event_id, order_id, 'held', 1, 'Ana Souza', 'ana' || order_id || '@example.com', (100000000 + order_id)::text, 'pt-BR', 8800, 'BRL', hash,
           now(), now() + interval '10 minutes', order_id from placed;
  insert into order_line (event_id, order_id, item_id, session_ids, quantity, price, fee_sale, fee_producer, unlocked)
    select event_id, order_id, item_id, session_ids, 1, 8000, 800, 200, false from placed;
  insert into sales_quarter as q (event_id, quarter, item_id, ordered, tickets, paid)
    select event_id, date_bin('15 minutes', now(), 'epoch'), item_id, count(*), 0, 0 from placed group by 1, 2, 3
    on conflict (event_id, quarter, item_id) do update set ordered = q.ordered + excluded.ordered;
  insert into audit_log (event_id, at, actor_kind, operation, request_id, subject, subject_id, after)
    select event_id, now(), 'anonymous', 'createOrder', gen_random_uuid()::text, 'order', order_id::text, ${after} from placed`;

async function readExample(client: pg.Client, { eventId }: Sale): Promise<Example> {
  const { rows } = await client.query<{ answer: string; after: string }>(
    `select (select encode(answer, 'hex') from idempotency_key where answer is not null order by created_at desc limit 1) as answer,
            (select after::text from audit_log where event_id = $1 and operation = 'createOrder' limit 1) as after`,
    [eventId],
  );
  const [row] = rows;
  if (!row?.answer || !row.after) throw new Error('There is no order whose rows could be copied');
  return { answer: `'\\x${row.answer}'::bytea`, after: `${pg.escapeLiteral(row.after)}::jsonb` };
}

/** Writes batches of orders on one connection for some time. At least one order of these sales must exist. */
export async function writeOrders(service: MeasuredService, sales: readonly Sale[], ms: number): Promise<Throughput & { orders: number }> {
  const client = await service.connect();
  try {
    const example = await readExample(client, sales[0] as Sale);
    await client.query(createTargets(sales));
    const targets = sales.reduce((sum, { itemIds }) => sum + itemIds.length, 0);
    const { rows } = await client.query<{ id: string }>(`select nextval('ticket_order_id') as id`);
    const base = Number(rows[0]?.id) + 1;
    let first = base;
    const began = performance.now();
    while (performance.now() < began + ms || first === base) {
      await client.query(writeBatch(first, targets, example));
      first += batch;
    }
    const seconds = (performance.now() - began) / 1_000;
    await client.query(`select setval('ticket_order_id', $1)`, [first]);
    const msPerBatch = (seconds * 1_000) / ((first - base) / batch);
    return { perSecond: (first - base) / seconds, p50: msPerBatch, p99: msPerBatch, orders: first - base };
  } finally {
    await client.end();
  }
}
