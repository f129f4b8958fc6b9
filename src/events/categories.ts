import type { Act } from '../kernel/act.ts';
import { Problem, ruleViolation } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { refusedAs } from '../postgres/transaction.ts';
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
  const created = await insertCategory(tx, { position: 0, ...category }).catch(refused);
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
  const after = await updateCategoryRow(tx, id, changes).catch(refused);
  await record(tx, act, { subject: 'category', id, before, after });
  return after;
}

export async function deleteCategory(tx: Tx, act: Act, id: number): Promise<void> {
  const before = await lockCategory(tx, id);
  await deleteCategoryRow(tx, id).catch(refused);
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

const refused = refusedAs({
  category_slug_key: () => new Problem('already_exists', 'There is a category with this slug'),
  event_category_id_fkey: () => new Problem('wrong_state', 'Events are in this category: give them another first'),
});
