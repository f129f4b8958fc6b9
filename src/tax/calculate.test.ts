import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calculateTax, defaultPolicy, type TaxPolicy } from './calculate.ts';
import { fromPercentE4, roundToPercentE4, toPercentE4 } from './percent.ts';

const price = fc.integer({ min: 0, max: 1_000_000_000_000 });
const percent = fc.integer({ min: 0, max: 1_000_000 });
const policy: fc.Arbitrary<TaxPolicy> = fc.record({ rate: percent, minimum: fc.integer({ min: 0, max: 10_000 }), distribution: percent });
const holds = <T>(property: fc.IRawProperty<T, false>) => fc.assert(property, { numRuns: 2_000 });

describe('calculateTax', () => {
  it('splits the tax into cents that add up', () => {
    const property = fc.property(price, policy, fc.option(percent, { nil: undefined }), (p, rule, distribution) => {
      const tax = calculateTax({ price: p, ...(distribution !== undefined && { distribution }) }, rule);
      expect(tax.feeSale + tax.feeProducer).toBe(tax.tax);
      expect(tax.finalPrice - tax.feeSale).toBe(p);
      expect(tax.producerReceives + tax.feeProducer).toBe(p);
      expect(Math.min(tax.feeSale, tax.feeProducer, tax.tax)).toBeGreaterThanOrEqual(0);
      for (const part of Object.values(tax)) expect(Number.isSafeInteger(part)).toBe(true);
    });
    holds(property);
  });

  it('never returns less tax for a higher price', () => {
    const property = fc.property(price, price, policy, (a, b, rule) => {
      const [low, high] = a < b ? [a, b] : [b, a];
      expect(calculateTax({ price: low }, rule).tax).toBeLessThanOrEqual(calculateTax({ price: high }, rule).tax);
    });
    holds(property);
  });

  it('returns no tax for a free ticket, and at least the minimum for any other', () => {
    const property = fc.property(price, policy, (p, rule) => {
      expect(calculateTax({ price: 0 }, rule).tax).toBe(0);
      expect(calculateTax({ price: 0, tax: p }, rule)).toMatchObject({ tax: 0, feeSale: 0, feeProducer: 0, finalPrice: 0 });
      expect(calculateTax({ price: p + 1 }, rule).tax).toBeGreaterThanOrEqual(rule.minimum);
    });
    holds(property);
  });

  it('rounds half up where floating point would be wrong', () => {
    const share = (p: number, distribution: number, tax: number) => calculateTax({ price: p, tax, distribution }, defaultPolicy).feeSale;
    expect(share(1, 500_000, 1)).toBe(1);
    expect(share(1, 499_999, 1)).toBe(0);
    expect(share(1, 10_500, 100)).toBe(1);
    // 1.005 % of 100 000 is exactly 1005, but 1.005 * 100 000 / 100 is 1004.9999… in floating point.
    expect(share(1, 10_050, 100_000)).toBe(1005);
    expect(calculateTax({ price: 999_999_999_995 }, defaultPolicy).tax).toBe(100_000_000_000);
    expect(calculateTax({ price: 999_999_999_994 }, defaultPolicy).tax).toBe(99_999_999_999);
  });

  it('accepts percentages with up to four decimals', () => {
    const property = fc.property(percent, (scaled) => {
      expect(toPercentE4(fromPercentE4(scaled))).toBe(scaled);
    });
    holds(property);
    expect([33.3333, 0.0001, 100].map(toPercentE4)).toEqual([333_333, 1, 1_000_000]);
    expect([33.33333, 0.00001].map(toPercentE4)).toEqual([null, null]);
  });

  it('rounds percentages half up to four decimals', () => {
    expect([33.33333, 33.33335, 1.00005, 1.00004999, 0.00005, 0.00004999, 1e-7, 99.99999].map(roundToPercentE4)).toEqual([
      333_333, 333_334, 10_001, 10_000, 1, 0, 0, 1_000_000,
    ]);
    const property = fc.property(percent, (scaled) => {
      expect(roundToPercentE4(fromPercentE4(scaled))).toBe(scaled);
    });
    holds(property);
  });
});
