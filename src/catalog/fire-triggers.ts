import type { Act } from '../kernel/act.ts';
import { idsByEvent } from '../kernel/ids-by-event.ts';
import { record } from '../platform/audit.ts';
import { type NewChange, recordChanges } from '../platform/changes/record-changes.ts';
import type { Tx } from '../postgres/database.ts';
import { executeAll } from '../postgres/pipeline.ts';
import { lockItemOfEvent, webShop } from './item.ts';
import { updateItemRow } from './items.sql.ts';
import type { SoldOutItem } from './stock.ts';
import { type DueTrigger, lockDueTriggers, markFired, selectDueTriggers, selectSoldOutTriggers } from './triggers.sql.ts';

const batchSize = 100;

/** Fires the triggers that are due. Returns how many it fired. Several workers may call this function concurrently. */
export async function fireDueTriggers(tx: Tx, act: Act): Promise<number> {
  const found = await selectDueTriggers(tx, act.at, webShop, batchSize);
  let fired = 0;
  for (const [eventId, ids] of idsByEvent(found.map(({ event_id, id }) => ({ eventId: event_id, id })))) {
    const due = await lockDueTriggers(tx, eventId, ids, act.at, webShop);
    await fireAll(tx, act, due);
    fired += due.length;
  }
  return fired;
}

/** Fires the `soldout` triggers of these items, and records that they are sold out, in the transaction that sold or held their last ticket. */
export async function fireSoldOut(tx: Tx, act: Act, items: readonly SoldOutItem[]): Promise<void> {
  const changes = items.filter(({ isNew }) => isNew).map(({ eventId, id }) => soldOutChange(eventId, id, act.at));
  await executeAll(tx, recordChanges(changes));
  for (const [eventId, ids] of idsByEvent(items)) await fireAll(tx, act, await selectSoldOutTriggers(tx, eventId, ids));
}

const soldOutChange = (eventId: number, id: number, at: Date): NewChange => ({
  eventId,
  type: 'item.soldout',
  subject: { kind: 'item', id },
  at,
});

/** Locks the target items in the order of their ids, so that concurrent transactions cannot deadlock. */
async function fireAll(tx: Tx, act: Act, due: readonly DueTrigger[]): Promise<void> {
  for (const trigger of due.toSorted((a, b) => a.target_item_id - b.target_item_id || a.id - b.id)) await fire(tx, act, trigger);
}

async function fire(tx: Tx, act: Act, { id, event_id, on_what, action, target_item_id }: DueTrigger): Promise<void> {
  const target = await lockItemOfEvent(tx, event_id, target_item_id);
  const salable = action === 'open';
  await updateItemRow(tx, event_id, target_item_id, { salable, updated_at: act.at });
  await markFired(tx, event_id, id, act.at);
  const after = { salable, trigger: { id, on: on_what, action } };
  await record(tx, act, { subject: 'item', id: target_item_id, eventId: event_id, before: { salable: target.salable }, after });
}
