import { timingSafeEqual } from 'node:crypto';
import { isAllowed } from '../accounts/roles.ts';
import { requireEventOf } from '../events/event-of.ts';
import type { Permission } from '../kernel/access.ts';
import type { Act, Actor } from '../kernel/act.ts';
import type { RowKey } from '../kernel/ids-by-event.ts';
import { Problem } from '../kernel/problem.ts';
import type { Tx } from '../postgres/database.ts';
import { describeOrder, type OrderRow } from './order.ts';
import { type NamedOrder, openLinks } from './order-links.ts';
import { lockOrderRows, selectOrders } from './order-reads.sql.ts';
import type { Order } from './order-schemas.ts';
import { hashOf } from './order-secret.ts';

/** Locks and returns the orders. Every transaction locks orders before stock, which prevents deadlocks. */
export async function lockOrders(tx: Tx, named: readonly NamedOrder[]): Promise<Map<number, OrderRow>> {
  if (named.length === 0) return new Map();
  await lockOrderRows(tx, named);
  return new Map((await readOrders(tx, named)).map((order) => [order.id, order]));
}

/** Reads the orders. An order that a request opens with a mail link has the link in `links`. */
async function readOrders(tx: Tx, named: readonly NamedOrder[]): Promise<OrderRow[]> {
  const orders = await selectOrders(tx, named);
  const links = await openLinks(tx, named);
  if (links.length === 0) return orders;
  return orders.map((order) => ({ ...order, links: links.filter(({ order_id }) => order_id === order.id) }));
}

/** Locks the order. `by` is the request that names it. */
export async function lockOrder(tx: Tx, id: number, by: Pick<NamedOrder, 'act' | 'secret'> = {}): Promise<OrderRow> {
  const eventId = await requireEventOf(tx, 'ticket_order', id);
  const order = (await lockOrders(tx, [{ eventId, id, ...by }])).get(id);
  if (!order) throw new Problem('not_found');
  return order;
}

/**
 * Whether the caller sent the order's secret or the token of a mail link, or has the permission on its event. All other callers must get
 * 404.
 */
export function mayUse(row: OrderRow, actor: Actor, secret: string | undefined, permission: Permission): boolean {
  if (secret !== undefined && isOpenedBy(row, secret)) return true;
  return isAllowed(actor, permission, { producerId: row.producer_id, eventId: row.event_id });
}

function isOpenedBy({ secret_hash, links = [] }: OrderRow, secret: string): boolean {
  const hash = hashOf(secret);
  return timingSafeEqual(hash, secret_hash) || links.some(({ token_hash }) => timingSafeEqual(hash, token_hash));
}

async function findOrder(tx: Tx, act: Act, id: number, secret: string | undefined): Promise<OrderRow | undefined> {
  const eventId = await requireEventOf(tx, 'ticket_order', id);
  return (await readOrders(tx, [{ eventId, id, act, secret }]))[0];
}

export async function requireOrder(tx: Tx, act: Act, id: number, secret: string | undefined, permission: Permission): Promise<OrderRow> {
  const row = await findOrder(tx, act, id, secret);
  if (!row || !mayUse(row, act.actor, secret, permission)) throw new Problem('not_found');
  return row;
}

/** Checks the secret or link token that the browser is to keep in a cookie. A role in the event is not enough, because it is no credential. */
export async function openOrderSession(tx: Tx, act: Act, id: number, secret: string | undefined): Promise<void> {
  const row = await findOrder(tx, act, id, secret);
  if (!row || secret === undefined || !isOpenedBy(row, secret)) throw new Problem('not_found');
}

/** The response deletes the cookie. Nothing is stored about it. */
export const closeOrderSession = async (): Promise<void> => undefined;

export const getOrder = async (tx: Tx, act: Act, id: number, secret: string | undefined): Promise<Order> =>
  describeOrder(await requireOrder(tx, act, id, secret, 'order.read'), act);

/** Reads orders that the caller may see. Orders that do not exist are left out. */
export async function readOrdersOf(tx: Tx, act: Pick<Act, 'actor' | 'at'>, keys: readonly RowKey[]): Promise<Order[]> {
  if (keys.length === 0) return [];
  return (await selectOrders(tx, keys)).map((row) => describeOrder(row, act));
}

/** Reads an order that the caller may see. */
export async function readOrder(tx: Tx, act: Act, key: RowKey): Promise<Order> {
  const [row] = await selectOrders(tx, [key]);
  if (!row) throw new Problem('not_found');
  return describeOrder(row, act);
}
