import { unknownSessions } from '../events/lock-event.ts';
import { ruleViolation } from '../kernel/problem.ts';
import type { Tx } from '../postgres/database.ts';
import type { ItemType } from './item-types.ts';
import { type ItemRow, selectItem, selectLiveItemsAmong } from './items.sql.ts';

/** The parent of an item must be a group of the same event that is not removed. Groups cannot be nested. */
export async function requireGroup(tx: Tx, item: { eventId: number; type: ItemType; parentId: number | null }): Promise<void> {
  const { eventId, type, parentId } = item;
  if (parentId === null) return;
  if (type === 'group') throw ruleViolation('parentId', 'group_in_group', 'A group cannot be in another group. Leave out parentId.');
  const group = await selectItem(tx, eventId, parentId);
  if (group?.type !== 'group') {
    throw ruleViolation('parentId', 'no_such_group', `Item ${parentId} is not a group of this event`);
  }
  if (group.archived)
    throw ruleViolation('parentId', 'archived', `The group ${parentId} is removed. Restore it with {"archived": false} first.`);
}

export async function requireSessions(tx: Tx, item: { eventId: number; type: ItemType; sessionIds: readonly number[] }): Promise<void> {
  const { eventId, type, sessionIds } = item;
  if (sessionIds.length === 0) return;
  if (type === 'group') throw ruleViolation('sessionIds', 'group', 'A group has no sessions. Set sessionIds of the items in it.');
  const unknown = await unknownSessions(tx, eventId, sessionIds);
  if (unknown.length > 0)
    throw ruleViolation('sessionIds', 'unknown', `These are not sessions of this event: ${unknown.slice(0, 10).join(', ')}`);
}

/** Throws 422 unless all ids are items of the event that are not removed. Passkeys can refer only to such items. */
export async function requireLiveItems(tx: Tx, eventId: number, itemIds: readonly number[]): Promise<void> {
  if (itemIds.length === 0) return;
  const live = new Set(await selectLiveItemsAmong(tx, eventId, itemIds));
  const others = itemIds.filter((id) => !live.has(id));
  if (others.length === 0) return;
  const message = `These items are removed or do not belong to this event: ${others.slice(0, 20).join(', ')}`;
  throw ruleViolation('itemIds', 'unknown', message, { itemIds: others });
}

/** A group is not sold itself, so it has no price and no sale periods. */
export function requireSellable({ type }: ItemRow, field: string): void {
  if (type === 'group')
    throw ruleViolation(field, 'group', 'A group is not sold itself. Send this request for the items in the group instead.');
}
