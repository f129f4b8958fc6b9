import { fireSoldOut } from '../catalog/fire-triggers.ts';
import { webShop } from '../catalog/item.ts';
import type { Stock } from '../catalog/stock.ts';
import { type Act, systemAct } from '../kernel/act.ts';
import type { Locale } from '../kernel/locale.ts';
import { changePasskeyCounters } from '../passkeys/passkey-counters.ts';
import { recordAll } from '../platform/audit.ts';
import { recordChanges } from '../platform/changes/record-changes.ts';
import type { Tx } from '../postgres/database.ts';
import { executeAll, type Statement, sendWithCommit } from '../postgres/pipeline.ts';
import { assignTicketCodes, ensureTicketKeys, issueTickets } from '../tickets/issue-tickets.ts';
import { logIssuedTickets } from '../tickets/ticket-log.ts';
import { type Slot, useSlots } from '../waiting-room/gates.ts';
import type { BuyerLimits } from './buyer-limits.ts';
import { insertSpent } from './challenge.sql.ts';
import type { Placement } from './decide-order.ts';
import { free, type Sale } from './ledger.ts';
import type { NetworkHolds } from './network-holds.ts';
import { countPasskeyTickets, holdMs, type OrderRequest } from './order.ts';
import { orderChange } from './order-changes.ts';
import type { PlacedOrder } from './order-schemas.ts';
import { hashOf } from './order-secret.ts';
import { insertLines, insertOrders, type NewLineRow, type NewOrderRow } from './order-writes.sql.ts';
import { buyerLocale, mailLocale, queueConfirmations } from './queue-order-mails.ts';
import { countOrdered } from './sales-quarters.ts';
import { recordSales } from './sales-totals.ts';

/** An order that was accepted and is not written yet. */
export interface AcceptedOrder extends OrderRequest {
  id: number;
  secret: string;
  placement: Placement;
  /** Set for an offer of the waiting list, which is held longer than other orders and is placed by a job. */
  offer?: { expiresAt: Date; locale: Locale };
  /** The place in the waiting room that the order uses. Null if the order needed none. */
  slot: Slot | null;
}

interface Counts {
  stock: Stock;
  buyers: BuyerLimits;
  holds: NetworkHolds;
}

/**
 * Writes the accepted orders in the same round trip as the commit. If an item is sold out now, the writes need a round trip of their own,
 * because the triggers of the item must fire before the commit.
 */
export async function writeAcceptedOrders(
  tx: Tx,
  accepted: readonly AcceptedOrder[],
  { stock, buyers, holds }: Counts,
  at: Date,
): Promise<void> {
  const soldOut = stock.soldOut({ at, channel: webShop });
  const freeOrders = accepted.filter(isApproved);
  const statements = [
    ...stock.statements(),
    ...changePasskeyCounters(passkeyMoves(accepted)),
    ...buyers.statements(),
    ...holds.statements(at),
    ...spendProofs(accepted),
    insertOrders(accepted.map(toOrderRow)),
    insertLines(accepted.flatMap(toLineRows)),
    ...useSlots(accepted.flatMap(({ order, id, slot }) => (slot ? [{ ...slot, eventId: order.eventId, orderId: id }] : []))),
    ...countOrdered(accepted.map(toSale)),
    ...recordSales(freeOrders.map(toSale)),
    ...(await issueFree(tx, freeOrders, stock)),
    ...recordAll(accepted.map(toChange)),
    ...recordChanges(freeOrders.map(({ order: { eventId }, id, act }) => orderChange('order.approved', { eventId, id }, act.at))),
  ];
  const issued = freeOrders.map(({ order: { eventId }, id }) => ({ eventId, id }));
  const lastStatements = [...queueConfirmations(freeOrders.map(toConfirm)), ...logIssuedTickets(issued)];
  if (soldOut.length === 0) return sendWithCommit(tx, [...statements, ...lastStatements]);
  await executeAll(tx, statements);
  await fireSoldOut(tx, systemAct('createOrder', at), soldOut);
  await sendWithCommit(tx, lastStatements);
}

