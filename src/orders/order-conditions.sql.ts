import { type RawBuilder, sql } from 'kysely';
import { startsWithText } from '../postgres/text-search.ts';
import type { OrderRow } from './order.ts';

/**
 * The rule of `statusAt` (order.ts) as conditions on `ticket_order o`. The conditions compare `o.status` with a literal, so that PostgreSQL
 * can use partial indexes.
 */
export const holdHasExpired = (at: Date): RawBuilder<unknown> => sql`o.status = 'held' and o.expires_at <= ${at}`;

const storedStatus = (status: OrderRow['status']) => sql`o.status = ${sql.lit(status)}`;

export function hasStatus(status: OrderRow['status'], at: Date): RawBuilder<unknown> {
  if (status === 'held') return sql`(${storedStatus('held')} and not (${holdHasExpired(at)}))`;
  if (status === 'expired') return sql`(${storedStatus('expired')} or (${holdHasExpired(at)}))`;
  return storedStatus(status);
}

/** Whether the name, e-mail address or document of the buyer begins with the term, or the term is the id of the order. */
export const isFoundBy = (term: string): RawBuilder<unknown> => sql`
  (${startsWithText('o.buyer_name', term)} or ${startsWithText('o.buyer_email', term)} or ${startsWithText('o.buyer_document', term)}
   or o.id::text = ${term})`;
