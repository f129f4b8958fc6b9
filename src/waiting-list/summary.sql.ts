import { sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';
import type { Summary } from './contract.ts';
import { shownStatus } from './entries.sql.ts';

/** Counts people and tickets by line. An offer ends with its order, even if the worker has not closed the entry yet. */
export async function selectSummary(tx: Tx, eventId: number, at: Date): Promise<Summary['lines']> {
  const { rows } = await sql<Summary['lines'][number]>`
    with entries as (
      select e.line_id, e.quantity, e.place,
             ${shownStatus(at)} as status
        from waiting_entry e left join ticket_order o on o.event_id = e.event_id and o.id = e.order_id
       where e.event_id = ${eventId})
    select l.item_id as "itemId", i.name as "itemName", l.session_id as "sessionId", s.name as "sessionName",
           count(*) filter (where e.status = 'waiting') as waiting,
           coalesce(sum(e.quantity) filter (where e.status = 'waiting'), 0)::int as "waitingTickets",
           count(*) filter (where e.status = 'offered') as offered,
           coalesce(sum(e.quantity) filter (where e.status = 'offered'), 0)::int as "offeredTickets",
           count(*) filter (where e.status = 'bought') as bought,
           coalesce(sum(e.quantity) filter (where e.status = 'bought'), 0)::int as "boughtTickets",
           count(*) filter (where e.status = 'lapsed') as lapsed,
           count(*) filter (where e.status in ('left', 'removed') and e.place is not null) as "left"
      from waiting_line l
      join item i on i.event_id = l.event_id and i.id = l.item_id
      left join event_session s on s.event_id = l.event_id and s.id = l.session_id
      left join entries e on e.line_id = l.id
     where l.event_id = ${eventId} group by l.id, l.item_id, i.name, i.position, l.session_id, s.name, s.starts_at
     order by i.position, l.item_id, s.starts_at, l.id`.execute(tx);
  return rows;
}
