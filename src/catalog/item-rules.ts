import { unknownSessions } from '../events/lock-event.ts';
import { ruleViolation } from '../kernel/problem.ts';
import type { Tx } from '../postgres/database.ts';
import type { ItemType } from './item-types.ts';
import { type ItemRow, selectItem, selectLiveItemsAmong } from './items.sql.ts';

/** An item may stand in a group of its own event that is not removed; a group stands in none. */
export async function requireGroup(tx: Tx, item: { eventId: number; type: ItemType; parentId: number | null }): Promise<void> {
  const { eventId, type, parentId } = item;
  if (parentId === null) return;
  if (type === 'group') throw ruleViolation('parentId', 'group_in_group', 'A group cannot stand in a group');
  const group = await selectItem(tx, parentId);
  if (!group || group.event_id !== eventId || group.type !== 'group') {
    throw ruleViolation('parentId', 'no_such_group', `Item ${parentId} is no group of this event`);
  }
  if (group.archived) throw ruleViolation('parentId', 'archived', `The group ${parentId} is removed`);
}

export async function requireSessions(tx: Tx, item: { eventId: number; type: ItemType; sessionIds: readonly number[] }): Promise<void> {
  const { eventId, type, sessionIds } = item;
  if (sessionIds.length === 0) return;
  if (type === 'group') throw ruleViolation('sessionIds', 'group', 'A group has no sessions of its own; the items in it do');
  const unknown = await unknownSessions(tx, eventId, sessionIds);
  if (unknown.length > 0) throw ruleViolation('sessionIds', 'unknown', `No sessions of this event: ${unknown.slice(0, 10).join(', ')}`);
}

/** What hangs on items of an event hangs on none that is removed or of another event. */
export async function requireLiveItems(tx: Tx, eventId: number, itemIds: readonly number[]): Promise<void> {
  if (itemIds.length === 0) return;
  const live = new Set(await selectLiveItemsAmong(tx, eventId, itemIds));
  const others = itemIds.filter((id) => !live.has(id));
  if (others.length === 0) return;
  const message = `No items of this event, or removed: ${others.slice(0, 20).join(', ')}`;
  throw ruleViolation('itemIds', 'unknown', message, { itemIds: others });
}

/** Prices and sale periods belong to what is sold, and a group is not. */
export function requireSellable({ type }: ItemRow, field: string): void {
  if (type === 'group') throw ruleViolation(field, 'group', 'A group is not sold itself: give this to the items in it');
}
