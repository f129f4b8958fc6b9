import { isAllowed } from '../accounts/roles.ts';
import type { Act } from '../kernel/act.ts';
import { Problem, ruleViolation } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { requestRefunds } from './cancellation.ts';
import type { eventStatuses } from './contract.ts';
import { type EventRow, selectUse, updateEventRow } from './events.sql.ts';
import { lockEvent } from './lock-event.ts';

type EventStatus = (typeof eventStatuses)[number];

/** In the lists, or with `privately` only for who has the link. */
export async function publishEvent(tx: Tx, act: Act, id: number, privately: boolean): Promise<void> {
  const event = await lockEvent(tx, id);
  requireNotCancelled(event);
  if (event.starts_at === null) throw ruleViolation('sessions', 'required', 'An event needs a session before it is published');
  await changeStatus(tx, act, event, privately ? 'private' : 'published');
}

/** Back to a draft, as long as nobody holds a ticket. */
export async function unpublishEvent(tx: Tx, act: Act, id: number): Promise<void> {
  const event = await lockEvent(tx, id);
  requireNotCancelled(event);
  if ((await selectUse(tx, id)).sold) throw new Problem('wrong_state', 'Tickets are sold or held: it can be made private or be cancelled');
  await changeStatus(tx, act, event, 'draft');
}

interface Cancelling {
  reason: string | null;
  /** Refund its orders in the background. */
  refund: boolean;
}

/** Final: the event stays readable and nothing of it is for sale. An event that was cancelled before can still have its orders refunded. */
export async function cancelEvent(tx: Tx, act: Act, id: number, { reason, refund }: Cancelling): Promise<void> {
  const event = await lockEvent(tx, id);
  if (event.status !== 'cancelled' || !refund) requireNotCancelled(event);
  if (event.status === 'draft') throw new Problem('wrong_state', 'A draft was never announced: there is nothing to cancel');
  if (refund) {
    const scope = { producerId: event.producer_id, eventId: id };
    if (!isAllowed(act.actor, 'order.refund', scope)) throw new Problem('forbidden', 'Your role does not allow refunds.');
    await requestRefunds(tx, id, reason, act.at);
  }
  await changeStatus(tx, act, event, 'cancelled', { reason, ...(refund && { refund }) });
}

function requireNotCancelled({ status }: EventRow): void {
  if (status === 'cancelled') throw new Problem('wrong_state', 'The event is cancelled');
}

async function changeStatus(tx: Tx, act: Act, event: EventRow, status: EventStatus, why: object = {}): Promise<void> {
  await updateEventRow(tx, event.id, { status, updated_at: act.at });
  await record(tx, act, {
    subject: 'event',
    id: event.id,
    producerId: event.producer_id,
    eventId: event.id,
    before: { status: event.status },
    after: { status, ...why },
  });
}
