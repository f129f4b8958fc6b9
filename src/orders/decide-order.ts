import { isAllowed } from '../accounts/roles.ts';
import { app, boxOffice, webShop } from '../catalog/item.ts';
import { hold, type Stock, type StockItem, type StockLine, sell } from '../catalog/stock.ts';
import type { Actor } from '../kernel/act.ts';
import { type InputError, Problem } from '../kernel/problem.ts';
import type { SaleStatus } from '../kernel/sale-statuses.ts';
import { type OpenedPasskey, usedUp } from '../passkeys/open-passkey.ts';
import { type BuyerLimits, hashesOf } from './buyer-limits.ts';
import type { Proof } from './challenge.ts';
import type { NewOrder } from './contract.ts';
import { countPasskeyTickets } from './order.ts';
import { type CallerNetwork, requireProof } from './require-challenge.ts';
import { hasEnoughStock, takeLines, viewOf } from './take-lines.ts';

/** Anybody may order through these channels. All other channels need the permission `order.sell` on the event. */
const openChannels: readonly number[] = [webShop, app];

const boxOfficeMaximum = 500;

/** An accepted order: its lines with their prices. The tickets are already taken from the stock in memory. */
export interface Placement {
  lines: PlacedLine[];
  total: number;
  /** A free order is approved at once if its buyer is known. All other orders are held. */
  isApproved: boolean;
  currency: string;
  passkeyId: number | null;
  /** The network whose unpaid tickets include this order; null if the caller is exempt from challenges. */
  network: number | null;
  /** The solved challenge that the order used; null if it needed no challenge. */
  proof: Proof | null;
}

interface PlacedLine extends StockLine {
  name: string;
  price: number;
  feeSale: number;
  feeProducer: number;
  /** Whether the line counts against the passkey. */
  unlocked: boolean;
}

export interface OrderContext {
  actor: Actor;
  stock: Stock;
  passkey: OpenedPasskey | null;
  buyers: BuyerLimits;
  /** The network of the caller; null if the caller is exempt from challenges. */
  network: CallerNetwork | null;
  channel: number;
  at: Date;
}

/**
 * Accepts or refuses one order. It works in memory, without I/O: an accepted order is subtracted from the stock, passkey, buyer and network
 * objects in `context`, so the next order of the batch sees what is left. A refused order changes nothing. If there are several reasons to
 * refuse, it reports the reason that the buyer can do least about.
 */
export function decideOrder(order: NewOrder, context: OrderContext): Placement | Problem {
  const wrongChannel = refuseChannel(order, context);
  if (wrongChannel) return wrongChannel;
  const lines = readLines(order, context);
  if (lines instanceof Problem) return lines;
  const total = lines.reduce((sum, { quantity, price, feeSale }) => sum + quantity * (price + feeSale), 0);
  const currency = context.stock.item(lines[0]?.itemId ?? 0)?.currency ?? '';
  const isApproved = total === 0 && order.buyer !== undefined;
  const { network, stock, buyers, at } = context;
  const hashes = buyers.hasLimits ? hashesOf(order.buyer) : [];
  const refusal = refuseOffSale(lines, context) ?? refusePasskeyUsedUp(lines, context) ?? refuseOverBuyerLimit(lines, hashes, buyers);
  if (refusal) return refusal;
  const proof = network && requireProof(network, stock, lines);
  // Callers should not solve a challenge for tickets that are sold out, so `sold_out` is reported first.
  if (proof instanceof Problem) return hasEnoughStock(stock, lines, at) ? proof : (refuseSoldOut(lines, context, isApproved) ?? proof);
  const soldOut = refuseSoldOut(lines, context, isApproved);
  if (soldOut) return soldOut;
  if (proof) network?.spent.add(proof.nonce);
  network?.holds.take(network.key, lines, isApproved ? 'lapsed' : 'held');
  if (context.passkey && context.passkey.left !== null) context.passkey.left -= countPasskeyTickets(lines);
  buyers.take(hashes, lines);
  return { lines, total, isApproved, currency, passkeyId: context.passkey?.id ?? null, network: network?.key.network ?? null, proof };
}

/** Checks the permission on the event of the first item. `readLines` refuses items of other events. */
function refuseChannel({ items }: NewOrder, { actor, channel, stock }: OrderContext): Problem | null {
  const allowed = actor.kind === 'user' ? actor.token?.channels : null;
  if (allowed && !allowed.has(channel)) {
    return new Problem('forbidden', `This API token may not order through channel ${channel}, only through ${[...allowed].join(', ')}.`);
  }
  const item = stock.item(items[0]?.itemId ?? 0);
  if (openChannels.includes(channel) || (item && isAllowed(actor, 'order.sell', item))) return null;
  return new Problem(
    'forbidden',
    `Channel ${channel} needs a crew role or an API token that may sell at this event. Use channel ${webShop} (web shop) or ${app} (app), or sign in.`,
  );
}

/** Returns the maximum number of tickets per order. */
const maximumPerOrder = (item: StockItem | undefined, channel: number): number =>
  channel === boxOffice ? boxOfficeMaximum : (item?.maximumPerOrder ?? boxOfficeMaximum);

