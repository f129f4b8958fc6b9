import { hash } from 'node:crypto';
import type { Stock } from '../catalog/stock.ts';
import type { Tx } from '../postgres/database.ts';
import { runPipeline, type Statement, type Step } from '../postgres/pipeline.ts';
import { addTaken, type BuyerKey, subtractTaken, type TakenRow, takenBy } from './buyer-limits.sql.ts';
import type { NewOrder } from './contract.ts';
import type { OrderRow } from './order.ts';

type Buyer = NewOrder['buyer'];

/** Deciding an order needs the hashes several times. The entry is dropped with the request's buyer. */
const cachedHashes = new WeakMap<object, string[]>();

/**
 * One hash for the e-mail address and one for the document. The limit applies to each separately: a person may have many addresses but one
 * document.
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

/** How many tickets each buyer may still take of items with `maximumPerBuyer`. The locks of the items guard the counts. */
export class BuyerLimits {
  readonly #limits: ReadonlyMap<number, number>;
  readonly #eventOf: ReadonlyMap<number, number>;
  readonly #taken: Map<string, number>;
  readonly #additions = new Map<string, BuyerKey & { by: number; most: number | null }>();

  constructor(limits: ReadonlyMap<number, number>, eventOf: ReadonlyMap<number, number>, taken: readonly TakenRow[]) {
    this.#limits = limits;
    this.#eventOf = eventOf;
    this.#taken = new Map(taken.map(({ itemId, buyer, taken: n }) => [nameOf(itemId, buyer), n]));
  }

  /** Null if the item has no limit. */
  left(buyer: Buyer, itemId: number): number | null {
    const most = this.#limits.get(itemId);
    if (most === undefined) return null;
    return Math.max(0, Math.min(...buyerHashes(buyer).map((key) => most - (this.#taken.get(nameOf(itemId, key)) ?? 0))));
  }

  take(buyer: Buyer, lines: readonly { itemId: number; quantity: number }[]): void {
    for (const { itemId, quantity } of lines) {
      const most = this.#limits.get(itemId);
      if (most === undefined) continue;
      for (const key of buyerHashes(buyer)) this.#add(itemId, key, quantity, most);
    }
  }

  #add(itemId: number, buyer: string, by: number, most: number): void {
    const name = nameOf(itemId, buyer);
    this.#taken.set(name, (this.#taken.get(name) ?? 0) + by);
    const known = this.#additions.get(name) ?? { eventId: this.#eventOf.get(itemId) ?? 0, itemId, buyer, by: 0, most };
    this.#additions.set(name, { ...known, by: known.by + by });
  }

  statements(): Statement[] {
    return this.#additions.size > 0 ? [addTaken([...this.#additions.values()])] : [];
  }
}

/** The tickets of these orders no longer count against the limits of their buyers. */
export function releaseBuyerLimits(orders: readonly OrderRow[]): Statement[] {
  const subtractions = orders.flatMap(({ event_id: eventId, buyer_email: email, buyer_document: document, lines }) =>
    email === null
      ? []
      : buyerHashes({ email, document }).flatMap((buyer) => lines.map(({ itemId, quantity: by }) => ({ eventId, itemId, buyer, by }))),
  );
  return subtractions.length === 0 ? [] : [subtractTaken(subtractions)];
}

const nameOf = (itemId: number, buyer: string): string => `${itemId} ${buyer}`;

/** Counts that were read, and for which items. */
interface Taken {
  itemIds: ReadonlySet<number>;
  rows: readonly TakenRow[];
}

type Asked = Pick<NewOrder, 'eventId' | 'items' | 'buyer'>;

/** Items that had a limit per buyer when this process last read them. Only a hint for `prefetchTaken`. */
const limitedItems = new Set<number>();

/** Reads the counts that will probably be needed, in the same round trip as the stock. `readBuyerLimits` reads the missing ones. */
export const prefetchTaken = (orders: readonly Asked[]): Step<Taken> => takenOf(orders, limitedItems);

function takenOf(orders: readonly Asked[], itemIds: ReadonlySet<number>): Step<Taken> {
  const keys = orders.flatMap(({ eventId, items, buyer }) =>
    items.flatMap(({ itemId }) =>
      itemIds.has(itemId) ? buyerHashes(buyer).map((key): BuyerKey => ({ eventId, itemId, buyer: key })) : [],
    ),
  );
  const read = new Set(keys.map(({ itemId }) => itemId));
  return {
    statements: keys.length === 0 ? [] : [takenBy(keys)],
    read: ([rows = []]) => ({ itemIds: read, rows: rows as TakenRow[] }),
  };
}

/** Reads counts only for items with a limit that were not prefetched. */
export async function readBuyerLimits(tx: Tx, stock: Stock, orders: readonly Asked[], prefetched?: Taken): Promise<BuyerLimits> {
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
  const [more] = await runPipeline(tx, [takenOf(orders, missing)]);
  return new BuyerLimits(limits, eventOf, [...(prefetched?.rows ?? []), ...more.rows]);
}
