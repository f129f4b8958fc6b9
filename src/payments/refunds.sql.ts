import { sql } from 'kysely';
import type { RowKey } from '../kernel/ids-by-event.ts';
import type { Database, Tx } from '../postgres/database.ts';
import type { Statement } from '../postgres/pipeline.ts';

export interface NewRefundRow {
  event_id: number;
  order_id: number;
  payment_id: number;
  amount: number;
  reason: 'refund' | 'overpaid' | 'underpaid' | 'late' | 'duplicate' | 'cancelled' | 'sold_out';
  status: 'begun' | 'done';
  reference: string | null;
  due_at: Date | null;
  created_at: Date;
  finished_at: Date | null;
}

export const insertRefunds = (refunds: readonly NewRefundRow[]): Statement => sql`
  insert into refund (event_id, order_id, payment_id, amount, reason, status, reference, due_at, created_at, finished_at)
  select * from json_to_recordset(${JSON.stringify(refunds)}) as r (
    event_id bigint, order_id bigint, payment_id bigint, amount bigint, reason text, status text, reference text, due_at timestamptz,
    created_at timestamptz, finished_at timestamptz)`;

/** A refund about which the provider is called. */
export interface RefundToCall extends RowKey {
  order_id: number;
  provider: string;
  payment_provider_id: string;
  reference: string;
  amount: number;
  status: 'begun' | 'pending';
  payout: boolean;
  attempts: number;
  created_at: Date;
}

/** Returns refunds that are due, the longest due first. Other workers may take them at any time. */
export async function selectDueRefunds(db: Database, at: Date, limit: number): Promise<RowKey[]> {
  const { rows } = await sql<RowKey>`
    /* all events */ select event_id as "eventId", id from refund where due_at <= ${at} order by due_at, id limit ${limit}`.execute(db);
  return rows;
}

/** Reserves a due refund for this worker until then. Returns null if it is no longer due. */
export async function leaseRefund(db: Database, { eventId, id }: RowKey, at: Date, until: Date): Promise<RefundToCall | null> {
  const { rows } = await sql<RefundToCall>`
    update refund r set due_at = ${until}, attempts = r.attempts + 1 from payment p
     where r.event_id = ${eventId} and r.id = ${id} and r.due_at <= ${at} and p.event_id = r.event_id and p.id = r.payment_id
    returning r.event_id as "eventId", r.id, r.order_id, p.provider, p.provider_id as payment_provider_id, r.reference, r.amount, r.status,
              p.payout_account is not null as payout, r.attempts, r.created_at`.execute(db);
  return rows[0] ?? null;
}

export interface RefundState {
  status: 'pending' | 'done' | 'failed';
  providerId: string | null;
  failure: string | null;
  dueAt: Date | null;
  finishedAt: Date | null;
}

/** The statuses from which a report changes a refund. Reports may arrive late, and a provider may fail a refund that was done. */
const changedBy: Record<RefundState['status'], string[]> = {
  pending: ['begun'],
  done: ['begun', 'pending'],
  failed: ['begun', 'pending', 'done'],
};

/**
 * Writes what the provider has reported, unless the refund was retried under another reference meanwhile, or the crew has settled it. A
 * refund that the provider refused has no provider id. If the provider then reports it as done, the refusal was wrong. Returns whether the
 * refund changed.
 */
export async function applyRefundState(
  tx: Tx,
  { eventId, id, reference }: RowKey & { reference: string },
  state: RefundState,
): Promise<boolean> {
  const { status, providerId, failure, dueAt, finishedAt } = state;
  const { rows } = await sql`
    update refund set status = ${status}, provider_id = coalesce(${providerId}, provider_id), failure = ${failure}, due_at = ${dueAt}, attempts = 0,
           last_error = null, finished_at = ${finishedAt}
     where event_id = ${eventId} and id = ${id} and reference = ${reference} and note is null
       and (status = any(${changedBy[status]}::text[]) or (status = 'failed' and provider_id is null and ${status === 'done'}))
    returning id`.execute(tx);
  return rows.length > 0;
}

/** Notes why a call failed, and when to call again. */
export async function postponeRefund(db: Database, { eventId, id }: RowKey, error: string | null, dueAt: Date): Promise<void> {
  await sql`
    update refund set last_error = ${error}, due_at = ${dueAt}
     where event_id = ${eventId} and id = ${id} and due_at is not null`.execute(db);
}

export interface ReportedRefund extends RowKey {
  order_id: number;
  reference: string;
  status: 'begun' | 'pending' | 'done' | 'failed';
  /** Whether the report is about an attempt before a retry. */
  earlier: boolean;
}

