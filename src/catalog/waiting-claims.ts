import type { Database } from '../postgres/database.ts';
import type { ItemRow } from './items.sql.ts';
import type { Limit } from './sale-status.ts';
import { selectEventsWithClaims } from './waiting-claims.sql.ts';

/**
 * Free tickets of an item that people on the waiting list can get. Other buyers cannot order them. Tickets become free by refunds, expired
 * holds and raised limits. They are offered within a second, so there are almost never claims, unless a party waits for more tickets.
 */
export interface Claim {
  /** The line of people who wait. */
  lineId: number;
  itemId: number;
  groupId: number | null;
  /** The sessions in which a ticket takes a place. */
  sessionIds: readonly number[];
  /** RFC 3339, because the query returns claims as JSON. The claim counts only while the item is on sale. */
  start: string;
  finish: string;
  tickets: number;
}

type Take = <L extends Limit>(limit: L) => L;

interface ClaimedTickets {
  ofItem: Take;
  ofGroup: Take;
  ofSession: <S extends Limit & { id: number }>(session: S) => S;
}

const takeNothing: Take = (limit) => limit;
const nothing: ClaimedTickets = { ofItem: takeNothing, ofGroup: takeNothing, ofSession: takeNothing };

/** Returns functions that count the claimed tickets as held in the limits of an item, its group and its sessions. */
export function claimedTickets(row: Pick<ItemRow, 'id' | 'parent_id' | 'claims'>, at: Date): ClaimedTickets {
  if (row.claims.length === 0) return nothing;
  const current = row.claims.filter(({ start, finish }) => new Date(start) <= at && at < new Date(finish));
  const claimed = (uses: (claim: Claim) => boolean): Take => {
    const tickets = sumOfLines(current.filter(uses));
    return (limit) => ({ ...limit, held: limit.held + tickets });
  };
  return {
    ofItem: claimed(({ itemId }) => itemId === row.id),
    ofGroup: claimed(({ groupId }) => groupId !== null && groupId === row.parent_id),
    ofSession: (session) => claimed(({ sessionIds }) => sessionIds.includes(session.id))(session),
  };
}

/** People in a line for a group can get any of its items. So a line claims the largest of its claims, not their sum. */
function sumOfLines(claims: readonly Claim[]): number {
  const byLine = new Map<number, number>();
  for (const { lineId, tickets } of claims) byLine.set(lineId, Math.max(tickets, byLine.get(lineId) ?? 0));
  return [...byLine.values()].reduce((sum, tickets) => sum + tickets, 0);
}

/** Returns the events in which tickets are free that people wait for. Null searches all events. */
export const findEventsWithClaims = (db: Database, at: Date, eventIds: readonly number[] | null): Promise<number[]> =>
  selectEventsWithClaims(db, at, eventIds);
