import { type RawBuilder, sql } from 'kysely';
import { startsWithText } from '../postgres/text-search.ts';
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

/** Whether name, e-mail or document of the buyer begin with the term, or the order has this number. */
export const isFoundBy = (term: string): RawBuilder<unknown> => sql`
  (${startsWithText('o.buyer_name', term)} or ${startsWithText('o.buyer_email', term)} or ${startsWithText('o.buyer_document', term)}
   or o.id::text = ${term})`;
