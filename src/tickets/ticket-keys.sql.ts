import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';

/** `public_key` has 32 raw bytes. `sealed_key` is the encrypted private key, which has 32 bytes too before encryption. */
export interface TicketKeyRow {
  event_id: number;
  kid: number;
  public_key: Buffer;
  sealed_key: Buffer;
}

/** Returns the newest key of each event. Only the newest key signs tickets. */
export async function selectSigningTicketKeys(tx: Tx, eventIds: readonly number[]): Promise<TicketKeyRow[]> {
  return tx
    .selectFrom('ticket_key')
    .distinctOn('event_id')
    .select(['event_id', 'kid', 'public_key', 'sealed_key'])
    .where(sql<boolean>`event_id = any(${eventIds})`)
    .orderBy('event_id')
    .orderBy('kid', 'desc')
    .execute();
}

export type PublicKeyRow = Omit<TicketKeyRow, 'sealed_key'>;

export const publicTicketKeys = (eventIds: readonly number[]): RawBuilder<PublicKeyRow> => sql<PublicKeyRow>`
  select event_id, kid, public_key from ticket_key where event_id = any(${eventIds}::bigint[]) order by event_id, kid`;

/**
 * Inserts a key, unless the event already has a key with this number. Waits for concurrent inserts. Returns whether the key was inserted.
 */
export async function insertTicketKey(tx: Tx, key: TicketKeyRow, at: Date): Promise<boolean> {
  const inserted = await tx
    .insertInto('ticket_key')
    .values({ ...key, created_at: at })
    .onConflict((conflict) => conflict.columns(['event_id', 'kid']).doNothing())
    .returning('kid')
    .executeTakeFirst();
  return inserted !== undefined;
}

export type SealedTicketKeyRow = Omit<TicketKeyRow, 'public_key'>;

/** Returns a page of the keys of all events. */
export async function selectSealedTicketKeys(
  tx: Tx,
  [eventId, kid]: readonly [number, number],
  limit: number,
): Promise<SealedTicketKeyRow[]> {
  const { rows } = await sql<SealedTicketKeyRow>`
    /* all events */ select event_id, kid, sealed_key from ticket_key
     where (event_id, kid) > (${eventId}, ${kid}) order by event_id, kid limit ${limit}`.execute(tx);
  return rows;
}

export async function updateSealedTicketKeys(tx: Tx, keys: readonly { event_id: number; kid: number; sealed: string }[]): Promise<void> {
  await sql`
    update ticket_key k set sealed_key = decode(s.sealed, 'hex')
      from json_to_recordset(${JSON.stringify(keys)}) as s (event_id bigint, kid smallint, sealed text)
     where k.event_id = s.event_id and k.kid = s.kid`.execute(tx);
}

/** Returns the number of the newest key of each event. */
export async function selectNewestTicketKeys(tx: Tx): Promise<{ event_id: number; kid: number }[]> {
  const { rows } = await sql<{ event_id: number; kid: number }>`
    /* all events */ select event_id, max(kid) as kid from ticket_key group by event_id order by event_id`.execute(tx);
  return rows;
}

export async function deleteTicketKeys(tx: Tx, eventId: number): Promise<void> {
  await sql`delete from ticket_key where event_id = ${eventId}`.execute(tx);
}
