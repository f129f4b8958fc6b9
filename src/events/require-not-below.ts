import { ruleViolation } from '../kernel/problem.ts';

/** A limit may be lowered to what is gone of it already, and no further. */
export function requireNotBelow(field: string, limit: number | null, { sold, held }: { sold: number; held: number }): void {
  if (limit === null || limit >= sold + held) return;
  const message = `${field} cannot be ${limit}: ${sold} are sold and ${held} held`;
  throw ruleViolation(field, 'below_sold', message, { sold, held, least: sold + held });
}
