import type { Statement } from '../postgres/pipeline.ts';
import { addFees, type FeeTotal } from './fee-totals.sql.ts';
import { insertPostings, type NewPosting } from './ledger.sql.ts';

export type { NewPosting } from './ledger.sql.ts';

interface SoldLine {
  itemId: number;
  sessionIds: readonly number[];
  quantity: number;
  price: number;
  feeSale: number;
  feeProducer: number;
}

/** The method of orders that need no payment. */
export const free = 'free';

export interface Sale {
  eventId: number;
  orderId: number;
  channel: number;
  /** The payment method, or `free` for orders that need no payment. */
  method: string;
  at: Date;
  lines: readonly SoldLine[];
}

/** The money of a sold line, in cents. */
interface Shares {
  producer: number;
  platform: number;
  /** The part of the platform's money that the buyer paid on top of the price. */
  feeSale: number;
}

/** Returns how the money of a line is shared. Nobody gets money for a free order, not even the producer's share of the fee. */
export function sharesOf(method: string, { quantity, price, feeSale, feeProducer }: SoldLine): Shares {
  if (method === free) return { producer: 0, platform: 0, feeSale: 0 };
  return { producer: quantity * (price - feeProducer), platform: quantity * (feeSale + feeProducer), feeSale: quantity * feeSale };
}

/** Returns what the platform gets of the money that a buyer pays for these lines. */
export const platformShareOf = (lines: readonly SoldLine[]): number =>
  lines.reduce((sum, { quantity, feeSale, feeProducer }) => sum + quantity * (feeSale + feeProducer), 0);

/** A negative amount moves money from `target` to `source`. */
function move(common: Omit<NewPosting, 'source' | 'target' | 'amount'>, source: string, target: string, amount: number): NewPosting[] {
  if (amount === 0) return [];
  return [amount > 0 ? { ...common, source, target, amount } : { ...common, source: target, target: source, amount: -amount }];
}

/**
 * Returns the postings of a sale: from the account of the payment method to the accounts of producer and platform. If the producer's share
 * of the fee is higher than the price, the producer owes the difference, so source and target of that posting are swapped.
 */
export function postingsOf({ eventId, orderId, method, at, lines }: Sale): NewPosting[] {
  return lines.flatMap((line) => {
    const { itemId, quantity } = line;
    const { producer, platform } = sharesOf(method, line);
    const common = { event_id: eventId, order_id: orderId, item_id: itemId, reason: 'sale' as const, quantity, created_at: at };
    const paid = `payment:${method}`;
    return [...move(common, paid, 'producer', producer), ...move(common, paid, 'platform', platform)];
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

export interface ProviderFee {
  eventId: number;
  orderId: number;
  provider: string;
  method: string;
  amount: number;
  at: Date;
}

/** The platform pays the fees of providers. The account names the provider and the method, because the bordero shows fees by method. */
export const feePosting = ({ eventId, orderId, provider, method, amount, at }: ProviderFee): NewPosting => ({
  event_id: eventId,
  order_id: orderId,
  item_id: null,
  reason: 'provider_fee',
  source: 'platform',
  target: `fee:${provider}:${method}`,
  amount,
  quantity: 0,
  created_at: at,
});

export interface DisputedMoney {
  eventId: number;
  orderId: number;
  provider: string;
  method: string;
  /** What the bank has taken since the last posting. Negative if the money came back. */
  withdrawn: number;
  /** What the provider has charged for the dispute since the last posting. Negative if it returned the fee. */
  fee: number;
  at: Date;
}

/**
 * The producer pays for disputes: the whole amount, also the part that the platform got as a fee, and the fee of the dispute. The platform has
 * done its work, and only the producer can show the bank that the buyer got what was paid for.
 */
export function disputePostings({ eventId, orderId, provider, method, withdrawn, fee, at }: DisputedMoney): NewPosting[] {
  const common = { event_id: eventId, order_id: orderId, item_id: null, quantity: 0, created_at: at };
  return [
    ...move({ ...common, reason: 'dispute' }, 'producer', `payment:${method}`, withdrawn),
    ...move({ ...common, reason: 'dispute_fee' }, 'producer', `fee:${provider}:${method}`, fee),
  ];
}

/** Returns the statements that write postings, and add the fees and disputes among them to the sums of the sales report. */
export function writePostings(postings: readonly NewPosting[]): Statement[] {
  if (postings.length === 0) return [];
  const fees = feeTotalsOf(postings);
  return [insertPostings(postings), ...(fees.length > 0 ? [addFees(fees)] : [])];
}

const feeColumns: Partial<Record<NewPosting['reason'], 'fee' | 'dispute_fee' | 'disputed'>> = {
  provider_fee: 'fee',
  dispute_fee: 'dispute_fee',
  dispute: 'disputed',
};

/** Returns one total for each key of `fee_total`. */
function feeTotalsOf(postings: readonly NewPosting[]): FeeTotal[] {
  const totals = new Map<string, FeeTotal>();
  for (const { event_id, reason, source, target, amount } of postings) {
    const column = feeColumns[reason];
    if (!column) continue;
    // The account of the method is the source if the money came back.
    const isCost = source === 'producer' || source === 'platform';
    const method = (isCost ? target : source).split(':').at(-1) ?? '';
    const key = `${event_id} ${method}`;
    const total = totals.get(key) ?? { event_id, method, fee: 0, dispute_fee: 0, disputed: 0 };
    totals.set(key, { ...total, [column]: total[column] + (isCost ? amount : -amount) });
  }
  return [...totals.values()];
}