/** Finds a refund of an order by our name or the provider's name of it. */
export async function selectReportedRefund(
  tx: Tx,
  order: RowKey,
  { reference, providerId }: { reference: string | null; providerId: string },
): Promise<ReportedRefund | null> {
  const { rows } = await sql<ReportedRefund>`
    select event_id as "eventId", id, order_id, reference, status, coalesce(${reference} = any(earlier_references), false) as earlier from refund
     where event_id = ${order.eventId} and order_id = ${order.id}
       and (reference = ${reference} or provider_id = ${providerId} or ${reference} = any(earlier_references)) for update`.execute(tx);
  return rows[0] ?? null;
}

/** A refund with what the crew needs to know about its payment. */
export interface RefundRow extends RowKey {
  orderId: number;
  provider: string;
  method: 'cash' | 'card' | 'pix' | 'boleto';
  currency: string;
  amount: number;
  reason: NewRefundRow['reason'];
  status: 'begun' | 'pending' | 'done' | 'failed';
  failure: string | null;
  note: string | null;
  createdAt: Date;
  finishedAt: Date | null;
  /** Whether the buyer's bank has taken the money of the payment back, or tries to. */
  disputed: boolean;
}

const wholeRefund = sql`
  select r.event_id as "eventId", r.id, r.order_id as "orderId", p.provider, p.method, o.currency, r.amount, r.reason, r.status, r.failure, r.note,
         r.created_at as "createdAt", r.finished_at as "finishedAt",
         exists (select 1 from payment_dispute d
                  where d.event_id = r.event_id and d.order_id = r.order_id and d.payment_id = r.payment_id and d.status in ('open', 'lost')) as disputed
    from refund r
    join payment p on p.event_id = r.event_id and p.id = r.payment_id
    join ticket_order o on o.event_id = r.event_id and o.id = r.order_id`;

export async function selectRefund(tx: Tx, order: RowKey, id: number): Promise<RefundRow | null> {
  const { rows } = await sql<RefundRow>`
    ${wholeRefund} where r.event_id = ${order.eventId} and r.order_id = ${order.id} and r.id = ${id}`.execute(tx);
  return rows[0] ?? null;
}

const ofEvent = (eventId: number, status: RefundRow['status'] | undefined) =>
  sql`r.event_id = ${eventId} and ${status === undefined ? sql`true` : sql`r.status = ${sql.lit(status)}`}`;

/** Returns a page of refunds, newest first. The status is a literal, so that PostgreSQL can use the partial index of failed refunds. */
export async function selectRefunds(
  tx: Tx,
  { eventId, status }: { eventId: number; status: RefundRow['status'] | undefined },
  before: number | null,
  limit: number,
): Promise<RefundRow[]> {
  const start = before === null ? sql`true` : sql`r.id < ${before}`;
  const { rows } = await sql<RefundRow>`
    ${wholeRefund} where ${ofEvent(eventId, status)} and ${start} order by r.id desc limit ${limit}`.execute(tx);
  return rows;
}

export async function countRefunds(
  tx: Tx,
  { eventId, status }: { eventId: number; status: RefundRow['status'] | undefined },
): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from refund r where ${ofEvent(eventId, status)}`.execute(tx);
  return rows[0]?.n ?? 0;
}

/** Starts a failed refund again. Forgets the provider's id, so that reports about the failed attempt do not change the new one. */
export async function restartRefund(tx: Tx, { eventId, id }: RowKey, reference: string, at: Date): Promise<boolean> {
  const { rows } = await sql`
    update refund set status = 'begun', reference = ${reference}, earlier_references = earlier_references || reference, provider_id = null,
           failure = null, due_at = ${at}, attempts = 0, last_error = null, finished_at = null
     where event_id = ${eventId} and id = ${id} and status = 'failed' returning id`.execute(tx);
  return rows.length > 0;
}

/** Marks a failed refund as done, because the crew returned the money. */
export async function closeRefund(tx: Tx, { eventId, id }: RowKey, note: string, at: Date): Promise<boolean> {
  const { rows } = await sql`
    update refund set status = 'done', note = ${note}, failure = null, finished_at = ${at}
     where event_id = ${eventId} and id = ${id} and status = 'failed' returning id`.execute(tx);
  return rows.length > 0;
}

/** Two selects in a union, so that each uses its own partial index. A status without refunds is returned with 0. */
export async function countOpenRefunds(db: Database): Promise<{ status: string; n: number }[]> {
  const { rows } = await sql<{ status: string; n: number }>`
    /* all events */ select named.status, count(r.status) as n from unnest(array['begun', 'pending', 'failed']) as named (status)
      left join (select status from refund where due_at is not null union all select status from refund where status = 'failed') r using (status)
     group by 1`.execute(db);
  return rows;
}
