import { sql } from 'kysely';
import type { RowKey } from '../kernel/ids-by-event.ts';
import type { OrderRow } from '../orders/order.ts';
import type { PaymentRow } from '../orders/payment.ts';
import type { Database, Tx } from '../postgres/database.ts';
import type { Statement } from '../postgres/pipeline.ts';
import type { BuyerAction, BuyerAddress } from './providers/port.ts';

export interface NewPaymentRow {
  event_id: number;
  order_id: number;
  provider: string;
  method: PaymentRow['method'];
  amount: number;
  received: number;
  status: PaymentRow['status'];
  reference: string | null;
  expires_at: Date | null;
  payout_account: string | null;
  platform_fee: number | null;
  buyer_address: BuyerAddress | null;
  simulated: string | null;
  due_at: Date | null;
  created_at: Date;
}

export const insertPayments = (payments: readonly NewPaymentRow[]): Statement => sql`
  insert into payment (event_id, order_id, provider, method, amount, received, status, reference, expires_at, payout_account, platform_fee,
                       buyer_address, simulated, due_at, created_at)
  select * from json_to_recordset(${JSON.stringify(payments)}) as p (
    event_id bigint, order_id bigint, provider text, method text, amount bigint, received bigint, status text, reference text,
    expires_at timestamptz, payout_account text, platform_fee bigint, buyer_address jsonb, simulated text, due_at timestamptz,
    created_at timestamptz)`;

export interface SettledPayment extends Pick<PaymentRow, 'id' | 'status' | 'received' | 'returned' | 'providerId' | 'failure' | 'fee'> {
  eventId: number;
  action: BuyerAction | null;
  /** When to ask the provider again. Null: never. */
  dueAt: Date | null;
}

/** Writes what is known about payments after the provider has reported. */
export const settlePayments = (payments: readonly SettledPayment[]): Statement => sql`
  update payment p
     set status = d.status, received = d.received, returned = d.returned, provider_id = d."providerId", action = d.action,
         failure = d.failure, fee = d.fee, due_at = d."dueAt", attempts = 0, last_error = null,
         buyer_address = case when d.status in ('begun', 'pending') then p.buyer_address end
    from json_to_recordset(${JSON.stringify(payments)}) as d (
      "eventId" bigint, id bigint, status text, received bigint, returned bigint, "providerId" text, action jsonb, failure text, fee bigint,
      "dueAt" timestamptz)
   where p.event_id = any(${payments.map(({ eventId }) => eventId)}::bigint[]) and p.id = any(${payments.map(({ id }) => id)}::bigint[])
     and p.event_id = d."eventId" and p.id = d.id`;

/** A payment about which the provider is called, with what `start` needs. */
export interface PaymentToCall extends RowKey {
  order_id: number;
  provider: string;
  method: 'card' | 'pix' | 'boleto';
  amount: number;
  currency: string;
  order_status: OrderRow['status'];
  status: PaymentRow['status'];
  reference: string;
  provider_id: string | null;
  expires_at: Date;
  payout_account: string | null;
  platform_fee: number | null;
  buyer_name: string | null;
  buyer_email: string | null;
  buyer_document: string | null;
  buyer_address: BuyerAddress | null;
  simulated: string | null;
  attempts: number;
  created_at: Date;
}

export async function selectPaymentToCall(tx: Database | Tx, { eventId, reference }: { eventId: number; reference: string }) {
  const { rows } = await sql<PaymentToCall>`
    select p.event_id as "eventId", p.id, p.order_id, p.provider, p.method, p.amount, o.currency, o.status as order_status, p.status, p.reference, p.provider_id,
           p.expires_at, p.payout_account, p.platform_fee, o.buyer_name, o.buyer_email, o.buyer_document, p.buyer_address, p.simulated,
           p.attempts, p.created_at
      from payment p join ticket_order o on o.event_id = p.event_id and o.id = p.order_id
     where p.event_id = ${eventId} and p.reference = ${reference}`.execute(tx);
  return rows[0] ?? null;
}

/** Returns payments about which the provider must be asked, the longest due first. Other workers may take them at any time. */
export async function selectDuePayments(db: Database, at: Date, limit: number): Promise<{ eventId: number; reference: string }[]> {
  const { rows } = await sql<{ eventId: number; reference: string }>`
    /* all events */ select event_id as "eventId", reference from payment where due_at <= ${at} order by due_at, id limit ${limit}`.execute(
    db,
  );
  return rows;
}

/** Reserves a due payment for this worker until then. Returns whether it was still due. */
export async function leasePayment(
  db: Database,
  { eventId, reference }: { eventId: number; reference: string },
  at: Date,
  until: Date,
): Promise<boolean> {
  const { rows } = await sql`
    update payment set due_at = ${until}, attempts = attempts + 1
     where event_id = ${eventId} and reference = ${reference} and due_at <= ${at} returning id`.execute(db);
  return rows.length > 0;
}

/** Notes why a call failed, and when to call again. `dueAt` null: never. */
export async function postponePayment(db: Database, { eventId, id }: RowKey, error: string, dueAt: Date | null): Promise<void> {
  await sql`
    update payment set last_error = ${error}, due_at = ${dueAt}
     where event_id = ${eventId} and id = ${id} and due_at is not null`.execute(db);
}

/** Makes the other open payments of paid orders due, so that the worker cancels them at the provider. */
export const endOtherPayments = (paid: readonly { eventId: number; orderId: number; id: number }[], at: Date): Statement => sql`
  update payment p set due_at = ${at}
   where p.event_id = any(${paid.map(({ eventId }) => eventId)}::bigint[]) and p.order_id = any(${paid.map(({ orderId }) => orderId)}::bigint[])
     and p.status in ('begun', 'pending') and p.id <> all(${paid.map(({ id }) => id)}::bigint[])`;

/** Who sells the tickets of an event, and in which currency. */
export async function selectSeller(tx: Tx, eventId: number): Promise<{ producerId: number; currency: string }> {
  const { rows } = await sql<{ producerId: number; currency: string }>`
    select producer_id as "producerId", currency from event where id = ${eventId}`.execute(tx);
  const [seller] = rows;
  if (!seller) throw new Error(`There is no event ${eventId}`);
  return seller;
}

/** The producer's own account at a provider, by event. */
export async function selectPayouts(tx: Tx, eventIds: readonly number[]): Promise<Map<number, { provider: string; account: string }>> {
  const { rows } = await sql<{ id: number; provider: string; account: string }>`
    select e.id, p.payout_provider as provider, p.payout_account as account from event e join producer p on p.id = e.producer_id
     where e.id = any(${[...new Set(eventIds)]}::bigint[]) and p.payout_account is not null`.execute(tx);
  return new Map(rows.map(({ id, ...payout }) => [id, payout]));
}

export async function countOpenPayments(db: Database): Promise<{ status: string; n: number }[]> {
  const { rows } = await sql<{ status: string; n: number }>`
    /* all events */ select named.status, count(p.status) as n from unnest(array['begun', 'pending']) as named (status)
      left join (select status from payment where due_at is not null) p using (status) group by 1`.execute(db);
  return rows;
}
