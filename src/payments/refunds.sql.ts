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

/** Writes what the provider has reported, unless the refund was retried under another reference meanwhile. Returns whether it changed. */
export async function settleRefund(
  tx: Tx,
  { eventId, id, reference }: RowKey & { reference: string },
  state: RefundState,
): Promise<boolean> {
  const { status, providerId, failure, dueAt, finishedAt } = state;
  const { rows } = await sql`
    update refund set status = ${status}, provider_id = coalesce(${providerId}, provider_id), failure = ${failure}, due_at = ${dueAt}, attempts = 0,
           last_error = null, finished_at = ${finishedAt}
     where event_id = ${eventId} and id = ${id} and reference = ${reference} and status <> ${status} returning id`.execute(tx);
  return rows.length > 0;
}

/** Notes why a call failed, and when to call again. */
export async function postponeRefund(db: Database, { eventId, id }: RowKey, error: string | null, dueAt: Date): Promise<void> {
  await sql`
    update refund set last_error = ${error}, due_at = ${dueAt}
     where event_id = ${eventId} and id = ${id} and due_at is not null`.execute(db);
}

/** Finds a refund by our name or the provider's name of it. */
export async function selectRefundOf(
  tx: Tx,
  eventId: number,
  { reference, providerId }: { reference: string | null; providerId: string },
): Promise<(RowKey & { order_id: number; reference: string; status: string }) | null> {
  const { rows } = await sql<RowKey & { order_id: number; reference: string; status: string }>`
    select event_id as "eventId", id, order_id, reference, status from refund
     where event_id = ${eventId} and (reference = ${reference} or provider_id = ${providerId}) for update`.execute(tx);
  return rows[0] ?? null;
}

/** Two selects in a union, so that each uses its own partial index. A status without refunds is returned with 0. */
export async function countOpenRefunds(db: Database): Promise<{ status: string; n: number }[]> {
  const { rows } = await sql<{ status: string; n: number }>`
    /* all events */ select named.status, count(r.status) as n from unnest(array['begun', 'pending', 'failed']) as named (status)
      left join (select status from refund where due_at is not null union all select status from refund where status = 'failed') r using (status)
     group by 1`.execute(db);
  return rows;
}
