import { sql } from 'kysely';
import { numberList, textList } from '../postgres/lists.ts';
import type { Statement } from '../postgres/together.ts';

/*
 * Everything here is looked up one by one, each in the one index that has its key and its order: the order is asked for, and in a
 * transaction that begins `byIndex` nothing is sorted. Left to itself the planner takes any index that begins with the event, as it knows
 * nothing of an event that has just begun, and reads all that there is of it for every look-up.
 */

export interface TicketRow {
  ticket_id: number;
  item_id: number;
  holder: string | null;
  refunded: boolean;
  /** As the text of an array: few texts stand for many tickets. Null for a code that was imported for no session in particular. */
  session_ids: string | null;
}

/** Those whose code we sign. */
export const ticketsById = (eventId: number, ids: readonly number[]): Statement => sql`
  select t.ticket_id, t.item_id, t.refunded, l.session_ids, o.holder
    from unnest(${numberList(ids)}::bigint[]) as asked (id) cross join lateral (
    select id as ticket_id, order_id, item_id, status = 'refunded' as refunded from ticket
     where event_id = ${eventId} and id between asked.id and asked.id and external_code_id is null order by id) t
  cross join lateral (
    select session_ids::text from order_line
     where event_id = ${eventId} and order_id between t.order_id and t.order_id and item_id = t.item_id order by order_id) l
  cross join lateral (
    select buyer_name as holder from ticket_order where event_id = ${eventId} and id between t.order_id and t.order_id order by id) o`;

/** Remembers until the transaction ends which transactions may be under way now. */
export const markNow: Statement = sql`select set_config('tessera.under_way', pg_snapshot_xmin(pg_current_snapshot())::text, true)`;

/** Those that were refunded by one that was under way then, or has begun since. */
export const ticketsRefundedSince = (eventId: number): Statement => sql`
  select id from ticket
   where event_id = ${eventId} and changed_in >= current_setting('tessera.under_way')::xid8 and status = 'refunded' order by changed_in`;

export interface CodeRow extends Omit<TicketRow, 'ticket_id'> {
  code: string;
  ticket_id: number | null;
  code_id: number | null;
  imported_code_id: number;
}

/** Nobody deletes or sells what is being scanned. */
export const lockCodes = (eventId: number, codes: readonly string[]): Statement => sql`
  select from external_code where id = any(array(
    select c.id from unnest(${textList(codes)}::text[]) as asked (code) cross join lateral (
      select id from external_code where event_id = ${eventId} and code between asked.code and asked.code order by code) c))
   order by id for no key update`;

/** By imported codes: the ticket that carries it, or, of an item that is sold elsewhere, the code itself. */
export const subjectsByCode = (eventId: number, codes: readonly string[]): Statement => sql`
  select c.* from unnest(${textList(codes)}::text[]) as asked (code) cross join lateral (
    select c.code, t.id as ticket_id, case when t.id is null then c.id end as code_id, c.id as imported_code_id, c.item_id,
           coalesce(o.buyer_name, c.holder_name) as holder, coalesce(t.status = 'refunded', false) as refunded,
           coalesce(l.session_ids, case when c.session_id is not null then array[c.session_id] end)::text as session_ids
      from external_code c
      join item i on i.id = c.item_id
      left join ticket t on t.external_code_id = c.id
      left join order_line l on l.event_id = t.event_id and l.order_id = t.order_id and l.item_id = t.item_id
      left join ticket_order o on o.event_id = t.event_id and o.id = t.order_id
     where c.event_id = ${eventId} and c.code between asked.code and asked.code and (t.id is not null or i.type = 'external')
     order by c.code) c`;

export interface KnownAdmissionRow {
  ticket_id: number | null;
  external_code_id: number | null;
  session_id: number | null;
  nonce: string;
  at: Date;
  gate: string | null;
  device: string;
  undone: boolean;
}

const admissionColumns = sql.raw('ticket_id, external_code_id, session_id, nonce, at, gate, device, undone');

export const admissionsByTicket = (eventId: number, ids: readonly number[]): Statement => sql`
  select a.* from unnest(${numberList(ids)}::bigint[]) as asked (id) cross join lateral (
    select ${admissionColumns} from admission where event_id = ${eventId} and ticket_id between asked.id and asked.id
     order by ticket_id) a`;

export const admissionsByCode = (eventId: number, ids: readonly number[]): Statement => sql`
  select a.* from unnest(${numberList(ids)}::bigint[]) as asked (id) cross join lateral (
    select ${admissionColumns} from admission where event_id = ${eventId} and ticket_id is null and external_code_id between asked.id and asked.id
     order by external_code_id) a`;

/** Most events have none, and are not asked for each scan. */
export const undosByScan = (eventId: number, nonces: readonly string[]): Statement => sql`
  select u.* from (select from checkin_undo where event_id = ${eventId} limit 1) any_at_all
  cross join unnest(${textList(nonces)}::text[]) as asked (nonce) cross join lateral (
    select undoes, at, device from checkin_undo where event_id = ${eventId} and undoes between asked.nonce and asked.nonce
     order by undoes) u`;

export const scansByNonce = (eventId: number, nonces: readonly string[]): Statement => sql`
  select c.* from unnest(${textList(nonces)}::text[]) as asked (nonce) cross join lateral (
    select nonce, ticket_id, external_code_id, item_id, session_id, at, gate, device, result, used_at, used_gate
      from checkin where event_id = ${eventId} and nonce between asked.nonce and asked.nonce order by nonce) c`;
