import { ownersOf } from '../accounts/producers.ts';
import { lockDoor } from '../events/lock-event.ts';
import type { Act } from '../kernel/act.ts';
import { type DisputeRow, isDisputed, returnedTwice, withdrawnBy } from '../orders/dispute.ts';
import { disputePostings, writePostings } from '../orders/ledger.ts';
import type { OrderRow } from '../orders/order.ts';
import { lockOrders } from '../orders/order-access.ts';
import { recordAll } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { executeAll, type Statement, sendWithCommit } from '../postgres/pipeline.ts';
import { markDisputed, readRefundableTickets } from '../tickets/order-tickets.ts';
import { logChangedTickets } from '../tickets/ticket-log.ts';
import { decideDispute } from './dispute.ts';
import { queueDisputeMails } from './dispute-mails.ts';
import { upsertDisputes } from './disputes.sql.ts';
import { type NoticeResult, unknownPayment, updateOf, waitOrSetAside } from './notice-result.ts';
import { isNamed, type NamedPayment, type NoticeRow, selectPaymentsOfNotices, updateNotices } from './notices.sql.ts';

/** An order before and after the notices of a batch. */
interface DisputedOrder {
  before: OrderRow;
  after: OrderRow;
}

/**
 * Applies what providers report about disputes of one event. Reports may arrive in any order and more than once. Each amount is posted once,
 * because only the difference between the old and the new state is posted.
 */
export async function applyDisputes(tx: Tx, act: Act, eventId: number, notices: readonly NoticeRow[]): Promise<void> {
  const payments = await selectPaymentsOfNotices(tx, eventId, notices);
  const keys = payments.map(({ order_id: id }) => ({ eventId, id }));
  const orders = new Map([...(await lockOrders(tx, keys))].map(([id, order]) => [id, { before: order, after: order }]));
  await lockDoor(eventId).execute(tx);
  const updates = notices.map((notice) => {
    const payment = payments.find((each) => isNamed(each, notice));
    const order = payment && orders.get(payment.order_id);
    const result = order ? applyDispute(order, payment, notice, act.at) : unknownPayment(notice, act.at);
    return updateOf(notice, result, act.at);
  });
  await write(tx, act, [...orders.values()], updateNotices(updates));
}

/** Applies a notice to an order in memory. */
function applyDispute(order: DisputedOrder, { reference }: NamedPayment, notice: NoticeRow, at: Date): NoticeResult {
  const payment = order.after.payments.find((each) => each.reference === reference);
  if (notice.content.about !== 'dispute' || !payment) return unknownPayment(notice, at);
  const reported = notice.content.dispute;
  if (payment.received === 0) return waitOrSetAside(notice, at, 'the disputed payment was not received');
  const known = order.after.disputes.find(({ providerId }) => providerId === reported.providerId);
  const dispute = decideDispute(known, reported, { paymentId: payment.id, at: notice.received_at });
  if (!dispute) return { status: 'ignored', outcome: `dispute ${reported.status}, but a newer report is known` };
  order.after = { ...order.after, disputes: [...order.after.disputes.filter((each) => each !== known), dispute] };
  return { status: 'applied', outcome: `dispute ${reported.status}` };
}

async function write(tx: Tx, act: Act, orders: readonly DisputedOrder[], noticeUpdate: Statement): Promise<void> {
  const changes = orders.flatMap(changedDisputes);
  const stopped = orders.filter(({ before, after }) => isDisputed(before) !== isDisputed(after));
  const tickets = await Promise.all(stopped.map(async ({ after }) => ticketKeysOf(tx, after)));
  await executeAll(tx, [
    noticeUpdate,
    ...(changes.length > 0
      ? [upsertDisputes(changes.map(({ order, dispute }) => ({ ...dispute, eventId: order.event_id, orderId: order.id })))]
      : []),
    ...writePostings(changes.flatMap((change) => postingsOf(change, act.at))),
    ...stopped.map(({ after }) => markDisputed(after, isDisputed(after))),
    ...(await mailsOf(tx, changes, act.at)),
    ...recordAll(changes.map((change) => ({ act, change: auditEntryOf(change) }))),
  ]);
  await sendWithCommit(tx, logChangedTickets(tickets.flat()));
}

/** A dispute that the batch has changed. */
interface DisputeChange {
  /** The order with the new state of the dispute. */
  order: OrderRow;
  known: DisputeRow | undefined;
  dispute: DisputeRow;
}

const changedDisputes = ({ before, after }: DisputedOrder): DisputeChange[] =>
  after.disputes
    .map((dispute) => ({ order: after, dispute, known: before.disputes.find(({ providerId }) => providerId === dispute.providerId) }))
    .filter(({ dispute, known }) => dispute !== known);

async function ticketKeysOf(tx: Tx, order: OrderRow): Promise<{ eventId: number; id: number }[]> {
  const tickets = await readRefundableTickets(tx, order);
  return tickets.filter(({ refunded }) => !refunded).map(({ id }) => ({ eventId: order.event_id, id }));
}

function postingsOf({ order, known, dispute }: DisputeChange, at: Date) {
  const payment = order.payments.find(({ id }) => id === dispute.paymentId);
  if (!payment) throw new Error(`Order ${order.id} has no payment ${dispute.paymentId}`);
  return disputePostings({
    eventId: order.event_id,
    orderId: order.id,
    provider: payment.provider,
    method: payment.method,
    withdrawn: withdrawnBy(dispute) - (known ? withdrawnBy(known) : 0),
    fee: dispute.fee - (known?.fee ?? 0),
    at,
  });
}

/** Only a new status is worth a mail. The fee may be known later than the dispute. */
async function mailsOf(tx: Tx, changes: readonly DisputeChange[], at: Date): Promise<Statement[]> {
  const worth = changes.filter(({ known, dispute }) => known?.status !== dispute.status);
  const [first] = worth;
  if (!first) return [];
  const owners = await ownersOf(tx, first.order.producer_id);
  return worth.flatMap(({ order, dispute }) => queueDisputeMails(owners, order, dispute, returnedTwice(order, dispute), at));
}

function auditEntryOf({ order, known, dispute }: DisputeChange) {
  const { providerId, status, amount, fee, reason } = dispute;
  const twice = returnedTwice(order, dispute);
  return {
    subject: 'order' as const,
    id: order.id,
    eventId: order.event_id,
    ...(known && { before: { dispute: { providerId, status: known.status, fee: known.fee } } }),
    after: { dispute: { providerId, status, amount, fee, reason, ...(twice > 0 && { returnedTwice: twice }) } },
  };
}
