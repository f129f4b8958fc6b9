import type { Insertable, Updateable } from 'kysely';
import type { Tx } from '../postgres/database.ts';
import type { Schema } from '../postgres/schema.ts';

export async function insertAttribute(tx: Tx, attribute: Insertable<Schema['item_attribute']>): Promise<void> {
  await tx.insertInto('item_attribute').values(attribute).execute();
}

export async function updateAttributeRow(
  tx: Tx,
  eventId: number,
  itemId: number,
  key: string,
  changes: Updateable<Schema['item_attribute']>,
): Promise<void> {
  await tx
    .updateTable('item_attribute')
    .set(changes)
    .where('event_id', '=', eventId)
    .where('item_id', '=', itemId)
    .where('key', '=', key)
    .execute();
}

export async function deleteAttributeRow(tx: Tx, eventId: number, itemId: number, key: string): Promise<void> {
  await tx.deleteFrom('item_attribute').where('event_id', '=', eventId).where('item_id', '=', itemId).where('key', '=', key).execute();
}

export async function insertValues(tx: Tx, values: Insertable<Schema['item_values']>): Promise<void> {
  await tx.insertInto('item_values').values(values).execute();
}

export async function updateValuesRow(tx: Tx, eventId: number, itemId: number, changes: Updateable<Schema['item_values']>): Promise<void> {
  await tx.updateTable('item_values').set(changes).where('event_id', '=', eventId).where('item_id', '=', itemId).execute();
}

export async function insertSalesPeriod(tx: Tx, period: Insertable<Schema['sale_period']>): Promise<void> {
  await tx.insertInto('sale_period').values(period).execute();
}

/** Locks the sale period, so that its counters do not change until the transaction ends. */
export async function selectSalesPeriodForUpdate(tx: Tx, eventId: number, itemId: number, appCategoryId: number) {
  return tx
    .selectFrom('sale_period')
    .selectAll()
    .where('event_id', '=', eventId)
    .where('item_id', '=', itemId)
    .where('app_category_id', '=', appCategoryId)
    .forUpdate()
    .executeTakeFirst();
}

export async function updateSalesPeriodRow(
  tx: Tx,
  eventId: number,
  itemId: number,
  appCategoryId: number,
  changes: Updateable<Schema['sale_period']>,
): Promise<void> {
  await tx
    .updateTable('sale_period')
    .set(changes)
    .where('event_id', '=', eventId)
    .where('item_id', '=', itemId)
    .where('app_category_id', '=', appCategoryId)
    .execute();
}

/** Deletes the sale period if no tickets are sold or held through it. Returns whether it was deleted. */
export async function deleteUnusedSalesPeriod(tx: Tx, eventId: number, itemId: number, appCategoryId: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('sale_period')
    .where('event_id', '=', eventId)
    .where('item_id', '=', itemId)
    .where('app_category_id', '=', appCategoryId)
    .where('sold', '=', 0)
    .where('held', '=', 0)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
