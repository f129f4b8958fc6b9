import { lockEvent } from '../events/lock-event.ts';
import type { Act } from '../kernel/act.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import type { NewItem } from './contract.ts';
import { getItemOfEvent, webShop } from './item.ts';
import { requireGroup, requireSessions } from './item-rules.ts';
import type { Item } from './item-schemas.ts';
import { insertItem, insertItemSessions } from './items.sql.ts';

export async function createItem(tx: Tx, act: Act, body: NewItem): Promise<Item> {
  const { eventId, type = 'ticket', parentId = null, sessionIds = [] } = body;
  await lockEvent(tx, eventId);
  await requireGroup(tx, { eventId, type, parentId });
  await requireSessions(tx, { eventId, type, sessionIds });
  const id = await insertItem(tx, {
    event_id: eventId,
    parent_id: parentId,
    type,
    name: body.name,
    description: body.description ?? '',
    position: body.position ?? 0,
    quantity: body.quantity ?? null,
    hidden: body.hidden ?? false,
    salable: body.salable ?? true,
    created_at: act.at,
    updated_at: act.at,
  });
  if (sessionIds.length > 0) await insertItemSessions(tx, eventId, id, sessionIds);
  const item = await getItemOfEvent(tx, eventId, id, { at: act.at, channel: webShop });
  await record(tx, act, { subject: 'item', id, eventId, after: item });
  return item;
}
