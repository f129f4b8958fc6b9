import type { Act } from '../kernel/act.ts';
import { Problem, ruleViolation } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { readValue, requireValidReservedKey } from './attribute-value.ts';
import { lockItem, toAttribute } from './item.ts';
import { deleteAttributeRow, insertAttribute, updateAttributeRow } from './item-parts.sql.ts';
import type { AttributeBody } from './item-parts-contract.ts';
import type { Attribute } from './item-schemas.ts';
import { type ItemRow, updateItemRow } from './items.sql.ts';

const maxAttributes = 200;

export async function createAttribute(tx: Tx, act: Act, itemId: number, body: AttributeBody): Promise<Attribute> {
  const item = await lockItem(tx, itemId);
  if (find(item, body.key)) throw new Problem('already_exists', `The item already has an attribute ${body.key}. Change it with PUT.`);
  if (item.attributes.length >= maxAttributes) {
    throw ruleViolation('key', 'limit', `An item can have at most ${maxAttributes} attributes. Delete one first.`);
  }
  const attribute = readAttribute(item, body);
  await insertAttribute(tx, { event_id: item.event_id, item_id: itemId, ...attribute });
  await updateItemRow(tx, item.event_id, itemId, { updated_at: act.at });
  const after = toAttribute(attribute);
  await record(tx, act, { subject: 'item_attribute', id: itemId, eventId: item.event_id, after });
  return after;
}

export async function updateAttribute(tx: Tx, act: Act, itemId: number, body: AttributeBody): Promise<Attribute> {
  const item = await lockItem(tx, itemId);
  const known = find(item, body.key);
  if (!known) throw new Problem('not_found', `The item has no attribute ${body.key}. Create it with POST.`);
  const attribute = readAttribute(item, body);
  await updateAttributeRow(tx, item.event_id, itemId, body.key, { type: attribute.type, value: attribute.value });
  await updateItemRow(tx, item.event_id, itemId, { updated_at: act.at });
  const after = toAttribute(attribute);
  await record(tx, act, { subject: 'item_attribute', id: itemId, eventId: item.event_id, before: toAttribute(known), after });
  return after;
}

export async function deleteAttribute(tx: Tx, act: Act, itemId: number, key: string): Promise<void> {
  const item = await lockItem(tx, itemId);
  const known = find(item, key);
  if (!known) throw new Problem('not_found', `The item has no attribute ${key}`);
  await deleteAttributeRow(tx, item.event_id, itemId, key);
  await updateItemRow(tx, item.event_id, itemId, { updated_at: act.at });
  await record(tx, act, { subject: 'item_attribute', id: itemId, eventId: item.event_id, before: toAttribute(known) });
}

const find = ({ attributes }: ItemRow, key: string) => attributes.find((attribute) => attribute.key === key);

/** Values are stored as text. */
function readAttribute(item: ItemRow, { key, value, type }: AttributeBody): ItemRow['attributes'][number] {
  const typed = readValue(value, type);
  if (typed === null) throw ruleViolation('value', 'type', `value cannot be read as ${type}`);
  requireValidReservedKey(key, type, typed);
  requireMinimumNotAboveMaximum(item, key, Number(typed));
  return { key, type, value: String(typed) };
}

/** The minimum cannot be above either maximum. Otherwise nobody could buy the item. */
function requireMinimumNotAboveMaximum(item: ItemRow, key: string, value: number): void {
  const valueOf = (name: string) => (key === name ? value : Number(find(item, name)?.value ?? Number.NaN));
  for (const bound of ['maximum', 'maximumPerBuyer']) {
    if ((key === 'minimum' || key === bound) && valueOf('minimum') > valueOf(bound)) {
      throw ruleViolation('value', 'order', `minimum ${valueOf('minimum')} would be above ${bound} ${valueOf(bound)}`);
    }
  }
}
