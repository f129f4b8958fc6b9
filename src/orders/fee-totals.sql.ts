import { sql } from 'kysely';
import type { Statement } from '../postgres/pipeline.ts';

/** What payments of one method have cost. */
export interface FeeTotal {
  event_id: number;
  method: string;
  /** What providers kept of payments. */
  fee: number;
  /** What providers charged for disputes. */
  dispute_fee: number;
  /** What banks have taken for disputes and not returned. */
  disputed: number;
}

/** The key columns of each row must differ, because one statement cannot change a row twice. */
export const addFees = (totals: readonly FeeTotal[]): Statement => sql`
  insert into fee_total as total (event_id, method, fee, dispute_fee, disputed)
  select * from json_to_recordset(${JSON.stringify(totals)}) as f (event_id bigint, method text, fee bigint, dispute_fee bigint, disputed bigint)
  order by event_id, method
  on conflict (event_id, method) do update set
    fee = total.fee + excluded.fee, dispute_fee = total.dispute_fee + excluded.dispute_fee, disputed = total.disputed + excluded.disputed`;
