import { hash } from 'node:crypto';
import type { Stock } from '../catalog/stock.ts';
import type { Tx } from '../postgres/database.ts';
import { runPipeline, type Statement, type Step } from '../postgres/pipeline.ts';
import type { NewOrder } from './contract.ts';
import type { OrderRow } from './order-row.ts';
import { type BuyerKey, giveBackTaken, moveTaken, type TakenRow, takenBy } from './order-writes.sql.ts';

type Buyer = NewOrder['buyer'];

/** Kept for as long as the buyer of a request is: an order asks for them several times while it is decided. */
const keysOfBuyer = new WeakMap<object, string[]>();

/** Somebody is known by their e-mail and by their document, each on its own: one person has many addresses, a family one document each. */
export function keysOf(buyer: { email: string; document?: string | null }): string[] {
  const known = keysOfBuyer.get(buyer) ?? hashesOf(buyer);
  keysOfBuyer.set(buyer, known);
  return known;
}

function hashesOf({ email, document }: { email: string; document?: string | null }): string[] {
  const short = (text: string) => hash('sha256', text).slice(0, 32);
  const known = [short(`email ${email.trim().toLowerCase()}`)];
  const bare = document?.replaceAll(/[^\p{L}\p{N}]/gu, '').toLowerCase();
  return bare ? [...known, short(`document ${bare}`)] : known;
}

/** How many each buyer still may have of the items that have such a limit. Guarded by the items' locks. */
export class BuyerLimits {
  readonly #limits: ReadonlyMap<number, number>;
  readonly #eventOf: ReadonlyMap<number, number>;
  readonly #taken: Map<string, number>;
  readonly #moves = new Map<string, BuyerKey & { by: number; most: number | null }>();

  constructor(limits: ReadonlyMap<number, number>, eventOf: ReadonlyMap<number, number>, taken: readonly TakenRow[]) {
    this.#limits = limits;
    this.#eventOf = eventOf;
    this.#taken = new Map(taken.map(({ itemId, buyer, taken: n }) => [nameOf(itemId, buyer), n]));
  }

  /** Null where there is no limit. */
  left(buyer: Buyer, itemId: number): number | null {
    const most = this.#limits.get(itemId);
    if (most === undefined) return null;
    return Math.max(0, Math.min(...keysOf(buyer).map((key) => most - (this.#taken.get(nameOf(itemId, key)) ?? 0))));
  }

  take(buyer: Buyer, lines: readonly { itemId: number; quantity: number }[]): void {
    for (const { itemId, quantity } of lines) {
      const most = this.#limits.get(itemId);
      if (most === undefined) continue;
      for (const key of keysOf(buyer)) this.#move(itemId, key, quantity, most);
    }
  }

  #move(itemId: number, buyer: string, by: number, most: number): void {
    const name = nameOf(itemId, buyer);
    this.#taken.set(name, (this.#taken.get(name) ?? 0) + by);
    const known = this.#moves.get(name) ?? { eventId: this.#eventOf.get(itemId) ?? 0, itemId, buyer, by: 0, most };
    this.#moves.set(name, { ...known, by: known.by + by });
  }

  /** What writes the counts. */
  statements(): Statement[] {
    return this.#moves.size > 0 ? [moveTaken([...this.#moves.values()])] : [];
  }
}

/** What these orders had of items, whoever bought them, is theirs no more. */
export function giveBack(orders: readonly OrderRow[]): Statement[] {
  const moves = orders.flatMap(({ event_id: eventId, buyer_email: email, buyer_document: document, lines }) =>
    email === null
      ? []
      : keysOf({ email, document }).flatMap((buyer) => lines.map(({ itemId, quantity: by }) => ({ eventId, itemId, buyer, by }))),
  );
  return moves.length === 0 ? [] : [giveBackTaken(moves)];
}

const nameOf = (itemId: number, buyer: string): string => `${itemId} ${buyer}`;

/** What buyers have of some items. */
interface Taken {
  itemIds: ReadonlySet<number>;
  rows: readonly TakenRow[];
}

type Asked = Pick<NewOrder, 'eventId' | 'items' | 'buyer'>;

/** Items that were seen to limit what one buyer may have. Only a guess for the next time: what is missing is read after all. */
const seenLimiting = new Set<number>();

/** What the buyers of these orders have, as far as it will be asked for: to be read together with the stock. */
export const likelyTaken = (orders: readonly Asked[]): Step<Taken> => takenOf(orders, seenLimiting);

function takenOf(orders: readonly Asked[], itemIds: ReadonlySet<number>): Step<Taken> {
  const keys = orders.flatMap(({ eventId, items, buyer }) =>
    items.flatMap(({ itemId }) => (itemIds.has(itemId) ? keysOf(buyer).map((key): BuyerKey => ({ eventId, itemId, buyer: key })) : [])),
  );
  const read = new Set(keys.map(({ itemId }) => itemId));
  return {
    statements: keys.length === 0 ? [] : [takenBy(keys)],
    read: ([rows = []]) => ({ itemIds: read, rows: rows as TakenRow[] }),
  };
}

/** Reads the counts only where an item has a limit, and only those that were not read before. */
export async function readBuyerLimits(tx: Tx, stock: Stock, orders: readonly Asked[], before?: Taken): Promise<BuyerLimits> {
  const limits = new Map<number, number>();
  const eventOf = new Map<number, number>();
  for (const itemId of new Set(orders.flatMap(({ items }) => items.map((each) => each.itemId)))) {
    const item = stock.item(itemId);
    if (!item || item.maximumPerBuyer === null) continue;
    limits.set(itemId, item.maximumPerBuyer);
    eventOf.set(itemId, item.eventId);
    seenLimiting.add(itemId);
  }
  const missing = new Set([...limits.keys()].filter((itemId) => !before?.itemIds.has(itemId)));
  const [more] = await runPipeline(tx, [takenOf(orders, missing)]);
  return new BuyerLimits(limits, eventOf, [...(before?.rows ?? []), ...more.rows]);
}
