import { sql } from 'kysely';
import { numberList, textList } from '../postgres/array-parameters.ts';
import type { Tx } from '../postgres/database.ts';
import type { Statement } from '../postgres/pipeline.ts';

export interface EntryMove {
  itemId: number;
  /** 0 if the event has no sessions. */
  sessionId: number;
  /** The start of the quarter of an hour, in milliseconds. */
  quarter: number;
  /** Empty if the device named none. */
  gate: string;
  by: number;
}

/** Each key may occur only once, because an upsert cannot change the same row twice. */
export const addEntries = (eventId: number, moves: readonly EntryMove[]): Statement => sql`
  insert into entry_total as total (event_id, item_id, session_id, quarter, gate, entries)
  select ${eventId}::bigint, item_id, session_id, timestamptz 'epoch' + quarter * interval '1 millisecond', gate, entries
    from unnest(${numberList(moves.map(({ itemId }) => itemId))}::bigint[], ${numberList(moves.map(({ sessionId }) => sessionId))}::bigint[],
                ${numberList(moves.map(({ quarter }) => quarter))}::bigint[], ${textList(moves.map(({ gate }) => gate))}::text[],
                ${numberList(moves.map(({ by }) => by))}::bigint[])
      as move (item_id, session_id, quarter, gate, entries)
  on conflict (event_id, item_id, session_id, quarter, gate) do update set entries = total.entries + excluded.entries`;

export interface GuestMove {
  itemId: number;
  by: number;
}

/** Each item may occur only once, as in `addEntries`. */
export const addGuests = (eventId: number, moves: readonly GuestMove[]): Statement => sql`
  insert into guest_total as total (event_id, item_id, checked)
  select ${eventId}::bigint, item_id, checked
    from unnest(${numberList(moves.map(({ itemId }) => itemId))}::bigint[], ${numberList(moves.map(({ by }) => by))}::bigint[]) as move (item_id, checked)
  on conflict (event_id, item_id) do update set checked = total.checked + excluded.checked`;

export interface AwayMove {
  itemId: number;
  sessionId: number;
  by: number;
}

/** Each key may occur only once, as in `addEntries`. */
export const addAway = (eventId: number, moves: readonly AwayMove[]): Statement => sql`
  insert into away_total as total (event_id, item_id, session_id, away)
  select ${eventId}::bigint, item_id, session_id, away
    from unnest(${numberList(moves.map(({ itemId }) => itemId))}::bigint[], ${numberList(moves.map(({ sessionId }) => sessionId))}::bigint[],
                ${numberList(moves.map(({ by }) => by))}::bigint[]) as move (item_id, session_id, away)
  on conflict (event_id, item_id, session_id) do update set away = total.away + excluded.away`;

/** One of our tickets, or an imported code of a ticket that was sold elsewhere. */
export interface Guest {
  ticketId: number | null;
  codeId: number | null;
  itemId: number;
}

/** Fails with `returning_guest_once` if another transaction has admitted one of the guests in another session meanwhile. */
export const insertReturningGuests = (eventId: number, guests: readonly Guest[]): Statement => sql`
  insert into returning_guest (event_id, ticket_id, external_code_id, item_id)
  select ${eventId}::bigint, guest.*
    from unnest(${numberList(guests.map(({ ticketId }) => ticketId))}::bigint[], ${numberList(guests.map(({ codeId }) => codeId))}::bigint[],
                ${numberList(guests.map(({ itemId }) => itemId))}::bigint[]) as guest (ticket_id, external_code_id, item_id)`;

/** Deletes those of these guests who have no admission in any session any more. Returns the item of each deleted guest. */
export async function deleteAbsentGuests(tx: Tx, eventId: number, guests: readonly Guest[]): Promise<number[]> {
  const { rows } = await sql<{ item_id: number }>`
    delete from returning_guest g
     where g.event_id = ${eventId}
       and (g.ticket_id = any(${guests.flatMap(({ ticketId }) => ticketId ?? [])}::bigint[])
            or g.ticket_id is null and g.external_code_id = any(${guests.flatMap(({ codeId }) => codeId ?? [])}::bigint[]))
       and not exists (select 1 from admission a where a.event_id = ${eventId} and a.ticket_id = g.ticket_id)
       and not exists (
         select 1 from admission a where a.event_id = ${eventId} and a.ticket_id is null and a.external_code_id = g.external_code_id)
    returning g.item_id`.execute(tx);
  return rows.map(({ item_id }) => item_id);
}
