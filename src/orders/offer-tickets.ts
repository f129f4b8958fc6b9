import { webShop } from '../catalog/item.ts';
import { hold, lockedStock, release, type Stock, type StockLine } from '../catalog/stock.ts';
import type { Act } from '../kernel/act.ts';
import type { Locale } from '../kernel/locale.ts';
import { Problem, ruleViolation } from '../kernel/problem.ts';
import type { Tx } from '../postgres/database.ts';
import { runPipeline, withoutTableScans } from '../postgres/pipeline.ts';
import { type BuyerLimits, readBuyerLimits } from './buyer-limits.ts';
import { chooseSessions, decideOrder, isOffered, offSaleStatus, type Placement } from './decide-order.ts';
import { countersOfExpiredHolds } from './expire-orders.sql.ts';
import { lockedExpiredHolds, maxExpiredPerRound, releaseExpiredHolds } from './expire-orders.ts';
import { NetworkHolds } from './network-holds.ts';
import { newOrderIds } from './order-reads.sql.ts';
import { newSecret } from './order-secret.ts';
import { viewOf } from './take-lines.ts';
import { writeAcceptedOrders } from './write-accepted-orders.ts';

/** Tickets that one person waits for. Any of the items will do; the first one that has enough tickets is offered. */
export interface WantedTickets {
  itemIds: readonly number[];
  sessionId: number | null;
  quantity: number;
  locale: Locale;
}

interface Offer {
  wanted: WantedTickets;
  placement: Placement;
  expiresAt: Date;
}

/**
 * Places held orders for people on the waiting list. It decides them like every other order, on the same locked counters. Only the tickets that
 * the waiting list claims are not kept from them.
 */
export class TicketOffers {
  readonly #act: Act;
  readonly #eventId: number;
  readonly #stock: Stock;
  readonly #buyers: BuyerLimits;
  readonly #latest: Date;
  readonly #offers: Offer[] = [];
  readonly #kept: StockLine[] = [];

  /** `latest`: when offers expire, unless the sale of the item ends earlier. */
  constructor(act: Act, eventId: number, { stock, buyers, latest }: { stock: Stock; buyers: BuyerLimits; latest: Date }) {
    this.#act = act;
    this.#eventId = eventId;
    this.#stock = stock;
    this.#buyers = buyers;
    this.#latest = latest;
  }

