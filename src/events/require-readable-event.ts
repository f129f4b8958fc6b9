import { isAllowed } from '../accounts/roles.ts';
import type { Actor } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import type { Tx } from '../postgres/database.ts';
import { selectEventIdByLink, selectReadAccess } from './events.sql.ts';

/** Throws 404 if the actor may not read the event. Anyone may read an event by its id, except drafts, which need the permission `event.read`. */
export async function requireReadableEvent(tx: Tx, actor: Actor, id: number): Promise<void> {
  const event = await selectReadAccess(tx, id);
  if (!event) throw new Problem('not_found');
  if (event.status !== 'draft') return;
  if (!isAllowed(actor, 'event.read', { producerId: event.producer_id, eventId: id })) throw new Problem('not_found');
}

/** Returns the id of an event. `link` is its id, its link, or one of its former links. */
export async function identifyEvent(tx: Tx, link: string): Promise<number> {
  const id = /^[1-9]\d{0,15}$/.test(link) ? Number(link) : await selectEventIdByLink(tx, link.toLowerCase());
  if (id === undefined || !Number.isSafeInteger(id)) throw new Problem('not_found');
  return id;
}
