import { sql } from 'kysely';
import { aggregateColumns, numberList, textList } from '../postgres/array-parameters.ts';
import type { Statement } from '../postgres/pipeline.ts';
import { loggedColumns } from './scans.sql.ts';

/*
 * Each statement here must use the one index that has both its key and its sort order. That is why each has an `order by`, and why the
 * transaction starts with `byIndex`, which turns sorting off. The planner has no statistics for an event whose doors have just opened: left
 * alone, it would pick any index that starts with `event_id` and read all rows of the event.
 */

export interface TicketRow {
  ticket_id: number;
  item_id: number;
  holder: string | null;
  refunded: boolean;
  /** An array as text: most tickets have the same text, so it is parsed once. Null for a code that was imported without a session. */
  session_ids: string | null;
}

/** Tickets with a signed code, as `Columns<TicketRow>`. Tickets with an imported code are found by `subjectsByCode`. */
export const ticketsById = (eventId: number, ids: readonly number[]): Statement =>
  aggregateColumns(
    ['ticket_id', 'item_id', 'holder', 'refunded', 'session_ids'],
    sql`
      select id as ticket_id, item_id, holder, status = 'refunded' as refunded, session_ids::text from ticket
       where event_id = ${eventId} and id = any(${numberList(ids)}::bigint[]) and external_code_id is null order by id`,
  );

/** Stores the number of the last visible ticket change in a setting of the transaction, for `failIfChanged`. */
export const rememberLastChange = (eventId: number): Statement => sql`
  select set_config('tessera.changes_seen',
    coalesce((select last_change from ticket_log where event_id = ${eventId}), 0)::text, true)`;

export interface CodeRow extends Omit<TicketRow, 'ticket_id'> {
  code: string;
  ticket_id: number | null;
  code_id: number | null;
  imported_code_id: number;
}

/** Locks the codes that are being scanned, so that nobody deletes or sells them meanwhile. */
export const lockCodes = (eventId: number, codes: readonly string[]): Statement => sql`
  select from external_code where id = any(array(
    select c.id from unnest(${textList(codes)}::text[]) as scanned (code) cross join lateral (
      select id from external_code where event_id = ${eventId} and code between scanned.code and scanned.code order by code) c))
   order by id for no key update`;

/** For each imported code: the ticket that carries it, or the code itself if its item is sold elsewhere. */
export const subjectsByCode = (eventId: number, codes: readonly string[]): Statement => sql`
  select c.* from unnest(${textList(codes)}::text[]) as scanned (code) cross join lateral (
    select c.code, t.id as ticket_id, case when t.id is null then c.id end as code_id, c.id as imported_code_id, c.item_id,
           coalesce(t.holder, c.holder_name) as holder, coalesce(t.status = 'refunded', false) as refunded,
           coalesce(t.session_ids, case when c.session_id is not null then array[c.session_id] end)::text as session_ids
      from external_code c
      join item i on i.id = c.item_id
      left join ticket t on t.external_code_id = c.id
     where c.event_id = ${eventId} and c.code between scanned.code and scanned.code and (t.id is not null or i.type = 'external')
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
 * Makes the transaction fail and retry if a ticket was refunded since `rememberLastChange`, or if an undo of one of the scans is stored.
 * `overtaken()` is a database function that raises a serialization failure. Unique constraints detect the other conflicts: a scan that is in
 * the log already, and a ticket that was used already.
 */
export const failIfChanged = (eventId: number, ids: readonly number[], nonces: readonly string[]): Statement => sql`
  select overtaken() where exists (
    select from ticket_change where event_id = ${eventId} and id > current_setting('tessera.changes_seen')::bigint and kind = 'refunded'
       and ticket_ids && ${numberList(ids)}::bigint[] order by id)
  or exists (
    select from checkin_undo where event_id = ${eventId} and undoes = any(${textList(nonces)}::text[]) order by undoes)`;
