import { groupBy } from '../kernel/group-by.ts';
import type { SalesRow } from './bordero.sql.ts';
import type { Figures } from './contract.ts';

export function figuresOf(sales: readonly Sale[]): Figures {
  const sum = (of: (sale: Sale) => number): number => sales.reduce((total, sale) => total + of(sale), 0);
  const net = sum(({ producer }) => producer);
  const feeSale = sum((sale) => sale.feeSale);
  const feeProducer = sum(({ platform }) => platform) - feeSale;
  return {
    sold: sum((sale) => (sale.courtesy ? 0 : notRefunded(sale))),
    courtesy: sum((sale) => (sale.courtesy ? notRefunded(sale) : 0)),
    refunded: sum(({ refunded }) => refunded),
    gross: net + feeProducer,
    feeSale,
    feeProducer,
    net,
    paid: net + feeProducer + feeSale,
  };
}

export interface Sale extends SalesRow {
  courtesy: boolean;
}

const notRefunded = ({ tickets, refunded }: SalesRow): number => tickets - refunded;

/** Returns the percentage, rounded to two decimals. Returns 0 if `whole` is 0. */
export const percentOf = (part: number, whole: number): number => (whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 100);

/** Returns the groups sorted by key. */
export function sortedGroups<T, K extends number | string>(values: readonly T[], keyOf: (value: T) => K): [K, T[]][] {
  return [...groupBy(values, keyOf)].toSorted(([a], [b]) => (a < b ? -1 : 1));
}
