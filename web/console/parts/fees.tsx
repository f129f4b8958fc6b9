import type { AnswerOf } from '../../../client/src/index.ts';
import { calculateTax, type Tax } from '../../../src/tax/calculate.ts';
import { fill } from '../../messages/fill.ts';
import { money } from '../../ui/format.ts';
import { useConsole } from '../app/console.ts';

export type TaxPolicy = AnswerOf<'getEventTaxPolicy'>;

const toE4 = (percent: number): number => Math.round(percent * 10_000);

/**
 * The fees of a price, as `GET /tax` calculates them. It is the function of the server, so the fees can be shown with every letter that is typed.
 * `buyerShare` is the percentage of the fee that the buyer pays.
 */
export function feesOf(price: number, { ratePercent, minimum, taxDistribution }: TaxPolicy, buyerShare = taxDistribution): Tax {
  const policy = { rate: toE4(ratePercent), minimum, distribution: toE4(taxDistribution) };
  return calculateTax({ price, distribution: toE4(buyerShare) }, policy);
}

/** The share of the fee that buyers of this item pay now. Items without a fee have the share of the policy. */
export function buyerShareOf(values: { feeSale: number; feeProducer: number } | null, policy: TaxPolicy): number {
  const fee = values ? values.feeSale + values.feeProducer : 0;
  return values && fee > 0 ? Math.round((values.feeSale / fee) * 10_000) / 100 : policy.taxDistribution;
}

/** Whether the producer has set the fees. Such fees stay when the price changes. Fees by the policy follow the price. */
export function hasOwnFees(values: { price: number; feeSale: number; feeProducer: number } | null, policy: TaxPolicy): boolean {
  if (!values) return false;
  const byPolicy = feesOf(values.price, policy, buyerShareOf(values, policy));
  return byPolicy.feeSale !== values.feeSale || byPolicy.feeProducer !== values.feeProducer;
}

interface FeeLineProps {
  fees: Pick<Tax, 'finalPrice' | 'feeSale' | 'producerReceives'>;
  currency: string;
  /** A text with `{final}`, `{fee}` and `{received}`. */
  text: string;
}

/** What the buyer pays and what the producer receives, in one sentence. */
export function FeeLine({ fees, currency, text }: FeeLineProps) {
  const { locale } = useConsole();
  const amount = (cents: number) => money(cents, currency, locale);
  return <>{fill(text, { final: amount(fees.finalPrice), fee: amount(fees.feeSale), received: amount(fees.producerReceives) })}</>;
}
