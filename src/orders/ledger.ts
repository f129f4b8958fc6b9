import type { NewPosting } from './ledger.sql.ts';

export type { NewPosting } from './ledger.sql.ts';

/** A line as it was sold. */
interface SoldLine {
  itemId: number;
  quantity: number;
  price: number;
  feeSale: number;
  feeProducer: number;
}

export interface Sale {
  eventId: number;
  orderId: number;
  method: string;
  at: Date;
  lines: readonly SoldLine[];
}

/**
 * Where the money of a sale goes: what was paid leaves the account of its method for the producer's and the platform's. Where the
 * producer's share of the fee is more than the price, the producer owes the rest.
 */
export function postingsOf({ eventId, orderId, method, at, lines }: Sale): NewPosting[] {
  return lines.flatMap(({ itemId, quantity, price, feeSale, feeProducer }) => {
    const common = { event_id: eventId, order_id: orderId, item_id: itemId, reason: 'sale' as const, quantity, created_at: at };
    const move = (source: string, target: string, amount: number): NewPosting[] => {
      if (amount === 0) return [];
      return [amount > 0 ? { ...common, source, target, amount } : { ...common, source: target, target: source, amount: -amount }];
    };
    const paid = `payment:${method}`;
    return [...move(paid, 'producer', quantity * (price - feeProducer)), ...move(paid, 'platform', quantity * (feeSale + feeProducer))];
  });
}

/** What the same sale would have moved, back to where it came from. */
export const reversalsOf = (sale: Sale): NewPosting[] =>
  postingsOf(sale).map((posting) => ({ ...posting, reason: 'refund', source: posting.target, target: posting.source }));

export interface Return {
  eventId: number;
  orderId: number;
  method: string;
  reason: NewPosting['reason'];
  amount: number;
  at: Date;
}

/** Money that came and buys nothing: in, and out again. */
export function returnPostings({ eventId, orderId, method, reason, amount, at }: Return): NewPosting[] {
  const common = { event_id: eventId, order_id: orderId, item_id: null, reason, amount, quantity: 0, created_at: at };
  const [paid, suspense] = [`payment:${method}`, 'suspense'];
  return [
    { ...common, source: paid, target: suspense },
    { ...common, source: suspense, target: paid },
  ];
}
