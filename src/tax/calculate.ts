/** Rates and shares in ten-thousandths of a percent: 10 % is 100 000. Whole numbers, so that nothing is ever rounded twice. */
export type PercentE4 = number;

const hundredPercent = 1_000_000n;

export interface TaxPolicy {
  rate: PercentE4;
  /** The least that is taken of a ticket that is not free, in cents. */
  minimum: number;
  /** The buyer's share, unless the question says otherwise. */
  distribution: PercentE4;
}

/** What holds where neither event nor producer has a policy. */
export const defaultPolicy: TaxPolicy = { rate: 100_000, minimum: 0, distribution: 1_000_000 };

export interface TaxQuestion {
  price: number;
  /** Replaces the tax of the policy. A free ticket has no tax, whatever this says. */
  tax?: number;
  distribution?: PercentE4;
}

export interface Tax {
  price: number;
  tax: number;
  distribution: PercentE4;
  feeSale: number;
  feeProducer: number;
  finalPrice: number;
  producerReceives: number;
}

/** Splits the tax between buyer and producer, to the cent. The parts always add up: only the buyer's is rounded. */
export function calculateTax({ price, tax: custom, distribution: asked }: TaxQuestion, policy: TaxPolicy): Tax {
  const tax = price === 0 ? 0 : (custom ?? taxByPolicy(price, policy));
  const distribution = asked ?? policy.distribution;
  const feeSale = share(tax, distribution);
  const feeProducer = tax - feeSale;
  return { price, tax, distribution, feeSale, feeProducer, finalPrice: price + feeSale, producerReceives: price - feeProducer };
}

function taxByPolicy(price: number, { rate, minimum }: TaxPolicy): number {
  return Math.max(share(price, rate), minimum);
}

/** Rounded half up. Price times rate passes 2^53 long before either is unreasonable, hence bigint. */
function share(cents: number, percent: PercentE4): number {
  return Number((2n * BigInt(cents) * BigInt(percent) + hundredPercent) / (2n * hundredPercent));
}
