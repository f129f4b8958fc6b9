import { sql } from 'kysely';
import type { PaymentRow } from '../orders/payment.ts';
import type { Statement } from '../postgres/pipeline.ts';

export interface NewPaymentRow extends Omit<PaymentRow, 'id' | 'createdAt' | 'returned'> {
  event_id: number;
  order_id: number;
  created_at: Date;
}

export const insertPayments = (payments: readonly NewPaymentRow[]): Statement => sql`
  insert into payment (event_id, order_id, method, amount, received, status, reference, created_at)
  select * from json_to_recordset(${JSON.stringify(payments)}) as p (
    event_id bigint, order_id bigint, method text, amount bigint, received bigint, status text, reference text, created_at timestamptz)`;

/** Writes the status and the amounts of payments that a notice has decided. */
export const settlePayments = (payments: readonly (PaymentRow & { eventId: number })[]): Statement => sql`
  update payment p set status = d.status, received = d.received, returned = d.returned
    from json_to_recordset(${JSON.stringify(payments)}) as d ("eventId" bigint, id bigint, status text, received bigint, returned bigint)
   where p.event_id = any(${payments.map(({ eventId }) => eventId)}::bigint[]) and p.id = any(${payments.map(({ id }) => id)}::bigint[])
     and p.event_id = d."eventId" and p.id = d.id`;
