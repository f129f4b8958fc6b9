import type { Act } from '../kernel/act.ts';
import { shiftPeriod } from '../kernel/wall-clock.ts';
import type { Tx } from '../postgres/database.ts';
import { insertAttribute, insertSalesPeriod, insertValues } from './item-parts.sql.ts';
import { type ItemRow, insertItem, insertItemSessions } from './items.sql.ts';

/** Where the copies go, and what is different about them. */
export interface CopyTarget {
  eventId: number;
  /** The ids of the copies of sessions. A session that is not in the map keeps its id. */
  sessions: ReadonlyMap<number, number>;
  shiftDays: number;
  /** Fields of the items that are not copied. */
  changes?: { name?: string; salable?: boolean };
}

/**
 * Copies items with their groups, sessions, values, attributes and sale periods. The copies have no sold tickets. Returns the id of the copy of
 * each item. An item whose group is not copied stays in that group. The caller holds the lock of the event.
 */
export async function copyItems(tx: Tx, act: Act, items: readonly ItemRow[], target: CopyTarget): Promise<ReadonlyMap<number, number>> {
  const copies = new Map<number, number>();
  // Groups come first, because the items in a group need its id.
  const groupsFirst = [...items.filter(({ type }) => type === 'group'), ...items.filter(({ type }) => type !== 'group')];
  for (const item of groupsFirst) {
    const parentId = item.parent_id === null ? null : (copies.get(item.parent_id) ?? item.parent_id);
    copies.set(item.id, await copyItem(tx, act, item, parentId, target));
  }
  return copies;
}

async function copyItem(tx: Tx, { at }: Act, item: ItemRow, parentId: number | null, target: CopyTarget): Promise<number> {
  const { type, name, description, position, quantity, hidden, salable } = item;
  const id = await insertItem(tx, {
    event_id: target.eventId,
    parent_id: parentId,
    type,
    description,
    position,
    quantity,
    hidden,
    name: target.changes?.name ?? name,
    salable: target.changes?.salable ?? salable,
    created_at: at,
    updated_at: at,
  });
  await copyParts(tx, item, id, target);
  return id;
}

async function copyParts(tx: Tx, item: ItemRow, id: number, { eventId, sessions, shiftDays }: CopyTarget): Promise<void> {
  const key = { event_id: eventId, item_id: id };
  const sessionIds = item.session_ids.map((sessionId) => sessions.get(sessionId) ?? sessionId);
  if (sessionIds.length > 0) await insertItemSessions(tx, eventId, id, sessionIds);
  if (item.values) {
    const { price, feeSale, feeProducer } = item.values;
    await insertValues(tx, { ...key, price, fee_sale: feeSale, fee_producer: feeProducer });
  }
  for (const attribute of item.attributes) await insertAttribute(tx, { ...key, ...attribute });
  for (const { appCategoryId, start, finish, available } of item.periods) {
    const times = shiftPeriod({ starts_at: new Date(start), finishes_at: new Date(finish) }, shiftDays, item.timezone);
    await insertSalesPeriod(tx, { ...key, app_category_id: appCategoryId, available, ...times });
  }
}
