import { expect, it } from 'vitest';
import { hasOwnFees } from './fees.tsx';

const policy = { ratePercent: 10, minimum: 0, taxDistribution: 100, source: 'default' } as const;

it('fees by the policy follow the price, whoever pays them, and fees that the producer has set do not', () => {
  expect(hasOwnFees({ price: 8_000, feeSale: 800, feeProducer: 0 }, policy)).toBe(false);
  expect(hasOwnFees({ price: 8_000, feeSale: 400, feeProducer: 400 }, policy)).toBe(false);
  expect(hasOwnFees({ price: 8_000, feeSale: 500, feeProducer: 0 }, policy)).toBe(true);
  expect(hasOwnFees({ price: 8_000, feeSale: 0, feeProducer: 0 }, policy)).toBe(true);
  expect(hasOwnFees(null, policy)).toBe(false);
});
