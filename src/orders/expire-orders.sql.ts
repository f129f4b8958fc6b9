import { type RawBuilder, sql } from 'kysely';
import type { OrderRow } from './order.ts';
import { holdHasExpired } from './order-conditions.sql.ts';
import { wholeOrder } from './order-reads.sql.ts';

/** The parameters of the search for expired holds. The holds are sorted by their expiry. */
export interface ExpiredFilter {
  /** If left out, the holds of all events are selected. */
  eventIds?: readonly number[];
  at: Date;
  limit: number;
}

/**
 * Uses the index `ticket_order_due`, which contains only held orders. `event_id + 0` keeps the planner from using an index on `event_id`
 * instead, which would read all orders of the events.
 */
const expiredHolds = ({ eventIds, at, limit }: ExpiredFilter) => sql`
  select o.event_id, o.id from ticket_order o
   where ${holdHasExpired(at)} and ${eventIds ? sql`o.event_id + 0 = any(${eventIds})` : sql`true`}
   order by o.expires_at, o.id limit ${limit}`;

/**
 * Locks expired holds, and skips holds that another transaction has locked. The status is checked again after locking, because another
 * transaction may have changed it. `|| ''` keeps the planner from using the index on held orders for this check.
 */
export const lockExpiredHolds = (filter: ExpiredFilter): RawBuilder<OrderRow> => sql<OrderRow>`
  ${wholeOrder} where o.id = any(array(select id from (${expiredHolds(filter)}) d)) and o.status || '' = 'held'
  order by o.id for update of o skip locked`;

/** Subqueries for the items and sessions, as event and id, whose counters change when these holds expire. */
export const countersOfExpiredHolds = (filter: ExpiredFilter) => ({
  items: sql`select d.event_id, l.item_id from ${linesOfExpiredHolds(filter)}`,
  sessions: sql`select d.event_id, unnest(l.session_ids) from ${linesOfExpiredHolds(filter)}`,
});

/** `offset 0` makes PostgreSQL find the few expired holds first. It then looks up their lines by primary key. */
const linesOfExpiredHolds = (filter: ExpiredFilter) => sql`
  (${expiredHolds(filter)}) d cross join lateral
  (select item_id, session_ids from order_line where event_id = d.event_id and order_id = d.id offset 0) l`;
