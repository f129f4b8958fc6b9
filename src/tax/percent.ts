import { Problem } from '../kernel/problem.ts';
import type { PercentE4 } from './calculate.ts';

const perPercent = 10_000;

/** Null for more than four decimals: what cannot be kept exactly is refused. */
export function toPercentE4(percent: number): PercentE4 | null {
  const scaled = Math.round(percent * perPercent);
  return scaled / perPercent === percent ? scaled : null;
}

export const fromPercentE4 = (percent: PercentE4): number => percent / perPercent;

export function requirePercentE4(place: 'query' | 'body', field: string, percent: number): PercentE4 {
  const scaled = toPercentE4(percent);
  if (scaled !== null) return scaled;
  const message = `${field} takes at most four decimals`;
  throw new Problem('invalid_input', message, { errors: [{ in: place, field, code: 'decimals', message }] });
}
