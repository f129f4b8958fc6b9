import { sql } from 'kysely';
import type { AgeRating } from '../kernel/age-ratings.ts';
import type { Tx } from '../postgres/database.ts';

export interface DoorEventRow {
  producer_id: number;
  title: string;
  timezone: string;
  reentry: 'none' | 'once' | 'unlimited';
  age_rating: AgeRating | null;
  doors_open: number | null;
}

export async function selectDoorEvent(tx: Tx, eventId: number): Promise<DoorEventRow | undefined> {
  return tx
    .selectFrom('event')
    .select(['producer_id', 'title', 'timezone', 'reentry', 'age_rating', 'doors_open'])
    .where('id', '=', eventId)
    .executeTakeFirst();
}

/** Returns the gates of the devices of an event. */
export async function selectGates(tx: Tx, eventId: number): Promise<string[]> {
  const { rows } = await sql<{ gate: string }>`
    select distinct gate from door_device where event_id = ${eventId} and gate is not null and revoked_at is null order by gate`.execute(
    tx,
  );
  return rows.map(({ gate }) => gate);
}
