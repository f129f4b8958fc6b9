import { sql } from 'kysely';
import { aggregateColumns, numberList, textList } from '../postgres/array-parameters.ts';
import type { Tx } from '../postgres/database.ts';
import type { Statement, Step } from '../postgres/pipeline.ts';
import { loggedColumns } from './scans.sql.ts';

/*
 * Each select in this file must use a certain index. The planner has no statistics for an event whose doors have just opened. By itself it
 * may choose any index that starts with `event_id`, and read all rows of the event. So each select has an `order by` that only the right
 * index provides, and the transaction starts with `byIndex`, which turns sorting off.
 */

export interface TicketRow {
  ticket_id: number;
  item_id: number;
  holder: string | null;
  refunded: boolean;
  disputed: boolean;
  /**
   * An array as text. Most tickets have the same text, so it needs to be parsed only once. Null for a code that was imported without a
   * session.
   */
  session_ids: string | null;
}

/** Selects tickets with a signed code, as `Columns<TicketRow>`. `ticketsByImportedCode` selects tickets with an imported code. */
export const ticketsById = (eventId: number, ids: readonly number[]): Statement =>
  aggregateColumns(
    ['ticket_id', 'item_id', 'holder', 'refunded', 'disputed', 'session_ids'],
    sql`
      select id as ticket_id, item_id, holder, status = 'refunded' as refunded, disputed, session_ids::text from ticket
       where event_id = ${eventId} and id = any(${numberList(ids)}::bigint[]) and external_code_id is null order by id`,
  );

/** Reads the number of the last ticket change. Changes that are committed later have higher numbers. */
export const lastTicketChange = (eventId: number): Step<number> => ({
  statements: [sql`select last_change from ticket_log where event_id = ${eventId}`],
  read: ([rows = []]) => (rows as { last_change: number }[])[0]?.last_change ?? 0,
});

export interface CodeRow extends Omit<TicketRow, 'ticket_id'> {
  code: string;
  ticket_id: number | null;
  code_id: number | null;
  imported_code_id: number;
}

/** Locks the scanned codes, so that no other transaction can delete or sell them. */
export const lockCodes = (eventId: number, codes: readonly string[]): Statement => sql`
  select 1 from external_code where event_id = ${eventId} and id = any(array(
    select c.id from unnest(${textList(codes)}::text[]) as scanned (code) cross join lateral (
      select id from external_code where event_id = ${eventId} and code between scanned.code and scanned.code order by code) c))
   order by id for no key update`;

/** Selects for each imported code the ticket to which it is assigned, or the code itself if its item is sold elsewhere. */
export const ticketsByImportedCode = (eventId: number, codes: readonly string[]): Statement => sql`
  select c.* from unnest(${textList(codes)}::text[]) as scanned (code) cross join lateral (
    select c.code, t.id as ticket_id, case when t.id is null then c.id end as code_id, c.id as imported_code_id, c.item_id,
           coalesce(t.holder, c.holder_name) as holder, coalesce(t.status = 'refunded', false) as refunded, coalesce(t.disputed, false) as disputed,
           coalesce(t.session_ids, case when c.session_id is not null then array[c.session_id] end)::text as session_ids
      from external_code c
      join item i on i.event_id = c.event_id and i.id = c.item_id
      left join ticket t on t.event_id = c.event_id and t.external_code_id = c.id
     where c.event_id = ${eventId} and c.code between scanned.code and scanned.code and (t.id is not null or i.type = 'external')
     order by c.code) c`;

/** Returns the imported codes of tickets. Tickets with a signed code are left out. */
export async function selectImportedCodesOf(
  tx: Tx,
  eventId: number,
  ticketIds: readonly number[],
): Promise<{ id: number; code: string }[]> {
  const { rows } = await sql<{ id: number; code: string }>`
    select t.id, c.code from ticket t join external_code c on c.event_id = t.event_id and c.id = t.external_code_id
     where t.event_id = ${eventId} and t.id = any(${ticketIds}::bigint[]) order by t.id`.execute(tx);
  return rows;
}

export const admissionsByTicket = (eventId: number, ids: readonly number[]): Statement => sql`
  select ${loggedColumns} from checkin c
   where c.event_id = ${eventId} and c.ticket_id = any(${numberList(ids)}::bigint[]) and c.state = 'inside' order by c.ticket_id`;

export const admissionsByCode = (eventId: number, ids: readonly number[]): Statement => sql`
  select ${loggedColumns} from checkin c
   where c.event_id = ${eventId} and c.ticket_id is null and c.external_code_id = any(${numberList(ids)}::bigint[]) and c.state = 'inside'
   order by c.external_code_id`;

/** Valid scans other than the admission. The index has undone scans too. */
const otherStates = sql.raw(`c.state in ('reentered', 'exited', 'double', 'unmatched')`);

export const otherScansByTicket = (eventId: number, ids: readonly number[]): Statement => sql`
  select ${loggedColumns} from checkin c
   where c.event_id = ${eventId} and c.ticket_id = any(${numberList(ids)}::bigint[]) and ${otherStates} order by c.ticket_id`;

export const otherScansByCode = (eventId: number, ids: readonly number[]): Statement => sql`
  select ${loggedColumns} from checkin c
   where c.event_id = ${eventId} and c.ticket_id is null and c.external_code_id = any(${numberList(ids)}::bigint[]) and ${otherStates}
   order by c.external_code_id`;

export const undosByScan = (eventId: number, nonces: readonly string[]): Statement => sql`
  select undoes, at, device from checkin_undo
   where event_id = ${eventId} and undoes = any(${textList(nonces)}::text[]) order by undoes`;

/**
 * Makes the transaction fail if a ticket was refunded or disputed after the change `readAfter`, if an undo of one of the scans is stored, or if
 * the event allows re-entry now.
 * `overtaken()` is a database function that raises a serialization failure, so the batch is retried. Unique constraints detect the other
 * conflicts: a scan that is already in the log, and a ticket that was already used.
 */
export const failIfChanged = (eventId: number, readAfter: number, ids: readonly number[], nonces: readonly string[]): Statement => sql`
  select overtaken() where exists (
    select 1 from ticket_change where event_id = ${eventId} and id > ${readAfter}
       and changed_ids && ${numberList(ids)}::bigint[] order by id)
  or exists (
    select 1 from checkin_undo where event_id = ${eventId} and undoes = any(${textList(nonces)}::text[]) order by undoes)
  or exists (select 1 from event where id = ${eventId} and reentry <> 'none')`;

/** Makes the transaction fail if the event got another rule for re-entry after the rule was read. The caller has locked the door. */
export const failIfReentryChanged = (eventId: number, reentry: string): Statement => sql`
  select overtaken() where exists (select 1 from event where id = ${eventId} and reentry <> ${reentry})`;
