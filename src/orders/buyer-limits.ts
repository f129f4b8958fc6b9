import { hash } from 'node:crypto';
import type { Stock } from '../catalog/stock.ts';
import type { Tx } from '../postgres/database.ts';
import { runPipeline, type Statement, type Step } from '../postgres/pipeline.ts';
import { addTaken, type BuyerCountRow, type BuyerKey, deleteZeroCounts, selectBuyerCounts, subtractTaken } from './buyer-limits.sql.ts';
import type { NewOrder } from './contract.ts';
import type { OrderRow } from './order.ts';
import type { Buyer } from './order-schemas.ts';

type BuyerColumns = Pick<OrderRow, 'buyer_email' | 'buyer_document'>;
type KnownBuyer = Pick<Buyer, 'email'> & { document?: string | null };

/** Deciding an order needs the hashes of its buyer several times. An entry is garbage collected together with its buyer object. */
const cachedHashes = new WeakMap<object, string[]>();

/**
 * Returns one hash of the e-mail address and one of the document. The limit applies to each hash separately, because a person may use many
 * addresses but has one document.
 */
export function buyerHashes(buyer: KnownBuyer): string[] {
  const hashes = cachedHashes.get(buyer) ?? computeHashes(buyer);
  cachedHashes.set(buyer, hashes);
  return hashes;
}

function computeHashes({ email, document }: KnownBuyer): string[] {
  const short = (text: string) => hash('sha256', text).slice(0, 32);
  const hashes = [short(`email ${email.trim().toLowerCase()}`)];
  const bare = document?.replaceAll(/[^\p{L}\p{N}]/gu, '').toLowerCase();
  return bare ? [...hashes, short(`document ${bare}`)] : hashes;
}

/** Returns no hashes if the buyer is not known yet. Then the order counts for no buyer. */
export const hashesOf = (buyer: KnownBuyer | undefined): string[] => (buyer ? buyerHashes(buyer) : []);

/** Returns the buyer of a stored order; undefined if the buyer is not known yet or was erased. */
export const buyerOf = ({ buyer_email: email, buyer_document: document }: BuyerColumns): KnownBuyer | undefined =>
  email === null ? undefined : { email, document };

/** Returns the order with the quantities that still count against the buyer's limits. Unpaid and restocked tickets do not count. */
export function stillCounted(order: OrderRow): OrderRow {
  const ended = order.status === 'expired' || order.status === 'cancelled';
  return { ...order, lines: ended ? [] : order.lines.map((line) => ({ ...line, quantity: line.quantity - line.restocked })) };
}

type Lines = readonly { itemId: number; quantity: number }[];

type BuyerChange = BuyerKey & { by: number; limit: number | null };

/**
 * Counts the tickets of each buyer for items with `maximumPerBuyer`. Lock the items first, so that no other transaction changes the counts.
 */
export class BuyerLimits {
  readonly #limits: ReadonlyMap<number, number>;
  readonly #eventOf: ReadonlyMap<number, number>;
  readonly #taken: Map<string, number>;
  readonly #changes = new Map<string, BuyerChange>();

  constructor(limits: ReadonlyMap<number, number>, eventOf: ReadonlyMap<number, number>, taken: readonly BuyerCountRow[]) {
    this.#limits = limits;
    this.#eventOf = eventOf;
    this.#taken = new Map(taken.map(({ itemId, buyer, taken: n }) => [nameOf(itemId, buyer), n]));
  }

  /** Whether any item has a limit. If not, the caller need not compute hashes. */
  get hasLimits(): boolean {
    return this.#limits.size > 0;
  }

