import { sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';
import type { Statement } from '../postgres/pipeline.ts';

export interface NewTicketRow {
  event_id: number;
  order_id: number;
  item_id: number;
  session_ids: readonly number[];
  holder: string | null;
  external_code_id: number | null;
  created_at: Date;
}

export const insertTickets = (tickets: readonly NewTicketRow[]): Statement => sql`
  insert into ticket (event_id, order_id, item_id, session_ids, holder, external_code_id, created_at)
  select * from json_to_recordset(${JSON.stringify(tickets)}) as t (
    event_id bigint, order_id bigint, item_id bigint, session_ids bigint[], holder text, external_code_id bigint, created_at timestamptz)`;

/** Erases the name on the tickets of an anonymized order. */
export const eraseHolder = (eventId: number, orderId: number): Statement => sql`
  update ticket set holder = null where event_id = ${eventId} and order_id = ${orderId}`;

export interface RefundableTicket {
  id: number;
  itemId: number;
  refunded: boolean;
  /** Whether somebody was admitted with this ticket. */
  used: boolean;
}

/** Returns all tickets of an order. Lock the door first; otherwise a concurrent scan can change `used`. */
export async function selectRefundable(tx: Tx, { event_id: eventId, id: orderId }: OrderKey): Promise<RefundableTicket[]> {
  const { rows } = await sql<RefundableTicket>`
    select t.id, t.item_id as "itemId", t.status = 'refunded' as refunded,
           exists (select 1 from admission a where a.event_id = t.event_id and a.ticket_id = t.id) as used
      from ticket t where t.event_id = ${eventId} and t.order_id = ${orderId} order by t.id`.execute(tx);
  return rows;
}

interface OrderKey {
  event_id: number;
  id: number;
}

export const refundTickets = ({ event_id: eventId, id: orderId }: OrderKey, ids: readonly number[]): Statement => sql`
  update ticket set status = 'refunded'
   where event_id = ${eventId} and order_id = ${orderId} and id = any(${ids}) and status = 'valid'`;

export const updateDisputed = ({ event_id: eventId, id: orderId }: OrderKey, disputed: boolean): Statement => sql`
  update ticket set disputed = ${disputed} where event_id = ${eventId} and order_id = ${orderId}`;

export interface TicketRow {
  id: number;
  item_id: number;
  name: string;
  session_ids: number[];
  status: 'valid' | 'refunded';
  /** The imported code; null for tickets whose code is signed. */
  code: string | null;
  /** Whether somebody was admitted with this ticket. */
  used: boolean;
}

export interface TicketsOfOrder {
  eventId: number;
  orderId: number;
  /** Return only tickets with a larger id. */
  after?: number;
  limit: number;
  validOnly?: boolean;
}

/** Returns tickets of an order, sorted by id. */
export async function selectTickets(
  tx: Tx,
  { eventId, orderId, after = 0, limit, validOnly = false }: TicketsOfOrder,
): Promise<TicketRow[]> {
  const { rows } = await sql<TicketRow>`
    select t.id, t.item_id, i.name, t.session_ids, t.status, c.code,
           exists (select 1 from admission a where a.event_id = t.event_id and a.ticket_id = t.id) as used
      from ticket t join item i on i.event_id = t.event_id and i.id = t.item_id
      left join external_code c on c.event_id = t.event_id and c.id = t.external_code_id
     where t.event_id = ${eventId} and t.order_id = ${orderId} and t.id > ${after} and (t.status = 'valid' or not ${validOnly}::boolean)
     order by t.id limit ${limit}`.execute(tx);
  return rows;
}

export async function selectTicket(tx: Tx, eventId: number, orderId: number, id: number): Promise<TicketRow | undefined> {
  const { rows } = await sql<TicketRow>`
    select t.id, t.item_id, i.name, t.session_ids, t.status, c.code,
           exists (select 1 from admission a where a.event_id = t.event_id and a.ticket_id = t.id) as used
      from ticket t join item i on i.event_id = t.event_id and i.id = t.item_id
      left join external_code c on c.event_id = t.event_id and c.id = t.external_code_id
     where t.event_id = ${eventId} and t.order_id = ${orderId} and t.id = ${id}`.execute(tx);
  return rows[0];
}

export async function countTickets(tx: Tx, eventId: number, orderId: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from ticket where event_id = ${eventId} and order_id = ${orderId}`.execute(tx);
  return rows[0]?.n ?? 0;
}
