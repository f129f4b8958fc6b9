import { sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';
import type { Statement } from '../postgres/pipeline.ts';

/** How often these tickets were used, by item, session (0 if the event has none), quarter of an hour and gate (empty for none). */
export interface EntryCount {
  item_id: number;
  session_id: number;
  quarter: Date;
  gate: string;
  entries: number;
}

export async function selectEntries(tx: Tx, eventId: number, ticketIds: readonly number[]): Promise<EntryCount[]> {
  const { rows } = await sql<EntryCount>`
    select item_id, coalesce(session_id, 0) as session_id, quarter_of(at) as quarter, coalesce(gate, '') as gate, count(*) as entries
      from admission where event_id = ${eventId} and ticket_id = any(${ticketIds}::bigint[]) group by 1, 2, 3, 4 order by 1, 2, 3, 4`.execute(
    tx,
  );
  return rows;
}

export const subtractEntries = (eventId: number, counts: readonly EntryCount[]): Statement => sql`
  update entry_total e set entries = e.entries - c.entries
    from json_to_recordset(${JSON.stringify(counts)}) as c (item_id bigint, session_id bigint, quarter timestamptz, gate text, entries bigint)
   where e.event_id = ${eventId} and e.item_id = c.item_id and e.session_id = c.session_id and e.quarter = c.quarter
     and e.gate = c.gate`;

/** Subtracts those of these tickets whose holders have left and not come back. */
export const subtractAway = (eventId: number, ticketIds: readonly number[]): Statement => sql`
  update away_total w set away = w.away - c.away
    from (select item_id, coalesce(session_id, 0) as session_id,
                 count(*) filter (where state = 'exited') - count(*) filter (where state = 'reentered') as away
            from checkin where event_id = ${eventId} and ticket_id = any(${ticketIds}::bigint[]) and state in ('exited', 'reentered') group by 1, 2) c
   where w.event_id = ${eventId} and w.item_id = c.item_id and w.session_id = c.session_id`;

/** `used` has the item of each used ticket. */
export const subtractGuests = (eventId: number, used: readonly { itemId: number }[]): Statement => sql`
  update guest_total g set checked = g.checked - u.tickets
    from (select item_id, count(*) as tickets from unnest(${used.map(({ itemId }) => itemId)}::bigint[]) as item_id group by 1) u
   where g.event_id = ${eventId} and g.item_id = u.item_id`;

/** Only tickets that are valid in several sessions have a row here. */
export const deleteReturningGuests = (eventId: number, ticketIds: readonly number[]): Statement => sql`
  delete from returning_guest where event_id = ${eventId} and ticket_id = any(${ticketIds}::bigint[])`;
