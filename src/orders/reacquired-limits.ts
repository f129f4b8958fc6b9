import type { Stock } from '../catalog/stock.ts';
import { type OpenedPasskey, reopenPasskeys } from '../passkeys/open-passkey.ts';
import type { Tx } from '../postgres/database.ts';
import type { Statement } from '../postgres/pipeline.ts';
import { type BuyerLimits, buyerOf, hashesOf, readBuyerLimits } from './buyer-limits.ts';
import { isOffered, offSaleStatus } from './decide-order.ts';
import { countPasskeyTickets, type OrderRow, statusAt, stockLinesOf } from './order.ts';
import { hasEnoughStock } from './take-lines.ts';

/**
 * The stock, passkey and buyer limits that expired orders have released. A late payment can buy an order only if it can take them again.
 */
export class ReacquiredLimits {
  readonly #stock: Stock;
  readonly #passkeys: Map<number, OpenedPasskey>;
  readonly #buyers: BuyerLimits;
  readonly #at: Date;

  constructor(stock: Stock, passkeys: Map<number, OpenedPasskey>, buyers: BuyerLimits, at: Date) {
    this.#stock = stock;
    this.#passkeys = passkeys;
    this.#buyers = buyers;
    this.#at = at;
  }

  /**
   * Returns the reason why the same order could not be placed now, or null. It checks the passkey and the sale status, not the quantities.
   */
  refuseOffSale(order: OrderRow): string | null {
    const passkey = order.passkey_id === null ? null : this.#passkeys.get(order.passkey_id);
    if (passkey === undefined) return 'the passkey is no longer valid';
    const off = stockLinesOf(order).find((line) => {
      const item = this.#stock.item(line.itemId);
      const unlocked = passkey?.itemIds.includes(line.itemId) ?? false;
      const offered = item && isOffered(item, unlocked) && line.sessionIds.every((id) => item.sessionIds.includes(id));
      return !offered || offSaleStatus(this.#stock, line, this.#at) !== null;
    });
    return off ? `item ${off.itemId} is no longer on sale` : null;
  }

  /**
   * Returns the reason why the released quantities cannot be taken again, or null. An order whose row is still `held` has released nothing.
   */
  refuseUnavailable(order: OrderRow): string | null {
    if (order.status !== 'expired') return null;
    if (!hasEnoughStock(this.#stock, stockLinesOf(order), this.#at)) return 'sold out';
    const left = this.#passkeyOf(order)?.left ?? null;
    if (left !== null && countPasskeyTickets(order.lines) > left) return 'the passkey is used up';
    const hashes = hashesOf(buyerOf(order));
    const overLimit = order.lines.some(({ itemId, quantity }) => quantity > (this.#buyers.left(hashes, itemId) ?? quantity));
    return overLimit ? 'the buyer has reached the limit' : null;
  }

  /** Takes the quantities again, in memory. The passkey counter is written with the status change of the order. */
  take(order: OrderRow): void {
    const passkey = this.#passkeyOf(order);
    if (passkey && passkey.left !== null) passkey.left -= countPasskeyTickets(order.lines);
    this.#buyers.take(hashesOf(buyerOf(order)), order.lines);
  }

  #passkeyOf({ passkey_id }: OrderRow): OpenedPasskey | undefined {
    return passkey_id === null ? undefined : this.#passkeys.get(passkey_id);
  }

  statements(): Statement[] {
    return this.#buyers.statements();
  }
}

export async function readReacquiredLimits(tx: Tx, stock: Stock, orders: readonly OrderRow[], at: Date): Promise<ReacquiredLimits> {
  const expired = orders.filter((order) => statusAt(order, at) === 'expired');
  const keys = expired.flatMap(({ event_id: eventId, passkey_id: id }) => (id === null ? [] : [{ eventId, id }]));
  const passkeys = await reopenPasskeys(tx, keys, at);
  const asked = expired.map((order) => ({ eventId: order.event_id, items: order.lines, buyer: buyerOf(order) }));
  return new ReacquiredLimits(stock, passkeys, await readBuyerLimits(tx, stock, asked), at);
}
