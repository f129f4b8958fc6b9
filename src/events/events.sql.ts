import type { Insertable } from 'kysely';
import type { Tx } from '../postgres/database.ts';
import type { Schema } from '../postgres/schema.ts';

export async function insertCategory(tx: Tx, category: Insertable<Schema['category']>): Promise<number> {
  const { id } = await tx.insertInto('category').values(category).returning('id').executeTakeFirstOrThrow();
  return id;
}

export async function insertEvent(tx: Tx, event: Insertable<Schema['event']>): Promise<number> {
  const { id } = await tx.insertInto('event').values(event).returning('id').executeTakeFirstOrThrow();
  return id;
}

export async function insertSession(tx: Tx, session: Insertable<Schema['event_session']>): Promise<number> {
  const { id } = await tx.insertInto('event_session').values(session).returning('id').executeTakeFirstOrThrow();
  return id;
}

export async function upsertEventAttribute(tx: Tx, eventId: number, key: string, value: unknown): Promise<void> {
  const text = JSON.stringify(value);
  await tx
    .insertInto('event_attribute')
    .values({ event_id: eventId, key, value: text })
    .onConflict((conflict) => conflict.columns(['event_id', 'key']).doUpdateSet({ value: text }))
    .execute();
}

export async function eventExists(tx: Tx, id: number): Promise<boolean> {
  return (await tx.selectFrom('event').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
}

export async function selectEventForUpdate(tx: Tx, id: number) {
  return tx.selectFrom('event').select(['id', 'timezone', 'currency']).where('id', '=', id).forNoKeyUpdate().executeTakeFirst();
}

export async function selectSessionIds(tx: Tx, eventId: number): Promise<number[]> {
  const sessions = await tx.selectFrom('event_session').select('id').where('event_id', '=', eventId).execute();
  return sessions.map(({ id }) => id);
}
