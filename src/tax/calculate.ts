/** A percentage as an integer, in ten-thousandths of a percent: 10 % is 100 000. Integers avoid floating-point rounding. */
export type PercentE4 = number;

const hundredPercent = 1_000_000n;

export interface TaxPolicy {
  rate: PercentE4;
  /** The minimum tax of a ticket that is not free, in cents. */
  minimum: number;
  /** The share of the tax that the buyer pays, unless the request has its own `taxDistribution`. */
  distribution: PercentE4;
}

/** The policy if neither the event nor the producer has a policy. */
export const defaultPolicy: TaxPolicy = { rate: 100_000, minimum: 0, distribution: 1_000_000 };

export interface TaxInput {
  price: number;
  /** Replaces the tax of the policy. It is ignored if the price is 0. */
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

/** Splits the tax between buyer and producer. Only the buyer's part is rounded, so the two parts always add up to the tax. */
export function calculateTax({ price, tax: customTax, distribution: customDistribution }: TaxInput, policy: TaxPolicy): Tax {
  const tax = price === 0 ? 0 : (customTax ?? taxByPolicy(price, policy));
  const distribution = customDistribution ?? policy.distribution;
  const feeSale = share(tax, distribution);
  const feeProducer = tax - feeSale;
  return { price, tax, distribution, feeSale, feeProducer, finalPrice: price + feeSale, producerReceives: price - feeProducer };
}

function taxByPolicy(price: number, { rate, minimum }: TaxPolicy): number {
  return Math.max(share(price, rate), minimum);
}

/** Rounds half up. Uses bigint, because price times rate can exceed 2^53. */
function share(cents: number, percent: PercentE4): number {
  return Number((2n * BigInt(cents) * BigInt(percent) + hundredPercent) / (2n * hundredPercent));
}
