import { fireSoldOut } from '../catalog/fire-triggers.ts';
import { webShop } from '../catalog/item.ts';
import { lockedStock, type Stock } from '../catalog/stock.ts';
import { type Act, systemAct } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import { type OpenedPasskey, usePasskeys } from '../passkeys/open-passkey.ts';
import { changePasskeyCounters } from '../passkeys/passkey-counters.ts';
import { recordAll } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { executeAll, runPipeline, type Statement, type Step, sendWithCommit, withoutTableScans } from '../postgres/pipeline.ts';
import { ensureTicketKeys, issueTickets, takeTicketCodes } from '../tickets/issue-tickets.ts';
import { type BuyerLimits, likelyTaken, readBuyerLimits } from './buyer-limits.ts';
import { callerNetworks, challengesFor, keyOf, readProofs } from './caller-network.ts';
import { insertSpent } from './challenges.sql.ts';
import { confirmByMail } from './confirm-by-mail.ts';
import type { NewOrder, PlacedOrder } from './contract.ts';
import { decideOrder, type Placement } from './decide-order.ts';
import { dueOrders, expire } from './expire-orders.ts';
import { type NetworkHolds, unpaidHolds } from './network-holds.ts';
import { unlockedIn } from './order.ts';
import { countersOfDue, orderNumbers } from './order-reads.sql.ts';
import { insertLines, insertOrders, type NewLineRow, type NewOrderRow } from './order-writes.sql.ts';
import { refuseChannel } from './sales-channel.ts';
import { hashOf, newSecret } from './secret.ts';

export const holdMs = 10 * 60_000;
/** Holds that have run out are taken back by whoever comes next; so many at a time, and so many times. */
const mostDue = 2_000;
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

/** Many orders in one transaction, decided in the order in which they came. Answers each on its own. */
export async function placeOrders(tx: Tx, requests: readonly OrderRequest[]): Promise<(PlacedOrder | Problem)[]> {
  const orders = requests.map(({ order }) => order);
  const at = new Date(Math.max(...requests.map(({ act }) => act.at.getTime())));
  const proofs = await readProofs(tx, requests);
  const { ids, stock, taken, holds } = await takeStock(tx, requests, at);
  const { passkeys, misses } = await openPasskeys(tx, requests);
  const buyers = await readBuyerLimits(tx, stock, orders, taken);

  const networkOf = callerNetworks(stock, holds, proofs);
  const outcomes = requests.map((request, i): Placed | Problem => {
    const { act, order } = request;
    const passkey = passkeys.get(request) ?? null;
    if (passkey instanceof Problem) return passkey;
    const channel = order.appCategoryId ?? webShop;
    const placement =
      refuseChannel(act.actor, stock.item(order.items[0]?.itemId ?? 0), channel) ??
      decideOrder(order, { stock, passkey, buyers, network: networkOf(request), channel, at: act.at });
    if (placement instanceof Problem) return placement;
    return { ...request, id: ids[i] ?? 0, secret: newSecret(), placement };
  });
  const placed = outcomes.filter((outcome): outcome is Placed => !(outcome instanceof Problem));
  const asked = await challengesFor(tx, requests, outcomes);
  if (placed.length > 0) await write(tx, placed, { stock, buyers, holds }, at);
  await sendWithCommit(tx, misses);
  return outcomes.map((outcome) => (outcome instanceof Problem ? (asked.get(outcome) ?? outcome) : describe(outcome)));
}

/** The locks of everything that the orders count on, and what it says; with nothing held that has run out. */
async function takeStock(tx: Tx, requests: readonly OrderRequest[], at: Date) {
  const orders = requests.map(({ order }) => order);
  const networks = requests.flatMap((request) => keyOf(request) ?? []);
  const asked = toLock(orders);
  const due = { eventIds: asked.eventIds, at, limit: mostDue };
  for (let round = 1; ; round++) {
    const [, numbers, lapsed, stock, taken, holds] = await runPipeline(tx, [
      withoutTableScans,
      numbersFor(orders),
      dueOrders(due),
      lockedStock({ ...asked, also: countersOfDue(due) }),
      likelyTaken(orders),
      unpaidHolds(networks, at),
    ]);
    if (lapsed.length === 0 || round === mostRounds) return { ids: numbers, stock, taken, holds };
    // What ran out is given back to everything it was counted on, and all of that is read again.
    await expire(tx, systemAct('expireOrders', at), stock, lapsed);
  }
}

const numbersFor = (orders: readonly NewOrder[]): Step<number[]> => ({
  statements: [orderNumbers(orders.length)],
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
    ...changePasskeyCounters(passkeyMoves(placed)),
    ...buyers.statements(),
    ...holds.statements(at),
    ...spendProofs(placed),
    insertOrders(placed.map(toOrderRow)),
    insertLines(placed.flatMap(toLineRows)),
    ...(await issueFree(tx, placed.filter(isFree), stock)),
    ...recordAll(placed.map(toChange)),
  ];
  const mails = confirmByMail(placed.filter(isFree).map(toConfirm));
  if (soldOut.length === 0) return sendWithCommit(tx, [...statements, ...mails]);
  await executeAll(tx, statements);
  await fireSoldOut(tx, systemAct('createOrder', at), soldOut);
  await sendWithCommit(tx, mails);
}

const distinct = <T>(values: readonly T[]): T[] => [...new Set(values)];

function toLock(orders: readonly NewOrder[]) {
  const eventIds = distinct(orders.map(({ eventId }) => eventId));
  const itemIds = distinct(orders.flatMap(({ items }) => items.map(({ itemId }) => itemId)));
  const sessionIds = distinct(orders.flatMap(({ sessionId }) => sessionId ?? []));
  const open = orders.filter(({ sessionId }) => sessionId === undefined);
  return { eventIds, itemIds, sessionIds, itemsOfAnySession: distinct(open.flatMap(({ items }) => items.map(({ itemId }) => itemId))) };
}

async function openPasskeys(tx: Tx, requests: readonly OrderRequest[]) {
  const asking = requests.filter(({ order }) => order.passkey !== undefined);
  const attempts = asking.map(({ act: { at, address }, order: { eventId, passkey: text = '' } }) => ({ eventId, text, at, address }));
  const { outcomes, misses } = await usePasskeys(tx, attempts);
  const passkeys = new Map(
    asking.map((request, i): [OrderRequest, OpenedPasskey | Problem] => [request, outcomes[i] ?? new Problem('passkey_rejected')]),
  );
  return { passkeys, misses };
}

/** Solutions that were needed work only once. */
function spendProofs(placed: readonly Placed[]): Statement[] {
  const proofs = placed.flatMap(({ placement: { proof } }) => proof ?? []);
  return proofs.length === 0 ? [] : [insertSpent(proofs)];
}

/** Free orders are not paid for, so their tickets are issued at once. */
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
  // The orders were decided by the count of codes, and the lock of the item keeps others from taking or deleting any.
  if (!codes) throw new Error('There are fewer codes than were counted');
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

/** Who bought is in the order, from which it can be erased, and not in the log, from which nothing can. */
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
