import { lockStock } from '../catalog/stock.ts';
import { type CancellationRow, saveCancellation, takeCancellation } from '../events/cancellation.ts';
import { lockDoor } from '../events/lock-event.ts';
import { type Act, systemAct } from '../kernel/act.ts';
import { record } from '../platform/audit.ts';
import type { Database, Tx } from '../postgres/database.ts';
import { executeAll } from '../postgres/pipeline.ts';
import { inSavepoint, inTransaction, isTransactionConflict } from '../postgres/transaction.ts';
import { isUnavailable } from '../postgres/unavailable.ts';
import { logChangedTickets } from '../tickets/ticket-log.ts';
import { cancelHolds } from './cancel-orders.ts';
import { type OrderRow, statusAt } from './order.ts';
import { lockOrders } from './order-access.ts';
import { countApproved, selectItemIds, selectOpenOrderIds } from './refund-cancelled-event.sql.ts';
import { lockRefundableTickets, type ReturnMoney, refund } from './refund-order.ts';
import { stockToLock } from './status-change.ts';

const batchSize = 50;
const maxBatches = 10;

interface Batch {
  eventId: number;
  refunded: number;
  failed: number;
}

/** Refunds the orders of cancelled events, one transaction per batch. Returns the finished batches, or null if no event needs refunds. */
export async function refundCancelled(db: Database, { at }: Act, signal: AbortSignal, returnMoney: ReturnMoney): Promise<Batch[] | null> {
  const batches: Batch[] = [];
  while (batches.length < maxBatches && !signal.aborted) {
    const batch = await inTransaction(db, {}, (tx) => refundBatch(tx, systemAct('refundCancelled', at), returnMoney));
    if (!batch) break;
    batches.push(batch);
  }
  return batches.length > 0 ? batches : null;
}

/** Refunds the next batch of orders. It locks the row of the job until the batch ends, so that no two workers refund the same order. */
export async function refundBatch(tx: Tx, act: Act, returnMoney: ReturnMoney): Promise<Batch | null> {
  const job = await takeCancellation(tx);
  if (!job) return null;
  const after = job.orders === null ? await startJob(tx, job) : await refundNextOrders(tx, act, job, returnMoney);
  await saveCancellation(tx, after);
  return { eventId: job.event_id, refunded: after.refunded - job.refunded, failed: after.failed - job.failed };
}

/**
 * Counts the orders to refund. A transaction that started before the cancellation may still place an order, and holds the lock of its
 * items. Locking all items waits for such transactions. Later transactions see that the event is cancelled and place no orders, so the
 * count is final.
 */
async function startJob(tx: Tx, job: CancellationRow): Promise<CancellationRow> {
  const { event_id: eventId } = job;
  const items = (await selectItemIds(tx, eventId)).map((id) => ({ eventId, id }));
  await lockStock(tx, { eventIds: [eventId], items, sessions: [], itemsOfAnySession: [] });
  return { ...job, orders: job.refunded + (await countApproved(tx, job.event_id)) };
}

async function refundNextOrders(tx: Tx, act: Act, job: CancellationRow, returnMoney: ReturnMoney): Promise<CancellationRow> {
  const ids = await selectOpenOrderIds(tx, job.event_id, job.last_order_id, batchSize);
  if (ids.length === 0) return { ...job, status: 'done', finished_at: act.at };
  const eventId = job.event_id;
  const orders = [
    ...(
      await lockOrders(
        tx,
        ids.map((id) => ({ eventId, id })),
      )
    ).values(),
  ];
  // Takes all locks before the first refund, in the order that every transaction uses (orders, door, stock). This prevents deadlocks.
  await lockDoor(eventId).execute(tx);
  await lockStock(tx, stockToLock(orders));
  const after = { ...job, last_order_id: ids.at(-1) ?? job.last_order_id };
  const refundedTickets: { eventId: number; id: number }[] = [];
  for (const order of orders.filter(({ status }) => status === 'approved')) {
    const refunded = await tryRefund(tx, act, order, { reason: job.reason, returnMoney });
    if (refunded === null) after.failed++;
    else {
      after.refunded++;
      after.amount += refunded.amount;
      refundedTickets.push(...refunded.ticketIds.map((id) => ({ eventId, id })));
    }
  }
  await cancelHolds(
    tx,
    act,
    orders.filter((order) => statusAt(order, act.at) === 'held'),
  );
  await executeAll(tx, logChangedTickets(refundedTickets));
  // The number of orders can grow after `startJob` counted them: a pending payment may have approved an order since.
  return { ...after, orders: Math.max(job.orders ?? 0, after.refunded + after.failed) };
}

/** Returns the refunded amount and tickets, or null if the refund failed. A failure leaves the order approved and is recorded in the audit log. */
async function tryRefund(
  tx: Tx,
  act: Act,
  order: OrderRow,
  { reason, returnMoney }: { reason: string | null; returnMoney: ReturnMoney },
): Promise<{ amount: number; ticketIds: number[] } | null> {
  const body = { includeUsed: true, reason: reason === null ? 'Event cancelled' : `Event cancelled: ${reason}` };
  try {
    const { after, ticketIds } = await inSavepoint(tx, async () => {
      const tickets = await lockRefundableTickets(tx, order);
      return refund(tx, act, { order, tickets, body }, returnMoney);
    });
    return { amount: refundedAmount(after) - refundedAmount(order), ticketIds };
  } catch (error) {
    if (isUnavailable(error) || isTransactionConflict(error)) throw error;
    const refundFailed = error instanceof Error ? error.message : 'unknown';
    await record(tx, act, { subject: 'order', id: order.id, eventId: order.event_id, after: { refundFailed } });
    return null;
  }
}

const refundedAmount = ({ lines }: OrderRow): number =>
  lines.reduce((sum, { refunded, price, feeSale }) => sum + refunded * (price + feeSale), 0);
