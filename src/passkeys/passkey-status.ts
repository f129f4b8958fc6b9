import type { passkeyStatuses } from './contract.ts';

/** Lists and exports use this SQL to filter by status. */
export { passkeyStatusSql } from './passkey-status.sql.ts';

export type PasskeyStatus = (typeof passkeyStatuses)[number];

export interface Terms {
  start: Date | null;
  /** The last second in which the passkey is valid. */
  finish: Date | null;
  limit: number | null;
  used: number;
  held: number;
}

/** Returns the status of a passkey at this time, for lists and for orders. */
export function passkeyStatus({ start, finish, limit, used, held }: Terms, at: Date): PasskeyStatus {
  if (finish && at.getTime() >= finish.getTime() + 1000) return 'finished';
  if (limit !== null && used + held >= limit) return 'exhausted';
  return start && at < start ? 'scheduled' : 'active';
}