/** Marks the solved challenges as used, so that each solution is accepted only once. */
function spendProofs(accepted: readonly AcceptedOrder[]): Statement[] {
  const proofs = accepted.flatMap(({ placement: { proof } }) => proof ?? []);
  return proofs.length === 0 ? [] : [insertSpent(proofs)];
}

/** Free orders need no payment, so their tickets are issued at once. */
async function issueFree(tx: Tx, orders: readonly AcceptedOrder[], stock: Stock): Promise<Statement[]> {
  if (orders.length === 0) return [];
  const [{ act }] = orders as [AcceptedOrder];
  await ensureTicketKeys(
    tx,
    systemAct('createOrder', act.at),
    orders.map(({ order }) => order.eventId),
  );
  const codes = await assignTicketCodes(
    tx,
    stock,
    orders.flatMap(({ placement }) => placement.lines),
  );
  // This cannot happen. The stock counts the available codes, and the locks of the items keep other transactions from assigning or deleting
  // codes.
  if (!codes) throw new Error('Fewer imported codes are available than the stock has counted');
  return issueTickets(
    orders.map(({ act: { at }, order: { eventId, buyer }, id: orderId, placement: { lines } }) => ({
      eventId,
      orderId,
      lines,
      holder: buyer?.name ?? null,
      codes,
      at,
    })),
  );
}

const toSale = ({ act: { at }, order, id, placement }: AcceptedOrder): Sale => ({
  eventId: order.eventId,
  orderId: id,
  channel: order.appCategoryId ?? webShop,
  method: free,
  at,
  lines: placement.lines,
});

const toConfirm = ({ act, order, id, placement }: AcceptedOrder) => ({
  eventId: order.eventId,
  orderId: id,
  locale: mailLocale({ locale: buyerLocale(act), currency: placement.currency }),
  email: order.buyer?.email ?? null,
  free: true,
  act,
  at: act.at,
});

const isApproved = ({ placement }: AcceptedOrder): boolean => placement.isApproved;

function passkeyMoves(accepted: readonly AcceptedOrder[]) {
  return accepted.flatMap((order) => {
    const { passkeyId: id, lines } = order.placement;
    const quantity = countPasskeyTickets(lines);
    const moved = isApproved(order) ? { used: quantity, held: 0 } : { used: 0, held: quantity };
    return id === null ? [] : [{ eventId: order.order.eventId, id, ...moved }];
  });
}

const expiryOf = ({ at }: Act): Date => new Date(at.getTime() + holdMs);

function toOrderRow({ act, order, id, secret, placement, offer }: AcceptedOrder): NewOrderRow {
  return {
    event_id: order.eventId,
    id,
    status: placement.isApproved ? 'approved' : 'held',
    app_category_id: order.appCategoryId ?? webShop,
    session_id: order.sessionId ?? null,
    passkey_id: placement.passkeyId,
    buyer_name: order.buyer?.name ?? null,
    buyer_email: order.buyer?.email ?? null,
    buyer_document: order.buyer?.document ?? null,
    locale: offer?.locale ?? buyerLocale(act),
    total: placement.total,
    currency: placement.currency,
    secret_hash: `\\x${hashOf(secret).toString('hex')}`,
    created_at: act.at,
    expires_at: offer?.expiresAt ?? expiryOf(act),
    approved_at: placement.isApproved ? act.at : null,
    network: placement.isApproved ? null : placement.network,
  };
}

const toLineRows = ({ order, id, placement }: AcceptedOrder): NewLineRow[] =>
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
function toChange({ act, order, id, placement: { lines, total } }: AcceptedOrder) {
  const items = lines.map(({ itemId, quantity }) => ({ itemId, quantity }));
  return { act, change: { subject: 'order' as const, id, eventId: order.eventId, after: { items, total } } };
}

export function describeAccepted({ act, order, id, secret, placement }: AcceptedOrder): PlacedOrder {
  return {
    id,
    eventId: order.eventId,
    status: placement.isApproved ? 'approved' : 'held',
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
    approvedAt: placement.isApproved ? act.at.toISOString() : null,
    secret,
  };
}
