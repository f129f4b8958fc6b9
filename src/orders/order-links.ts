import { requireEventOf } from '../events/event-of.ts';
import type { Act } from '../kernel/act.ts';
import type { RowKey } from '../kernel/ids-by-event.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { countOldRows, deleteOldRows } from '../postgres/delete-old-rows.ts';
import { deleteLinks, insertLink, linksOfEventsBefore, type OpenLink, selectLinks } from './order-links.sql.ts';
import { hashOf, isLinkToken, newLinkToken } from './order-secret.ts';

/** A link works until this long after the last session of the event, and at least this long after its mail was sent. */
const linkMs = 30 * 86_400_000;

const lastEnd = (at: Date): Date => new Date(at.getTime() - linkMs);

/** Creates the token of a link in a mail. Each mail has its own token, because only the hash of a token is stored. */
export async function createLink(tx: Tx, order: RowKey, at: Date): Promise<string> {
  const token = newLinkToken();
  await insertLink(tx, order, hashOf(token), at);
  return token;
}

/** An order that a request names, with the credential of the request. */
export interface NamedOrder extends RowKey {
  act?: Act;
  secret?: string | undefined;
}

/** Returns the links that the requests contain and that are valid. Without link tokens it sends no query. */
export async function openLinks(tx: Tx, named: readonly NamedOrder[]): Promise<OpenLink[]> {
  const withToken = named.filter(({ secret }) => secret !== undefined && isLinkToken(secret));
  if (withToken.length === 0) return [];
  const at = new Date(Math.max(...withToken.map(({ act }) => act?.at.getTime() ?? 0)));
  const hashes = withToken.map(({ secret }) => hashOf(secret ?? ''));
  return selectLinks(
    tx,
    withToken.map(({ eventId }) => eventId),
    hashes,
    lastEnd(at),
  );
}

/** Revokes all links that were mailed for the order. The secret of the order still works. */
export async function revokeOrderLinks(tx: Tx, act: Act, id: number): Promise<{ revoked: number }> {
  const eventId = await requireEventOf(tx, 'ticket_order', id);
  const { rows } = await deleteLinks({ eventId, id }).execute(tx);
  await record(tx, act, { subject: 'order', id, eventId, after: { linksRevoked: rows.length } });
  return { revoked: rows.length };
}

export const countExpiredLinks = (tx: Tx, at: Date): Promise<number> => countOldRows(tx, linksOfEventsBefore(lastEnd(at)));

/** Deletes up to `limit` links that no longer work. Returns the number of deleted links. */
export const deleteExpiredLinks = (tx: Tx, at: Date, limit: number): Promise<number> =>
  deleteOldRows(tx, linksOfEventsBefore(lastEnd(at)), limit);
