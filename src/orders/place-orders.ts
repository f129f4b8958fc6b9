import { fireSoldOut } from '../catalog/fire-triggers.ts';
import { webShop } from '../catalog/item.ts';
import { lockedStock, type Stock } from '../catalog/stock.ts';
import { type Act, systemAct } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import { type PasskeyInUse, usePasskeys } from '../passkeys/open-passkey.ts';
import { movePasskeys } from '../passkeys/passkey-counters.ts';
import { recordAll } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { executeAll, runPipeline, type Statement, type Step, sendWithCommit, withoutTableScans } from '../postgres/pipeline.ts';
import { ensureTicketKeys, issueTickets, takeTicketCodes } from '../tickets/issue-tickets.ts';
import { type BuyerLimits, prefetchTaken, readBuyerLimits } from './buyer-limits.ts';
import { insertSpent } from './challenge.sql.ts';
import type { NewOrder, PlacedOrder } from './contract.ts';
import { decideOrder, type Placement } from './decide-order.ts';
import { countersOfExpiredHolds } from './expire-orders.sql.ts';
import { expire, lockedExpiredHolds } from './expire-orders.ts';
import { type NetworkHolds, unpaidHolds } from './network-holds.ts';
import { unlockedIn } from './order.ts';
import { newOrderIds } from './order-reads.sql.ts';
import { hashOf, newSecret } from './order-secret.ts';
import { insertLines, insertOrders, type NewLineRow, type NewOrderRow } from './order-writes.sql.ts';
import { queueConfirmations } from './queue-order-mails.ts';
import { callerNetworks, challengesFor, keyOf, readProofs } from './require-challenge.ts';

export const holdMs = 10 * 60_000;
/** New orders release the expired holds of their event first: at most this many per round, and this many rounds. */
const mostExpired = 2_000;
const mostRounds = 50;

export interface OrderRequest {
  act: Act;
  order: NewOrder;
}

interface Placed extends OrderRequest {
  id: number;
  secret: string;
  placement: Placement;
}

/** Places a batch of orders in one transaction, in the order of arrival. Returns one result per request. */
export async function placeOrders(tx: Tx, requests: readonly OrderRequest[]): Promise<(PlacedOrder | Problem)[]> {
  const orders = requests.map(({ order }) => order);
  const at = new Date(Math.max(...requests.map(({ act }) => act.at.getTime())));
  const proofs = await readProofs(tx, requests);
  const { ids, stock, taken, holds } = await lockAndRead(tx, requests, at);
  const passkeys = await openPasskeys(tx, requests);
  const buyers = await readBuyerLimits(tx, stock, orders, taken);

  const networkOf = callerNetworks(stock, holds, proofs);
  const outcomes = requests.map((request, i): Placed | Problem => {
    const { act, order } = request;
    const passkey = passkeys.get(request) ?? null;
    if (passkey instanceof Problem) return passkey;
    const channel = order.appCategoryId ?? webShop;
    const context = { actor: act.actor, stock, passkey, buyers, network: networkOf(request), channel, at: act.at };
    const placement = decideOrder(order, context);
    if (placement instanceof Problem) return placement;
    return { ...request, id: ids[i] ?? 0, secret: newSecret(), placement };
  });
  const placed = outcomes.filter((outcome): outcome is Placed => !(outcome instanceof Problem));
  const withChallenge = await challengesFor(tx, requests, outcomes);
  if (placed.length > 0) await write(tx, placed, { stock, buyers, holds }, at);
  return outcomes.map((outcome) => (outcome instanceof Problem ? (withChallenge.get(outcome) ?? outcome) : describe(outcome)));
}

/** Locks and reads all counters of the orders, in one round trip if no hold of the events has expired. */
async function lockAndRead(tx: Tx, requests: readonly OrderRequest[], at: Date) {
  const orders = requests.map(({ order }) => order);
  const networks = requests.flatMap((request) => keyOf(request) ?? []);
  const toLock = stockToLock(orders);
  const filter = { eventIds: toLock.eventIds, at, limit: mostExpired };
  for (let round = 1; ; round++) {
    const [, ids, expired, stock, taken, holds] = await runPipeline(tx, [
      withoutTableScans,
      idsFor(orders),
      lockedExpiredHolds(filter),
      lockedStock({ ...toLock, also: countersOfExpiredHolds(filter) }),
      prefetchTaken(orders),
      unpaidHolds(networks, at),
    ]);
    if (expired.length === 0 || round === mostRounds) return { ids, stock, taken, holds };
    // Releasing expired holds changes the counters, so the next round reads them again.
    await expire(tx, systemAct('expireOrders', at), stock, expired);
  }
}

const idsFor = (orders: readonly NewOrder[]): Step<number[]> => ({
  statements: [newOrderIds(orders.length)],
  read: ([rows = []]) => (rows as { id: number }[]).map(({ id }) => id),
});

interface Counts {
  stock: Stock;
  buyers: BuyerLimits;
  holds: NetworkHolds;
}

async function write(tx: Tx, placed: readonly Placed[], { stock, buyers, holds }: Counts, at: Date): Promise<void> {
  const soldOut = stock.soldOut({ at, channel: webShop });
  const statements = [
    ...stock.statements(),
    ...movePasskeys(passkeyMoves(placed)),
    ...buyers.statements(),
    ...holds.statements(at),
    ...spendProofs(placed),
    insertOrders(placed.map(toOrderRow)),
    insertLines(placed.flatMap(toLineRows)),
    ...(await issueFree(tx, placed.filter(isFree), stock)),
    ...recordAll(placed.map(toChange)),
  ];
  const mails = queueConfirmations(placed.filter(isFree).map(toConfirm));
  if (soldOut.length === 0) return sendWithCommit(tx, [...statements, ...mails]);
  await executeAll(tx, statements);
  await fireSoldOut(tx, systemAct('createOrder', at), soldOut);
  await sendWithCommit(tx, mails);
}

