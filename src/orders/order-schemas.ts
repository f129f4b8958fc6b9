// What an order looks like in requests and responses. The contracts of orders and payments share it.

import Type, { type Static } from 'typebox';
import { Cents, Currency, closed, Email, Id, Instant, line, named, nullable, oneOf } from '../kernel/schema.ts';

export const orderStatuses = ['held', 'approved', 'expired', 'cancelled', 'refunded'] as const;

const OrderLine = named('OrderLine', {
  itemId: Id,
  name: Type.String(),
  quantity: Type.Integer(),
  refunded: Type.Integer({ description: 'How many tickets of this line were refunded' }),
  refundedAmount: Type.Integer({ description: 'The refunded amount in cents' }),
  price: Cents,
  feeSale: Cents,
  finalPrice: Type.Integer(),
});

/** Exported with its limits, from which the shop derives the constraints of its form. */
export const Buyer = closed({ name: line(200, 'Ana Souza'), email: Email, document: Type.Optional(line(40, '123.456.789-09')) });
export type Buyer = Static<typeof Buyer>;

const order = {
  id: Id,
  eventId: Id,
  status: oneOf(orderStatuses),
  appCategoryId: Type.Integer(),
  sessionId: nullable(Id),
  lines: Type.Array(OrderLine),
  total: Type.Integer(),
  refundedTotal: Type.Integer({ description: 'The refunded part of `total`, in cents' }),
  currency: Currency,
  createdAt: Instant,
  expiresAt: Instant,
  extended: Type.Boolean(),
  approvedAt: nullable(Instant),
  testMoney: Type.Boolean({ description: 'Whether the payment sandbox is on. If it is, orders are paid with test money' }),
};

export const paymentMethods = ['cash', 'card', 'pix', 'boleto'] as const;

const BuyerAction = Type.Union(
  [
    closed({ type: Type.Literal('display'), code: Type.String(), imageUrl: nullable(Type.String()) }),
    closed({ type: Type.Literal('redirect'), url: Type.String() }),
    closed({ type: Type.Literal('client'), publishableKey: Type.String(), clientSecret: Type.String() }),
    Type.Null(),
  ],
  {
    description:
      "What the buyer does to pay. `display`: show the code as a QR code and as text. `redirect`: open the address. `client`: hand the key and the secret to the provider's web component. Null: nothing",
  },
);

const OrderPayment = named('OrderPayment', {
  provider: Type.String({
    description: 'The payment provider, for example `stripe`. `cash` for money that the crew takes',
    examples: ['stripe'],
  }),
  method: oneOf(paymentMethods),
  status: oneOf(['begun', 'pending', 'approved', 'declined', 'refunded'], {
    description:
      '`begun`: the provider was asked and has not responded yet. `pending`: the buyer must pay, see `action`. `refunded`: the money came, could not be used for the order, and goes back',
  }),
  amount: Type.Integer({ description: 'The requested amount in cents' }),
  received: Type.Integer({ description: 'The received amount in cents' }),
  returned: Type.Integer({
    description: 'The part of `received` that could not be used for the order and was sent back, for example because the payment was late',
  }),
  refunded: Type.Integer({ description: 'The part of `received` that was refunded together with tickets' }),
  reference: nullable(
    Type.String({ description: 'Our name of the payment at the provider. Null for payments that were decided at once, such as cash' }),
  ),
  expiresAt: nullable(Instant),
  action: BuyerAction,
  pixCode: nullable(
    Type.String({ description: 'The PIX code that the buyer pastes into a banking app. Null unless the payment is pending' }),
  ),
  failure: nullable(Type.String({ description: 'Why the payment was declined, in words for the buyer' })),
  createdAt: Instant,
});
export type OrderPayment = Static<typeof OrderPayment>;

export const refundStatuses = ['begun', 'pending', 'done', 'failed'] as const;

