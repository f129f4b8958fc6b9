import { type RawBuilder, sql } from 'kysely';
import type { OrderRow } from './order.ts';

/**
 * The rule of `statusAt` (order.ts) as conditions on `ticket_order o`. They name the stored status, so that PostgreSQL can use the partial
 * indexes on it.
 */
export const holdHasExpired = (at: Date): RawBuilder<unknown> => sql`o.status = 'held' and o.expires_at <= ${at}`;

const storedStatus = (status: OrderRow['status']) => sql`o.status = ${sql.lit(status)}`;

export function hasStatus(status: OrderRow['status'], at: Date): RawBuilder<unknown> {
  if (status === 'held') return sql`(${storedStatus('held')} and not (${holdHasExpired(at)}))`;
  if (status === 'expired') return sql`(${storedStatus('expired')} or (${holdHasExpired(at)}))`;
  return storedStatus(status);
}
