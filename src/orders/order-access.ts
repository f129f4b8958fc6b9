import { timingSafeEqual } from 'node:crypto';
import { isAllowed } from '../accounts/roles.ts';
import { requireEventOf } from '../events/event-of.ts';
import type { Permission } from '../kernel/access.ts';
import type { Act, Actor } from '../kernel/act.ts';
import type { RowKey } from '../kernel/ids-by-event.ts';
import { Problem } from '../kernel/problem.ts';
import type { Tx } from '../postgres/database.ts';
import { ticketPublicKeys } from '../tickets/ticket-keys.ts';
import type { Order } from './contract.ts';
import { describeOrder, type OrderRow } from './order.ts';
import { lockOrderRows, selectOrders } from './order-reads.sql.ts';
import { hashOf, isMailSecret, isMailSecretOf } from './order-secret.ts';

/** Locks and returns the orders. Every transaction locks orders before stock, which prevents deadlocks. */
export async function lockOrders(tx: Tx, keys: readonly RowKey[]): Promise<Map<number, OrderRow>> {
  if (keys.length === 0) return new Map();
  await lockOrderRows(tx, keys);
  return new Map((await selectOrders(tx, keys)).map((order) => [order.id, order]));
}

export async function lockOrder(tx: Tx, id: number): Promise<OrderRow> {
  const eventId = await requireEventOf(tx, 'ticket_order', id);
  const order = (await lockOrders(tx, [{ eventId, id }])).get(id);
  if (!order) throw new Problem('not_found');
  return order;
}

/** Whether the caller sent the order's secret or has the permission on its event. All other callers must get 404. */
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
  const eventId = await requireEventOf(tx, 'ticket_order', id);
  const [row] = await selectOrders(tx, [{ eventId, id }]);
  const may = row && (mayUse(row, actor, secret, permission) || (permission === 'order.read' && (await hasMailSecret(tx, row, secret))));
  if (!may) throw new Problem('not_found');
  return row;
}

/** Whether the secret comes from the link in a mail about the order. */
async function hasMailSecret(tx: Tx, { id, event_id: eventId }: OrderRow, secret: string | undefined): Promise<boolean> {
  return secret !== undefined && isMailSecret(secret) && isMailSecretOf(id, secret, await ticketPublicKeys(tx, [eventId]));
}

export const getOrder = async (tx: Tx, act: Act, id: number, secret: string | undefined): Promise<Order> =>
  describeOrder(await requireOrder(tx, act, id, secret, 'order.read'), act);

/** Reads an order that the caller may see. */
export async function readOrder(tx: Tx, act: Act, key: RowKey): Promise<Order> {
  const [row] = await selectOrders(tx, [key]);
  if (!row) throw new Problem('not_found');
  return describeOrder(row, act);
}
