import type { Stock } from '../catalog/stock.ts';
import { type OpenedPasskey, reopenPasskeys } from '../passkeys/open-passkey.ts';
import type { Tx } from '../postgres/database.ts';
import type { Statement } from '../postgres/pipeline.ts';
import { type BuyerLimits, readBuyerLimits } from './buyer-limits.ts';
import { isOffered, offSaleStatus } from './decide-order.ts';
import { type OrderRow, statusAt, stockLinesOf, unlockedIn } from './order.ts';
import { fits } from './take-lines.ts';

/** The stock, passkeys and buyer limits that expired orders released. A late payment must reacquire them. */
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

  /** Why the order could not be placed now, by the rules of a new order; null if it could. */
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

  /** Why the released limits cannot be reacquired; null if they can. An order whose row is still `held` has released nothing. */
  refuseTaken(order: OrderRow): string | null {
    if (order.status !== 'expired') return null;
    if (!fits(this.#stock, stockLinesOf(order), this.#at)) return 'sold out';
    const left = this.#passkeyOf(order)?.left ?? null;
    if (left !== null && unlockedIn(order.lines) > left) return 'the passkey is used up';
    const buyer = buyerOf(order);
    const overLimit = order.lines.some(({ itemId, quantity }) => buyer && quantity > (this.#buyers.left(buyer, itemId) ?? quantity));
    return overLimit ? 'the buyer has reached the limit' : null;
  }

  /** Counts in memory. The passkey counter is written with the status change of the order. */
  take(order: OrderRow): void {
    const passkey = this.#passkeyOf(order);
    if (passkey && passkey.left !== null) passkey.left -= unlockedIn(order.lines);
    const buyer = buyerOf(order);
    if (buyer) this.#buyers.take(buyer, order.lines);
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
  const passkeyIds = expired.flatMap(({ passkey_id }) => passkey_id ?? []);
  const passkeys = await reopenPasskeys(tx, passkeyIds, at);
  const buyers = await readBuyerLimits(
    tx,
    stock,
    expired.flatMap((order) => {
      const buyer = buyerOf(order);
      return buyer ? [{ eventId: order.event_id, items: order.lines, buyer }] : [];
    }),
  );
  return new ReacquiredLimits(stock, passkeys, buyers, at);
}

const buyerOf = ({ buyer_name, buyer_email, buyer_document }: OrderRow) =>
  buyer_email === null
    ? null
    : { name: buyer_name ?? '', email: buyer_email, ...(buyer_document !== null && { document: buyer_document }) };
