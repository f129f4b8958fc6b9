import type { Stock } from '../catalog/stock.ts';
import { lockPasskeysLeft } from '../passkeys/passkey-counters.ts';
import type { Tx } from '../postgres/database.ts';
import type { Statement } from '../postgres/together.ts';
import { type BuyerLimits, readBuyerLimits } from './buyer-limits.ts';
import { unlockedIn } from './order.ts';
import type { OrderRow } from './order-rows.sql.ts';

/** What orders whose hold ran out gave back to their passkey and their buyer, and need again when they are paid after all. */
export class TakenAgain {
  readonly #left: Map<number, number | null>;
  readonly #buyers: BuyerLimits;

  constructor(left: Map<number, number | null>, buyers: BuyerLimits) {
    this.#left = left;
    this.#buyers = buyers;
  }

  fits(order: OrderRow): boolean {
    const left = order.passkey_id === null ? null : (this.#left.get(order.passkey_id) ?? null);
    if (left !== null && unlockedIn(order.lines) > left) return false;
    const buyer = buyerOf(order);
    return order.lines.every(({ itemId, quantity }) => !buyer || quantity <= (this.#buyers.left(buyer, itemId) ?? quantity));
  }

  /** The counter of the passkey is written with the settlement of the order. */
  take(order: OrderRow): void {
    const left = order.passkey_id === null ? null : (this.#left.get(order.passkey_id) ?? null);
    if (order.passkey_id !== null && left !== null) this.#left.set(order.passkey_id, left - unlockedIn(order.lines));
    const buyer = buyerOf(order);
    if (buyer) this.#buyers.take(buyer, order.lines);
  }

  statements(): Statement[] {
    return this.#buyers.statements();
  }
}

export async function readTakenAgain(tx: Tx, stock: Stock, orders: readonly OrderRow[]): Promise<TakenAgain> {
  const expired = orders.filter(({ status }) => status === 'expired');
  const passkeyIds = expired.flatMap(({ passkey_id }) => passkey_id ?? []);
  const passkeys = passkeyIds.length === 0 ? [] : await lockPasskeysLeft(tx, passkeyIds);
  const buyers = await readBuyerLimits(
    tx,
    stock,
    expired.flatMap((order) => {
      const buyer = buyerOf(order);
      return buyer ? [{ eventId: order.event_id, items: order.lines, buyer }] : [];
    }),
  );
  return new TakenAgain(new Map(passkeys.map(({ id, left }) => [id, left])), buyers);
}

const buyerOf = ({ buyer_name, buyer_email, buyer_document }: OrderRow) =>
  buyer_email === null
    ? null
    : { name: buyer_name ?? '', email: buyer_email, ...(buyer_document !== null && { document: buyer_document }) };
