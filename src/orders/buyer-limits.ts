import { hash } from 'node:crypto';
import type { Stock } from '../catalog/stock.ts';
import type { Tx } from '../postgres/database.ts';
import { runPipeline, type Statement, type Step } from '../postgres/pipeline.ts';
import { addTaken, type BuyerCountRow, type BuyerKey, selectBuyerCounts, subtractTaken } from './buyer-limits.sql.ts';
import type { NewOrder } from './contract.ts';
import type { OrderRow } from './order.ts';

type Buyer = NewOrder['buyer'];

/** Deciding an order needs the hashes of its buyer several times. An entry is garbage collected together with its buyer object. */
const cachedHashes = new WeakMap<object, string[]>();

/**
 * Returns one hash of the e-mail address and one of the document. The limit applies to each hash separately, because a person may use many
 * addresses but has one document.
 */
export function buyerHashes(buyer: { email: string; document?: string | null }): string[] {
  const hashes = cachedHashes.get(buyer) ?? computeHashes(buyer);
  cachedHashes.set(buyer, hashes);
  return hashes;
}

function computeHashes({ email, document }: { email: string; document?: string | null }): string[] {
  const short = (text: string) => hash('sha256', text).slice(0, 32);
  const hashes = [short(`email ${email.trim().toLowerCase()}`)];
  const bare = document?.replaceAll(/[^\p{L}\p{N}]/gu, '').toLowerCase();
  return bare ? [...hashes, short(`document ${bare}`)] : hashes;
}

/**
 * Counts the tickets of each buyer for items with `maximumPerBuyer`. Lock the items first, so that no other transaction changes the counts.
 */
export class BuyerLimits {
  readonly #limits: ReadonlyMap<number, number>;
  readonly #eventOf: ReadonlyMap<number, number>;
  readonly #taken: Map<string, number>;
  readonly #additions = new Map<string, BuyerKey & { by: number; limit: number | null }>();

  constructor(limits: ReadonlyMap<number, number>, eventOf: ReadonlyMap<number, number>, taken: readonly BuyerCountRow[]) {
    this.#limits = limits;
    this.#eventOf = eventOf;
    this.#taken = new Map(taken.map(({ itemId, buyer, taken: n }) => [nameOf(itemId, buyer), n]));
  }

  /** Returns how many tickets of the item the buyer may still order; null if the item has no limit. */
  left(buyer: Buyer, itemId: number): number | null {
    const limit = this.#limits.get(itemId);
    if (limit === undefined) return null;
    return Math.max(0, Math.min(...buyerHashes(buyer).map((key) => limit - (this.#taken.get(nameOf(itemId, key)) ?? 0))));
  }

  take(buyer: Buyer, lines: readonly { itemId: number; quantity: number }[]): void {
    for (const { itemId, quantity } of lines) {
      const limit = this.#limits.get(itemId);
      if (limit === undefined) continue;
      for (const key of buyerHashes(buyer)) this.#add(itemId, key, quantity, limit);
    }
  }

  #add(itemId: number, buyer: string, by: number, limit: number): void {
    const name = nameOf(itemId, buyer);
    this.#taken.set(name, (this.#taken.get(name) ?? 0) + by);
    const known = this.#additions.get(name) ?? { eventId: this.#eventOf.get(itemId) ?? 0, itemId, buyer, by: 0, limit };
    this.#additions.set(name, { ...known, by: known.by + by });
  }

  statements(): Statement[] {
    return this.#additions.size > 0 ? [addTaken([...this.#additions.values()])] : [];
  }
}

/** Subtracts the tickets of these orders from the counts of their buyers. */
export function releaseBuyerLimits(orders: readonly OrderRow[]): Statement[] {
  const subtractions = orders.flatMap(({ event_id: eventId, buyer_email: email, buyer_document: document, lines }) =>
    email === null
      ? []
      : buyerHashes({ email, document }).flatMap((buyer) => lines.map(({ itemId, quantity: by }) => ({ eventId, itemId, buyer, by }))),
  );
  return subtractions.length === 0 ? [] : [subtractTaken(subtractions)];
}

const nameOf = (itemId: number, buyer: string): string => `${itemId} ${buyer}`;

/** The counts that were read. `itemIds` are the items that they cover, including items without any count. */
interface BuyerCounts {
  itemIds: ReadonlySet<number>;
  rows: readonly BuyerCountRow[];
}

type Asked = Pick<NewOrder, 'eventId' | 'items' | 'buyer'>;

/** Items that had a limit per buyer when this process last read them. `prefetchBuyerCounts` uses them as a guess, which may be outdated. */
const limitedItems = new Set<number>();

/**
 * Reads the counts of items that probably have a limit, in the same round trip as the stock. `readBuyerLimits` reads the missing counts.
 */
export const prefetchBuyerCounts = (orders: readonly Asked[]): Step<BuyerCounts> => buyerCountsStep(orders, limitedItems);

function buyerCountsStep(orders: readonly Asked[], itemIds: ReadonlySet<number>): Step<BuyerCounts> {
  const keys = orders.flatMap(({ eventId, items, buyer }) =>
    items.flatMap(({ itemId }) =>
      itemIds.has(itemId) ? buyerHashes(buyer).map((key): BuyerKey => ({ eventId, itemId, buyer: key })) : [],
    ),
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
