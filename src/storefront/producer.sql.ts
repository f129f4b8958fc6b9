import { sql } from 'kysely';
import type { ProfileRow } from '../accounts/producers.ts';
import type { Tx } from '../postgres/database.ts';
import { storedPicture } from '../postgres/stored-picture.ts';

/** Returns the producer if one of its events is or was public. The existence of other producers is not public. */
export async function selectPublicProducer(tx: Tx, id: number) {
  const { rows } = await sql<ProfileRow>`
    select id, name, description, links, logo, ${storedPicture('p.picture_id')} as picture
      from producer p
     where id = ${id} and exists (select 1 from event where producer_id = p.id and status <> 'draft')`.execute(tx);
  return rows[0];
}

const upcoming = (producerId: number, at: Date) => sql`producer_id = ${producerId} and status = 'published' and finishes_at > ${at}`;

/** Returns the published events that have not finished, sorted by date. */
export async function selectProducerEvents(
  tx: Tx,
  producerId: number,
  at: Date,
  after: readonly [startsAtMs: number, id: number] | null,
  limit: number,
): Promise<{ id: number; starts_at: Date }[]> {
  const start = after ? sql`(starts_at, id) > (${new Date(after[0])}::timestamptz, ${after[1]}::bigint)` : sql`true`;
  const { rows } = await sql<{ id: number; starts_at: Date }>`
    select id, starts_at from event where ${upcoming(producerId, at)} and ${start} order by starts_at, id limit ${limit}`.execute(tx);
  return rows;
}

export async function countProducerEvents(tx: Tx, producerId: number, at: Date): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from event where ${upcoming(producerId, at)}`.execute(tx);
  return rows[0]?.n ?? 0;
}