  /** Returns how many tickets of the item the buyer with these hashes may still order; null if the item has no limit. */
  left(hashes: readonly string[], itemId: number): number | null {
    const limit = this.#limits.get(itemId);
    if (limit === undefined) return null;
    return Math.max(0, Math.min(...hashes.map((buyer) => limit - (this.#taken.get(nameOf(itemId, buyer)) ?? 0))));
  }

  take(hashes: readonly string[], lines: Lines): void {
    for (const { itemId, quantity } of lines) {
      const limit = this.#limits.get(itemId);
      if (limit === undefined) continue;
      for (const buyer of hashes) this.#add({ eventId: this.#eventOf.get(itemId) ?? 0, itemId, buyer, by: quantity, limit });
    }
  }

  /** Gives back tickets that were counted before. Items that have no limit any more may still have counts. */
  giveBack(eventId: number, hashes: readonly string[], lines: Lines): void {
    for (const { itemId, quantity } of lines) {
      for (const buyer of hashes) this.#add({ eventId, itemId, buyer, by: -quantity, limit: this.#limits.get(itemId) ?? null });
    }
  }

  #add(change: BuyerChange): void {
    const name = nameOf(change.itemId, change.buyer);
    this.#taken.set(name, Math.max(0, (this.#taken.get(name) ?? 0) + change.by));
    this.#changes.set(name, { ...change, by: (this.#changes.get(name)?.by ?? 0) + change.by });
  }

  /** A count that is 0 after giving back is deleted, because no order names this buyer any more and nothing else would delete it. */
  statements(): Statement[] {
    const changes = [...this.#changes.values()];
    const added = changes.filter(({ by }) => by > 0);
    const subtracted = changes.filter(({ by }) => by < 0).map((change) => ({ ...change, by: -change.by }));
    return [
      ...(added.length > 0 ? [addTaken(added)] : []),
      ...(subtracted.length > 0 ? [subtractTaken(subtracted), deleteZeroCounts(subtracted)] : []),
    ];
  }
}

/** Subtracts the tickets of these orders from the counts of their buyers. */
export function releaseBuyerLimits(orders: readonly OrderRow[]): Statement[] {
  const subtractions = orders.flatMap((order) =>
    hashesOf(buyerOf(order)).flatMap((buyer) =>
      order.lines.map(({ itemId, quantity: by }) => ({ eventId: order.event_id, itemId, buyer, by })),
    ),
  );
  return subtractions.length === 0 ? [] : [subtractTaken(subtractions)];
}

const nameOf = (itemId: number, buyer: string): string => `${itemId} ${buyer}`;

/** The counts that were read. `itemIds` are the items that they cover, including items without any count. */
interface BuyerCounts {
  itemIds: ReadonlySet<number>;
  rows: readonly BuyerCountRow[];
}

type Asked = Pick<NewOrder, 'eventId' | 'items'> & { buyer?: KnownBuyer | undefined };

/** Items that had a limit per buyer when this process last read them. `prefetchBuyerCounts` uses them as a guess, which may be outdated. */
const limitedItems = new Set<number>();

/**
 * Reads the counts of items that probably have a limit, in the same round trip as the stock. `readBuyerLimits` reads the missing counts.
 */
export const prefetchBuyerCounts = (orders: readonly Asked[]): Step<BuyerCounts> => buyerCountsStep(orders, limitedItems);

function buyerCountsStep(orders: readonly Asked[], itemIds: ReadonlySet<number>): Step<BuyerCounts> {
  const keys = orders.flatMap(({ eventId, items, buyer }) =>
    items.flatMap(({ itemId }) => (itemIds.has(itemId) ? hashesOf(buyer).map((key): BuyerKey => ({ eventId, itemId, buyer: key })) : [])),
  );
  const read = new Set(keys.map(({ itemId }) => itemId));
  return {
    statements: keys.length === 0 ? [] : [selectBuyerCounts(keys)],
    read: ([rows = []]) => ({ itemIds: read, rows: rows as BuyerCountRow[] }),
  };
}

/** Returns the buyer limits of the ordered items. Queries the database only for counts that were not prefetched. */
export async function readBuyerLimits(tx: Tx, stock: Stock, orders: readonly Asked[], prefetched?: BuyerCounts): Promise<BuyerLimits> {
  const limits = new Map<number, number>();
  const eventOf = new Map<number, number>();
  for (const itemId of new Set(orders.flatMap(({ items }) => items.map((each) => each.itemId)))) {
    const item = stock.item(itemId);
    if (!item || item.maximumPerBuyer === null) continue;
    limits.set(itemId, item.maximumPerBuyer);
    eventOf.set(itemId, item.eventId);
    limitedItems.add(itemId);
  }
  const missing = new Set([...limits.keys()].filter((itemId) => !prefetched?.itemIds.has(itemId)));
  const [more] = await runPipeline(tx, [buyerCountsStep(orders, missing)]);
  return new BuyerLimits(limits, eventOf, [...(prefetched?.rows ?? []), ...more.rows]);
}
