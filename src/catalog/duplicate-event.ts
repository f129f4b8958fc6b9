import { copyEvent, type EventCopy } from '../events/create-event.ts';
import { copySessions } from '../events/sessions.ts';
import type { Act } from '../kernel/act.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { copyItems } from './copy-items.ts';
import { selectLiveItems } from './items.sql.ts';
import { insertTriggers, selectTriggersOfEvent } from './triggers.sql.ts';

/**
 * Copies an event as a draft: its texts, sessions, attributes, items and triggers. Orders, crew, passkeys, imported codes and removed items are
 * not copied. Triggers of the copy have not fired.
 */
export async function duplicateEvent(
  tx: Tx,
  act: Act,
  eventId: number,
  { shiftDays = 0, ...changes }: EventCopy & { shiftDays?: number },
): Promise<number> {
  const { source, copy } = await copyEvent(tx, act, eventId, changes);
  const sessions = await copySessions(tx, act, source, copy, shiftDays);
  const items = await copyItems(tx, act, await selectLiveItems(tx, [eventId]), { eventId: copy.id, sessions, shiftDays });
  await copyTriggers(tx, eventId, copy.id, items);
  const after = { duplicateOf: eventId, title: copy.title, link: copy.link, shiftDays, sessions: sessions.size, items: items.size };
  await record(tx, act, { subject: 'event', id: copy.id, producerId: source.producer_id, eventId: copy.id, after });
  return copy.id;
}

/** Triggers from or to a removed item are left out. */
async function copyTriggers(tx: Tx, from: number, to: number, items: ReadonlyMap<number, number>): Promise<void> {
  for (const { item_id, target_item_id, on_what, action } of await selectTriggersOfEvent(tx, from)) {
    const [item, target] = [items.get(item_id), items.get(target_item_id)];
    if (item !== undefined && target !== undefined) await insertTriggers(tx, to, item, [{ on_what, action, target_item_id: target }]);
  }
}
