import { type Insertable, type Selectable, sql } from 'kysely';
import type { Database, Tx } from '../postgres/database.ts';
import type { OldRows } from '../postgres/delete-old-rows.ts';
import type { Schema } from '../postgres/schema.ts';
import type { WebhookRow } from './webhooks.sql.ts';

export type DeliveryRow = Selectable<Schema['webhook_delivery']>;

/** Queues the changes of the feed up to `end` that the webhook wants. Ids grow in the order of the positions. */
export async function queueEntries(tx: Tx, { id, producer_id, types, position }: WebhookRow, end: number, at: Date): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    insert into webhook_delivery (webhook_id, position, event_id, type, subject, part, changed_at, next_attempt_at, created_at)
    select ${id}::bigint, f.position, f.event_id, f.type, f.subject, f.part, f.at, ${at}::timestamptz, ${at}::timestamptz
      from feed_entry f
     where f.producer_id = ${producer_id} and f.position > ${position} and f.position <= ${end} and f.type = any(${types}::text[])
     order by f.position`.execute(tx);
  return Number(numAffectedRows);
}

/** Counts the pending deliveries of a webhook, up to `max`. */
export async function countPending(tx: Tx, webhookId: number, max: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from (
      select from webhook_delivery where webhook_id = ${webhookId} and status = 'pending' limit ${max}) pending`.execute(tx);
  return rows[0]?.n ?? 0;
}

export async function insertDelivery(tx: Tx, row: Insertable<Schema['webhook_delivery']>): Promise<DeliveryRow> {
  return tx.insertInto('webhook_delivery').values(row).returningAll().executeTakeFirstOrThrow();
}

/** Deletes what a replay from this position queues again. */
export async function deletePendingAfter(tx: Tx, webhookId: number, position: number): Promise<void> {
  await sql`
    delete from webhook_delivery where webhook_id = ${webhookId} and status = 'pending' and position > ${position}`.execute(tx);
}

/** Pending deliveries of the webhook `d`. A delivery waits until the earlier ones of the same subject are delivered or parked. Tests wait for nothing. */
const isFirstOfSubject = (webhookId: number) => sql`
  d.webhook_id = ${webhookId} and d.status = 'pending'
  and (d.subject = 'test' or not exists (select 1 from webhook_delivery e
         where e.webhook_id = ${webhookId} and e.status = 'pending' and e.subject = d.subject and e.id < d.id))`;

/** Deliveries that are due, oldest first. */
export async function selectDueDeliveries(tx: Tx, webhookId: number, at: Date, limit: number): Promise<DeliveryRow[]> {
  const { rows } = await sql<DeliveryRow>`
    select d.* from webhook_delivery d where ${isFirstOfSubject(webhookId)} and d.next_attempt_at <= ${at} order by d.id limit ${limit}`.execute(
    tx,
  );
  return rows;
}

/** The delivery with which an address is tried that did not respond: the one that is due first, even if it is not due yet. */
export async function selectProbe(tx: Tx, webhookId: number): Promise<DeliveryRow[]> {
  const { rows } = await sql<DeliveryRow>`
    select d.* from webhook_delivery d where ${isFirstOfSubject(webhookId)} order by d.next_attempt_at, d.id limit 1`.execute(tx);
  return rows;
}

export interface AttemptRow {
  id: number;
  status: DeliveryRow['status'];
  next_attempt_at: Date;
  attempted_at: Date;
  duration_ms: number;
  response_status: number | null;
  response: string | null;
  error: string | null;
}

export async function saveAttempts(tx: Tx, webhookId: number, attempts: readonly AttemptRow[]): Promise<void> {
  await sql`
    update webhook_delivery d
       set status = a.status, attempts = d.attempts + 1, next_attempt_at = a.next_attempt_at, attempted_at = a.attempted_at,
           first_attempted_at = coalesce(d.first_attempted_at, a.attempted_at), duration_ms = a.duration_ms,
           response_status = a.response_status, response = a.response, error = a.error
      from json_to_recordset(${JSON.stringify(attempts)}) as a (
             id bigint, status text, next_attempt_at timestamptz, attempted_at timestamptz, duration_ms integer, response_status integer,
             response text, error text)
     where d.webhook_id = ${webhookId} and d.id = a.id and d.status = 'pending'`.execute(tx);
}

/** After the address was unreachable, everything that waits for a retry is due at once. */
export async function retryNow(tx: Tx, webhookId: number, at: Date): Promise<void> {
  await sql`
    update webhook_delivery set next_attempt_at = ${at}
     where webhook_id = ${webhookId} and status = 'pending' and next_attempt_at > ${at}`.execute(tx);
}

export async function parkQueuedBefore(tx: Tx, webhookId: number, before: Date): Promise<void> {
  await sql`
    update webhook_delivery set status = 'parked'
     where webhook_id = ${webhookId} and status = 'pending' and created_at <= ${before}`.execute(tx);
}

export interface DeliveryFilter {
  webhookId: number;
  status: DeliveryRow['status'] | undefined;
}

const matching = ({ webhookId, status }: DeliveryFilter) =>
  sql`webhook_id = ${webhookId} and ${status === undefined ? sql`true` : sql`status = ${status}`}`;

export async function selectDeliveries(tx: Tx, filter: DeliveryFilter, before: number | null, limit: number): Promise<DeliveryRow[]> {
  const { rows } = await sql<DeliveryRow>`
    select * from webhook_delivery where ${matching(filter)} and ${before === null ? sql`true` : sql`id < ${before}`}
     order by id desc limit ${limit}`.execute(tx);
  return rows;
}

export async function countDeliveries(tx: Tx, filter: DeliveryFilter): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from webhook_delivery where ${matching(filter)}`.execute(tx);
  return rows[0]?.n ?? 0;
}

export async function selectDelivery(tx: Tx, webhookId: number, id: number): Promise<DeliveryRow | undefined> {
  return tx.selectFrom('webhook_delivery').selectAll().where('webhook_id', '=', webhookId).where('id', '=', id).executeTakeFirst();
}

export const deliveriesBefore = (before: Date): OldRows => ({
  table: 'webhook_delivery',
  where: sql`created_at < ${before}`,
  age: 'created_at',
});

export async function countByStatus(db: Database): Promise<{ status: string; n: number }[]> {
  const { rows } = await sql<{ status: string; n: number }>`
    select 'pending' as status, count(*) as n from webhook_delivery where status = 'pending'
    union all select 'parked', count(*) from webhook_delivery where status = 'parked'`.execute(db);
  return rows;
}

/** In seconds: how long the oldest change waits for the feed, and the oldest delivery of a webhook that is not paused for its success. */
export async function selectAges(db: Database): Promise<{ changes: number; deliveries: number }> {
  const { rows } = await sql<{ changes: number; deliveries: number }>`
    /* all events */ select
      coalesce((select extract(epoch from now() - at) from change order by id limit 1), 0)::float8 as changes,
      coalesce((select extract(epoch from now() - min(first.created_at))
                  from webhook w cross join lateral (
                    select d.created_at from webhook_delivery d where d.webhook_id = w.id and d.status = 'pending' order by d.id limit 1) first
                 where not w.paused), 0)::float8 as deliveries`.execute(db);
  return rows[0] ?? { changes: 0, deliveries: 0 };
}
