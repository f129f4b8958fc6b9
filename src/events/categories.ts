import type { Act } from '../kernel/act.ts';
import { Problem, ruleViolation } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { inSavepoint, violates } from '../postgres/transaction.ts';
import {
  type CategoryRow,
  deleteCategoryRow,
  insertCategory,
  selectCategories,
  selectCategoryBySlug,
  selectCategoryForUpdate,
  updateCategoryRow,
} from './categories.sql.ts';
import type { Category, CategoryChanges, NewCategory } from './contract.ts';

/** All of them come in one answer. */
const mostCategories = 500;

export async function listCategories(tx: Tx): Promise<Category[]> {
  return selectCategories(tx);
}

export async function findCategory(tx: Tx, slug: string): Promise<Category | undefined> {
  return selectCategoryBySlug(tx, slug);
}

/** `reserved`: what stands first in the address of some operation, and would hide the category that is named like it. */
export async function createCategory(tx: Tx, act: Act, category: NewCategory, reserved: ReadonlySet<string>): Promise<Category> {
  refuseReserved(category.slug, reserved);
  if ((await selectCategories(tx)).length >= mostCategories) {
    throw ruleViolation('slug', 'limit', `There can be at most ${mostCategories} categories`);
  }
  const created = await orTaken(tx, () => insertCategory(tx, { position: 0, ...category }));
  await record(tx, act, { subject: 'category', id: created.id, after: created });
  return created;
}

export async function updateCategory(
  tx: Tx,
  act: Act,
  id: number,
  changes: CategoryChanges,
  reserved: ReadonlySet<string>,
): Promise<Category> {
  const before = await lockCategory(tx, id);
  if (changes.slug !== undefined) refuseReserved(changes.slug, reserved);
  const after = await orTaken(tx, () => updateCategoryRow(tx, id, changes));
  await record(tx, act, { subject: 'category', id, before, after });
  return after;
}

export async function deleteCategory(tx: Tx, act: Act, id: number): Promise<void> {
  const before = await lockCategory(tx, id);
  try {
    await inSavepoint(tx, () => deleteCategoryRow(tx, id));
  } catch (error) {
    if (violates(error, 'event_category_id_fkey')) throw new Problem('wrong_state', 'Events are in this category: give them another first');
    throw error;
  }
  await record(tx, act, { subject: 'category', id, before });
}

function refuseReserved(slug: string, reserved: ReadonlySet<string>): void {
  if (reserved.has(slug)) throw ruleViolation('slug', 'reserved', `/${slug} is the address of something else: choose another slug`);
}

async function lockCategory(tx: Tx, id: number): Promise<CategoryRow> {
  const category = await selectCategoryForUpdate(tx, id);
  if (!category) throw new Problem('not_found');
  return category;
}

async function orTaken<T>(tx: Tx, write: () => Promise<T>): Promise<T> {
  try {
    return await inSavepoint(tx, write);
  } catch (error) {
    if (violates(error, 'category_slug_key')) throw new Problem('already_exists', 'There is a category with this slug');
    throw error;
  }
}
