import { sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';
import type { Statement } from '../postgres/together.ts';

export interface NewPaymentRow {
  event_id: number;
  order_id: number;
  method: 'cash' | 'card';
  amount: number;
  created_at: Date;
}

export const insertPayments = (payments: readonly NewPaymentRow[]): Statement => sql`
  insert into payment (event_id, order_id, method, amount, status, created_at)
  select event_id, order_id, method, amount, 'approved', created_at from json_to_recordset(${JSON.stringify(payments)}) as p (
    event_id bigint, order_id bigint, method text, amount bigint, created_at timestamptz)`;

/** How an order was paid; undefined where it cost nothing. */
export async function selectMethod(tx: Tx, eventId: number, orderId: number): Promise<string | undefined> {
  const { rows } = await sql<{ method: string }>`
    select method from payment where event_id = ${eventId} and order_id = ${orderId} and status = 'approved'`.execute(tx);
  return rows[0]?.method;
}

export interface NewPosting {
  event_id: number;
  order_id: number;
  item_id: number;
  reason: 'sale' | 'refund';
  source: string;
  target: string;
  amount: number;
  quantity: number;
  created_at: Date;
}

export const insertPostings = (postings: readonly NewPosting[]): Statement => sql`
  insert into ledger_posting (event_id, order_id, item_id, reason, source, target, amount, quantity, created_at)
  select * from json_to_recordset(${JSON.stringify(postings)}) as p (
    event_id bigint, order_id bigint, item_id bigint, reason text, source text, target text, amount bigint, quantity int,
    created_at timestamptz)`;
