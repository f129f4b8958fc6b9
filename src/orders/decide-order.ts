import { hold, type Stock, type StockItem, type StockLine, sell } from '../catalog/stock.ts';
import { type InputError, Problem } from '../kernel/problem.ts';
import type { SaleStatus } from '../kernel/sale-statuses.ts';
import { type OpenedPasskey, usedUp } from '../passkeys/open-passkey.ts';
import type { BuyerLimits } from './buyer-limits.ts';
import { type CallerNetwork, proofFor } from './caller-network.ts';
import type { Proof } from './challenge.ts';
import type { NewOrder } from './contract.ts';
import { unlockedIn } from './order.ts';
import { maximumPerOrder } from './sales-channel.ts';
import { fits } from './settle-orders.ts';
import { takeLines, viewOf } from './take-lines.ts';

/** What an order came to: every line with the values it is sold at, all of it taken off the stock. */
export interface Placement {
  lines: PlacedLine[];
  total: number;
  currency: string;
  passkeyId: number | null;
  /** The network that holds it; null where it is not counted. */
  network: number | null;
  /** The solved challenge that it used. */
  proof: Proof | null;
}

interface PlacedLine extends StockLine {
  name: string;
  price: number;
  feeSale: number;
  feeProducer: number;
  /** It counts against the passkey. */
  unlocked: boolean;
}

export interface Surroundings {
  stock: Stock;
  passkey: OpenedPasskey | null;
  buyers: BuyerLimits;
  /** Null for callers who are exempt from challenges. */
  network: CallerNetwork | null;
  channel: number;
  at: Date;
}

/**
 * Decides one order against what the ones before it have left. Everything it asks for, or nothing: then the stock is as it was.
 * Of several reasons against it the one is told that the buyer can do least about.
 */
export function decideOrder(order: NewOrder, around: Surroundings): Placement | Problem {
  const lines = readLines(order, around);
  if (lines instanceof Problem) return lines;
  const total = lines.reduce((sum, { quantity, price, feeSale }) => sum + quantity * (price + feeSale), 0);
  const currency = around.stock.item(lines[0]?.itemId ?? 0)?.currency ?? '';
  const { network, stock, at } = around;
  const early = refuseOffSale(lines, around) ?? refuseUsedUp(lines, around) ?? refuseGreedy(order, lines, around);
  if (early) return early;
  const proof = network && proofFor(network, stock, lines);
  // Nobody is asked to work for what is sold out.
  if (proof instanceof Problem) return fits(stock, lines, at) ? proof : (refuseShort(lines, around, total) ?? proof);
  const short = refuseShort(lines, around, total);
  if (short) return short;
  if (proof) network?.spent.add(proof.nonce);
  network?.holds.take(network.key, lines, total === 0 ? 'lapsed' : 'held');
  if (around.passkey && around.passkey.left !== null) around.passkey.left -= unlockedIn(lines);
  around.buyers.take(order.buyer, lines);
  return { lines, total, currency, passkeyId: around.passkey?.id ?? null, network: network?.key.network ?? null, proof };
}

/** What is asked for must be there to be asked for: an item that is hidden, removed or another event's is none. */
function readLines(order: NewOrder, around: Surroundings): PlacedLine[] | Problem {
  const faults: InputError[] = [];
  const fault = (field: string, code: string, message: string) => void faults.push({ in: 'body', field, code, message });
  const lines = order.items.flatMap(({ itemId, quantity }, i) => {
    const item = around.stock.item(itemId);
    const unlocked = around.passkey?.itemIds.includes(itemId) ?? false;
    if (!item || item.eventId !== order.eventId || !isOffered(item, unlocked)) {
      fault(`items[${i}].itemId`, 'unknown', `There is no item ${itemId} to order in event ${order.eventId}`);
      return [];
    }
    if (order.items.findIndex((other) => other.itemId === itemId) < i)
      fault(`items[${i}].itemId`, 'twice', `Item ${itemId} is asked for twice`);
    const sessionIds = chooseSessions(item, order.sessionId);
    if (typeof sessionIds === 'string') fault('sessionId', sessionIds, sessionFaults[sessionIds]);
    const { minimum, maximum } = item;
    if (minimum !== null && quantity < minimum) fault(`items[${i}].quantity`, 'minimum', `At least ${minimum} of ${item.name} per order`);
    if (maximum !== null && quantity > maximum) fault(`items[${i}].quantity`, 'maximum', `At most ${maximum} of ${item.name} per order`);
    const { price = 0, feeSale = 0, feeProducer = 0 } = item.values ?? {};
    const known = { itemId, quantity, channel: around.channel, name: item.name, price, feeSale, feeProducer, unlocked };
    return [{ ...known, sessionIds: typeof sessionIds === 'string' ? [] : sessionIds }];
  });
  const most = maximumPerOrder(around.stock.item(order.items[0]?.itemId ?? 0), around.channel);
  const asked = order.items.reduce((sum, { quantity }) => sum + quantity, 0);
  if (asked > most)
    fault('items', 'maximum', `An order may have at most ${most} tickets; this one has ${asked}. Split it into several orders.`);
  if (faults.length === 0) return lines;
  return new Problem('rule_violation', faults[0]?.message, { errors: faults });
}

