import { sql } from 'kysely';
import type { RowKey } from '../kernel/ids-by-event.ts';
import type { Database, Tx } from '../postgres/database.ts';
import type { OldRows } from '../postgres/delete-old-rows.ts';
import type { Statement } from '../postgres/pipeline.ts';
import type { ProviderDispute, ProviderPayment, ProviderRefund } from './providers/port.ts';

/** How a notice names its payment. */
export interface NoticeNames {
  provider: string;
  reference: string | null;
  provider_id: string | null;
}

/** Finds the events of payments by our names and by the provider's names. Unknown names are left out. */
export async function selectEventsOfNotices(
  tx: Database | Tx,
  notices: readonly NoticeNames[],
): Promise<(names: NoticeNames) => number | null> {
  const { rows } = await sql<NoticeNames & { event_id: number }>`
    /* event of */ select event_id, provider, reference, provider_id from payment
     where reference = any(${notices.flatMap(({ reference }) => reference ?? [])}::text[])
        or provider_id = any(${notices.flatMap(({ provider_id }) => provider_id ?? [])}::text[])`.execute(tx);
  return (names) => rows.find((row) => isNamed(row, names))?.event_id ?? null;
}

/** Whether the notice is about this payment. One provider can never report about the payments of another. */
export const isNamed = (payment: NoticeNames, { provider, reference, provider_id }: NoticeNames): boolean =>
  payment.provider === provider && (reference === null ? payment.provider_id === provider_id : payment.reference === reference);

/** What a notice says, without its id and type. */
type NoticeContent =
  | { about: 'payment'; payment: ProviderPayment }
  | { about: 'refund'; refund: ProviderRefund }
  | { about: 'dispute'; dispute: ProviderDispute }
  | { about: 'change'; paymentProviderId: string };

export interface NewNoticeRow extends NoticeNames {
  /** The event of the payment. 0 if the payment is not known yet. */
  event_id: number;
  notice_id: string;
  type: string;
  raw: string;
  content: NoticeContent;
}

/** Stores new notices, and returns the ids of those that were not received before. */
export async function insertNotices(tx: Tx, notices: readonly NewNoticeRow[], at: Date): Promise<string[]> {
  const { rows } = await sql<{ notice_id: string }>`
    insert into payment_notice (event_id, provider, notice_id, type, raw, reference, provider_id, content, received_at, due_at)
    select n.*, ${at}::timestamptz, ${at}::timestamptz from json_to_recordset(${JSON.stringify(notices)}) as n (
      event_id bigint, provider text, notice_id text, type text, raw text, reference text, provider_id text, content jsonb)
    on conflict (event_id, provider, notice_id) do nothing returning notice_id`.execute(tx);
  return rows.map(({ notice_id }) => notice_id);
}

export interface DueNotice extends RowKey, NoticeNames {
  content: NoticeContent;
}

/** Returns notices that are due, oldest first. Other workers may take them at any time. */
export async function selectDueNotices(db: Database, at: Date, limit: number): Promise<DueNotice[]> {
  const { rows } = await sql<DueNotice>`
    /* all events */ select event_id as "eventId", id, provider, reference, provider_id, content from payment_notice
     where status = 'received' and due_at <= ${at} order by due_at, id limit ${limit}`.execute(db);
  return rows;
}

