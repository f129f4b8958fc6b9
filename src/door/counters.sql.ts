import { type RawBuilder, sql } from 'kysely';
import type { Step } from '../postgres/pipeline.ts';

export interface GuestCounts {
  expected: number;
  admitted: number;
  inside: number;
}

/**
 * Counts guests like the entry report: in one session, or in the whole event, where a guest with tickets for several sessions is one guest.
 * It reads sums and not tickets. Only imported codes of items that are sold elsewhere are counted one by one, because they have no sum.
 */
export const guestCounts = (eventId: number, sessionId: number | null): Step<GuestCounts> => {
  const ofSession = sessionId === null ? sql`true` : sql`session_ids @> array[${sessionId}::bigint]`;
  const admitted =
    sessionId === null
      ? sql`select sum(checked) from guest_total where event_id = ${eventId}`
      : sql`select sum(entries) from entry_total where event_id = ${eventId} and session_id = ${sessionId}`;
  return {
    statements: [
      sql`
        select (coalesce((select sum(tickets - refunded) from sales_total where event_id = ${eventId} and ${ofSession}), 0)
                 + (select count(*) from code_guest where event_id = ${eventId} and ${ofSession}))::bigint as expected,
               coalesce((${admitted}), 0)::bigint as admitted,
               (coalesce((select sum(entries) from entry_total where event_id = ${eventId} and ${inSession(sessionId)}), 0)
                 - coalesce((select sum(away) from away_total where event_id = ${eventId} and ${inSession(sessionId)}), 0))::bigint as inside`,
    ],
    read: ([rows = []]) => rows[0] as GuestCounts,
  };
};

const inSession = (sessionId: number | null): RawBuilder<unknown> => (sessionId === null ? sql`true` : sql`session_id = ${sessionId}`);

export interface GateCount {
  gate: string;
  admitted: number;
}

/** Entries by gate. Entries without a gate are left out. */
export const gateCounts = (eventId: number, sessionId: number | null): Step<GateCount[]> => ({
  statements: [
    sql`
      select gate, sum(entries)::bigint as admitted from entry_total
       where event_id = ${eventId} and ${inSession(sessionId)} and gate <> '' group by gate having sum(entries) > 0 order by gate`,
  ],
  read: ([rows = []]) => rows as GateCount[],
});

export interface MinuteCount {
  minute: Date;
  admitted: number;
}

/** Entries by minute, for minutes with entries. The index on the time of scans limits the rows that are read to this period. */
export const minuteCounts = (eventId: number, sessionId: number | null, from: Date, to: Date): Step<MinuteCount[]> => ({
  statements: [
    sql`
      select date_trunc('minute', at) as minute, count(*) as admitted from checkin
       where event_id = ${eventId} and state = 'inside' and at >= ${from} and at < ${to} and ${inSession(sessionId)} group by 1`,
  ],
  read: ([rows = []]) => rows as MinuteCount[],
});
