import type { passkeyStatuses } from './contract.ts';

export type PasskeyStatus = (typeof passkeyStatuses)[number];

export interface Terms {
  start: Date | null;
  /** The last second in which it works. */
  finish: Date | null;
  limit: number | null;
  used: number;
  held: number;
}

/** Decides for listings and at the till alike: exactly one status for every combination. */
export function passkeyStatus({ start, finish, limit, used, held }: Terms, at: Date): PasskeyStatus {
  if (finish && at.getTime() >= finish.getTime() + 1000) return 'finished';
  if (limit !== null && used + held >= limit) return 'exhausted';
  return start && at < start ? 'scheduled' : 'active';
}
