import type { Act } from '../kernel/act.ts';
import { Problem, ruleViolation } from '../kernel/problem.ts';
import { refuseReadOnlyChanges } from '../kernel/read-only.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { lockItem, toValues } from './item.ts';
import { insertValues, updateValuesRow } from './item-parts.sql.ts';
import type { ValuesChanges } from './item-parts-contract.ts';
import { requireSellable } from './item-rules.ts';
import type { NewValues, Values } from './item-schemas.ts';
import { type ItemRow, updateItemRow } from './items.sql.ts';

export async function createValues(tx: Tx, act: Act, itemId: number, values: NewValues): Promise<Values> {
  const item = await lockItem(tx, itemId);
  if (item.values) throw new Problem('already_exists', 'The item already has values. Change them with PUT.');
  requirePriceable(item, values);
  await insertValues(tx, { event_id: item.event_id, item_id: itemId, ...toRow(values) });
  return recordValues(tx, act, item, values);
}

export async function updateValues(tx: Tx, act: Act, itemId: number, changes: ValuesChanges): Promise<Values> {
  const item = await lockItem(tx, itemId);
  if (!item.values) throw new Problem('not_found', 'The item has no values. Set them with POST.');
  refuseReadOnlyChanges(changes, toValues(item.values, item.currency), ['finalPrice', 'currency']);
  const { price, feeSale, feeProducer } = { ...item.values, ...changes };
  const values = { price, feeSale, feeProducer };
  requirePriceable(item, values);
  await updateValuesRow(tx, item.event_id, itemId, toRow(values));
  return recordValues(tx, act, item, values);
}

function requirePriceable(item: ItemRow, { price, feeSale }: NewValues): void {
  requireSellable(item, 'price');
  if (item.type === 'courtesy' && price + feeSale > 0)
    throw ruleViolation('price', 'courtesy', 'A courtesy is free. Set price and feeSale to 0.');
}

const toRow = ({ price, feeSale, feeProducer }: NewValues) => ({ price, fee_sale: feeSale, fee_producer: feeProducer });

async function recordValues(tx: Tx, act: Act, item: ItemRow, values: NewValues): Promise<Values> {
  await updateItemRow(tx, item.event_id, item.id, { updated_at: act.at });
  const after = toValues(values, item.currency);
  const before = item.values && toValues(item.values, item.currency);
  await record(tx, act, { subject: 'item_values', id: item.id, eventId: item.event_id, before, after });
  return after;
}
