import { Problem } from '../kernel/problem.ts';
import type { PercentE4 } from './calculate.ts';

const perPercent = 10_000;

/** Returns null for more than four decimals, because they cannot be stored exactly. */
export function toPercentE4(percent: number): PercentE4 | null {
  const scaled = Math.round(percent * perPercent);
  return scaled / perPercent === percent ? scaled : null;
}

/** Rounds half up to four decimals. The decimal text is scaled, because 1.00005 * 10000 is less than 10000.5 in floating point. */
export function roundToPercentE4(percent: number): PercentE4 {
  const written = String(percent);
  // Only numbers below 0.000001 are written with an exponent.
  return written.includes('e') ? 0 : Math.round(Number(`${written}e4`));
}

export const fromPercentE4 = (percent: PercentE4): number => percent / perPercent;

export function requirePercentE4(place: 'query' | 'body', field: string, percent: number): PercentE4 {
  const scaled = toPercentE4(percent);
  if (scaled !== null) return scaled;
  const message = `${field} must have at most four decimals`;
  throw new Problem('invalid_input', message, { errors: [{ in: place, field, code: 'decimals', message }] });
}
