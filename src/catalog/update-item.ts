import { lockEvent } from '../events/lock-event.ts';
import { requireNotBelow } from '../events/require-not-below.ts';
import type { Act } from '../kernel/act.ts';
import { ruleViolation } from '../kernel/problem.ts';
import { refuseReadOnlyChanges } from '../kernel/read-only.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { type Item, type ItemChanges, itemReadOnlyNames } from './contract.ts';
import { describeItem, lockItem, webShop } from './item.ts';
import { requireGroup, requireSessions } from './item-rules.ts';
import { deleteItemSessions, type ItemRow, insertItemSessions, selectLiveItemsIn, updateItemRow } from './items.sql.ts';

const hints = {
  attributes: 'Change it with /items/{id}/attributes.',
  salesPeriods: 'Change it with /items/{id}/sales-period.',
  values: 'Change it with /items/{id}/values.',
};

/** Changes the fields that are present; `archived` removes the item or brings it back. */
export async function updateItem(tx: Tx, act: Act, id: number, changes: ItemChanges): Promise<Item> {
  const view = { at: act.at, channel: webShop };
  const { eventId } = await describeItem(tx, id, view);
  await lockEvent(tx, eventId);
  const row = await lockItem(tx, id);
  const before = await describeItem(tx, id, view);
  refuseReadOnlyChanges(changes, before, itemReadOnlyNames, hints);
  refuseOtherKind(row, changes);
  await requireFitting(tx, row, changes);
  const { name, description, position, quantity, hidden, salable, archived, parentId, sessionIds } = changes;
  if (quantity !== undefined) requireNotBelow('quantity', quantity, row);
  await updateItemRow(tx, id, {
    name: name ?? row.name,
    description: description ?? row.description,
    position: position ?? row.position,
    quantity: quantity === undefined ? row.quantity : quantity,
    hidden: hidden ?? row.hidden,
    salable: salable ?? row.salable,
    archived: archived ?? row.archived,
    parent_id: parentId === undefined ? row.parent_id : parentId,
    updated_at: act.at,
  });
  if (sessionIds) await replaceSessions(tx, row, sessionIds);
  const after = await describeItem(tx, id, view);
  await record(tx, act, { subject: 'item', id, eventId, before, after });
  return after;
}

/** An item stays what and where it is; who sends the whole item back may name both. */
function refuseOtherKind(row: ItemRow, { eventId, type }: ItemChanges): void {
  if (eventId !== undefined && eventId !== row.event_id) throw ruleViolation('eventId', 'fixed', 'An item cannot move to another event');
  if (type !== undefined && type !== row.type) throw ruleViolation('type', 'fixed', 'The type of an item cannot change');
}

async function requireFitting(
  tx: Tx,
  row: ItemRow,
  { parentId = row.parent_id, sessionIds, archived = row.archived }: ItemChanges,
): Promise<void> {
  const { event_id: eventId, type } = row;
  const gone = row.sold + row.held > 0;
  if (parentId !== row.parent_id && gone) throw ruleViolation('parentId', 'sold', 'An item that has sold stays in its group');
  // A live item needs a live group, also when it comes back.
  if (parentId !== row.parent_id || (row.archived && !archived)) await requireGroup(tx, { eventId, type, parentId });
  if (sessionIds) {
    await requireSessions(tx, { eventId, type, sessionIds });
    const dropped = row.sessions.filter(({ id }) => sessionIds.length > 0 && !sessionIds.includes(id));
    if (dropped.length > 0 && gone)
      throw ruleViolation('sessionIds', 'sold', 'An item that has sold keeps its sessions; more can be added');
  }
  if (type === 'group' && archived && !row.archived) await refuseLiveItems(tx, row.id);
}

async function refuseLiveItems(tx: Tx, groupId: number): Promise<void> {
  const live = await selectLiveItemsIn(tx, [groupId]);
  if (live.length === 0) return;
  const itemIds = live.map(({ id }) => id);
  throw ruleViolation('archived', 'live_items', `Remove the items in the group first: ${itemIds.slice(0, 20).join(', ')}`, { itemIds });
}

async function replaceSessions(tx: Tx, row: ItemRow, sessionIds: readonly number[]): Promise<void> {
  await deleteItemSessions(tx, row.id);
  if (sessionIds.length > 0) await insertItemSessions(tx, row.event_id, row.id, sessionIds);
}
