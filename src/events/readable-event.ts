import { isAllowed } from '../accounts/roles.ts';
import type { Actor } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import type { Tx } from '../postgres/database.ts';
import { selectEventIdByLink, selectReadability } from './events.sql.ts';

/** Whoever has the id may read the event, but a draft only those who work on it: to others there is none. */
export async function requireReadable(tx: Tx, actor: Actor, id: number): Promise<void> {
  const event = await selectReadability(tx, id);
  if (!event) throw new Problem('not_found');
  if (event.status !== 'draft') return;
  if (!isAllowed(actor, 'event.read', { producerId: event.producer_id, eventId: id })) throw new Problem('not_found');
}

/** `link` is an id, the event's link, or one that it had before. */
export async function identifyEvent(tx: Tx, link: string): Promise<number> {
  const id = /^[1-9]\d{0,15}$/.test(link) ? Number(link) : await selectEventIdByLink(tx, link.toLowerCase());
  if (id === undefined || !Number.isSafeInteger(id)) throw new Problem('not_found');
  return id;
}
