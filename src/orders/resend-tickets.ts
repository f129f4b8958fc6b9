import type { Act } from '../kernel/act.ts';
import { localeOfCurrency } from '../kernel/locale.ts';
import { Problem, retryLater } from '../kernel/problem.ts';
import { recordAll } from '../platform/audit.ts';
import { queuedSince, queueMails, requireWithinLimit } from '../platform/mail/outbox.ts';
import type { Tx } from '../postgres/database.ts';
import { executeAll } from '../postgres/pipeline.ts';
import { aboutOrder, resendLimit } from './confirm-by-mail.ts';
import type { ResendBody } from './contract.ts';
import { lockOrder, mayUse, statusAt } from './order.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const mostADay = 5;

/** Whoever lost the mail gets another. Not as often as they like: the address may be somebody else's. */
export async function resendTickets(tx: Tx, act: Act, id: number, secret: string | undefined, { locale }: ResendBody): Promise<void> {
  // Of several at once the second finds what the first has queued.
  const order = await lockOrder(tx, id);
  if (!mayUse(order, act.actor, secret, 'order.read')) throw new Problem('not_found');
  const status = statusAt(order, act.at);
  if (status !== 'approved') throw new Problem('wrong_state', `The order is ${status}`);
  if (order.buyer_email === null) throw new Problem('wrong_state', 'Who bought has been erased');
  const about = `${aboutOrder(id)}tickets/`;
  const waitMs = waitAfter(await queuedSince(tx, about, new Date(act.at.getTime() - dayMs)), act.at);
  if (waitMs > 0) throw retryLater('rate_limited', waitMs / 1000, 'The tickets were mailed a short while ago');
  await requireWithinLimit(tx, resendLimit({ email: order.buyer_email, free: order.total === 0, at: act.at }), act.at);
  await executeAll(tx, [
    ...queueMails([
      {
        kind: 'order_confirmation',
        recipient: null,
        locale: locale ?? localeOfCurrency(order.currency),
        payload: { eventId: order.event_id, orderId: id },
        dedupeKey: `${about}${act.at.toISOString()}`,
        at: act.at,
      },
    ]),
    ...recordAll([{ act, change: { subject: 'order', id, eventId: order.event_id, after: { ticketsMailed: true } } }]),
  ]);
}

/** How long until one more is in order, after those of the last day, the latest first. */
function waitAfter(earlier: readonly Date[], at: Date): number {
  const until = (date: Date | undefined, ms: number) => (date ? date.getTime() + ms - at.getTime() : 0);
  return Math.max(until(earlier[0], minuteMs), until(earlier[mostADay - 1], dayMs));
}
