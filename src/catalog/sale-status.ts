import { type SaleStatus, saleStatuses } from '../kernel/sale-statuses.ts';

/** A limit and how much of it is gone; null for no limit. */
export interface Limit {
  limit: number | null;
  sold: number;
  held: number;
}

export interface Sellable {
  /** Of the event: it is published or private, and its sale is on. */
  eventOnSale: boolean;
  archived: boolean;
  salable: boolean;
  /** Of the group it stands in, if it does. */
  groupClosed: boolean;
  hasValues: boolean;
  /** Every session it is good for has finished: nobody could go there any more. */
  over: boolean;
  /** The sale period of the channel asked for; null when that channel does not sell it. */
  period: { start: Date; finish: Date; available: number } | null;
  /** How many can still be sold under all limits together; null for no limit. */
  remaining: number | null;
}

/** Decides for listings, checkout and reports alike: exactly one status for every combination. */
export function saleStatus(item: Sellable, at: Date): SaleStatus {
  const closed = !item.eventOnSale || item.archived || !item.salable || item.groupClosed || !item.hasValues;
  if (closed || item.period === null || item.period.available === 0) return 'unavailable';
  if (item.over || at >= item.period.finish) return 'finished';
  if (at < item.period.start) return 'notstarted';
  return item.remaining === 0 ? 'soldout' : 'available';
}

/** Of a group or session: the first that any of its items has. Without items there is nothing to sell. */
export function foldStatus(statuses: readonly SaleStatus[]): SaleStatus {
  return saleStatuses.find((status) => statuses.includes(status)) ?? 'unavailable';
}

const left = ({ limit, sold, held }: Limit): number => (limit === null ? Number.POSITIVE_INFINITY : Math.max(0, limit - sold - held));

/**
 * How many can still be sold when all of `limits` hold at once. Of the sessions a passport needs every one, any other item one
 * of the buyer's choice.
 */
export function remaining(limits: readonly Limit[], sessions: readonly Limit[], needsEverySession: boolean): number | null {
  const ofSessions = sessions.map(left);
  const bySession =
    ofSessions.length === 0 ? Number.POSITIVE_INFINITY : needsEverySession ? Math.min(...ofSessions) : Math.max(...ofSessions);
  const least = Math.min(bySession, ...limits.map(left));
  return least === Number.POSITIVE_INFINITY ? null : least;
}
