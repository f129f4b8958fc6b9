import Type, { type Static } from 'typebox';
import { route } from '../kernel/route.ts';
import { closed, Id, oneOf, optional } from '../kernel/schema.ts';
import {
  AppCategoryId,
  Attribute,
  attributeTypes,
  exampleAttribute,
  exampleFees,
  examplePeriod,
  exampleValues,
  fees,
  idParams,
  manageItem,
  NewSalesPeriod,
  NewValues,
  period,
  SalesPeriod,
  Values,
} from './item-schemas.ts';

const AttributeBody = closed({
  key: Type.String({ minLength: 1, maxLength: 100, pattern: '^[A-Za-z][\\w.-]*$' }),
  value: Type.Unsafe<string | number | boolean>({ type: ['string', 'number', 'boolean'], maxLength: 5000 }),
  type: oneOf(attributeTypes),
});
export type AttributeBody = Static<typeof AttributeBody>;

const soldAndHeld = optional({ sold: Type.Integer(), held: Type.Integer() });

const SalesPeriodChanges = closed({ appCategoryId: AppCategoryId, ...optional(period), ...soldAndHeld }, { minProperties: 2 });
export type SalesPeriodChanges = Static<typeof SalesPeriodChanges>;

const ValuesChanges = closed(optional({ ...fees, finalPrice: Type.Integer(), currency: Type.String() }), { minProperties: 1 });
export type ValuesChanges = Static<typeof ValuesChanges>;

export const channelQuery = { appCategoryId: Type.Optional(AppCategoryId) };

export const itemPartsContract = {
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
};
