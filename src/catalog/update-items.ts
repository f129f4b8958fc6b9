import { lockEvent } from '../events/lock-event.ts';
import type { Act } from '../kernel/act.ts';
import { Problem, ruleViolation } from '../kernel/problem.ts';
import type { Tx } from '../postgres/database.ts';
import type { ItemEdit } from './contract.ts';
import { describeItems, periodOf, webShop } from './item.ts';
import type { Item } from './item-schemas.ts';
import { createValues, updateValues } from './item-values.ts';
import { type ItemRow, lockItemRows, selectLiveItems } from './items.sql.ts';
import { createSalesPeriod, updateSalesPeriod } from './sales-periods.ts';
import { updateItem } from './update-item.ts';

/** Changes several items of an event, all or none. The fields of a problem name the item by its place in the list, for example `items[2].price`. */
export async function updateItems(tx: Tx, act: Act, eventId: number, edits: readonly ItemEdit[]): Promise<Item[]> {
  const ids = edits.map(({ id }) => id);
  if (new Set(ids).size < ids.length) throw ruleViolation('items', 'repeated', 'List each item once.');
  await lockEvent(tx, eventId);
  await lockItemRows(tx, eventId, ids);
  const rows = await readItems(tx, eventId, ids);
  requireCurrent(edits, rows);
  for (const [index, edit] of edits.entries()) {
    await changeItem(tx, act, rows[index] as ItemRow, edit).catch((error: unknown) => {
      throw error instanceof Problem ? atPlace(error, index) : error;
    });
  }
  return describeItems(tx, await readItems(tx, eventId, ids), { at: act.at, channel: webShop });
}

/** Returns the items in the order of the ids. */
async function readItems(tx: Tx, eventId: number, ids: readonly number[]): Promise<ItemRow[]> {
  const known = new Map((await selectLiveItems(tx, [eventId])).map((row) => [row.id, row]));
  const unknown = ids.filter((id) => !known.has(id));
  if (unknown.length > 0) {
    const message = `These items are removed or do not belong to this event: ${unknown.slice(0, 20).join(', ')}`;
    throw ruleViolation('items', 'unknown', message, { itemIds: unknown });
  }
  return ids.map((id) => known.get(id) as ItemRow);
}

/** Sales do not change `updatedAt`, so prices can be edited while tickets are sold. */
function requireCurrent(edits: readonly ItemEdit[], rows: readonly ItemRow[]): void {
  const isStale = ({ updatedAt }: ItemEdit, row: ItemRow | undefined) =>
    updatedAt !== undefined && new Date(updatedAt).getTime() !== row?.updated_at.getTime();
  const itemIds = edits.filter((edit, index) => isStale(edit, rows[index])).map(({ id }) => id);
  if (itemIds.length === 0) return;
  const message = `These items have changed since you read them. Read them again: ${itemIds.slice(0, 20).join(', ')}`;
  throw new Problem('stale_version', message, { extra: { itemIds } });
}

async function changeItem(tx: Tx, act: Act, row: ItemRow, { id, quantity, values, salesPeriod }: ItemEdit): Promise<void> {
  if (quantity !== undefined) await updateItem(tx, act, id, { quantity });
  if (values) {
    if (row.values) await updateValues(tx, act, id, values);
    else await createValues(tx, act, id, { price: 0, feeSale: 0, feeProducer: 0, ...values });
  }
  if (!salesPeriod) return;
  const { appCategoryId, start, finish, available } = salesPeriod;
  if (periodOf(row, appCategoryId)) {
    await updateSalesPeriod(tx, act, id, salesPeriod);
  } else if (start !== undefined && finish !== undefined && available !== undefined) {
    await createSalesPeriod(tx, act, id, { appCategoryId, start, finish, available });
  } else {
    const message = `The item has no sale period for appCategoryId ${appCategoryId}. Send start, finish and available to create it.`;
    throw ruleViolation('appCategoryId', 'incomplete', message);
  }
}

function atPlace({ code, message, details }: Problem, index: number): Problem {
  const errors = details.errors?.map((error) => ({ ...error, field: `items[${index}].${error.field}` }));
  return new Problem(code, message, { ...details, ...(errors && { errors }) });
}
