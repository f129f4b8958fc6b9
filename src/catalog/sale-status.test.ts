import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { saleStatuses } from '../kernel/sale-statuses.ts';
import { combineStatuses, type Limit, remaining, type Sellable, saleStatus } from './sale-status.ts';

const at = new Date('2026-06-01T12:00:00Z');
const moment = fc.integer({ min: -3, max: 3 }).map((seconds) => new Date(at.getTime() + seconds * 1000));
const period = fc.record({ start: moment, finish: moment, available: fc.integer({ min: 0, max: 2 }) });
const sellable: fc.Arbitrary<Sellable> = fc.record({
  eventOnSale: fc.boolean(),
  archived: fc.boolean(),
  salable: fc.boolean(),
  groupClosed: fc.boolean(),
  hasValues: fc.boolean(),
  over: fc.boolean(),
  period: fc.option(period),
  remaining: fc.option(fc.integer({ min: 0, max: 2 })),
});
const limit: fc.Arbitrary<Limit> = fc.record({
  limit: fc.option(fc.integer({ min: 0, max: 100 })),
  sold: fc.integer({ min: 0, max: 60 }),
  held: fc.integer({ min: 0, max: 60 }),
});
const holds = <T>(property: fc.IRawProperty<T, false>) => fc.assert(property, { numRuns: 5_000 });

describe('saleStatus', () => {
  it('returns available if and only if no condition prevents the sale', () => {
    const property = fc.property(sellable, (item) => {
      const open = item.eventOnSale && !item.archived && item.salable && !item.groupClosed && item.hasValues;
      const inTime = item.period !== null && item.period.available > 0 && item.period.start <= at && at < item.period.finish;
      expect(saleStatus(item, at) === 'available').toBe(open && !item.over && inTime && item.remaining !== 0);
    });
    holds(property);
  });

  it('returns unavailable for a closed item at any time and with any stock', () => {
    const property = fc.property(
      sellable,
      fc.constantFrom('archived', 'salable', 'groupClosed', 'eventOnSale', 'hasValues'),
      (item, flag) => {
        const closed = { ...item, [flag]: flag === 'archived' || flag === 'groupClosed' };
        expect(saleStatus(closed, at)).toBe('unavailable');
        expect(saleStatus({ ...item, period: null }, at)).toBe('unavailable');
      },
    );
    holds(property);
  });

  it('goes from notstarted to finished and never back, for an open item', () => {
    const order = ['notstarted', 'available', 'finished'];
    const property = fc.property(period, fc.integer({ min: -5, max: 5 }), fc.integer({ min: 0, max: 5 }), (span, first, later) => {
      fc.pre(span.available > 0 && span.start < span.finish);
      const item = {
        eventOnSale: true,
        archived: false,
        salable: true,
        groupClosed: false,
        hasValues: true,
        over: false,
        period: span,
        remaining: null,
      };
      const status = (seconds: number) => order.indexOf(saleStatus(item, new Date(at.getTime() + seconds * 1000)));
      expect(status(first)).toBeLessThanOrEqual(status(first + later));
    });
    holds(property);
  });

  it('combineStatuses returns the first status in the order of saleStatuses', () => {
    const property = fc.property(fc.array(fc.constantFrom(...saleStatuses), { minLength: 1 }), (statuses) => {
      const folded = combineStatuses(statuses);
      expect(statuses).toContain(folded);
      for (const status of statuses) expect(saleStatuses.indexOf(folded)).toBeLessThanOrEqual(saleStatuses.indexOf(status));
    });
    holds(property);
    expect(combineStatuses([])).toBe('unavailable');
  });
});

describe('remaining', () => {
  it('is the smallest of all limits, never negative, and null only without limits', () => {
    const property = fc.property(fc.array(limit), fc.array(limit), fc.boolean(), (limits, sessions, every) => {
      const rest = remaining(limits, sessions, every);
      const bounded = limits.filter((one) => one.limit !== null);
      for (const one of bounded) expect(rest).toBeLessThanOrEqual(Math.max(0, (one.limit ?? 0) - one.sold - one.held));
      expect(rest === null || rest >= 0).toBe(true);
      const boundless = bounded.length === 0 && sessions.every((one) => one.limit === null);
      expect(boundless ? rest : null).toBeNull();
    });
    holds(property);
  });

  it('requires capacity in every session for a passport, and in one session for a ticket', () => {
    const full = { limit: 10, sold: 8, held: 2 };
    const free = { limit: 10, sold: 3, held: 0 };
    expect(remaining([], [full, free], true)).toBe(0);
    expect(remaining([], [full, free], false)).toBe(7);
    expect(remaining([{ limit: 5, sold: 0, held: 0 }], [free], false)).toBe(5);
  });
});
