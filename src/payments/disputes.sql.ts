import { sql } from 'kysely';
import type { DisputeRow } from '../orders/dispute.ts';
import type { Tx } from '../postgres/database.ts';
import type { Statement } from '../postgres/pipeline.ts';

export interface DisputeToWrite extends DisputeRow {
  eventId: number;
  orderId: number;
}

/** All disputes belong to one event, and the caller has locked their orders. */
export const upsertDisputes = (disputes: readonly DisputeToWrite[]): Statement => sql`
  insert into payment_dispute as d (event_id, order_id, payment_id, provider_id, amount, fee, reason, status, movements, opened_at, closed_at)
  select "eventId", "orderId", "paymentId", "providerId", amount, fee, reason, status, movements, "openedAt", "closedAt"
    from json_to_recordset(${JSON.stringify(disputes)}) as r (
      "eventId" bigint, "orderId" bigint, "paymentId" bigint, "providerId" text, amount bigint, fee bigint, reason text, status text,
      movements int, "openedAt" timestamptz, "closedAt" timestamptz)
  on conflict (event_id, provider_id) do update set
    amount = excluded.amount, fee = excluded.fee, reason = excluded.reason, status = excluded.status, movements = excluded.movements,
    closed_at = excluded.closed_at`;

export interface DisputedEvent {
  title: string;
  currency: string;
  producer: string;
  disputedTickets: 'admit' | 'refuse';
}

/** What a mail about a dispute says about the event. */
export async function selectDisputedEvent(tx: Tx, eventId: number): Promise<DisputedEvent | null> {
  const { rows } = await sql<DisputedEvent>`
    select e.title, e.currency, p.name as producer, e.disputed_tickets as "disputedTickets"
      from event e join producer p on p.id = e.producer_id where e.id = ${eventId}`.execute(tx);
  return rows[0] ?? null;
}
