import { sql } from 'kysely';
import type { Statement } from '../postgres/pipeline.ts';

/** Locks the rows in the order of the event ids. An update of several rows locks them in any order, and could deadlock. */
export const lockTicketLogs = (eventIds: readonly number[]): Statement => sql`
  select from ticket_log where event_id = any(${eventIds}::bigint[]) order by event_id for no key update`;

/** Takes the next number of each event. */
export const takeChangeNumbers = (eventIds: readonly number[]): Statement => sql`
  update ticket_log set last_change = last_change + 1 where event_id = any(${eventIds}::bigint[])`;

export interface TicketChange {
  event_id: number;
  issued_order_ids?: readonly number[];
  changed_ids?: readonly number[];
}

/** Writes one change per event, with the number that `takeChangeNumbers` took. */
export const insertTicketChanges = (changes: readonly TicketChange[]): Statement => sql`
  insert into ticket_change (event_id, id, issued_order_ids, changed_ids)
  select l.event_id, l.last_change, c.issued_order_ids, c.changed_ids
    from json_to_recordset(${JSON.stringify(changes)}) as c (event_id bigint, issued_order_ids bigint[], changed_ids bigint[])
    join ticket_log l on l.event_id = c.event_id`;
