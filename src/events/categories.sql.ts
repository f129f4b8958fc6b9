import type { Insertable, Selectable, Updateable } from 'kysely';
import type { Tx } from '../postgres/database.ts';
import type { Schema } from '../postgres/schema.ts';

export type CategoryRow = Selectable<Schema['category']>;

export async function insertCategory(tx: Tx, category: Insertable<Schema['category']>): Promise<CategoryRow> {
  return tx.insertInto('category').values(category).returningAll().executeTakeFirstOrThrow();
}

export async function selectCategories(tx: Tx): Promise<CategoryRow[]> {
  return tx.selectFrom('category').selectAll().orderBy('position').orderBy('id').execute();
}

export async function selectCategoryBySlug(tx: Tx, slug: string): Promise<CategoryRow | undefined> {
  return tx.selectFrom('category').selectAll().where('slug', '=', slug).executeTakeFirst();
}

export async function selectCategoryForUpdate(tx: Tx, id: number): Promise<CategoryRow | undefined> {
  return tx.selectFrom('category').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

export async function updateCategoryRow(tx: Tx, id: number, changes: Updateable<Schema['category']>): Promise<CategoryRow> {
  return tx.updateTable('category').set(changes).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

export async function deleteCategoryRow(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('category').where('id', '=', id).execute();
}
