// What an item and its parts look like in requests and responses.
import Type, { type Static } from 'typebox';
import { permitted } from '../kernel/access.ts';
import { saleStatuses } from '../kernel/sale-statuses.ts';
import { Cents, closed, Id, Instant, Moment, named, nullable, oneOf, WallClock } from '../kernel/schema.ts';

export const itemTypes = ['ticket', 'group', 'passport', 'courtesy', 'external'] as const;

export const attributeTypes = ['integer', 'decimal', 'boolean', 'string', 'datetime'] as const;

/** The maximum is more than any venue needs, and fits into an integer column. */
export const Count = Type.Integer({ minimum: 0, maximum: 100_000_000 });

export const AppCategoryId = Type.Integer({
  minimum: 1,
  maximum: 2_147_483_647,
  description: 'The sales channel: 1 web shop, 2 box office, 3 app, 4 partner, or a number that you choose',
  examples: [1],
});

export const Attribute = named('ItemAttribute', {
  key: Type.String(),
  value: Type.Unsafe<string | number | boolean>({ type: ['string', 'number', 'boolean'] }),
  type: oneOf(attributeTypes),
});
export type Attribute = Static<typeof Attribute>;

export const SalesPeriod = named('SalesPeriod', {
  appCategoryId: Type.Integer(),
  start: WallClock,
  finish: WallClock,
  available: Type.Integer(),
  sold: Type.Integer(),
  held: Type.Integer(),
});
export type SalesPeriod = Static<typeof SalesPeriod>;

const values = { price: Cents, feeSale: Cents, feeProducer: Cents, finalPrice: Type.Integer(), currency: Type.String() };

export const Values = named('ItemValues', values);
export type Values = Static<typeof Values>;

export const Item = named('Item', {
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

export const period = { start: Moment, finish: Moment, available: Count };

export const NewSalesPeriod = closed({ appCategoryId: AppCategoryId, ...period });
export type NewSalesPeriod = Static<typeof NewSalesPeriod>;

export const fees = { price: Cents, feeSale: Cents, feeProducer: Cents };

export const NewValues = closed(fees);
export type NewValues = Static<typeof NewValues>;

export const idParams = Type.Object({ id: Id });

export const readItem = permitted('item.read', { item: 'path.id' });
export const manageItem = permitted('item.manage', { item: 'path.id' });

export const exampleAttribute = { key: 'maximum', value: 4, type: 'integer' };

export const examplePeriod = { appCategoryId: 1, start: '2026-11-20 10:00:00', finish: '2026-12-12 20:00:00', available: 500 };

export const exampleFees = { price: 8000, feeSale: 800, feeProducer: 0 };

export const exampleValues = { ...exampleFees, finalPrice: 8800, currency: 'BRL' };

export const exampleItem = {
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
