import type { Stock } from '../catalog/stock.ts';
import { type OpenedPasskey, reopenPasskeys } from '../passkeys/open-passkey.ts';
import type { Tx } from '../postgres/database.ts';
import type { Statement } from '../postgres/pipeline.ts';
import { type BuyerLimits, readBuyerLimits } from './buyer-limits.ts';
import { isOffered, offSaleStatus } from './decide-order.ts';
import { statusAt, stockLinesOf, unlockedIn } from './order.ts';
import type { OrderRow } from './order-row.ts';
import { fits } from './settle-orders.ts';

/** The stock, passkeys and buyer limits that expired orders gave back, and need again when a late payment confirms them. */
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

  /** Why the order could not be placed today; null if it could. The rules are those of a new order. */
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

  /** Why what the order gave back cannot be taken again; null if it can. An order that nobody has swept yet still holds its stock. */
  refuseTaken(order: OrderRow): string | null {
    if (order.status !== 'expired') return null;
    if (!fits(this.#stock, stockLinesOf(order), this.#at)) return 'sold out';
    const left = this.#passkeyOf(order)?.left ?? null;
    if (left !== null && unlockedIn(order.lines) > left) return 'the passkey is used up';
    const buyer = buyerOf(order);
    const greedy = order.lines.some(({ itemId, quantity }) => buyer && quantity > (this.#buyers.left(buyer, itemId) ?? quantity));
    return greedy ? 'the buyer has reached the limit' : null;
  }

  /** The counter of the passkey is written with the settlement of the order. */
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