/** The fields of a refund in an order and in the list of refunds. */
export const refundFields = {
  id: Id,
  amount: Type.Integer({ description: 'The amount in cents' }),
  reason: oneOf(['refund', 'overpaid', 'underpaid', 'late', 'duplicate', 'cancelled', 'sold_out'], {
    description: '`refund`: tickets were refunded. All other reasons: the payment could not be used for the order',
  }),
  status: oneOf(refundStatuses, {
    description:
      '`begun`: the provider is being asked. `pending`: the provider is returning the money. `done`: the money was returned. `failed`: the provider could not return the money, and the crew must act',
  }),
  failure: nullable(Type.String({ description: 'Why the provider could not return the money. Only the crew sees it' })),
  note: nullable(Type.String({ description: 'How the crew returned the money after the refund had failed. Only the crew sees it' })),
  createdAt: Instant,
  finishedAt: nullable(Instant),
};

const OrderRefund = named('OrderRefund', refundFields);
export type OrderRefund = Static<typeof OrderRefund>;

export const disputeStatuses = ['open', 'won', 'lost'] as const;

const OrderDispute = named('OrderDispute', {
  id: Id,
  amount: Type.Integer({ description: 'The disputed amount in cents' }),
  fee: nullable(Type.Integer({ description: 'What the provider charges for the dispute, in cents. Only the crew sees it' })),
  reason: Type.String({ description: "The provider's word for the reason", examples: ['fraudulent'] }),
  status: oneOf(disputeStatuses, {
    description: '`open`: the bank has taken the money and has not decided. `won`: the money came back. `lost`: the buyer keeps the money',
  }),
  returnedTwice: Type.Integer({
    description: 'The part of the amount that was also refunded, in cents. If it is not 0, send the proof of the refund to the provider',
  }),
  openedAt: Instant,
  closedAt: nullable(Instant),
});
export type OrderDispute = Static<typeof OrderDispute>;

export const Order = named('Order', {
  ...order,
  payments: Type.Array(OrderPayment, { description: 'The payments, oldest first' }),
  refunds: Type.Array(OrderRefund, { description: 'Money that goes back to the buyer, oldest first' }),
  disputes: Type.Array(OrderDispute, { description: 'Payments that the buyer disputed at the bank (chargebacks), oldest first' }),
  buyer: nullable(
    closed(
      { name: Type.String(), email: Type.String(), document: nullable(Type.String()) },
      { description: 'Null until the buyer is set, and after the data of the buyer was erased' },
    ),
  ),
});

/** The type has no `testMoney`, because `routes.ts` adds it to each response. */
export type Order = Omit<Static<typeof Order>, 'testMoney'>;

export const PlacedOrder = named('PlacedOrder', {
  ...order,
  secret: Type.String({
    description:
      'The secret of the order. Only this response contains it. A caller who has the secret may read, pay, extend, cancel and withdraw from the order, and set its buyer. Send it as `Authorization: Order SECRET`, or as `Order-Secret: SECRET` beside an access token',
  }),
});
export type PlacedOrder = Omit<Static<typeof PlacedOrder>, 'testMoney'>;

export const orderIdParams = Type.Object({ id: Id });

export const SecretQuery = Type.Object({
  secret: Type.Optional(
    Type.String({
      maxLength: 100,
      deprecated: true,
      description: 'The secret of the order. Send it as `Authorization: Order SECRET` instead, because proxies and browsers store URLs',
    }),
  ),
});

export const exampleLine = {
  itemId: 42,
  name: '2º lote',
  quantity: 2,
  refunded: 0,
  refundedAmount: 0,
  price: 8000,
  feeSale: 800,
  finalPrice: 8800,
};

export const exampleOrder = {
  id: 1001,
  eventId: 12,
  status: 'held',
  appCategoryId: 1,
  sessionId: 7,
  lines: [exampleLine],
  total: 17600,
  refundedTotal: 0,
  currency: 'BRL',
  createdAt: '2026-11-20T13:00:00.000Z',
  expiresAt: '2026-11-20T13:10:00.000Z',
  extended: false,
  approvedAt: null,
  testMoney: false,
};

export const exampleBuyer = { name: 'Ana Souza', email: 'ana@example.com' };

/** Example response for an order. The payments contract uses it too. */
export const exampleRead = {
  ...exampleOrder,
  payments: [] as unknown[],
  refunds: [] as unknown[],
  disputes: [] as unknown[],
  buyer: { ...exampleBuyer, document: null },
};
