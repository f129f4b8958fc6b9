import { timingSafeEqual } from 'node:crypto';
import { isAllowed } from '../accounts/roles.ts';
import type { StockLine } from '../catalog/stock.ts';
import type { Permission } from '../kernel/access.ts';
import type { Act, Actor } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import type { Tx } from '../postgres/database.ts';
import { ticketPublicKeys } from '../tickets/ticket-keys.ts';
import type { Order } from './contract.ts';
import { isMailSecret, opensOrder } from './order-link.ts';
import { lockOrderRows, selectOrders } from './order-reads.sql.ts';
import type { OrderRow } from './order-row.ts';
import { describePayment } from './payment.ts';
import { hashOf } from './secret.ts';

/** A hold that has run out is expired, whether or not somebody has written it down yet. */
export const statusAt = ({ status, expires_at }: OrderRow, at: Date): OrderRow['status'] =>
  status === 'held' && expires_at <= at ? 'expired' : status;

/** Of an order that can no longer be paid or extended. */
export const holdExpired = (): Problem => new Problem('hold_expired', 'This hold has expired. Place a new order.');

export function describeOrder(row: OrderRow, at: Date): Order {
  const refundedTotal = row.lines.reduce((sum, { refunded, price, feeSale }) => sum + refunded * (price + feeSale), 0);
  return {
    id: row.id,
    eventId: row.event_id,
    status: statusAt(row, at),
    appCategoryId: row.app_category_id,
    sessionId: row.session_id,
    lines: row.lines.map(({ itemId, name, quantity, refunded, price, feeSale }) => ({
      itemId,
      name,
      quantity,
      refunded,
      refundedAmount: refunded * (price + feeSale),
      price,
      feeSale,
      finalPrice: price + feeSale,
    })),
    total: row.total,
    refundedTotal,
    currency: row.currency,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    extended: row.extended,
    approvedAt: row.approved_at?.toISOString() ?? null,
    // One payment is approved: what is refunded goes back the way it came.
    payments: row.payments.map((payment) => describePayment(payment, payment.status === 'approved' ? refundedTotal : 0)),
    buyer: row.buyer_email === null ? null : { name: row.buyer_name ?? '', email: row.buyer_email, document: row.buyer_document },
  };
}

export const stockLinesOf = ({ app_category_id, lines }: OrderRow): StockLine[] =>
  lines.map(({ itemId, sessionIds, quantity }) => ({ itemId, sessionIds, quantity, channel: app_category_id }));

/** How many tickets of these lines count against the order's passkey. */
export const unlockedIn = (lines: readonly { unlocked: boolean; quantity: number }[]): number =>
  lines.reduce((sum, { unlocked, quantity }) => sum + (unlocked ? quantity : 0), 0);

/** With the lock of their rows; whoever changes them takes it first, and that of the stock after it. */
export async function lockOrders(tx: Tx, ids: readonly number[]): Promise<Map<number, OrderRow>> {
  await lockOrderRows(tx, ids);
  return new Map((await selectOrders(tx, ids)).map((order) => [order.id, order]));
}

export async function lockOrder(tx: Tx, id: number): Promise<OrderRow> {
  const order = (await lockOrders(tx, [id])).get(id);
  if (!order) throw new Problem('not_found');
  return order;
}

/** Whoever has the secret of an order, or works on its event. To others there is no such order. */
export function mayUse(row: OrderRow, actor: Actor, secret: string | undefined, permission: Permission): boolean {
  if (secret !== undefined && timingSafeEqual(hashOf(secret), row.secret_hash)) return true;
  return isAllowed(actor, permission, { producerId: row.producer_id, eventId: row.event_id });
}

export async function requireOrder(
  tx: Tx,
  { actor }: Act,
  id: number,
  secret: string | undefined,
  permission: Permission,
): Promise<OrderRow> {
  const [row] = await selectOrders(tx, [id]);
  const may = row && (mayUse(row, actor, secret, permission) || (permission === 'order.read' && (await cameByMail(tx, row, secret))));
  if (!may) throw new Problem('not_found');
  return row;
}

/** Who comes by the link of a mail about the order. */
async function cameByMail(tx: Tx, { id, event_id: eventId }: OrderRow, secret: string | undefined): Promise<boolean> {
  return secret !== undefined && isMailSecret(secret) && opensOrder(secret, id, await ticketPublicKeys(tx, [eventId]));
}
