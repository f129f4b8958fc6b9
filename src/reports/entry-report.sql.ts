import { type RawBuilder, sql } from 'kysely';
import type { ItemType } from '../catalog/item-types.ts';
import type { Tx } from '../postgres/database.ts';

export interface EntryRow {
  id: number;
  name: string;
  type: ItemType;
  /** The number of guests: the rows of `ticket_guest`, which `sales_total` counts, plus the rows of `code_guest`. */
  tickets: number;
  checked: number;
}

/**
 * Returns a row per item, in the order that the producer chose. One statement reads tickets and entries, so `checked` never exceeds
 * `tickets`.
 */
export async function selectEntries(tx: Tx, eventId: number, sessionId: number | null): Promise<EntryRow[]> {
  const ofSession = sessionId === null ? sql`true` : sql`session_ids @> array[${sessionId}::bigint]`;
  const checked =
    sessionId === null
      ? sql`select item_id, checked from guest_total where event_id = ${eventId}`
      : sql`select item_id, sum(entries)::bigint as checked from entry_total where event_id = ${eventId} and session_id = ${sessionId} group by 1`;
  const { rows } = await sql<EntryRow>`
    select i.id, i.name, i.type,
           coalesce(s.tickets, 0)::bigint
             + case when i.type = 'external'
                    then (select count(*) from code_guest where event_id = ${eventId} and item_id = i.id and ${ofSession}) else 0 end as tickets,
           coalesce(k.checked, 0) as checked
      from item i
      left join (select item_id, sum(tickets - refunded) as tickets from sales_total where event_id = ${eventId} and ${ofSession} group by 1) s
             on s.item_id = i.id
      left join (${checked}) k on k.item_id = i.id
     where i.event_id = ${eventId} and i.type <> 'group' order by i.position, i.id`.execute(tx);
  return rows;
}

const inSession = (sessionId: number | null): RawBuilder<unknown> => (sessionId === null ? sql`true` : sql`session_id = ${sessionId}`);

/** Returns the entries by local hour of the event. At the end of daylight saving time one hour occurs twice. It is one row. */
export async function selectHours(tx: Tx, eventId: number, sessionId: number | null): Promise<{ hour: string; checked: number }[]> {
  const { rows } = await sql<{ hour: string; checked: number }>`
    select to_char(date_trunc('hour', t.quarter at time zone e.timezone), 'YYYY-MM-DD HH24:MI:SS') as hour, sum(t.entries)::bigint as checked
      from entry_total t join event e on e.id = t.event_id
     where t.event_id = ${eventId} and ${inSession(sessionId)}
     group by 1 having sum(t.entries) > 0 order by 1`.execute(tx);
  return rows;
}

/** Counts scans that were received late, usually because the device was offline. The condition must be that of the partial index. */
export async function countLateScans(tx: Tx, eventId: number, sessionId: number | null): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from checkin
     where event_id = ${eventId} and received_at - at > interval '2 minutes' and ${inSession(sessionId)}`.execute(tx);
  return rows[0]?.n ?? 0;
}

/** Counts entries without the guests who have left and not come back. */
export async function countInside(tx: Tx, eventId: number, sessionId: number | null): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select (coalesce((select sum(entries) from entry_total where event_id = ${eventId} and ${inSession(sessionId)}), 0)
             - coalesce((select sum(away) from away_total where event_id = ${eventId} and ${inSession(sessionId)}), 0))::bigint as n`.execute(
    tx,
  );
  return rows[0]?.n ?? 0;
}
