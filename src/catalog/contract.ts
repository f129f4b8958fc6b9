import Type, { type Static } from 'typebox';
import { Event, exampleEvent, ShiftDays } from '../events/contract.ts';
import { permitted, signedIn } from '../kernel/access.ts';
import { route } from '../kernel/route.ts';
import { saleStatuses } from '../kernel/sale-statuses.ts';
import {
  Cents,
  closed,
  Id,
  Instant,
  line,
  Moment,
  named,
  nullable,
  oneOf,
  optional,
  Position,
  pageOf,
  pageQuery,
  slug,
  WallClock,
} from '../kernel/schema.ts';

export const itemTypes = ['ticket', 'group', 'passport', 'courtesy', 'external'] as const;

export const attributeTypes = ['integer', 'decimal', 'boolean', 'string', 'datetime'] as const;

/** The maximum is more than any venue needs, and fits into an integer column. */
const Count = Type.Integer({ minimum: 0, maximum: 100_000_000 });
export const AppCategoryId = Type.Integer({
  minimum: 1,
  maximum: 2_147_483_647,
  description: 'The sales channel: 1 web shop, 2 box office, 3 app, 4 partner, or a number that you choose',
  examples: [1],
});

const ItemType = named('ItemType', { id: oneOf(itemTypes), name: Type.String(), description: Type.String() });

const Attribute = named('ItemAttribute', {
  key: Type.String(),
  value: Type.Unsafe<string | number | boolean>({ type: ['string', 'number', 'boolean'] }),
  type: oneOf(attributeTypes),
});
export type Attribute = Static<typeof Attribute>;

const SalesPeriod = named('SalesPeriod', {
  appCategoryId: Type.Integer(),
  start: WallClock,
  finish: WallClock,
  available: Type.Integer(),
  sold: Type.Integer(),
  held: Type.Integer(),
});
export type SalesPeriod = Static<typeof SalesPeriod>;

const values = { price: Cents, feeSale: Cents, feeProducer: Cents, finalPrice: Type.Integer(), currency: Type.String() };
const Values = named('ItemValues', values);
export type Values = Static<typeof Values>;

const Item = named('Item', {
  id: Id,
  eventId: Id,
  name: Type.String(),
  description: Type.String(),
  type: oneOf(itemTypes),
  parentId: nullable(Id),
  sessionIds: Type.Array(Id, { description: 'The sessions for which the item is valid; empty for all sessions of the event' }),
  quantity: nullable(Type.Integer({ description: 'Maximum number of tickets over all channels; null for no limit' })),
  position: Type.Integer({ description: 'Items are listed by ascending position' }),
  hidden: Type.Boolean({ description: 'Only buyers with a passkey for the item can see it' }),
  salable: Type.Boolean({ description: 'false stops the sale of the item' }),
  archived: Type.Boolean({ description: 'The item is removed' }),
  attributes: Type.Array(Attribute),
  salesPeriods: Type.Array(SalesPeriod),
  values: nullable(closed(values)),
  status: oneOf(saleStatuses),
  sold: Type.Integer({ description: 'Number of paid tickets' }),
  held: Type.Integer({ description: 'Number of tickets that are reserved by unpaid orders' }),
  remaining: nullable(Type.Integer({ description: 'How many tickets can be sold now within all limits; null for no limit' })),
  createdAt: Instant,
  updatedAt: Instant,
});
export type Item = Static<typeof Item>;

const Trigger = named('ItemTrigger', {
  id: Id,
  on: oneOf(['soldout', 'start', 'finish']),
  action: oneOf(['open', 'close']),
  targetItemId: Id,
  firedAt: nullable(Instant),
});
export type Trigger = Static<typeof Trigger>;

const ChecklistEntry = named('ChecklistEntry', {
  code: oneOf([
    'session',
    'future_session',
    'items',
    'prices',
    'sales_periods',
    'sale_enabled',
    'description',
    'poster',
    'venue',
    'payout',
  ]),
  done: Type.Boolean(),
  severity: oneOf(['blocking', 'warning', 'hint']),
});
export type ChecklistEntry = Static<typeof ChecklistEntry>;

