import { requireEventOf } from '../events/event-of.ts';
import type { Act } from '../kernel/act.ts';
import type { RowKey } from '../kernel/ids-by-event.ts';
import { Problem } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import type { Refund } from './contract.ts';
import { describeRefund } from './list-refunds.ts';
import { newReference } from './reference.ts';
import { closeRefund, type RefundRow, restartRefund, selectRefund } from './refunds.sql.ts';

/** Which refund of which order. */
export interface RefundParams {
  id: number;
  refundId: number;
}

/** Starts a failed refund again, under a new reference, because providers refuse to use an idempotency key again. The worker calls the provider. */
export async function retryRefund(tx: Tx, act: Act, params: RefundParams): Promise<Refund> {
  const refund = await requireFailed(tx, params, 'retried');
  if (refund.disputed) {
    const detail = 'The buyer disputed the payment, so the bank decides about this money. Retry the refund after the dispute is won.';
    throw new Problem('wrong_state', detail);
  }
  if (!(await restartRefund(tx, refund, newReference(), act.at))) throw notFailed('begun', 'retried');
  return changed(tx, act, refund);
}

/** Ends a failed refund whose money the crew has returned in another way. */
export async function settleRefund(tx: Tx, act: Act, params: RefundParams, note: string): Promise<Refund> {
  const refund = await requireFailed(tx, params, 'settled');
  if (!(await closeRefund(tx, refund, note, act.at))) throw notFailed('done', 'settled');
  return changed(tx, act, refund);
}

async function requireFailed(tx: Tx, { id, refundId }: RefundParams, verb: string): Promise<RefundRow> {
  const eventId = await requireEventOf(tx, 'ticket_order', id);
  const refund = await selectRefund(tx, { eventId, id }, refundId);
  if (!refund) throw new Problem('not_found');
  if (refund.status !== 'failed') throw notFailed(refund.status, verb);
  return refund;
}

const notFailed = (status: string, verb: string): Problem =>
  new Problem('wrong_state', `The refund is ${status}. Only failed refunds can be ${verb}.`);

async function changed(tx: Tx, act: Act, before: RefundRow): Promise<Refund> {
  const { eventId, id, orderId } = before;
  const after = (await selectRefund(tx, orderKeyOf(before), id)) ?? before;
  await record(tx, act, { subject: 'order', id: orderId, eventId, before: entryOf(before), after: entryOf(after) });
  return describeRefund(after);
}

const orderKeyOf = ({ eventId, orderId }: RefundRow): RowKey => ({ eventId, id: orderId });

const entryOf = ({ id, status, failure, note }: RefundRow) => ({
  refund: { id, status, ...(failure !== null && { failure }), ...(note !== null && { note }) },
});
