import { type SaleStatus, saleStatuses } from '../kernel/sale-statuses.ts';

/** A limit with its counters; `limit` is null for no limit. */
export interface Limit {
  limit: number | null;
  sold: number;
  held: number;
}

export interface Sellable {
  /** Whether the event is published or private, and its sale is enabled. */
  eventOnSale: boolean;
  archived: boolean;
  salable: boolean;
  /** Whether the group of the item is removed or not salable; false without a group. */
  groupClosed: boolean;
  hasValues: boolean;
  /** Whether all sessions for which the item is valid have finished. */
  over: boolean;
  /** The sale period of the channel; null if the channel does not sell the item. */
  period: { start: Date; finish: Date; available: number } | null;
  /** How many tickets can still be sold within all limits; null for no limit. */
  remaining: number | null;
}

/** Pages show how many tickets are left only up to this number, so that competitors cannot calculate the sales from it. */
export const maxShownRemaining = 20;

/** Listings, orders and reports all use this function, so that they never disagree. */
export function saleStatus(item: Sellable, at: Date): SaleStatus {
  const closed = !item.eventOnSale || item.archived || !item.salable || item.groupClosed || !item.hasValues;
  if (closed || item.period === null || item.period.available === 0) return 'unavailable';
  if (item.over || at >= item.period.finish) return 'finished';
  if (at < item.period.start) return 'notstarted';
  return item.remaining === 0 ? 'soldout' : 'available';
}

/** The status of a group or session: the first status in the order of `saleStatuses` that any of its items has. */
export function combineStatuses(statuses: readonly SaleStatus[]): SaleStatus {
  return saleStatuses.find((status) => statuses.includes(status)) ?? 'unavailable';
}

export const left = ({ limit, sold, held }: Limit): number =>
  limit === null ? Number.POSITIVE_INFINITY : Math.max(0, limit - sold - held);

/**
 * Returns how many tickets can still be sold within all `limits`. A passport needs a place in every session. Any other ticket needs a place
 * in one session that the buyer chooses.
 */
export function remaining(limits: readonly Limit[], sessions: readonly Limit[], needsEverySession: boolean): number | null {
  const ofSessions = sessions.map(left);
  const bySession =
    ofSessions.length === 0 ? Number.POSITIVE_INFINITY : needsEverySession ? Math.min(...ofSessions) : Math.max(...ofSessions);
  const least = Math.min(bySession, ...limits.map(left));
  return least === Number.POSITIVE_INFINITY ? null : least;
}
