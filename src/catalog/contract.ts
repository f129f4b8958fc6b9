import Type, { type Static } from 'typebox';
import { Event, exampleEvent } from '../events/event-schemas.ts';
import { ShiftDays } from '../events/session-contract.ts';
import { permitted, signedIn } from '../kernel/access.ts';
import { route } from '../kernel/route.ts';
import { closed, Id, Instant, line, named, nullable, oneOf, optional, Position, pageOf, pageQuery, slug } from '../kernel/schema.ts';
import { channelQuery, itemPartsContract } from './item-parts-contract.ts';
import { AppCategoryId, Count, exampleItem, fees, Item, idParams, itemTypes, manageItem, period, readItem } from './item-schemas.ts';
import { triggerContract } from './trigger-contract.ts';

const ItemType = named('ItemType', { id: oneOf(itemTypes), name: Type.String(), description: Type.String() });

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
  ...itemPartsContract,
  ...triggerContract,
};
