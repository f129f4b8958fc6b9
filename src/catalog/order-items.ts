import { lockEvent } from '../events/lock-event.ts';
import type { Act } from '../kernel/act.ts';
import { ruleViolation } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { lockItemRows, selectLiveItemIds, updatePositions } from './items.sql.ts';

/** Sets the positions of all items. The request must list all items that are not removed, so that no item is forgotten by a stale page. */
export async function orderItems(tx: Tx, act: Act, eventId: number, itemIds: readonly number[]): Promise<void> {
  await lockEvent(tx, eventId);
  const before = await selectLiveItemIds(tx, eventId);
  const missing = before.filter((id) => !itemIds.includes(id));
  const unknown = itemIds.filter((id) => !before.includes(id));
  if (missing.length > 0)
    throw ruleViolation('itemIds', 'missing', `List all items of the event. These are missing: ${missing.slice(0, 20).join(', ')}`, {
      itemIds: missing,
    });
  if (unknown.length > 0)
    throw ruleViolation(
      'itemIds',
      'unknown',
      `These items are removed or do not belong to this event: ${unknown.slice(0, 20).join(', ')}`,
      {
        itemIds: unknown,
      },
    );
  await lockItemRows(tx, eventId, itemIds);
  await updatePositions(tx, eventId, itemIds, act.at);
  await record(tx, act, { subject: 'event', id: eventId, eventId, before: { itemIds: before }, after: { itemIds } });
}
