import { type RawBuilder, sql } from 'kysely';
import type { ItemType } from '../catalog/item-types.ts';
import type { Tx } from '../postgres/database.ts';

export interface EntryRow {
  id: number;
  name: string;
  type: ItemType;
  /** Guests: rows of `ticket_guest`, which `sales_total` counts, and of `code_guest`. */
  tickets: number;
  checked: number;
}

/** All items in the order in which the producer has them: in one statement, so that nobody is in before they had a ticket. */
export async function selectEntries(tx: Tx, eventId: number, sessionId: number | null): Promise<EntryRow[]> {
  const ofSession = sessionId === null ? sql`true` : sql`session_ids @> array[${sessionId}::bigint]`;
  const checked =
    sessionId === null
      ? sql`select item_id, checked from guest_total where event_id = ${eventId}`
      : sql`select item_id, sum(entries)::bigint as checked from entry_total where event_id = ${eventId} and session_id = ${sessionId} group by 1`;
  const { rows } = await sql<EntryRow>`
    select i.id, i.name, i.type,
           coalesce(s.tickets, 0)::bigint
             + case when i.type = 'external' then (select count(*) from code_guest where item_id = i.id and ${ofSession}) else 0 end as tickets,
           coalesce(k.checked, 0) as checked
      from item i
      left join (select item_id, sum(tickets - refunded) as tickets from sales_total where event_id = ${eventId} and ${ofSession} group by 1) s
             on s.item_id = i.id
      left join (${checked}) k on k.item_id = i.id
     where i.event_id = ${eventId} and i.type <> 'group' order by i.position, i.id`.execute(tx);
  return rows;
}

const inSession = (sessionId: number | null): RawBuilder<unknown> => (sessionId === null ? sql`true` : sql`session_id = ${sessionId}`);

/** By the hour on the wall at the event; one that comes twice at the end of summer time is one hour here. */
export async function selectHours(tx: Tx, eventId: number, sessionId: number | null): Promise<{ hour: string; checked: number }[]> {
  const { rows } = await sql<{ hour: string; checked: number }>`
    select to_char(date_trunc('hour', t.quarter at time zone e.timezone), 'YYYY-MM-DD HH24:MI:SS') as hour, sum(t.entries)::bigint as checked
      from entry_total t join event e on e.id = t.event_id
     where t.event_id = ${eventId} and ${inSession(sessionId)}
     group by 1 having sum(t.entries) > 0 order by 1`.execute(tx);
  return rows;
}

/** Scans that came so long after they were made that their device was without a network; as the index of them has it. */
export async function countLate(tx: Tx, eventId: number, sessionId: number | null): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from checkin
     where event_id = ${eventId} and received_at - at > interval '2 minutes' and ${inSession(sessionId)}`.execute(tx);
  return rows[0]?.n ?? 0;
}
