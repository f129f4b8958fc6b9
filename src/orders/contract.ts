import Type, { type Static } from 'typebox';
import { AppCategoryId } from '../catalog/contract.ts';
import { anyone } from '../kernel/access.ts';
import { route } from '../kernel/route.ts';
import { Cents, Currency, closed, Email, Id, Instant, line, named, nullable, oneOf } from '../kernel/schema.ts';

export const orderStatuses = ['held', 'approved', 'expired', 'cancelled', 'refunded'] as const;

const OrderLine = named('OrderLine', {
  itemId: Id,
  name: Type.String(),
  quantity: Type.Integer(),
  refunded: Type.Integer(),
  price: Cents,
  feeSale: Cents,
  finalPrice: Type.Integer(),
});

const buyer = { name: line(200, 'Ana Souza'), email: Email };
const order = {
  id: Id,
  eventId: Id,
  status: oneOf(orderStatuses),
  appCategoryId: Type.Integer(),
  sessionId: nullable(Id),
  lines: Type.Array(OrderLine),
  total: Type.Integer(),
  currency: Currency,
  createdAt: Instant,
  expiresAt: Instant,
  extended: Type.Boolean(),
  approvedAt: nullable(Instant),
};
const PlacedOrder = named('PlacedOrder', {
  ...order,
  secret: Type.String({ description: 'Shown once. Whoever has it may read, pay and cancel the order' }),
});
export type PlacedOrder = Static<typeof PlacedOrder>;

const NewOrder = closed({
  eventId: Id,
  sessionId: Type.Optional(Id),
  items: Type.Array(closed({ itemId: Id, quantity: Type.Integer({ minimum: 1, maximum: 1000 }) }), { minItems: 1, maxItems: 50 }),
  passkey: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  appCategoryId: Type.Optional(AppCategoryId),
  buyer: closed({ ...buyer, document: Type.Optional(line(40, '123.456.789-09')) }),
});
export type NewOrder = Static<typeof NewOrder>;

const exampleLine = { itemId: 42, name: '2º lote', quantity: 2, refunded: 0, price: 8000, feeSale: 800, finalPrice: 8800 };
const exampleOrder = {
  id: 1001,
  eventId: 12,
  status: 'held',
  appCategoryId: 1,
  sessionId: 7,
  lines: [exampleLine],
  total: 17600,
  currency: 'BRL',
  createdAt: '2026-11-20T13:00:00.000Z',
  expiresAt: '2026-11-20T13:10:00.000Z',
  extended: false,
  approvedAt: null,
};
const exampleBuyer = { name: 'Ana Souza', email: 'ana@example.com' };

export const ordersContract = {
  createOrder: route({
    method: 'POST',
    path: '/orders',
    group: 'shop',
    summary: 'Order tickets',
    description:
      'Anyone may. What is ordered is held for 10 minutes; an order that costs nothing is approved at once. `sessionId` is needed where an item is for several. What is no longer there is answered 409 with what remains, line by line.',
    access: anyone,
    body: NewOrder,
    answer: { status: 201, body: PlacedOrder },
    problems: ['rule_violation', 'sold_out', 'not_on_sale', 'buyer_limit', 'passkey_rejected'],
    gathered: true,
    examples: {
      body: { eventId: 12, sessionId: 7, items: [{ itemId: 42, quantity: 2 }], buyer: exampleBuyer },
      answer: { ...exampleOrder, secret: 'Zb3xYq0R1m6iJtTnJ0gq6w' },
    },
  }),
};
