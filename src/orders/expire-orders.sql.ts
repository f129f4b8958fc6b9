import { type RawBuilder, sql } from 'kysely';
import type { RowKey } from '../kernel/ids-by-event.ts';
import type { Database } from '../postgres/database.ts';
import { inEvent, inEvents } from '../postgres/in-event.ts';
import { holdHasExpired } from './order-conditions.sql.ts';

/** The parameters of the search for expired holds. The holds are sorted by their expiry. */
export interface ExpiredFilter {
  eventIds: readonly number[];
  at: Date;
  limit: number;
}

/** Uses the index `ticket_order_due`, which contains only held orders. */
const expiredHolds = ({ eventIds, at, limit }: ExpiredFilter) => sql`
  select o.event_id, o.id from ticket_order o
   where ${holdHasExpired(at)} and ${inEvents(sql`o.event_id`, eventIds)}
   order by o.expires_at, o.id limit ${limit}`;

/** Returns the events of the oldest expired holds. */
export async function selectEventsWithExpiredHolds(db: Database, at: Date, limit: number): Promise<number[]> {
  const { rows } = await sql<{ event_id: number }>`
    /* all events */ select event_id
      from (select o.event_id, o.expires_at from ticket_order o where ${holdHasExpired(at)} order by o.expires_at limit ${limit}) due
     group by event_id order by min(expires_at)`.execute(db);
  return rows.map(({ event_id }) => event_id);
}

/**
 * Locks expired holds, and skips holds that another transaction has locked. The status is checked again after locking, because another
 * transaction may have changed it. `|| ''` keeps the planner from using the index on held orders for this check.
 */
export const lockExpiredHolds = (filter: ExpiredFilter): RawBuilder<RowKey> => sql<RowKey>`
  select o.event_id as "eventId", o.id from ticket_order o
   where ${inEvents(sql`o.event_id`, filter.eventIds)} and o.id = any(array(select id from (${expiredHolds(filter)}) d))
    and o.status || '' = 'held'
  order by o.event_id, o.id for update of o skip locked`;

/** Subqueries for the items and sessions, as event and id, whose counters change when these holds expire. */
export const countersOfExpiredHolds = (filter: ExpiredFilter) => ({
  items: sql`select d.event_id, l.item_id from ${linesOfExpiredHolds(filter)}`,
  sessions: sql`select d.event_id, unnest(l.session_ids) from ${linesOfExpiredHolds(filter)}`,
});

/** `offset 0` makes PostgreSQL find the few expired holds first. It then looks up their lines by primary key. */
const linesOfExpiredHolds = (filter: ExpiredFilter) => sql`
  (${expiredHolds(filter)}) d cross join lateral
  (select item_id, session_ids from order_line where ${inEvent(sql`event_id`, filter.eventIds)} and event_id = d.event_id and order_id = d.id offset 0) l`;
