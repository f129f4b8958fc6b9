import { requireEventOf } from '../events/event-of.ts';
import { lockEvent } from '../events/lock-event.ts';
import type { Act } from '../kernel/act.ts';
import { ruleViolation } from '../kernel/problem.ts';
import type { Page } from '../kernel/schema.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import type { NewTrigger, Trigger } from './trigger-contract.ts';
import { findCycle } from './trigger-cycle.ts';
import { deleteTriggers, insertTriggers, selectEdgesOfOthers, selectItemsAmong, selectTriggers, type TriggerRow } from './triggers.sql.ts';

export async function listTriggers(tx: Tx, itemId: number): Promise<Page<Trigger>> {
  return describeTriggers(await selectTriggers(tx, await requireEventOf(tx, 'item', itemId), itemId));
}

const describeTriggers = (rows: readonly TriggerRow[]): Page<Trigger> => ({ data: rows.map(toTrigger), nextCursor: null });

/** Triggers that are in both the old and the new set stay as they are. If they have fired, they do not fire again. */
export async function replaceTriggers(tx: Tx, act: Act, itemId: number, wanted: readonly NewTrigger[]): Promise<Page<Trigger>> {
  const eventId = await requireEventOf(tx, 'item', itemId);
  await lockEvent(tx, eventId);
  await requireTargets(tx, eventId, itemId, wanted);
  const known = await selectTriggers(tx, eventId, itemId);
  const dropped = known.filter((row) => !wanted.some((trigger) => same(row, trigger)));
  const added = wanted.filter((trigger) => !known.some((row) => same(row, trigger)));
  if (dropped.length > 0)
    await deleteTriggers(
      tx,
      eventId,
      dropped.map(({ id }) => id),
    );
  const rows = added.map(({ on, action, targetItemId }) => ({ on_what: on, action, target_item_id: targetItemId }));
  if (rows.length > 0) await insertTriggers(tx, eventId, itemId, rows);
  const after = describeTriggers(await selectTriggers(tx, eventId, itemId));
  await record(tx, act, { subject: 'item_triggers', id: itemId, eventId, before: { data: known.map(toTrigger) }, after });
  return after;
}

async function requireTargets(tx: Tx, eventId: number, itemId: number, wanted: readonly NewTrigger[]): Promise<void> {
  const targets = wanted.map(({ targetItemId }) => targetItemId);
  if (targets.includes(itemId)) throw ruleViolation('triggers', 'self', 'An item cannot trigger itself');
  const known = new Set(await selectItemsAmong(tx, eventId, targets));
  const foreign = targets.filter((id) => !known.has(id));
  if (foreign.length > 0) throw ruleViolation('triggers', 'unknown', `These are not items of this event: ${foreign.join(', ')}`);
  const others = await selectEdgesOfOthers(tx, eventId, itemId);
  const cycle = findCycle([...others, ...targets.map((to) => ({ from: itemId, to }))]);
  if (cycle)
    throw ruleViolation('triggers', 'cycle', `The triggers would form a cycle: ${[...cycle, cycle[0]].join(' → ')}. Remove one of them.`);
}

const same = (row: TriggerRow, { on, action, targetItemId }: NewTrigger): boolean =>
  row.on_what === on && row.action === action && row.target_item_id === targetItemId;

function toTrigger({ id, on_what, action, target_item_id, fired_at }: TriggerRow): Trigger {
  return { id, on: on_what, action, targetItemId: target_item_id, firedAt: fired_at?.toISOString() ?? null };
}
