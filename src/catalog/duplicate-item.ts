import { requireEventOf } from '../events/event-of.ts';
import { lockEvent } from '../events/lock-event.ts';
import type { Act } from '../kernel/act.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { copyItems } from './copy-items.ts';
import { getItemOfEvent, lockItemOfEvent, webShop } from './item.ts';
import type { Item } from './item-schemas.ts';
import { selectLiveItemsIn } from './items.sql.ts';

/**
 * Copies an item, or a group with its items. The copy is not salable, so that nobody buys it before it is ready. Triggers are not copied.
 */
export async function duplicateItem(tx: Tx, act: Act, id: number, { name }: { name?: string }): Promise<Item> {
  const eventId = await requireEventOf(tx, 'item', id);
  await lockEvent(tx, eventId);
  const source = await lockItemOfEvent(tx, eventId, id);
  const target = { eventId, sessions: new Map<number, number>(), shiftDays: 0 };
  const changes = { salable: false, ...(name !== undefined && { name }) };
  const copies = await copyItems(tx, act, [source], { ...target, changes });
  const copyId = copies.get(id) as number;
  const inGroup = source.type === 'group' ? await selectLiveItemsIn(tx, [eventId], [id]) : [];
  await copyItems(
    tx,
    act,
    inGroup.map((item) => ({ ...item, parent_id: copyId })),
    target,
  );
  const copy = await getItemOfEvent(tx, eventId, copyId, { at: act.at, channel: webShop });
  await record(tx, act, { subject: 'item', id: copyId, eventId, after: { duplicateOf: id, items: inGroup.length, ...copy } });
  return copy;
}
