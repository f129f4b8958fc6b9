import { type Insertable, type Selectable, sql } from 'kysely';
import type { Database, Tx } from '../postgres/database.ts';
import type { OldRows } from '../postgres/delete-old-rows.ts';
import type { Schema } from '../postgres/schema.ts';

export type DeviceRow = Omit<Selectable<Schema['door_device']>, 'event_id' | 'token_hash'>;

const columns = ['id', 'name', 'gate', 'created_at', 'expires_at', 'revoked_at', 'last_seen_at'] as const;

export async function insertDevice(tx: Tx, device: Insertable<Schema['door_device']>): Promise<DeviceRow> {
  return tx.insertInto('door_device').values(device).returning(columns).executeTakeFirstOrThrow();
}

export async function selectDevices(tx: Tx, eventId: number, after: number, limit: number): Promise<DeviceRow[]> {
  return tx
    .selectFrom('door_device')
    .select(columns)
    .where('event_id', '=', eventId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

export async function countDevices(tx: Tx, eventId: number): Promise<number> {
  const { n } = await tx
    .selectFrom('door_device')
    .select((e) => e.fn.countAll<number>().as('n'))
    .where('event_id', '=', eventId)
    .executeTakeFirstOrThrow();
  return n;
}

/** Returns undefined if the event has no such device, or if the device is already revoked. */
export async function updateRevoked(tx: Tx, eventId: number, id: number, at: Date): Promise<DeviceRow | undefined> {
  return tx
    .updateTable('door_device')
    .set({ revoked_at: at })
    .where('event_id', '=', eventId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning(columns)
    .executeTakeFirst();
}

/** Never moves the time back, because requests of one device may be handled by several processes. */
export async function updateLastSeen(db: Database, eventId: number, id: number, at: Date): Promise<void> {
  await sql`
    update door_device set last_seen_at = ${at}
     where event_id = ${eventId} and id = ${id} and (last_seen_at is null or last_seen_at < ${at})`.execute(db);
}

export const devicesExpiredBefore = (before: Date): OldRows => ({
  table: 'door_device',
  where: sql`expires_at <= ${before}`,
  age: 'expires_at',
  keyedByEvent: true,
});
