import type { NewPosting } from './ledger.sql.ts';

export type { NewPosting } from './ledger.sql.ts';

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
 * Returns the postings of a sale: from the account of the payment method to the accounts of producer and platform. If the producer's share
 * of the fee is higher than the price, the producer owes the difference, so source and target of that posting are swapped.
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

/** Returns the postings of the same sale with source and target swapped, for a refund. */
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

/** Returns the postings for money that was received and sent back without buying tickets. It passes through the account `suspense`. */
export function returnPostings({ eventId, orderId, method, reason, amount, at }: Return): NewPosting[] {
  const common = { event_id: eventId, order_id: orderId, item_id: null, reason, amount, quantity: 0, created_at: at };
  const [paid, suspense] = [`payment:${method}`, 'suspense'];
  return [
    { ...common, source: paid, target: suspense },
    { ...common, source: suspense, target: paid },
  ];
}
