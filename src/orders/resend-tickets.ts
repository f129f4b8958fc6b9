import type { Act } from '../kernel/act.ts';
import { Problem, retryLater } from '../kernel/problem.ts';
import { recordAll } from '../platform/audit.ts';
import { queuedSince, queueMails, requireWithinLimit } from '../platform/mail/outbox.ts';
import type { Tx } from '../postgres/database.ts';
import { executeAll } from '../postgres/pipeline.ts';
import { statusAt } from './order.ts';
import { lockOrder, mayUse } from './order-access.ts';
import { mailLocale, orderMailPrefix, resendLimit } from './queue-order-mails.ts';
import type { ResendBody } from './ticket-contract.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const maxADay = 5;

/** Queues the mail with the tickets again. The rate is limited, because the address may belong to a stranger. */
export async function resendTickets(tx: Tx, act: Act, id: number, secret: string | undefined, { locale }: ResendBody): Promise<void> {
  // Concurrent requests wait for this lock, so each request sees the mails that earlier requests queued.
  const order = await lockOrder(tx, id, { act, secret });
  if (!mayUse(order, act.actor, secret, 'order.read')) throw new Problem('not_found');
  const status = statusAt(order, act.at);
  if (status !== 'approved') throw new Problem('wrong_state', `The order is ${status}. Only approved orders have tickets to mail.`);
  if (order.buyer_email === null)
    throw new Problem('wrong_state', 'The buyer data of this order was erased, so there is no address to send the mail to.');
  const keyPrefix = `${orderMailPrefix(id)}tickets/`;
  const waitMs = waitAfter(await queuedSince(tx, order.event_id, keyPrefix, new Date(act.at.getTime() - dayMs)), act.at);
  if (waitMs > 0)
    throw retryLater(
      'rate_limited',
      waitMs / 1000,
      'The tickets were mailed recently. Wait the number of seconds in Retry-After, then try again.',
    );
  await requireWithinLimit(tx, resendLimit({ email: order.buyer_email, free: order.total === 0, at: act.at }), act.at);
  await executeAll(tx, [
    ...queueMails([
      {
        kind: 'order_confirmation',
        eventId: order.event_id,
        recipient: null,
        locale: locale ?? mailLocale(order),
        payload: { eventId: order.event_id, orderId: id },
        dedupeKey: `${keyPrefix}${act.at.toISOString()}`,
        at: act.at,
      },
    ]),
    ...recordAll([{ act, change: { subject: 'order', id, eventId: order.event_id, after: { ticketsMailed: true } } }]),
  ]);
}

/** Returns the milliseconds until the next mail is allowed. `earlier` has the times of the mails of the last day, latest first. */
function waitAfter(earlier: readonly Date[], at: Date): number {
  const until = (date: Date | undefined, ms: number) => (date ? date.getTime() + ms - at.getTime() : 0);
  return Math.max(until(earlier[0], minuteMs), until(earlier[maxADay - 1], dayMs));
}