/** Locks notices without an event. Skips notices that another worker has locked or moved. */
export async function lockEarlyNotices(tx: Tx, ids: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from payment_notice where event_id = 0 and id = any(${ids}::bigint[]) order by id for update skip locked`.execute(tx);
  return rows.map(({ id }) => id);
}

/** A notice that was sent again after its payment was known is already stored with the event. Then the copy is left out. */
export const copyEarlyNotices = (eventId: number, ids: readonly number[]): Statement => sql`
  insert into payment_notice (event_id, id, provider, notice_id, type, raw, reference, provider_id, content, received_at, due_at, attempts,
                              last_error)
  overriding system value
  select ${eventId}::bigint, id, provider, notice_id, type, raw, reference, provider_id, content, received_at, due_at, attempts, last_error
    from payment_notice where event_id = 0 and id = any(${ids}::bigint[])
  on conflict (event_id, provider, notice_id) do nothing`;

export const deleteEarlyNotices = (ids: readonly number[]): Statement => sql`
  delete from payment_notice where event_id = 0 and id = any(${ids}::bigint[])`;

export interface NoticeRow extends NoticeNames {
  event_id: number;
  id: number;
  content: NoticeContent;
  received_at: Date;
  attempts: number;
}

/**
 * Locks and returns the notices that are still due, oldest first. Skips notices that another worker has locked. `|| ''` keeps the planner from
 * searching the notices among all due notices.
 */
export async function lockDueNotices(tx: Tx, eventId: number, ids: readonly number[], at: Date): Promise<NoticeRow[]> {
  const { rows } = await sql<NoticeRow>`
    select event_id, id, provider, reference, provider_id, content, received_at, attempts from payment_notice
     where event_id = ${eventId} and id = any(${ids}::bigint[]) and status || '' = 'received' and due_at <= ${at}
     order by id for update skip locked`.execute(tx);
  return rows;
}

export interface NoticeUpdate {
  event_id: number;
  id: number;
  status: 'received' | 'applied' | 'ignored' | 'set_aside' | 'failed';
  outcome: string | null;
  /** Why the last attempt failed; null if it succeeded. */
  last_error: string | null;
  attempts: number;
  due_at: Date;
}

export const updateNotices = (updates: readonly NoticeUpdate[]): Statement => sql`
  update payment_notice n set status = m.status, outcome = m.outcome, last_error = m.last_error, attempts = m.attempts, due_at = m.due_at
    from json_to_recordset(${JSON.stringify(updates)}) as m (
      event_id bigint, id bigint, status text, outcome text, last_error text, attempts int, due_at timestamptz)
   where n.event_id = any(${updates.map(({ event_id }) => event_id)}::bigint[]) and n.id = any(${updates.map(({ id }) => id)}::bigint[])
     and n.event_id = m.event_id and n.id = m.id`;

/** Two selects in a union, so that each uses its own partial index. A status without notices is returned with 0. */
export async function countOpenNotices(db: Database): Promise<{ status: string; n: number }[]> {
  const { rows } = await sql<{ status: string; n: number }>`
    /* all events */ select 'received' as status, count(*) as n from payment_notice where status = 'received'
    union all
    select named.status, count(n.id) from unnest(array['set_aside', 'failed']) as named (status)
      left join (select id, status from payment_notice where status in ('set_aside', 'failed')) n using (status) group by 1`.execute(db);
  return rows;
}

export interface OpenNotice {
  id: number;
  status: 'received' | 'set_aside' | 'failed';
  attempts: number;
  provider: string;
  type: string;
  payment: string;
  received_at: Date;
  why: string;
}

export async function selectOpenNotices(tx: Tx, limit: number): Promise<OpenNotice[]> {
  const { rows } = await sql<OpenNotice>`
    /* all events */ select id, status, attempts, provider, type, coalesce(reference, provider_id) as payment, received_at, coalesce(outcome, last_error) as why
      from (select * from payment_notice where status in ('set_aside', 'failed')
            union all select * from payment_notice where status = 'received' and last_error is not null) n
     order by id limit ${limit}`.execute(tx);
  return rows;
}

/** Returns the notice with this id if it failed or was set aside, or all failed notices if `id` is null. */
export async function selectNoticesToRetry(tx: Tx, id: number | null): Promise<RowKey[]> {
  const which = id === null ? sql`status = 'failed'` : sql`id = ${id}`;
  const { rows } = await sql<RowKey>`
    /* all events */ select event_id as "eventId", id from payment_notice where status in ('set_aside', 'failed') and ${which}`.execute(tx);
  return rows;
}

/** Makes these notices due now, unless they were retried meanwhile. Resets their attempts. Returns their ids. */
export async function requeueNotices(tx: Tx, eventId: number, ids: readonly number[], at: Date): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    update payment_notice set status = 'received', outcome = null, attempts = 0, due_at = ${at}
     where event_id = ${eventId} and id = any(${ids}::bigint[]) and status in ('set_aside', 'failed') returning id`.execute(tx);
  return rows.map((row) => row.id);
}

export interface NamedPayment extends NoticeNames {
  reference: string;
  order_id: number;
}

/** Returns the payments of an event that the notices name. */
export async function selectPaymentsOfNotices(tx: Tx, eventId: number, notices: readonly NoticeNames[]): Promise<NamedPayment[]> {
  const { rows } = await sql<NamedPayment>`
    select provider, reference, provider_id, order_id from payment
     where event_id = ${eventId} and reference is not null
       and (reference = any(${notices.flatMap(({ reference }) => reference ?? [])}::text[])
         or provider_id = any(${notices.flatMap(({ provider_id }) => provider_id ?? [])}::text[]))`.execute(tx);
  return rows;
}

/** Replaces a notice that says only that a payment has changed by the state of the payment. */
export async function resolveChange(db: Database, { eventId, id }: RowKey, payment: ProviderPayment): Promise<void> {
  await sql`
    update payment_notice set content = ${JSON.stringify({ about: 'payment', payment })}::jsonb, reference = coalesce(reference, ${payment.reference})
     where event_id = ${eventId} and id = ${id} and status = 'received'`.execute(db);
}

/** Old notices that were applied or ignored. The condition must match the partial index `payment_notice_to_delete`. */
export const oldNotices = (before: Date): OldRows => ({
  table: 'payment_notice',
  where: sql`status in ('applied', 'ignored') and received_at < ${before}`,
  age: 'received_at',
  keyedByEvent: true,
});

/** Notices that an operator has not dealt with, whose original text is still stored. */
const parkedWithText = (before: Date) => sql`status in ('set_aside', 'failed') and raw <> '' and received_at < ${before}`;

export async function countParkedWithText(tx: Tx, before: Date): Promise<number> {
  const { rows } = await sql<{
    n: number;
  }>`/* all events */ select count(*) as n from payment_notice where ${parkedWithText(before)}`.execute(tx);
  return rows[0]?.n ?? 0;
}

export async function selectParkedWithText(tx: Tx, before: Date, limit: number): Promise<RowKey[]> {
  const { rows } = await sql<RowKey>`
    /* all events */ select event_id as "eventId", id from payment_notice where ${parkedWithText(before)} limit ${limit}`.execute(tx);
  return rows;
}

export const eraseText = (eventId: number, ids: readonly number[]): Statement => sql`
  update payment_notice set raw = '' where event_id = ${eventId} and id = any(${ids}::bigint[]) and status in ('set_aside', 'failed')`;
