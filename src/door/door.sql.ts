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

/** Returns the gates of all entries and of the devices of an event. */
export async function selectGates(tx: Tx, eventId: number): Promise<string[]> {
  const { rows } = await sql<{ gate: string }>`
    select gate from entry_total where event_id = ${eventId} and gate <> ''
    union
    select gate from door_device where event_id = ${eventId} and gate is not null and revoked_at is null order by gate`.execute(tx);
  return rows.map(({ gate }) => gate);
}

export async function selectProducerId(tx: Tx, eventId: number): Promise<number | null> {
  const row = await tx.selectFrom('event').select('producer_id').where('id', '=', eventId).executeTakeFirst();
  return row?.producer_id ?? null;
}
