import { lockStock } from '../catalog/stock.ts';
import { type CancellationRow, saveCancellation, takeCancellation } from '../events/cancellation.ts';
import { lockDoor } from '../events/lock-event.ts';
import { type Act, systemAct } from '../kernel/act.ts';
import { record } from '../platform/audit.ts';
import type { Database, Tx } from '../postgres/database.ts';
import { inSavepoint, inTransaction, isTransactionConflict, isUnavailable } from '../postgres/transaction.ts';
import { cancelHolds } from './cancel-orders.ts';
import { countApproved, selectItemIds, selectOpenOrderIds } from './cancelled-events.sql.ts';
import { lockOrders, statusAt } from './order.ts';
import type { OrderRow } from './order-row.ts';
import { lockRefundableTickets, type ReturnMoney, refund } from './refund-order.ts';
import { countersOf } from './settle-orders.ts';

const mostOrders = 50;
const mostBatches = 10;

interface Batch {
  eventId: number;
  refunded: number;
  failed: number;
}

/** Refunds orders of cancelled events, batch by batch, each in a transaction of its own. Returns what was done; null if nothing was. */
export async function refundCancelled(db: Database, { at }: Act, signal: AbortSignal, returnMoney: ReturnMoney): Promise<Batch[] | null> {
  const batches: Batch[] = [];
  while (batches.length < mostBatches && !signal.aborted) {
    const batch = await inTransaction(db, {}, (tx) => refundBatch(tx, systemAct('refundCancelled', at), returnMoney));
    if (!batch) break;
    batches.push(batch);
  }
  return batches.length > 0 ? batches : null;
}

/** The job's row is locked for the length of the batch, so that each order is dealt with by one worker. */
export async function refundBatch(tx: Tx, act: Act, returnMoney: ReturnMoney): Promise<Batch | null> {
  const job = await takeCancellation(tx);
  if (!job) return null;
  const after = job.orders === null ? await begin(tx, job) : await proceed(tx, act, job, returnMoney);
  await saveCancellation(tx, after);
  return { eventId: job.event_id, refunded: after.refunded - job.refunded, failed: after.failed - job.failed };
}

/**
 * An order may be placed in a transaction that still saw the event on sale. Taking the locks of all its items waits for that transaction. Later ones
 * see the event cancelled, so that no order is added after this.
 */
async function begin(tx: Tx, job: CancellationRow): Promise<CancellationRow> {
  await lockStock(tx, { eventIds: [job.event_id], itemIds: await selectItemIds(tx, job.event_id), sessionIds: [], itemsOfAnySession: [] });
  return { ...job, orders: job.refunded + (await countApproved(tx, job.event_id)) };
}

async function proceed(tx: Tx, act: Act, job: CancellationRow, returnMoney: ReturnMoney): Promise<CancellationRow> {
  const ids = await selectOpenOrderIds(tx, job.event_id, job.last_order_id, mostOrders);
  if (ids.length === 0) return { ...job, status: 'done', finished_at: act.at };
  const orders = [...(await lockOrders(tx, ids)).values()];
  // All locks before the first refund, in the order in which everybody takes them.
  await lockDoor(job.event_id).execute(tx);
  await lockStock(tx, countersOf(orders));
  const after = { ...job, last_order_id: ids.at(-1) ?? job.last_order_id };
  for (const order of orders.filter(({ status }) => status === 'approved')) {
    const amount = await tryRefund(tx, act, order, { reason: job.reason, returnMoney });
    if (amount === null) after.failed++;
    else {
      after.refunded++;
      after.amount += amount;
    }
  }
  await cancelHolds(
    tx,
    act,
    orders.filter((order) => statusAt(order, act.at) === 'held'),
  );
  // A payment that was under way may have approved an order since they were counted.
  return { ...after, orders: Math.max(job.orders ?? 0, after.refunded + after.failed) };
}

/** Returns the amount; null if this order cannot be refunded. Then it stays approved for somebody to look at, and the others go on. */
async function tryRefund(
  tx: Tx,
  act: Act,
  order: OrderRow,
  { reason, returnMoney }: { reason: string | null; returnMoney: ReturnMoney },
): Promise<number | null> {
  const body = { includeUsed: true, reason: reason === null ? 'Event cancelled' : `Event cancelled: ${reason}` };
  try {
    const after = await inSavepoint(tx, async () => {
      const tickets = await lockRefundableTickets(tx, order);
      return refund(tx, act, { order, tickets, body }, returnMoney);
    });
    return refundedAmount(after) - refundedAmount(order);
  } catch (error) {
    if (isUnavailable(error) || isTransactionConflict(error)) throw error;
    const refundFailed = error instanceof Error ? error.message : 'unknown';
    await record(tx, act, { subject: 'order', id: order.id, eventId: order.event_id, after: { refundFailed } });
    return null;
  }
}

const refundedAmount = ({ lines }: OrderRow): number =>
  lines.reduce((sum, { refunded, price, feeSale }) => sum + refunded * (price + feeSale), 0);