const distinct = <T>(values: readonly T[]): T[] => [...new Set(values)];

function stockToLock(orders: readonly NewOrder[]) {
  const eventIds = distinct(orders.map(({ eventId }) => eventId));
  const itemIds = distinct(orders.flatMap(({ items }) => items.map(({ itemId }) => itemId)));
  const sessionIds = distinct(orders.flatMap(({ sessionId }) => sessionId ?? []));
  const ofAnySession = orders.filter(({ sessionId }) => sessionId === undefined);
  return {
    eventIds,
    itemIds,
    sessionIds,
    itemsOfAnySession: distinct(ofAnySession.flatMap(({ items }) => items.map(({ itemId }) => itemId))),
  };
}

async function openPasskeys(tx: Tx, requests: readonly OrderRequest[]): Promise<Map<OrderRequest, PasskeyInUse | Problem>> {
  const asking = requests.filter(({ order }) => order.passkey !== undefined);
  const attempts = asking.map(({ act: { at, address }, order: { eventId, passkey: text = '' } }) => ({ eventId, text, at, address }));
  const opened = await usePasskeys(tx, attempts);
  return new Map(asking.map((request, i) => [request, opened[i] ?? new Problem('passkey_rejected')]));
}

/** Marks the solved challenges as used, so that each works only once. */
function spendProofs(placed: readonly Placed[]): Statement[] {
  const proofs = placed.flatMap(({ placement: { proof } }) => proof ?? []);
  return proofs.length === 0 ? [] : [insertSpent(proofs)];
}

/** Free orders need no payment, so their tickets are issued at once. */
async function issueFree(tx: Tx, free: readonly Placed[], stock: Stock): Promise<Statement[]> {
  if (free.length === 0) return [];
  const [{ act }] = free as [Placed];
  await ensureTicketKeys(
    tx,
    systemAct('createOrder', act.at),
    free.map(({ order }) => order.eventId),
  );
  const codes = await takeTicketCodes(
    tx,
    stock,
    free.flatMap(({ placement }) => placement.lines),
  );
  // Cannot happen: the orders were decided by the number of codes, and the locks of the items keep others from taking or deleting codes.
  if (!codes) throw new Error('There are fewer imported codes than the item counts');
  return issueTickets(
    free.map(({ act: { at }, order: { eventId, buyer }, id: orderId, placement: { lines } }) => ({
      eventId,
      orderId,
      lines,
      holder: buyer.name,
      codes,
      at,
    })),
  );
}

const toConfirm = ({ act, order, id, placement }: Placed) => ({
  eventId: order.eventId,
  orderId: id,
  currency: placement.currency,
  email: order.buyer.email,
  free: true,
  act,
  at: act.at,
});

const isFree = ({ placement }: Placed): boolean => placement.total === 0;

function passkeyMoves(placed: readonly Placed[]) {
  return placed.flatMap((order) => {
    const { passkeyId: id, lines } = order.placement;
    const quantity = unlockedIn(lines);
    return id === null ? [] : [isFree(order) ? { id, used: quantity, held: 0 } : { id, used: 0, held: quantity }];
  });
}

const expiryOf = ({ at }: Act): Date => new Date(at.getTime() + holdMs);

function toOrderRow(placed: Placed): NewOrderRow {
  const { act, order, id, secret, placement } = placed;
  const free = isFree(placed);
  return {
    event_id: order.eventId,
    id,
    status: free ? 'approved' : 'held',
    app_category_id: order.appCategoryId ?? webShop,
    session_id: order.sessionId ?? null,
    passkey_id: placement.passkeyId,
    buyer_name: order.buyer.name,
    buyer_email: order.buyer.email,
    buyer_document: order.buyer.document ?? null,
    total: placement.total,
    currency: placement.currency,
    secret_hash: `\\x${hashOf(secret).toString('hex')}`,
    created_at: act.at,
    expires_at: expiryOf(act),
    approved_at: free ? act.at : null,
    network: free ? null : placement.network,
  };
}

const toLineRows = ({ order, id, placement }: Placed): NewLineRow[] =>
  placement.lines.map(({ itemId, sessionIds, quantity, price, feeSale, feeProducer, unlocked }) => ({
    event_id: order.eventId,
    order_id: id,
    item_id: itemId,
    session_ids: sessionIds,
    quantity,
    price,
    fee_sale: feeSale,
    fee_producer: feeProducer,
    unlocked,
  }));

/** The audit log is never erased, so it does not name the buyer. */
function toChange({ act, order, id, placement: { lines, total } }: Placed) {
  const items = lines.map(({ itemId, quantity }) => ({ itemId, quantity }));
  return { act, change: { subject: 'order', id, eventId: order.eventId, after: { items, total } } };
}

function describe(placed: Placed): PlacedOrder {
  const { act, order, id, secret, placement } = placed;
  const free = isFree(placed);
  return {
    id,
    eventId: order.eventId,
    status: free ? 'approved' : 'held',
    appCategoryId: order.appCategoryId ?? webShop,
    sessionId: order.sessionId ?? null,
    lines: placement.lines.map(({ itemId, name, quantity, price, feeSale }) => ({
      itemId,
      name,
      quantity,
      refunded: 0,
      refundedAmount: 0,
      price,
      feeSale,
      finalPrice: price + feeSale,
    })),
    total: placement.total,
    refundedTotal: 0,
    currency: placement.currency,
    createdAt: act.at.toISOString(),
    expiresAt: expiryOf(act).toISOString(),
    extended: false,
    approvedAt: free ? act.at.toISOString() : null,
    secret,
  };
}
