import { sql } from 'kysely';
import { inColumns, numberList, textList } from '../postgres/lists.ts';
import type { Statement } from '../postgres/pipeline.ts';
import { loggedColumns } from './scans.sql.ts';

/*
 * Everything here is looked up by the one index that has its key and its order: the order is asked for, and in a transaction that begins
 * `byIndex` nothing is sorted. Left to itself the planner takes any index that begins with the event, as it knows nothing of an event that
 * has just begun, and reads all that there is of it.
 */

export interface TicketRow {
  ticket_id: number;
  item_id: number;
  holder: string | null;
  refunded: boolean;
  /** As the text of an array: few texts stand for many tickets. Null for a code that was imported for no session in particular. */
  session_ids: string | null;
}

/** Those whose code we sign, as `Columns<TicketRow>`. */
export const ticketsById = (eventId: number, ids: readonly number[]): Statement =>
  inColumns(
    ['ticket_id', 'item_id', 'holder', 'refunded', 'session_ids'],
    sql`
      select id as ticket_id, item_id, holder, status = 'refunded' as refunded, session_ids::text from ticket
       where event_id = ${eventId} and id = any(${numberList(ids)}::bigint[]) and external_code_id is null order by id`,
  );

/** Remembers, until the transaction ends, the last change of the event's tickets that it can see. */
export const markNow = (eventId: number): Statement => sql`
  select set_config('tessera.changes_seen',
    coalesce((select last_change from ticket_log where event_id = ${eventId}), 0)::text, true)`;

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
           coalesce(t.holder, c.holder_name) as holder, coalesce(t.status = 'refunded', false) as refunded,
           coalesce(t.session_ids, case when c.session_id is not null then array[c.session_id] end)::text as session_ids
      from external_code c
      join item i on i.id = c.item_id
      left join ticket t on t.external_code_id = c.id
     where c.event_id = ${eventId} and c.code between asked.code and asked.code and (t.id is not null or i.type = 'external')
     order by c.code) c`;

export const admissionsByTicket = (eventId: number, ids: readonly number[]): Statement => sql`
  select ${loggedColumns} from checkin c
   where c.event_id = ${eventId} and c.ticket_id = any(${numberList(ids)}::bigint[]) and c.state = 'inside' order by c.ticket_id`;

export const admissionsByCode = (eventId: number, ids: readonly number[]): Statement => sql`
  select ${loggedColumns} from checkin c
   where c.event_id = ${eventId} and c.ticket_id is null and c.external_code_id = any(${numberList(ids)}::bigint[]) and c.state = 'inside'
   order by c.external_code_id`;

export const undosByScan = (eventId: number, nonces: readonly string[]): Statement => sql`
  select undoes, at, device from checkin_undo
   where event_id = ${eventId} and undoes = any(${textList(nonces)}::text[]) order by undoes`;

/**
 * Fails, so that the transaction is retried, if one of these tickets was refunded or one of these scans was undone since `markNow`. What was
 * read says otherwise. Constraints detect the rest: that nobody has entered with these tickets, and that the scans are new.
 */
export const refuseOvertaken = (eventId: number, ids: readonly number[], nonces: readonly string[]): Statement => sql`
  select overtaken() where exists (
    select from ticket_change where event_id = ${eventId} and id > current_setting('tessera.changes_seen')::bigint and kind = 'refunded'
       and ticket_ids && ${numberList(ids)}::bigint[] order by id)
  or exists (
    select from checkin_undo where event_id = ${eventId} and undoes = any(${textList(nonces)}::text[]) order by undoes)`;