/** Read-only fields. PUT accepts them unchanged, so that clients can send back the whole item that they read. */
const itemReadOnly = optional({
  id: Id,
  attributes: Item.properties.attributes,
  salesPeriods: Item.properties.salesPeriods,
  values: Item.properties.values,
  status: Item.properties.status,
  sold: Item.properties.sold,
  held: Item.properties.held,
  remaining: Item.properties.remaining,
  createdAt: Instant,
  updatedAt: Instant,
});
export const itemReadOnlyNames = Object.keys(itemReadOnly);

/** Fields that both POST and PUT accept. */
const itemFields = {
  description: Type.Optional(Type.String({ maxLength: 5000 })),
  parentId: Type.Optional(nullable(Id)),
  sessionIds: Type.Optional(Type.Array(Id, { maxItems: 1000, uniqueItems: true })),
  quantity: Type.Optional(nullable(Count)),
  position: Type.Optional(Position),
  hidden: Type.Optional(Type.Boolean()),
  salable: Type.Optional(Type.Boolean()),
};

const NewItem = closed({ eventId: Id, name: line(200), type: Type.Optional(oneOf(itemTypes)), ...itemFields });
export type NewItem = Static<typeof NewItem>;

const ItemChanges = closed(
  {
    name: Type.Optional(line(200)),
    ...itemFields,
    archived: Type.Optional(
      Type.Boolean({ description: 'true removes the item: it is no longer on sale, but stays in orders and reports. false restores it.' }),
    ),
    eventId: Type.Optional(Id),
    type: Type.Optional(oneOf(itemTypes)),
    ...itemReadOnly,
  },
  { minProperties: 1 },
);
export type ItemChanges = Static<typeof ItemChanges>;

const AttributeBody = closed({
  key: Type.String({ minLength: 1, maxLength: 100, pattern: '^[A-Za-z][\\w.-]*$' }),
  value: Type.Unsafe<string | number | boolean>({ type: ['string', 'number', 'boolean'], maxLength: 5000 }),
  type: oneOf(attributeTypes),
});
export type AttributeBody = Static<typeof AttributeBody>;

const period = { start: Moment, finish: Moment, available: Count };
const NewSalesPeriod = closed({ appCategoryId: AppCategoryId, ...period });
export type NewSalesPeriod = Static<typeof NewSalesPeriod>;
const soldAndHeld = optional({ sold: Type.Integer(), held: Type.Integer() });
const SalesPeriodChanges = closed({ appCategoryId: AppCategoryId, ...optional(period), ...soldAndHeld }, { minProperties: 2 });
export type SalesPeriodChanges = Static<typeof SalesPeriodChanges>;

const fees = { price: Cents, feeSale: Cents, feeProducer: Cents };
const NewValues = closed(fees);
export type NewValues = Static<typeof NewValues>;
const ValuesChanges = closed(optional({ ...fees, finalPrice: Type.Integer(), currency: Type.String() }), { minProperties: 1 });
export type ValuesChanges = Static<typeof ValuesChanges>;

const ItemEdit = closed(
  {
    id: Id,
    updatedAt: Type.Optional(
      Type.String({ format: 'date-time', description: 'The `updatedAt` that you read. If it is out of date, the response is 412' }),
    ),
    quantity: Type.Optional(nullable(Count)),
    values: Type.Optional(closed(optional(fees), { minProperties: 1 })),
    salesPeriod: Type.Optional(closed({ appCategoryId: AppCategoryId, ...optional(period) }, { minProperties: 2 })),
  },
  { minProperties: 2 },
);
export type ItemEdit = Static<typeof ItemEdit>;

const NewTrigger = closed({ on: Trigger.properties.on, action: Trigger.properties.action, targetItemId: Id });
export type NewTrigger = Static<typeof NewTrigger>;