/** Checks and prices the lines. Items that the buyer must not see (hidden, archived, draft, of another event) are reported as unknown. */
function readLines(order: NewOrder, context: OrderContext): PlacedLine[] | Problem {
  const faults: InputError[] = [];
  const fault = (field: string, code: string, message: string) => void faults.push({ in: 'body', field, code, message });
  const lines = order.items.flatMap(({ itemId, quantity }, i) => {
    const item = context.stock.item(itemId);
    const unlocked = context.passkey?.itemIds.includes(itemId) ?? false;
    if (!item || item.eventId !== order.eventId || !isOffered(item, unlocked)) {
      fault(`items[${i}].itemId`, 'unknown', `Event ${order.eventId} has no item ${itemId} that you can order.`);
      return [];
    }
    if (order.items.findIndex((other) => other.itemId === itemId) < i)
      fault(`items[${i}].itemId`, 'twice', `Item ${itemId} is listed twice. Send it once with the total quantity.`);
    const sessionIds = chooseSessions(item, order.sessionId);
    if (typeof sessionIds === 'string') fault('sessionId', sessionIds, sessionFaults[sessionIds]);
    const { minimum, maximum } = item;
    if (minimum !== null && quantity < minimum)
      fault(`items[${i}].quantity`, 'minimum', `Order at least ${minimum} tickets of ${item.name}.`);
    if (maximum !== null && quantity > maximum)
      fault(`items[${i}].quantity`, 'maximum', `Order at most ${maximum} tickets of ${item.name}.`);
    const { price = 0, feeSale = 0, feeProducer = 0 } = item.values ?? {};
    const known = { itemId, quantity, channel: context.channel, name: item.name, price, feeSale, feeProducer, unlocked };
    return [{ ...known, sessionIds: typeof sessionIds === 'string' ? [] : sessionIds }];
  });
  const limit = maximumPerOrder(context.stock.item(order.items[0]?.itemId ?? 0), context.channel);
  const asked = order.items.reduce((sum, { quantity }) => sum + quantity, 0);
  if (asked > limit)
    fault('items', 'maximum', `An order may have at most ${limit} tickets; this order has ${asked}. Split it into several orders.`);
  if (faults.length === 0) return lines;
  return new Problem('rule_violation', faults[0]?.message, { errors: faults });
}

/** Whether the buyer may see the item. A hidden item needs a passkey: `unlocked` says that the buyer has it. */
export const isOffered = ({ type, archived, draft, hidden }: StockItem, unlocked: boolean): boolean =>
  type !== 'group' && !archived && !draft && (!hidden || unlocked);

const sessionFaults = {
  required: 'An item of the order is sold for several sessions. Send sessionId.',
  not_of_item: 'An item of the order is not sold for this session.',
};

/** Returns the sessions that the ticket admits to. A passport admits to all sessions of the item, other tickets to one session. */
export function chooseSessions({ type, sessionIds }: StockItem, asked: number | undefined): number[] | keyof typeof sessionFaults {
  if (asked !== undefined && !sessionIds.includes(asked)) return 'not_of_item';
  if (type === 'passport' || sessionIds.length <= 1) return sessionIds;
  return asked === undefined ? 'required' : [asked];
}

/**
 * Returns the sale status of an item that is not on sale, otherwise null. Sold-out items return null too: `takeLines` checks the stock
 * later.
 */
export function offSaleStatus(stock: Stock, line: StockLine, at: Date): SaleStatus | null {
  const item = stock.item(line.itemId);
  const status = !item || item.type === 'external' ? 'unavailable' : item.status(viewOf(line, at));
  return status === 'available' || status === 'soldout' ? null : status;
}

function refuseOffSale(lines: readonly PlacedLine[], { stock, at }: OrderContext): Problem | null {
  const off = lines.flatMap((line) => {
    const status = offSaleStatus(stock, line, at);
    return status === null ? [] : [{ itemId: line.itemId, name: line.name, status }];
  });
  return off.length === 0
    ? null
    : new Problem('not_on_sale', `${off[0]?.name} is not on sale: its status is ${off[0]?.status}.`, { extra: { lines: off } });
}

function refusePasskeyUsedUp(lines: readonly PlacedLine[], { passkey }: OrderContext): Problem | null {
  if (!passkey || passkey.left === null || countPasskeyTickets(lines) <= passkey.left) return null;
  return usedUp(passkey.left);
}

export function refuseOverBuyerLimit(
  lines: readonly { itemId: number; name: string; quantity: number }[],
  hashes: readonly string[],
  buyers: BuyerLimits,
): Problem | null {
  const overLimit = lines.flatMap(({ itemId, name, quantity }) => {
    const left = buyers.left(hashes, itemId);
    return left !== null && quantity > left ? [{ itemId, name, quantity, remaining: left }] : [];
  });
  return overLimit.length === 0
    ? null
    : new Problem('buyer_limit', `The order exceeds the limit of tickets per buyer. ${shortagesOf(overLimit)}.`, {
        extra: { lines: overLimit },
      });
}

function refuseSoldOut(lines: readonly PlacedLine[], { stock, at }: OrderContext, isApproved: boolean): Problem | null {
  const short = takeLines(stock, lines, at, isApproved ? sell : hold);
  const shortages = short.map(({ line: { itemId, name, quantity }, remaining }) => ({ itemId, name, quantity, remaining }));
  return shortages.length === 0
    ? null
    : new Problem('sold_out', `Not enough tickets are left. ${shortagesOf(shortages)}.`, { extra: { lines: shortages } });
}

const shortagesOf = (lines: readonly { name: string; quantity: number; remaining: number }[]): string =>
  lines.map(({ name, quantity, remaining }) => `${name}: ${quantity} requested, ${remaining} left`).join('; ');
