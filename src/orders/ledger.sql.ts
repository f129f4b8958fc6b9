import { sql } from 'kysely';
import type { Statement } from '../postgres/pipeline.ts';

export interface NewPosting {
  event_id: number;
  order_id: number;
  item_id: number | null;
  reason:
    | 'sale'
    | 'refund'
    | 'overpaid'
    | 'underpaid'
    | 'late'
    | 'duplicate'
    | 'cancelled'
    | 'sold_out'
    | 'provider_fee'
    | 'dispute'
    | 'dispute_fee';
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
