import { sql } from 'kysely';
import type { OldRows } from '../postgres/delete-old-rows.ts';

export const unconfirmedBefore = (before: Date): OldRows => ({
  table: 'waiting_entry',
  where: sql`status = 'unconfirmed' and created_at <= ${before}`,
  age: 'created_at',
  keyedByEvent: true,
});

/** Entries with an address that ended before this time. A wait without an offer ends with the event. */
export const endedBefore = (before: Date): OldRows => ({
  table: 'waiting_entry',
  where: sql`email is not null and (closed_at < ${before} or (status in ('waiting', 'offered') and exists (
    select 1 from event e where e.id = waiting_entry.event_id and e.finishes_at < ${before})))`,
  age: null,
  keyedByEvent: true,
});
