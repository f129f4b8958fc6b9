import { isAllowed } from '../accounts/roles.ts';
import type { Act } from '../kernel/act.ts';
import type { ChangeType } from '../kernel/change-types.ts';
import { Problem, ruleViolation } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import { recordChanges } from '../platform/changes/record-changes.ts';
import type { Tx } from '../postgres/database.ts';
import { executeAll } from '../postgres/pipeline.ts';
import { requestRefunds } from './cancellation.ts';
import type { eventStatuses } from './event-schemas.ts';
import { updateEventWords } from './event-words.ts';
import { type EventRow, selectEventUse, updateEventRow } from './events.sql.ts';
import { lockEvent } from './lock-event.ts';

type EventStatus = (typeof eventStatuses)[number];

/** With `privately`, the event is in no list and only people with its link or id can open it. */
export async function publishEvent(tx: Tx, act: Act, id: number, privately: boolean): Promise<void> {
  const event = await lockEvent(tx, id);
  requireNotCancelled(event);
  if (event.starts_at === null)
    throw ruleViolation('sessions', 'required', 'The event has no session. Add one with POST /event/{id}/session first.');
  await changeStatus(tx, act, event, privately ? 'private' : 'published');
}

/** Makes the event a draft again, if no tickets are sold or held. */
export async function unpublishEvent(tx: Tx, act: Act, id: number): Promise<void> {
  const event = await lockEvent(tx, id);
  requireNotCancelled(event);
  if ((await selectEventUse(tx, id)).sold)
    throw new Problem('wrong_state', 'Tickets are sold or held. Make the event private or cancel it.');
  await changeStatus(tx, act, event, 'draft');
}

interface CancelOptions {
  reason: string | null;
  /** Whether the orders of the event are refunded, in the background. */
  refund: boolean;
}

/** Cancelling cannot be undone. A cancelled event can be cancelled again with `refund`, to refund orders that are still approved. */
export async function cancelEvent(tx: Tx, act: Act, id: number, { reason, refund }: CancelOptions): Promise<void> {
  const event = await lockEvent(tx, id);
  if (event.status !== 'cancelled' || !refund) requireNotCancelled(event);
  if (event.status === 'draft') throw new Problem('wrong_state', 'The event is a draft. Only a published event can be cancelled.');
  if (refund) {
    const scope = { producerId: event.producer_id, eventId: id };
    if (!isAllowed(act.actor, 'order.refund', scope)) throw new Problem('forbidden', 'Your role does not allow refunds.');
    await requestRefunds(tx, id, reason, act.at);
  }
  await changeStatus(tx, act, event, 'cancelled', { reason, ...(refund && { refund }) });
}

function requireNotCancelled({ status }: EventRow): void {
  if (status === 'cancelled') throw new Problem('wrong_state', 'The event is cancelled, so it cannot change any more.');
}

async function changeStatus(tx: Tx, act: Act, event: EventRow, status: EventStatus, why: object = {}): Promise<void> {
  await updateEventRow(tx, event.id, { status, updated_at: act.at });
  await updateEventWords(tx, event, { ...event, status });
  await record(tx, act, {
    subject: 'event',
    id: event.id,
    producerId: event.producer_id,
    eventId: event.id,
    before: { status: event.status },
    after: { status, ...why },
  });
  const type = status === event.status ? undefined : toldTypes[status];
  if (type) await executeAll(tx, recordChanges([{ eventId: event.id, type, subject: { kind: 'event', id: event.id }, at: act.at }]));
}

/** The statuses that webhooks and the feed tell. Making a private event public is told as `event.published`. */
const toldTypes: Partial<Record<EventStatus, ChangeType>> = {
  published: 'event.published',
  private: 'event.published',
  cancelled: 'event.cancelled',
};
