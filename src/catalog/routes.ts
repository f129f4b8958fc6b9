import type { ReadEvent } from '../events/read-event.ts';
import { type Capability, capability } from '../http/capability.ts';
import { createAttribute, deleteAttribute, updateAttribute } from './attributes.ts';
import { getChecklist } from './checklist.ts';
import { catalogContract } from './contract.ts';
import { createItem } from './create-item.ts';
import { duplicateEvent } from './duplicate-event.ts';
import { duplicateItem } from './duplicate-item.ts';
import { getItem, webShop } from './item.ts';
import { listTypes } from './item-types.ts';
import { createValues, updateValues } from './item-values.ts';
import { listItems } from './list-items.ts';
import { orderItems } from './order-items.ts';
import { createSalesPeriod, deleteSalesPeriod, updateSalesPeriod } from './sales-periods.ts';
import { listTriggers, replaceTriggers } from './triggers.ts';
import { updateItem } from './update-item.ts';
import { updateItems } from './update-items.ts';

/** `read` returns a duplicated event as the API describes it. */
export const catalog = (read: ReadEvent): Capability =>
  capability(catalogContract, {
    duplicateEvent: async (tx, act, { params, body }) => read.event(tx, act, await duplicateEvent(tx, act, params.id, body)),
    getChecklist: (tx, act, { params }) => getChecklist(tx, act, params.id),
    duplicateItem: (tx, act, { params, body }) => duplicateItem(tx, act, params.id, body),
    orderItems: (tx, act, { params, body }) => orderItems(tx, act, params.id, body.itemIds),
    updateItems: async (tx, act, { params, body }) => ({ data: await updateItems(tx, act, params.id, body.items) }),
    listTypes: async () => ({ data: listTypes(), nextCursor: null }),
    listItems: (tx, act, { query }) => listItems(tx, act, query),
    getItem: (tx, act, { params, query }) => getItem(tx, params.id, { at: act.at, channel: query.appCategoryId ?? webShop }),
    createItem: (tx, act, { body }) => createItem(tx, act, body),
    updateItem: (tx, act, { params, body }) => updateItem(tx, act, params.id, body),
    createAttribute: (tx, act, { params, body }) => createAttribute(tx, act, params.id, body),
    updateAttribute: (tx, act, { params, body }) => updateAttribute(tx, act, params.id, body),
    deleteAttribute: (tx, act, { params }) => deleteAttribute(tx, act, params.id, params.key),
    createSalesPeriod: (tx, act, { params, body }) => createSalesPeriod(tx, act, params.id, body),
    updateSalesPeriod: (tx, act, { params, body }) => updateSalesPeriod(tx, act, params.id, body),
    deleteSalesPeriod: (tx, act, { params }) => deleteSalesPeriod(tx, act, params.id, params.appCategoryId),
    createValues: (tx, act, { params, body }) => createValues(tx, act, params.id, body),
    updateValues: (tx, act, { params, body }) => updateValues(tx, act, params.id, body),
    listTriggers: (tx, _act, { params }) => listTriggers(tx, params.id),
    replaceTriggers: (tx, act, { params, body }) => replaceTriggers(tx, act, params.id, body.triggers),
  });
