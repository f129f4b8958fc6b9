import type { Insertable } from 'kysely';
import type { Tx } from '../postgres/database.ts';
import type { Schema } from '../postgres/schema.ts';

export async function insertItem(tx: Tx, item: Insertable<Schema['item']>): Promise<number> {
  const { id } = await tx.insertInto('item').values(item).returning('id').executeTakeFirstOrThrow();
  return id;
}

export async function insertItemSessions(tx: Tx, eventId: number, itemId: number, sessionIds: readonly number[]): Promise<void> {
  const rows = sessionIds.map((sessionId) => ({ event_id: eventId, item_id: itemId, session_id: sessionId }));
  await tx.insertInto('item_session').values(rows).execute();
}

export async function insertItemAttribute(tx: Tx, attribute: Insertable<Schema['item_attribute']>): Promise<void> {
  await tx.insertInto('item_attribute').values(attribute).execute();
}

export async function insertItemValues(tx: Tx, values: Insertable<Schema['item_values']>): Promise<void> {
  await tx.insertInto('item_values').values(values).execute();
}

export async function insertSalesPeriod(tx: Tx, period: Insertable<Schema['sale_period']>): Promise<void> {
  await tx.insertInto('sale_period').values(period).execute();
}
