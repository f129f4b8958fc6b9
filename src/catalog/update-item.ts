import { requireEventOf } from '../events/event-of.ts';
import { lockEvent } from '../events/lock-event.ts';
import { requireNotBelowSold } from '../events/sessions.ts';
import type { Act } from '../kernel/act.ts';
import { ruleViolation } from '../kernel/problem.ts';
import { refuseReadOnlyChanges } from '../kernel/read-only.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { type ItemChanges, itemReadOnlyNames } from './contract.ts';
import { describeRow, getItemOfEvent, lockItemOfEvent, webShop } from './item.ts';
import { requireGroup, requireSessions } from './item-rules.ts';
import { type Item } from './item-schemas.ts';
import { deleteItemSessions, type ItemRow, insertItemSessions, selectLiveItemsIn, updateItemRow } from './items.sql.ts';

const hints = {
  attributes: 'Change it with /items/{id}/attributes.',
  salesPeriods: 'Change it with /items/{id}/sales-period.',
  values: 'Change it with /items/{id}/values.',
};

/** Changes only the fields that are present. `archived` removes or restores the item. */
export async function updateItem(tx: Tx, act: Act, id: number, changes: ItemChanges): Promise<Item> {
  const view = { at: act.at, channel: webShop };
  const eventId = await requireEventOf(tx, 'item', id);
  await lockEvent(tx, eventId);
  const row = await lockItemOfEvent(tx, eventId, id);
  const before = await describeRow(tx, row, view);
  refuseReadOnlyChanges(changes, before, itemReadOnlyNames, hints);
  refuseOtherEventOrType(row, changes);
  await requireValidParts(tx, row, changes);
  const { name, description, position, quantity, hidden, salable, archived, parentId, sessionIds } = changes;
  if (quantity !== undefined) requireNotBelowSold('quantity', quantity, row);
  await updateItemRow(tx, eventId, id, {
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
  const after = await getItemOfEvent(tx, eventId, id, view);
  await record(tx, act, { subject: 'item', id, eventId, before, after });
  return after;
}

/** `eventId` and `type` cannot change. They are accepted unchanged, so that clients can send back the whole item. */
function refuseOtherEventOrType(row: ItemRow, { eventId, type }: ItemChanges): void {
  if (eventId !== undefined && eventId !== row.event_id)
    throw ruleViolation('eventId', 'fixed', 'An item cannot move to another event. Create a new item there.');
  if (type !== undefined && type !== row.type)
    throw ruleViolation('type', 'fixed', 'The type of an item cannot change. Create a new item.');
}

async function requireValidParts(
  tx: Tx,
  row: ItemRow,
  { parentId = row.parent_id, sessionIds, archived = row.archived }: ItemChanges,
): Promise<void> {
  const { event_id: eventId, type } = row;
  const hasSales = row.sold + row.held > 0;
  if (parentId !== row.parent_id && hasSales) {
    throw ruleViolation('parentId', 'sold', 'Tickets of this item are sold or held, so its group cannot change.');
  }
  // A restored item cannot be in a removed group.
  if (parentId !== row.parent_id || (row.archived && !archived)) await requireGroup(tx, { eventId, type, parentId });
  if (sessionIds) {
    await requireSessions(tx, { eventId, type, sessionIds });
    const dropped = row.sessions.filter(({ id }) => sessionIds.length > 0 && !sessionIds.includes(id));
    if (dropped.length > 0 && hasSales) {
      const message = 'Tickets of this item are sold or held, so its sessions cannot be removed. You can add sessions.';
      throw ruleViolation('sessionIds', 'sold', message);
    }
  }
  if (type === 'group' && archived && !row.archived) await refuseLiveItems(tx, eventId, row.id);
}

async function refuseLiveItems(tx: Tx, eventId: number, groupId: number): Promise<void> {
  const live = await selectLiveItemsIn(tx, [eventId], [groupId]);
  if (live.length === 0) return;
  const itemIds = live.map(({ id }) => id);
  throw ruleViolation('archived', 'live_items', `The group still has items. Remove them first: ${itemIds.slice(0, 20).join(', ')}`, {
    itemIds,
  });
}

async function replaceSessions(tx: Tx, row: ItemRow, sessionIds: readonly number[]): Promise<void> {
  await deleteItemSessions(tx, row.event_id, row.id);
  if (sessionIds.length > 0) await insertItemSessions(tx, row.event_id, row.id, sessionIds);
}
