import { sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';

export interface CancellationRow {
  event_id: number;
  status: 'running' | 'done';
  reason: string | null;
  /** The number of orders to refund. Null until the first batch has counted the orders. */
  orders: number | null;
  refunded: number;
  failed: number;
  amount: number;
  /** The id of the last order that the job has processed. */
  last_order_id: number;
  started_at: Date;
  finished_at: Date | null;
}

/** Starts the refund job, or restarts it if it has ended. Returns false if the job is already running. */
export async function startCancellation(tx: Tx, eventId: number, reason: string | null, at: Date): Promise<boolean> {
  const { rows } = await sql`
    insert into event_cancellation (event_id, reason, started_at) values (${eventId}, ${reason}, ${at})
    on conflict (event_id) do update set status = 'running', orders = null, failed = 0, last_order_id = 0, finished_at = null
     where event_cancellation.status = 'done'
    returning event_id`.execute(tx);
  return rows.length > 0;
}

export async function selectCancellation(tx: Tx, eventId: number): Promise<CancellationRow | undefined> {
  return (await sql<CancellationRow>`select * from event_cancellation where event_id = ${eventId}`.execute(tx)).rows[0];
}

/** Returns the events whose jobs are running, oldest first. */
export async function selectRunningCancellations(tx: Tx): Promise<number[]> {
  const { rows } = await sql<{ event_id: number }>`
    /* all events */ select event_id from event_cancellation where status = 'running' order by started_at, event_id`.execute(tx);
  return rows.map(({ event_id }) => event_id);
}

/** Locks the job of the event until the transaction ends. Returns undefined if it has ended or another worker has locked it. */
export async function lockRunningCancellation(tx: Tx, eventId: number): Promise<CancellationRow | undefined> {
  const { rows } = await sql<CancellationRow>`
    select * from event_cancellation where event_id = ${eventId} and status = 'running' for update skip locked`.execute(tx);
  return rows[0];
}

export async function updateCancellation(tx: Tx, row: CancellationRow): Promise<void> {
  await sql`
    update event_cancellation set status = ${row.status}, orders = ${row.orders}, refunded = ${row.refunded}, failed = ${row.failed},
           amount = ${row.amount}, last_order_id = ${row.last_order_id}, finished_at = ${row.finished_at}
     where event_id = ${row.event_id}`.execute(tx);
}
