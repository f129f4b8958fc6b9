import { moveSessionCounters } from '../events/sessions.ts';
import type { RowKey } from '../kernel/ids-by-event.ts';
import type { SaleStatus } from '../kernel/sale-statuses.ts';
import { tellPages } from '../platform/page-changes.ts';
import type { Tx } from '../postgres/database.ts';
import { queryPrepared, runPipeline, type Statement, type Step } from '../postgres/pipeline.ts';
import { readValue } from './attribute-value.ts';
import { capacityOf, isHidden, limitOf, limitsOf, periodOf, remainingOf, statusOf, totalOf, type View } from './item.ts';
import type { Item } from './item-schemas.ts';
import type { ItemRow, StockRow } from './items.sql.ts';
import { type Limit, left, maxShownRemaining } from './sale-status.ts';
import {
  type CounterMove,
  lockCounters,
  moveItemCounters,
  movePeriodCounters,
  type PeriodMove,
  type StockToLock,
  selectLockedItems,
} from './stock.sql.ts';

export type { StockToLock };

/** One line of an order. */
export interface StockLine {
  itemId: number;
  channel: number;
  sessionIds: readonly number[];
  quantity: number;
}

/** How one ticket changes the counters: +1 or −1. */
export interface Move {
  sold: -1 | 0 | 1;
  held: -1 | 0 | 1;
}

export const hold: Move = { sold: 0, held: 1 };
export const sell: Move = { sold: 1, held: 0 };
export const sellHeld: Move = { sold: 1, held: -1 };
export const release: Move = { sold: 0, held: -1 };
export const takeBack: Move = { sold: -1, held: 0 };

/** An item that is sold out. */
export interface SoldOutItem extends RowKey {
  /** Whether it was not sold out before. */
  isNew: boolean;
}

/** An item as orders see it. `status` and `remaining` use the current counters of its `Stock`. */
export interface StockItem {
  id: number;
  eventId: number;
  producerId: number;
  name: string;
  type: Item['type'];
  currency: string;
  hidden: boolean;
  archived: boolean;
  /** Whether the event is a draft. Then the item does not exist for buyers. */
  draft: boolean;
  values: { price: number; feeSale: number; feeProducer: number } | null;
  sessionIds: number[];
  minimum: number | null;
  maximum: number | null;
  maximumPerBuyer: number | null;
  /** Whether its tickets use imported codes. */
  customCode: boolean;
  /** The maximum number of tickets per order. It is a setting of the event. */
  maximumPerOrder: number;
  /** When orders need a solved challenge. It is a setting of the event. */
  challenge: 'auto' | 'always' | 'off';
  status(view: View): SaleStatus;
  remaining(view: View): number | null;
  /** The total number of tickets for sale through a channel. */
  total(channel: number): number | null;
  /** The most tickets that one order could get if nothing were sold. */
  capacity(view: View): number | null;
  /** When the sale through a channel ends; null if the channel does not sell the item. */
  saleEnds(channel: number): Date | null;
}

/**
 * The locked counters of some items. No other transaction can change these counters. Orders are applied in memory, one after the other, and
 * written in one statement per table.
 */
export class Stock {
  readonly #rows: ReadonlyMap<number, ItemRow>;
  readonly #items: ReadonlyMap<number, StockItem>;
  readonly #sessions = new Map<number, ItemRow['sessions'][number]>();
  readonly #groups = new Map<number, NonNullable<ItemRow['parent']>>();
  readonly #itemMoves = new Map<number, CounterMove>();
  readonly #sessionMoves = new Map<number, CounterMove>();
  readonly #periodMoves = new Map<string, PeriodMove>();

  constructor(rows: readonly StockRow[]) {
    const claims = new Map(rows.flatMap((row) => (row.claims === null ? [] : [[row.event_id, row.claims] as const])));
    this.#rows = new Map(rows.map((row) => [row.id, this.#share({ ...row, claims: claims.get(row.event_id) ?? [] })]));
    this.#items = new Map([...this.#rows].map(([id, row]) => [id, toStockItem(row)]));
  }

