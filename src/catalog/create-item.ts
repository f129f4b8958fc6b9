import type { Act } from '../kernel/act.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { insertItem, insertItemAttribute, insertItemSessions, insertItemValues, insertSalesPeriod } from './items.sql.ts';

export interface NewItem {
  eventId: number;
  name: string;
  description: string;
  type: 'ticket' | 'group' | 'passport' | 'courtesy' | 'external';
  parentId: number | null;
  sessionIds: number[];
  quantity: number | null;
  position: number;
  hidden: boolean;
  salable: boolean;
}

export async function createItem(tx: Tx, act: Act, item: NewItem): Promise<number> {
  const id = await insertItem(tx, {
    event_id: item.eventId,
    parent_id: item.parentId,
    type: item.type,
    name: item.name,
    description: item.description,
    position: item.position,
    quantity: item.quantity,
    hidden: item.hidden,
    salable: item.salable,
    created_at: act.at,
    updated_at: act.at,
  });
  if (item.sessionIds.length > 0) await insertItemSessions(tx, item.eventId, id, item.sessionIds);
  await record(tx, act, { subject: 'item', id, eventId: item.eventId, after: item });
  return id;
}

export interface NewAttribute {
  key: string;
  type: 'integer' | 'decimal' | 'boolean' | 'string' | 'datetime';
  value: string;
}

export async function createAttribute(tx: Tx, act: Act, eventId: number, itemId: number, attribute: NewAttribute): Promise<void> {
  await insertItemAttribute(tx, { item_id: itemId, ...attribute });
  await record(tx, act, { subject: 'item_attribute', id: itemId, eventId, after: attribute });
}

export interface NewValues {
  price: number;
  feeSale: number;
  feeProducer: number;
}

export async function createValues(tx: Tx, act: Act, eventId: number, itemId: number, values: NewValues): Promise<void> {
  await insertItemValues(tx, { item_id: itemId, price: values.price, fee_sale: values.feeSale, fee_producer: values.feeProducer });
  await record(tx, act, { subject: 'item_values', id: itemId, eventId, after: values });
}

export interface NewSalesPeriod {
  appCategoryId: number;
  start: Date;
  finish: Date;
  available: number;
}

export async function createSalesPeriod(tx: Tx, act: Act, eventId: number, itemId: number, period: NewSalesPeriod): Promise<void> {
  await insertSalesPeriod(tx, {
    item_id: itemId,
    app_category_id: period.appCategoryId,
    starts_at: period.start,
    finishes_at: period.finish,
    available: period.available,
  });
  await record(tx, act, { subject: 'sale_period', id: itemId, eventId, after: period });
}
