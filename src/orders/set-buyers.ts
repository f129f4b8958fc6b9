import { lockedStock } from '../catalog/stock.ts';
import type { Act } from '../kernel/act.ts';
import type { RowKey } from '../kernel/ids-by-event.ts';
import { Problem } from '../kernel/problem.ts';
import { recordAll } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { runPipeline, withoutTableScans } from '../postgres/pipeline.ts';
import { type Approval, approve, type Limits, writeApprovals } from './approve-orders.ts';
import { type BuyerLimits, buyerOf, hashesOf, prefetchBuyerCounts, readBuyerLimits } from './buyer-limits.ts';
import { refuseOverBuyerLimit } from './decide-order.ts';
import { countersOfExpiredHolds } from './expire-orders.sql.ts';
import { lockedExpiredHolds, maxExpiredPerRound, releaseExpiredHolds } from './expire-orders.ts';
import { free } from './ledger.ts';
import { describeOrder, holdExpired, keyOf, type OrderRow, statusAt } from './order.ts';
import { lockOrders, mayUse } from './order-access.ts';
import type { Buyer, Order } from './order-schemas.ts';
import { updateBuyers } from './order-writes.sql.ts';
import { isOpen } from './payment.ts';
import { buyerLocale } from './queue-order-mails.ts';
import { stockToLock } from './status-change.ts';

export interface BuyerRequest extends RowKey {
  act: Act;
  secret: string | undefined;
  buyer: Buyer;
  /** Returns a problem if the caller has read another version of the order. */
  checkCurrent(order: Order): Problem | null;
}

interface Counts extends Limits {
  buyers: BuyerLimits;
}

/** An order with its new buyer. A free order is approved at the same time. */
interface Change {
  act: Act;
  before: OrderRow;
  after: OrderRow;
  approval: Approval | null;
}

/** Sets the buyers of a batch of held orders in one transaction. Returns one result per request, in the same order. */
export async function setBuyers(tx: Tx, requests: readonly BuyerRequest[]): Promise<(Order | Problem)[]> {
  const orders = await lockOrders(tx, requests);
  const counts = await lockCounts(tx, requests, orders);
  const changes: Change[] = [];
  const outcomes: (Order | Problem)[] = [];
  for (const request of requests) {
    const change = await setBuyer(tx, counts, orders.get(request.id), request);
    if (change instanceof Problem) {
      outcomes.push(change);
      continue;
    }
    changes.push(change);
    orders.set(request.id, change.after);
    outcomes.push(describeOrder(change.after, request.act));
  }
  if (changes.length > 0) await write(tx, counts, changes);
  return outcomes;
}

/**
 * Locks the stock, and reads the counts of the new buyers. Expired holds are released first, because they no longer count. The earliest
 * request decides which holds have expired, so that no order of the batch expires before its request is decided.
 */
async function lockCounts(tx: Tx, requests: readonly BuyerRequest[], orders: ReadonlyMap<number, OrderRow>): Promise<Counts> {
  const at = new Date(Math.min(...requests.map(({ act }) => act.at.getTime())));
  const toLock = stockToLock([...orders.values()]);
  const filter = { eventIds: toLock.eventIds, at, limit: maxExpiredPerRound };
  const asked = requests.flatMap(({ id, eventId, buyer }) => {
    const order = orders.get(id);
    return order ? [{ eventId, items: order.lines, buyer }] : [];
  });
  const { stock, prefetched } = await releaseExpiredHolds(tx, at, async () => {
    const [, expired, stock, prefetched] = await runPipeline(tx, [
      withoutTableScans,
      lockedExpiredHolds(filter),
      lockedStock({ ...toLock, also: countersOfExpiredHolds(filter) }),
      prefetchBuyerCounts(asked),
    ]);
    return { expired, stock, prefetched };
  });
  return { stock, reacquired: null, buyers: await readBuyerLimits(tx, stock, asked, prefetched) };
}

async function setBuyer(tx: Tx, counts: Counts, before: OrderRow | undefined, request: BuyerRequest): Promise<Change | Problem> {
  const { act, secret, buyer, checkCurrent } = request;
  if (!before || !mayUse(before, act.actor, secret, 'order.sell')) return new Problem('not_found');
  const { name: buyer_name, email: buyer_email, document: buyer_document = null } = buyer;
  const named: OrderRow = { ...before, buyer_name, buyer_email, buyer_document, locale: buyerLocale(act) ?? before.locale };
  // A hash that stays is counted already. So the same buyer can be set again, even if the limit was lowered in the meantime.
  const [oldHashes, newHashes] = [hashesOf(buyerOf(before)), hashesOf(buyer)];
  const added = newHashes.filter((hash) => !oldHashes.includes(hash));
  const refusal =
    checkCurrent(describeOrder(before, act)) ?? refuseState(before, act.at) ?? refuseOverBuyerLimit(before.lines, added, counts.buyers);
  if (refusal) return refusal;
  const approval = before.total === 0 ? await approve(tx, counts, named, act, free) : null;
  if (before.total === 0 && !approval)
    return new Problem('sold_out', 'There are too few imported codes left for the tickets of this order.');
  const removed = oldHashes.filter((hash) => !newHashes.includes(hash));
  counts.buyers.giveBack(before.event_id, removed, before.lines);
  counts.buyers.take(added, before.lines);
  return { act, before, after: approval ? { ...named, status: 'approved', approved_at: act.at } : named, approval };
}

function refuseState(order: OrderRow, at: Date): Problem | null {
  const status = statusAt(order, at);
  if (status === 'expired') return holdExpired();
  if (status !== 'held') return new Problem('wrong_state', `The order is ${status}. Only held orders can get a buyer.`);
  if (order.event_status === 'cancelled')
    return new Problem('wrong_state', 'The event is cancelled, so its orders can no longer be completed.');
  return order.payments.some(isOpen)
    ? new Problem('wrong_state', 'A payment of this order is open, so the buyer can no longer be changed. Pay it, or place a new order.')
    : null;
}

async function write(tx: Tx, counts: Counts, changes: readonly Change[]): Promise<void> {
  // If several requests of the batch name the same order, the last buyer is written.
  const last = new Map(changes.map(({ after }) => [after.id, after]));
  const buyers = [...last.values()].map((order) => ({
    ...keyOf(order),
    buyer_name: order.buyer_name ?? '',
    buyer_email: order.buyer_email ?? '',
    buyer_document: order.buyer_document,
    locale: order.locale,
  }));
  await writeApprovals(
    tx,
    counts,
    changes.flatMap(({ approval }) => approval ?? []),
    { statements: [updateBuyers(buyers), ...counts.buyers.statements(), ...recordAll(changes.map(auditEntryOf))] },
  );
}

/** The audit log is never erased, so it does not name the buyer. */
function auditEntryOf({ act, before }: Change) {
  const after = { buyer: before.buyer_email === null ? 'set' : 'replaced' };
  return { act, change: { subject: 'order' as const, id: before.id, eventId: before.event_id, after } };
}
