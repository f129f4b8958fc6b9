import type { Act } from '../kernel/act.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { lockItem, webShop } from './item.ts';
import { updateItemRow } from './items.sql.ts';
import { type DueTrigger, markFired, selectDueTriggers, selectSoldOutTriggers } from './triggers.sql.ts';

const mostAtOnce = 100;

/** Fires what the clock has made due; answers how many. Called every moment by the worker, and by any number of them at once. */
export async function fireDueTriggers(tx: Tx, act: Act): Promise<number> {
  const due = await selectDueTriggers(tx, act.at, webShop, mostAtOnce);
  // In the order of their targets, so that two who fire at once cannot wait for each other.
  for (const trigger of due.toSorted((a, b) => a.target_item_id - b.target_item_id || a.id - b.id)) await fire(tx, act, trigger);
  return due.length;
}

/** In the transaction that took the last unit of these items. */
export async function fireSoldOut(tx: Tx, act: Act, itemIds: readonly number[]): Promise<void> {
  if (itemIds.length === 0) return;
  const due = await selectSoldOutTriggers(tx, itemIds);
  for (const trigger of due.toSorted((a, b) => a.target_item_id - b.target_item_id || a.id - b.id)) await fire(tx, act, trigger);
}

async function fire(tx: Tx, act: Act, { id, event_id, on_what, action, target_item_id }: DueTrigger): Promise<void> {
  const target = await lockItem(tx, target_item_id);
  const salable = action === 'open';
  await updateItemRow(tx, target_item_id, { salable, updated_at: act.at });
  await markFired(tx, id, act.at);
  const after = { salable, trigger: { id, on: on_what, action } };
  await record(tx, act, { subject: 'item', id: target_item_id, eventId: event_id, before: { salable: target.salable }, after });
}