/** Whether a buyer may know of the item. A hidden one has to be unlocked by a passkey. */
export const isOffered = ({ type, archived, draft, hidden }: StockItem, unlocked: boolean): boolean =>
  type !== 'group' && !archived && !draft && (!hidden || unlocked);

const sessionFaults = {
  required: 'Name the session: something in the order is for several',
  not_of_item: 'Something in the order is not for this session',
};

/** The places it takes: of all its sessions for a passport, of one for everything else. */
function chooseSessions({ type, sessionIds }: StockItem, asked: number | undefined): number[] | keyof typeof sessionFaults {
  if (asked !== undefined && !sessionIds.includes(asked)) return 'not_of_item';
  if (type === 'passport' || sessionIds.length <= 1) return sessionIds;
  return asked === undefined ? 'required' : [asked];
}

/** The sale status of a line's item if the item is not on sale now; null if it is. An item that is sold out is on sale: the stock decides. */
export function offSaleStatus(stock: Stock, line: StockLine, at: Date): SaleStatus | null {
  const item = stock.item(line.itemId);
  const status = !item || item.type === 'external' ? 'unavailable' : item.status(viewOf(line, at));
  return status === 'available' || status === 'soldout' ? null : status;
}

function refuseOffSale(lines: readonly PlacedLine[], { stock, at }: Surroundings): Problem | null {
  const off = lines.flatMap((line) => {
    const status = offSaleStatus(stock, line, at);
    return status === null ? [] : [{ itemId: line.itemId, name: line.name, status }];
  });
  return off.length === 0 ? null : new Problem('not_on_sale', `${off[0]?.name} is ${off[0]?.status}`, { extra: { lines: off } });
}

function refuseUsedUp(lines: readonly PlacedLine[], { passkey }: Surroundings): Problem | null {
  if (!passkey || passkey.left === null || unlockedIn(lines) <= passkey.left) return null;
  return usedUp(passkey.left);
}

function refuseGreedy({ buyer }: NewOrder, lines: readonly PlacedLine[], { buyers }: Surroundings): Problem | null {
  const greedy = lines.flatMap(({ itemId, name, quantity }) => {
    const left = buyers.left(buyer, itemId);
    return left !== null && quantity > left ? [{ itemId, name, quantity, remaining: left }] : [];
  });
  return greedy.length === 0 ? null : new Problem('buyer_limit', leftOf(greedy), { extra: { lines: greedy } });
}

function refuseShort(lines: readonly PlacedLine[], { stock, at }: Surroundings, total: number): Problem | null {
  const short = takeLines(stock, lines, at, total === 0 ? sell : hold);
  const told = short.map(({ line: { itemId, name, quantity }, remaining }) => ({ itemId, name, quantity, remaining }));
  return told.length === 0 ? null : new Problem('sold_out', leftOf(told), { extra: { lines: told } });
}

const leftOf = (lines: readonly { name: string; quantity: number; remaining: number }[]): string =>
  lines.map(({ name, quantity, remaining }) => `${name}: ${quantity} asked for, ${remaining} left`).join('; ');