const idParams = Type.Object({ id: Id });
const channelQuery = { appCategoryId: Type.Optional(AppCategoryId) };
const readItem = permitted('item.read', { item: 'path.id' });
const manageItem = permitted('item.manage', { item: 'path.id' });

const exampleAttribute = { key: 'maximum', value: 4, type: 'integer' };
const examplePeriod = { appCategoryId: 1, start: '2026-11-20 10:00:00', finish: '2026-12-12 20:00:00', available: 500 };
const exampleFees = { price: 8000, feeSale: 800, feeProducer: 0 };
const exampleValues = { ...exampleFees, finalPrice: 8800, currency: 'BRL' };
const exampleTrigger = { on: 'soldout', action: 'open', targetItemId: 43 };
const exampleItem = {
  id: 42,
  eventId: 12,
  name: 'Pista · 2º lote',
  description: '',
  type: 'ticket',
  parentId: 41,
  sessionIds: [7],
  quantity: 400,
  position: 1,
  hidden: false,
  salable: true,
  archived: false,
  attributes: [exampleAttribute],
  salesPeriods: [{ ...examplePeriod, sold: 0, held: 0 }],
  values: exampleValues,
  status: 'available',
  sold: 0,
  held: 0,
  remaining: 400,
  createdAt: '2026-11-15T12:00:00.000Z',
  updatedAt: '2026-11-15T12:00:00.000Z',
};

