import { sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';
import type { Statement } from '../postgres/together.ts';

/** Both halves of a key are raw, 32 bytes each. */
export interface TicketKeyRow {
  event_id: number;
  kid: number;
  public_key: Buffer;
  private_key: Buffer;
}

/** Of each event the key that signs: its newest. */
export async function selectSigningTicketKeys(tx: Tx, eventIds: readonly number[]): Promise<TicketKeyRow[]> {
  return tx
    .selectFrom('ticket_key')
    .distinctOn('event_id')
    .select(['event_id', 'kid', 'public_key', 'private_key'])
    .where(sql<boolean>`event_id = any(${eventIds})`)
    .orderBy('event_id')
    .orderBy('kid', 'desc')
    .execute();
}

export async function selectPublicTicketKeys(tx: Tx, eventIds: readonly number[]): Promise<Omit<TicketKeyRow, 'private_key'>[]> {
  return tx
    .selectFrom('ticket_key')
    .select(['event_id', 'kid', 'public_key'])
    .where(sql<boolean>`event_id = any(${eventIds})`)
    .orderBy('event_id')
    .orderBy('kid')
    .execute();
}

export const ticketKeysOf = (eventId: number): Statement => sql`
  select event_id, kid, public_key, private_key from ticket_key where event_id = ${eventId} order by kid`;

/** Waits for whoever is making the same key; whether it is ours that stands. */
export async function insertTicketKey(tx: Tx, key: TicketKeyRow, at: Date): Promise<boolean> {
  const inserted = await tx
    .insertInto('ticket_key')
    .values({ ...key, created_at: at })
    .onConflict((conflict) => conflict.columns(['event_id', 'kid']).doNothing())
    .returning('kid')
    .executeTakeFirst();
  return inserted !== undefined;
}
