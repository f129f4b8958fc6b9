import type { Act } from '../kernel/act.ts';
import { Problem, ruleViolation } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { constraintToProblem } from '../postgres/transaction.ts';
import {
  type CategoryRow,
  deleteCategoryRow,
  insertCategory,
  selectCategories,
  selectCategoryBySlug,
  selectCategoryForUpdate,
  updateCategoryRow,
} from './categories.sql.ts';
import type { Category, CategoryChanges, NewCategory } from './category-contract.ts';

/** All categories are returned in one response, so their number is limited. */
const maxCategories = 500;

export async function listCategories(tx: Tx): Promise<Category[]> {
  return selectCategories(tx);
}

/** Returns the id of a category. Throws `problem` if the category does not exist: 404 for a path, 422 for a field of a body. */
export async function requireCategory(tx: Tx, slug: string, problem: () => Problem): Promise<number> {
  const category = await selectCategoryBySlug(tx, slug);
  if (!category) throw problem();
  return category.id;
}

/** `reserved` has the first segments of API paths: a category with such a slug could not be reached at `/{slug}`. */
export async function createCategory(tx: Tx, act: Act, category: NewCategory, reserved: ReadonlySet<string>): Promise<Category> {
  refuseReserved(category.slug, reserved);
  if ((await selectCategories(tx)).length >= maxCategories) {
    throw ruleViolation('slug', 'limit', `There are already ${maxCategories} categories. Delete one first.`);
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
  if (reserved.has(slug)) throw ruleViolation('slug', 'reserved', `/${slug} is a path of the API. Choose another slug.`);
}

async function lockCategory(tx: Tx, id: number): Promise<CategoryRow> {
  const category = await selectCategoryForUpdate(tx, id);
  if (!category) throw new Problem('not_found');
  return category;
}

const refused = constraintToProblem({
  category_slug: () => new Problem('already_exists', 'A category with this slug already exists'),
  event_category: () => new Problem('wrong_state', 'This category still has events. Move them to another category first.'),
});