  /** Returns how many tickets of one item the person could get now. */
  free({ itemIds, sessionId }: Pick<WantedTickets, 'itemIds' | 'sessionId'>): number {
    return Math.max(0, ...itemIds.map((itemId) => this.#freeOf(itemId, sessionId)?.tickets ?? 0));
  }

  /** Takes the tickets from the stock in memory. Returns whether they were enough, or the rule that the order would break. */
  offer(wanted: WantedTickets): 'offered' | 'too few' | Problem {
    let broken: Problem | null = null;
    for (const itemId of wanted.itemIds) {
      const free = this.#freeOf(itemId, wanted.sessionId);
      if (!free || free.tickets < wanted.quantity) continue;
      const placement = this.#decide(wanted, itemId);
      if (placement instanceof Problem) {
        if (placement.code === 'rule_violation') broken ??= placement;
        continue;
      }
      this.#offers.push({ wanted, placement, expiresAt: this.#expiryOf(itemId) });
      return 'offered';
    }
    return broken ?? (this.#isTooLarge(wanted) ? ruleViolation('quantity', 'maximum', 'No item has that many tickets.') : 'too few');
  }

  /** Whether no item could serve the party even if nothing were sold, because the producer has lowered a limit. */
  #isTooLarge({ itemIds, sessionId, quantity }: WantedTickets): boolean {
    const view = { at: this.#act.at, channel: webShop, ...(sessionId !== null && { session: sessionId }) };
    return itemIds.every((itemId) => quantity > (this.#stock.item(itemId)?.capacity(view) ?? Number.POSITIVE_INFINITY));
  }

  /** Keeps the free tickets for a party that needs more, so that nobody behind it in any line takes them. */
  keepFor({ itemIds, sessionId, quantity }: WantedTickets): void {
    const free = itemIds.flatMap((itemId) => this.#freeOf(itemId, sessionId) ?? []);
    const [most] = free.toSorted((a, b) => b.tickets - a.tickets);
    if (!most || most.tickets === 0) return;
    const line = { ...most.line, quantity: Math.min(most.tickets, quantity) };
    this.#stock.move(line, hold);
    this.#kept.push(line);
  }

  /** Writes the orders. Returns the ids, in the order of the offers. */
  async write(tx: Tx): Promise<number[]> {
    for (const line of this.#kept.splice(0)) this.#stock.move(line, release);
    if (this.#offers.length === 0) return [];
    const [ids] = await runPipeline(tx, [
      { statements: [newOrderIds(this.#offers.length)], read: ([rows = []]) => (rows as { id: number }[]).map(({ id }) => id) },
    ]);
    const accepted = this.#offers.map(({ wanted, placement, expiresAt }, i) => ({
      act: this.#act,
      order: orderOf(this.#eventId, wanted, placement.lines[0]?.itemId ?? 0),
      id: ids[i] ?? 0,
      secret: newSecret(),
      placement,
      slot: null,
      offer: { expiresAt, locale: wanted.locale },
    }));
    await writeAcceptedOrders(tx, accepted, { stock: this.#stock, buyers: this.#buyers, holds: new NetworkHolds([]) }, this.#act.at);
    return ids;
  }

  #decide(wanted: WantedTickets, itemId: number): Placement | Problem {
    const { actor, at } = this.#act;
    const context = { actor, stock: this.#stock, passkey: null, buyers: this.#buyers, network: null, channel: webShop, at };
    return decideOrder(orderOf(this.#eventId, wanted, itemId), context);
  }

  /** Returns the free tickets of an item, and the order line that would take one. Null if the item is not on sale. */
  #freeOf(itemId: number, sessionId: number | null): { tickets: number; line: StockLine } | null {
    const item = this.#stock.item(itemId);
    if (!item || !isOffered(item, false)) return null;
    const sessionIds = chooseSessions(item, sessionId ?? undefined);
    if (typeof sessionIds === 'string') return null;
    const line = { itemId, channel: webShop, sessionIds, quantity: 1 };
    if (offSaleStatus(this.#stock, line, this.#act.at) !== null) return null;
    return { tickets: item.remaining(viewOf(line, this.#act.at)) ?? Number.MAX_SAFE_INTEGER, line };
  }

  #expiryOf(itemId: number): Date {
    const ends = this.#stock.item(itemId)?.saleEnds(webShop) ?? this.#latest;
    return ends < this.#latest ? ends : this.#latest;
  }
}

const orderOf = (eventId: number, { quantity, sessionId }: WantedTickets, itemId: number) => ({
  eventId,
  items: [{ itemId, quantity }],
  ...(sessionId !== null && { sessionId }),
});

/** Locks the stock of these items of the event, and releases its expired holds first. */
export async function openOffers(tx: Tx, act: Act, eventId: number, itemIds: readonly number[], latest: Date): Promise<TicketOffers> {
  const filter = { eventIds: [eventId], at: act.at, limit: maxExpiredPerRound };
  const toLock = {
    eventIds: [eventId],
    items: itemIds.map((id) => ({ eventId, id })),
    sessions: [],
    itemsOfAnySession: itemIds,
    also: countersOfExpiredHolds(filter),
  };
  const { stock } = await releaseExpiredHolds(tx, act.at, async () => {
    const [, expired, locked] = await runPipeline(tx, [
      withoutTableScans,
      lockedExpiredHolds(filter),
      lockedStock(toLock, { takesClaims: true }),
    ]);
    return { expired, stock: locked };
  });
  return new TicketOffers(act, eventId, { stock, buyers: await readBuyerLimits(tx, stock, []), latest });
}