export const catalogContract = {
  listTypes: route({
    method: 'GET',
    path: '/types',
    group: 'ticket',
    summary: 'List item types',
    description: 'Returns the values of `type` that an item can have, with a name and a description.',
    access: signedIn,
    answer: { status: 200, body: pageOf(ItemType) },
    examples: { answer: { data: [{ id: 'ticket', name: 'Ticket', description: 'Admits one person' }], nextCursor: null } },
  }),
  listItems: route({
    method: 'GET',
    path: '/items',
    group: 'ticket',
    summary: 'List items',
    description:
      'Returns the items of one event, or of all events in which you have the permission `item.read`. They are sorted by event and position. Removed items are omitted by default; see `archived`. `status` and `remaining` are for the sales channel `appCategoryId`, by default the web shop.',
    access: permitted('item.read', { event: 'query.eventId' }),
    query: Type.Object({
      ...pageQuery,
      ...channelQuery,
      eventId: Type.Optional(Id),
      term: Type.Optional(Type.String({ maxLength: 100, description: 'Part of the name' })),
      archived: Type.Optional(
        Type.Unsafe<boolean | 'all'>({
          type: ['boolean', 'string'],
          enum: [false, true, 'all'],
          default: false,
          description: '`true` returns only removed items, `all` returns both, `false` (default) omits removed items',
        }),
      ),
    }),
    answer: { status: 200, body: pageOf(Item) },
    examples: { query: { eventId: 12, pageSize: 50 }, answer: { data: [exampleItem], nextCursor: null } },
  }),
  getItem: route({
    method: 'GET',
    path: '/items/{id}',
    group: 'ticket',
    summary: 'Get an item',
    description:
      'Returns the item with its attributes, sale periods, values and counters. `status` and `remaining` are for the sales channel `appCategoryId`, by default the web shop.',
    access: readItem,
    params: idParams,
    query: Type.Object(channelQuery),
    answer: { status: 200, body: Item },
    examples: { params: { id: 42 }, answer: exampleItem },
  }),
  createItem: route({
    method: 'POST',
    path: '/items',
    group: 'ticket',
    summary: 'Create an item',
    description:
      'Creates a ticket, passport or courtesy that buyers can order, an external item, or a group of items that share one `quantity`. Without `sessionIds` the item is valid for all sessions of the event. Before the item can be sold, set its price with `POST /items/{id}/values` and a sale period with `POST /items/{id}/sales-period`.',
    access: permitted('item.manage', { event: 'body.eventId' }),
    body: NewItem,
    answer: { status: 201, body: Item },
    problems: ['rule_violation'],
    examples: { body: { eventId: 12, name: 'Pista · 2º lote', parentId: 41, sessionIds: [7], quantity: 400 }, answer: exampleItem },
  }),
  duplicateEvent: route({
    method: 'POST',
    path: '/event/{id}/duplicate',
    group: 'event',
    summary: 'Duplicate an event',
    description:
      'The copy is a draft of the same producer, with the texts, the poster, sessions, attributes, items and triggers of the event. Orders, crew, passkeys, imported codes and removed items are not copied. `shiftDays` moves sessions and sale periods by whole days and keeps their local times. Without `link`, a free link is made from the title.',
    access: permitted('producer.manage', { event: 'path.id' }),
    params: idParams,
    body: closed({ title: Type.Optional(line(200)), link: Type.Optional(Type.String(slug)), shiftDays: Type.Optional(ShiftDays) }),
    answer: { status: 201, body: Event },
    problems: ['already_exists', 'rule_violation'],
    examples: { params: { id: 12 }, body: { title: 'Noite de Samba 2027', shiftDays: 364 }, answer: exampleEvent },
  }),
  getChecklist: route({
    method: 'GET',
    path: '/event/{id}/checklist',
    group: 'event',
    summary: 'Get what an event still needs before it is published',
    description: [
      'Returns all checks, in the order in which they should be done. `blocking`: the event cannot be published. `warning`: buyers cannot order, or not everything. `hint`: the page or the payout can be better.',
      '`session`: the event has a session. `future_session`: a session is not over. `items`: the event has items. `prices`: all items have values. `sales_periods`: all items have a sale period of the web shop. `sale_enabled`: the sale is on. `description`, `poster`, `venue`: the event page has them. `payout`: the producer has its own account at a payment provider.',
    ].join('\n\n'),
    access: permitted('event.read', { event: 'path.id' }),
    params: idParams,
    answer: { status: 200, body: closed({ data: Type.Array(ChecklistEntry) }) },
    examples: { params: { id: 12 }, answer: { data: [{ code: 'session', done: true, severity: 'blocking' }] } },
  }),
  orderItems: route({
    method: 'PUT',
    path: '/event/{id}/items/order',
    group: 'ticket',
    summary: 'Set the order of the items of an event',
    description:
      'The first item of `itemIds` gets position 0, the next position 1, and so on. List all items and groups of the event that are not removed. Returns 422 with the ids if some are missing or unknown.',
    access: permitted('item.manage', { event: 'path.id' }),
    params: idParams,
    body: closed({ itemIds: Type.Array(Id, { minItems: 1, maxItems: 10_000, uniqueItems: true }) }),
    answer: { status: 204 },
    problems: ['rule_violation'],
    examples: { params: { id: 12 }, body: { itemIds: [42, 41, 43] } },
  }),
  updateItems: route({
    method: 'PUT',
    path: '/event/{id}/items',
    group: 'ticket',
    summary: 'Change prices, quantities and sale periods of several items',
    description:
      'Changes all listed items or none. Only the fields that are present change. Values or a sale period that an item does not have yet are created. Send the `updatedAt` of each item, and the response is 412 with `itemIds` if somebody else has changed one of them; sales do not change it. The fields of `errors` name the item by its place in the list, for example `items[2].price`.',
    access: permitted('item.manage', { event: 'path.id' }),
    params: idParams,
    body: closed({ items: Type.Array(ItemEdit, { minItems: 1, maxItems: 200 }) }),
    answer: { status: 200, body: closed({ data: Type.Array(Item) }) },
    problems: ['rule_violation'],
    examples: {
      params: { id: 12 },
      body: {
        items: [
          { id: 42, updatedAt: '2026-11-15T12:00:00.000Z', values: { price: 9000 } },
          { id: 43, quantity: 300, salesPeriod: { appCategoryId: 1, finish: '2026-12-12 20:00:00' } },
        ],
      },
      answer: { data: [exampleItem] },
    },
  }),
  duplicateItem: route({
    method: 'POST',
    path: '/items/{id}/duplicate',
    group: 'ticket',
    summary: 'Duplicate an item',
    description:
      'Copies the item with its values, attributes, sale periods and sessions. A group is copied with its items. The copy has no sold tickets and is not `salable`: set `salable` to true when it is ready. Triggers are not copied.',
    access: manageItem,
    params: idParams,
    body: closed({ name: Type.Optional(line(200)) }),
    answer: { status: 201, body: Item },
    examples: { params: { id: 42 }, body: { name: 'Pista · 3º lote' }, answer: exampleItem },
  }),
  updateItem: route({
    method: 'PUT',
    path: '/items/{id}',
    group: 'ticket',
    summary: 'Update or remove an item',
    description:
      'Changes only the fields that are present. `{"archived": true}` removes the item, `false` restores it. You can send back the whole item that you read: read-only fields with their current value are ignored, and 422 names those with another value. Returns 422 if `quantity` would be below the number of sold and held tickets.',
    access: manageItem,
    params: idParams,
    body: ItemChanges,
    answer: { status: 200, body: Item },
    problems: ['rule_violation'],
    examples: { params: { id: 42 }, body: { name: 'Pista · 2º lote', quantity: 400 }, answer: exampleItem },
  }),
  createAttribute: route({
    method: 'POST',
    path: '/items/{id}/attributes',
    group: 'ticket',
    summary: 'Create an attribute of an item',
    description:
      'The service uses the keys `minimum` and `maximum` (tickets per order), `maximumPerBuyer`, `halfPrice` and `customCode`. You can define any other key. Returns 409 if the item already has the key; change it with PUT.',
    access: manageItem,
    params: idParams,
    body: AttributeBody,
    answer: { status: 201, body: Attribute },
    problems: ['already_exists', 'rule_violation'],
    versionOf: 'getItem',
    examples: { params: { id: 42 }, body: exampleAttribute, answer: exampleAttribute },
  }),
  updateAttribute: route({
    method: 'PUT',
    path: '/items/{id}/attributes',
    group: 'ticket',
    summary: 'Update an attribute of an item',
    description: 'Replaces value and type of the attribute `key`. Returns 404 if the item does not have it; create it with POST.',
    access: manageItem,
    params: idParams,
    body: AttributeBody,
    answer: { status: 200, body: Attribute },
    problems: ['rule_violation'],
    versionOf: 'getItem',
    examples: { params: { id: 42 }, body: exampleAttribute, answer: exampleAttribute },
  }),
  deleteAttribute: route({
    method: 'DELETE',
    path: '/items/{id}/attributes/{key}',
    group: 'ticket',
    summary: 'Delete an attribute of an item',
    description: 'If the service uses the key, e.g. `maximum`, its limit no longer applies to the item.',
    access: manageItem,
    params: Type.Object({ id: Id, key: Type.String({ maxLength: 100, examples: ['maximum'] }) }),
    answer: { status: 204 },
    versionOf: 'getItem',
    examples: { params: { id: 42, key: 'maximum' } },
  }),
  createSalesPeriod: route({
    method: 'POST',
    path: '/items/{id}/sales-period',
    group: 'ticket',
    summary: 'Create the sale period of a channel',
    description:
      'The channel sells the item from `start` until `finish`, at most `available` tickets. Times are local times of the event, or RFC 3339 with an offset. `available: 0` stops the sale through the channel. Returns 409 if the channel already has a sale period; change it with PUT.',
    access: manageItem,
    params: idParams,
    body: NewSalesPeriod,
    answer: { status: 201, body: SalesPeriod },
    problems: ['already_exists', 'rule_violation'],
    versionOf: 'getItem',
    examples: { params: { id: 42 }, body: examplePeriod, answer: { ...examplePeriod, sold: 0, held: 0 } },
  }),
  updateSalesPeriod: route({
    method: 'PUT',
    path: '/items/{id}/sales-period',
    group: 'ticket',
    summary: 'Update the sale period of a channel',
    description:
      'Changes only the fields that are present. Returns 422 if `available` would be below the number of sold and held tickets of the channel.',
    access: manageItem,
    params: idParams,
    body: SalesPeriodChanges,
    answer: { status: 200, body: SalesPeriod },
    problems: ['rule_violation'],
    versionOf: 'getItem',
    examples: { params: { id: 42 }, body: { appCategoryId: 1, available: 500 }, answer: { ...examplePeriod, sold: 120, held: 3 } },
  }),
  deleteSalesPeriod: route({
    method: 'DELETE',
    path: '/items/{id}/sales-period/{appCategoryId}',
    group: 'ticket',
    summary: 'Delete the sale period of a channel',
    description:
      'The channel no longer sells the item. Returns 409 if tickets are sold or held through the channel; then set `available` or `finish` with PUT instead.',
    access: manageItem,
    params: Type.Object({ id: Id, appCategoryId: AppCategoryId }),
    answer: { status: 204 },
    problems: ['wrong_state'],
    versionOf: 'getItem',
    examples: { params: { id: 42, appCategoryId: 4 } },
  }),
  createValues: route({
    method: 'POST',
    path: '/items/{id}/values',
    group: 'ticket',
    summary: 'Set the price of an item',
    description:
      'All amounts are in cents. The buyer pays `price` + `feeSale`; `feeProducer` is deducted from what the producer receives. `GET /tax` calculates the fees. Returns 409 if the item already has values; change them with PUT.',
    access: manageItem,
    params: idParams,
    body: NewValues,
    answer: { status: 201, body: Values },
    problems: ['already_exists', 'rule_violation'],
    versionOf: 'getItem',
    examples: { params: { id: 42 }, body: exampleFees, answer: exampleValues },
  }),
  updateValues: route({
    method: 'PUT',
    path: '/items/{id}/values',
    group: 'ticket',
    summary: 'Change the price of an item',
    description:
      'Changes only the fields that are present. Existing orders keep their prices. Returns 404 if the item has no values yet; set them with POST.',
    access: manageItem,
    params: idParams,
    body: ValuesChanges,
    answer: { status: 200, body: Values },
    problems: ['rule_violation'],
    versionOf: 'getItem',
    examples: { params: { id: 42 }, body: exampleFees, answer: exampleValues },
  }),
  listTriggers: route({
    method: 'GET',
    path: '/items/{id}/triggers',
    group: 'ticket',
    summary: 'List the triggers of an item',
    description: 'Returns all triggers of the item. `firedAt` is null for triggers that have not fired.',
    access: readItem,
    params: idParams,
    answer: { status: 200, body: pageOf(Trigger) },
    examples: { params: { id: 42 }, answer: { data: [{ id: 5, ...exampleTrigger, firedAt: null }], nextCursor: null } },
  }),
  replaceTriggers: route({
    method: 'PUT',
    path: '/items/{id}/triggers',
    group: 'ticket',
    summary: 'Replace the triggers of an item',
    description:
      'A trigger opens or closes the sale of the target item when this item sells out, or when its sale period in the web shop starts or finishes. Each trigger fires once. If you send a trigger again that has already fired, it does not fire again. Returns 422 if the triggers of the event would form a cycle.',
    access: manageItem,
    params: idParams,
    body: closed({ triggers: Type.Array(NewTrigger, { maxItems: 50, uniqueItems: true }) }),
    answer: { status: 200, body: pageOf(Trigger) },
    problems: ['rule_violation'],
    examples: {
      params: { id: 42 },
      body: { triggers: [exampleTrigger] },
      answer: { data: [{ id: 5, ...exampleTrigger, firedAt: null }], nextCursor: null },
    },
  }),
};