  /** Items of the same group or session share one counter object. */
  #share(row: ItemRow): ItemRow {
    const sessions = row.sessions.map((session) => shared(this.#sessions, session.id, session));
    const parent = row.parent && row.parent_id !== null ? shared(this.#groups, row.parent_id, row.parent) : null;
    return { ...row, sessions, parent };
  }

  item(id: number): StockItem | undefined {
    return this.#items.get(id);
  }

  /** Changes the counters without checking limits. The caller checks the limits, and the database refuses counters above a limit. */
  move({ itemId, channel, sessionIds, quantity }: StockLine, { sold, held }: Move): void {
    const row = this.#rows.get(itemId);
    if (!row) throw new Error(`Item ${itemId} is not in this stock`);
    const by = { sold: sold * quantity, held: held * quantity };
    const { event_id: eventId } = row;
    add(this.#itemMoves, itemId, { eventId, id: itemId, sold: 0, held: 0 }, by);
    row.sold += by.sold;
    row.held += by.held;
    if (row.codes_left !== null) row.codes_left -= by.sold;
    if (row.parent && row.parent_id !== null) {
      add(this.#itemMoves, row.parent_id, { eventId, id: row.parent_id, sold: 0, held: 0 }, by);
      count(row.parent, by);
    }
    const period = periodOf(row, channel);
    if (period) count(period, by);
    add(this.#periodMoves, `${itemId} ${channel}`, { eventId, id: itemId, channel, sold: 0, held: 0 }, by);
    for (const id of sessionIds) {
      add(this.#sessionMoves, id, { eventId, id, sold: 0, held: 0 }, by);
      const session = this.#sessions.get(id);
      if (session) count(session, by);
    }
  }

  /** Returns the items whose counters changed and that are now sold out. */
  soldOut(view: View): SoldOutItem[] {
    const moved = [...this.#itemMoves.keys()].flatMap((id) => this.#rows.get(id) ?? []);
    const soldOut = moved.filter((row) => row.type !== 'group' && statusOf(row, view) === 'soldout');
    return soldOut.map((row) => ({
      eventId: row.event_id,
      id: row.id,
      isNew: statusOf(this.#beforeMoves(row, view.channel), view) !== 'soldout',
    }));
  }

  /** Returns the item with the counters that it had before all moves. */
  #beforeMoves(row: ItemRow, channel: number): ItemRow {
    const undo = <L extends Pick<Limit, 'sold' | 'held'>>(limit: L, move: CounterMove | undefined): L =>
      move ? { ...limit, sold: limit.sold - move.sold, held: limit.held - move.held } : limit;
    const move = this.#itemMoves.get(row.id);
    return {
      ...undo(row, move),
      codes_left: row.codes_left === null ? null : row.codes_left + (move?.sold ?? 0),
      parent: row.parent && undo(row.parent, this.#itemMoves.get(row.parent_id ?? 0)),
      sessions: row.sessions.map((session) => undo(session, this.#sessionMoves.get(session.id))),
      periods: row.periods.map((period) =>
        period.appCategoryId === channel ? undo(period, this.#periodMoves.get(`${row.id} ${channel}`)) : period,
      ),
    };
  }

  /** Returns the statements that write the changed counters, and tell the pages that show them. */
  statements(): Statement[] {
    const [items, periods, sessions] = [changed(this.#itemMoves), changed(this.#periodMoves), changed(this.#sessionMoves)];
    return [
      ...(items.length > 0 ? [moveItemCounters(items)] : []),
      ...(periods.length > 0 ? [movePeriodCounters(periods)] : []),
      ...(sessions.length > 0 ? [moveSessionCounters(sessions)] : []),
      ...tellPages([
        ...eventsWithFewLeft(items, ({ id }) => this.#limitsOfItem(id)),
        ...eventsWithFewLeft(periods, ({ id, channel }) => this.#limitsOfPeriod(id, channel)),
        ...eventsWithFewLeft(sessions, ({ id }) => [this.#sessions.get(id)].filter((session) => session !== undefined)),
      ]),
    ];
  }

  #limitsOfItem(id: number): Limit[] {
    const [row, group] = [this.#rows.get(id), this.#groups.get(id)];
    return [...(row ? limitsOf(row) : []), ...(group ? [group] : [])];
  }

  #limitsOfPeriod(itemId: number, channel: number): Limit[] {
    const row = this.#rows.get(itemId);
    const period = row && periodOf(row, channel);
    return period ? [limitOf(period)] : [];
  }
}

/**
 * Locks the counters before it reads them, so that they cannot change until the transaction ends. `takesClaims`: for offers of the waiting list,
 * which may take what the waiting list claims.
 */
export const lockedStock = (wanted: StockToLock, { takesClaims = false } = {}): Step<Stock> => ({
  statements: [lockCounters(wanted), selectLockedItems(wanted)],
  read: ([, rows = []]) => {
    const items = rows as StockRow[];
    return new Stock(takesClaims ? items.map((row) => ({ ...row, claims: [] })) : items);
  },
});

/** Reads the stock without a lock. It may change before the transaction ends. */
export async function readStock(tx: Tx, wanted: StockToLock): Promise<Stock> {
  return new Stock(await queryPrepared(tx, selectLockedItems(wanted)));
}

export async function lockStock(tx: Tx, wanted: StockToLock): Promise<Stock> {
  if (wanted.eventIds.length === 0) return new Stock([]);
  const [stock] = await runPipeline(tx, [lockedStock(wanted)]);
  return stock;
}

function shared<T>(known: Map<number, T>, id: number, value: T): T {
  const first = known.get(id) ?? value;
  known.set(id, first);
  return first;
}

function count(limit: Pick<Limit, 'sold' | 'held'>, by: { sold: number; held: number }): void {
  limit.sold += by.sold;
  limit.held += by.held;
}

function add<K, M extends CounterMove>(moves: Map<K, M>, key: K, none: M, by: { sold: number; held: number }): void {
  const known = moves.get(key) ?? none;
  count(known, by);
  moves.set(key, known);
}

/** Returns the changed counters sorted by event and id, which is also the order of the locks. */
const changed = <M extends CounterMove>(moves: ReadonlyMap<unknown, M>): M[] =>
  [...moves.values()].filter(({ sold, held }) => sold !== 0 || held !== 0).toSorted((a, b) => a.eventId - b.eventId || a.id - b.id);

/**
 * Pages show how many tickets are left only if there are few. So a page changes only if there are few before or after the move, and a sale
 * out of plenty tells nobody. The limits already contain the move.
 */
function eventsWithFewLeft<M extends CounterMove>(moves: readonly M[], limitsOf: (move: M) => readonly Limit[]): number[] {
  const isFew = (limit: Limit, { sold, held }: M) => Math.min(left(limit), left(limit) + sold + held) <= maxShownRemaining;
  return moves.filter((move) => limitsOf(move).some((limit) => isFew(limit, move))).map(({ eventId }) => eventId);
}

function toStockItem(row: ItemRow): StockItem {
  const attribute = (key: string) => {
    const known = row.attributes.find((each) => each.key === key);
    return known && readValue(known.value, known.type);
  };
  const number = (key: string) => {
    const value = attribute(key);
    return typeof value === 'number' ? value : null;
  };
  return {
    id: row.id,
    eventId: row.event_id,
    producerId: row.producer_id,
    name: row.name,
    type: row.type,
    currency: row.currency,
    hidden: isHidden(row),
    archived: row.archived,
    draft: row.event_draft,
    values: row.values,
    sessionIds: row.sessions.map(({ id }) => id),
    minimum: number('minimum'),
    maximum: number('maximum'),
    maximumPerBuyer: number('maximumPerBuyer'),
    customCode: row.codes_left !== null,
    maximumPerOrder: row.event_maximum_per_order,
    challenge: row.event_challenge,
    status: (view) => statusOf(row, view),
    remaining: (view) => remainingOf(row, view),
    total: (channel) => totalOf(row, channel),
    capacity: (view) => capacityOf(row, view),
    saleEnds: (channel) => {
      const period = periodOf(row, channel);
      return period ? new Date(period.finish) : null;
    },
  };
}
