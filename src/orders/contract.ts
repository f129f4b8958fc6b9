import Type, { type Static } from 'typebox';
import { AppCategoryId } from '../catalog/contract.ts';
import { admin, anyone, orSecret, permitted } from '../kernel/access.ts';
import { locales } from '../kernel/locale.ts';
import { route } from '../kernel/route.ts';
import { Cents, Currency, closed, Email, Id, Instant, line, named, nullable, oneOf, pageOf, pageQuery } from '../kernel/schema.ts';

const orderStatuses = ['held', 'approved', 'expired', 'cancelled', 'refunded'] as const;

const OrderLine = named('OrderLine', {
  itemId: Id,
  name: Type.String(),
  quantity: Type.Integer(),
  refunded: Type.Integer({ description: 'How many tickets of it were refunded' }),
  refundedAmount: Type.Integer({ description: 'The money of those' }),
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
  refundedTotal: Type.Integer({ description: 'What of the total was refunded' }),
  currency: Currency,
  createdAt: Instant,
  expiresAt: Instant,
  extended: Type.Boolean(),
  approvedAt: nullable(Instant),
  testMoney: Type.Boolean({ description: 'Whether this shop takes test money, from its sandbox' }),
};
export const paymentMethods = ['cash', 'card', 'pix'] as const;
const OrderPayment = named('OrderPayment', {
  method: oneOf(paymentMethods),
  status: oneOf(['pending', 'approved', 'declined', 'refunded']),
  amount: Type.Integer({ description: 'What was asked for' }),
  received: Type.Integer({ description: 'What came' }),
  returned: Type.Integer({ description: 'What of that went back without buying anything' }),
  refunded: Type.Integer({ description: 'What of the rest was refunded since' }),
  reference: nullable(Type.String({ description: 'Under which the provider knows it; null where it was paid on the spot' })),
  pixCode: nullable(Type.String({ description: 'To be copied into the app of a bank, while it is pending' })),
  createdAt: Instant,
});
export type OrderPayment = Static<typeof OrderPayment>;
export const Order = named('Order', {
  ...order,
  payments: Type.Array(OrderPayment, { description: 'In the order in which they were begun; a card that was declined leaves none' }),
  buyer: nullable(closed({ name: Type.String(), email: Type.String(), document: nullable(Type.String()) })),
});
/** Whether the money is test money is known at the edge, see `routes.ts`. */
export type Order = Omit<Static<typeof Order>, 'testMoney'>;
const PlacedOrder = named('PlacedOrder', {
  ...order,
  secret: Type.String({ description: 'Shown once. Whoever has it may read, pay and cancel the order' }),
});
export type PlacedOrder = Omit<Static<typeof PlacedOrder>, 'testMoney'>;

const NewOrder = closed({
  eventId: Id,
  sessionId: Type.Optional(Id),
  items: Type.Array(closed({ itemId: Id, quantity: Type.Integer({ minimum: 1, maximum: 1000 }) }), { minItems: 1, maxItems: 50 }),
  passkey: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  appCategoryId: Type.Optional(AppCategoryId),
  challenge: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2000,
      description:
        'The solution of the challenge that a 428 response carried: an ALTCHA payload, base64 of `{ challenge, solution }` as JSON',
    }),
  ),
  buyer: closed({ ...buyer, document: Type.Optional(line(40, '123.456.789-09')) }),
});
export type NewOrder = Static<typeof NewOrder>;

const Refund = closed({
  lines: Type.Optional(
    Type.Array(closed({ itemId: Id, quantity: Type.Integer({ minimum: 1, maximum: 1000 }) }), {
      minItems: 1,
      maxItems: 50,
      description: 'How many of what; everything that is not refunded yet when left out',
    }),
  ),
  ticketIds: Type.Optional(
    Type.Array(Id, { minItems: 1, maxItems: 1000, description: 'Which tickets; instead of `lines`, and for the crew only' }),
  ),
  includeUsed: Type.Optional(
    Type.Boolean({ description: 'Refund tickets that were used at the door as well; for the crew only. Without it they are refused' }),
  ),
  restock: Type.Optional(Type.Boolean({ description: 'Whether others may buy it now; yes when left out' })),
  reason: Type.Optional(line(200, 'Show moved to another day')),
});
export type RefundBody = Static<typeof Refund>;

const Ticket = named('OrderTicket', {
  id: Id,
  itemId: Id,
  name: Type.String(),
  sessionIds: Type.Array(Id),
  status: oneOf(['valid', 'refunded']),
  code: Type.String({ description: 'What admits: signed by us, or imported' }),
});
export type OrderTicket = Static<typeof Ticket>;

const Resend = closed({ locale: Type.Optional(oneOf(locales)) });
export type ResendBody = Static<typeof Resend>;

const OrderQuery = Type.Object({
  ...pageQuery,
  status: Type.Optional(oneOf(orderStatuses)),
  term: Type.Optional(
    Type.String({ maxLength: 100, description: 'Beginning of the name, e-mail or document of the buyer, or the number of the order' }),
  ),
  channel: Type.Optional(AppCategoryId),
  itemId: Type.Optional(Id),
  from: Type.Optional(Instant),
  to: Type.Optional(Instant),
});
export type OrderQuery = Static<typeof OrderQuery>;

export const orderIdParams = Type.Object({ id: Id });
export const SecretQuery = Type.Object({
  secret: Type.Optional(Type.String({ maxLength: 100, description: "The order's secret; who works on the event needs none" })),
});

const TicketPictureQuery = Type.Object({ orderId: Id, ...SecretQuery.properties });

const exampleLine = {
  itemId: 42,
  name: '2º lote',
  quantity: 2,
  refunded: 0,
  refundedAmount: 0,
  price: 8000,
  feeSale: 800,
  finalPrice: 8800,
};
const exampleOrder = {
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
const exampleBuyer = { name: 'Ana Souza', email: 'ana@example.com' };
/** An order as it is read, for the examples of the reference. */
export const exampleRead = { ...exampleOrder, payments: [] as unknown[], buyer: { ...exampleBuyer, document: null } };
export const exampleSecret = { secret: 'Zb3xYq0R1m6iJtTnJ0gq6w' };

export const ordersContract = {
  createOrder: route({
    method: 'POST',
    path: '/orders',
    group: 'shop',
    summary: 'Order tickets',
    description:
      'Anyone may. What is ordered is held for 10 minutes; an order that costs nothing is approved at once. `sessionId` is needed where an item is for several. What is no longer there is answered 409 with what remains, line by line. An order may have `maximumPerOrder` tickets of the event, at the box office 500. Channels other than web shop (1) and app (3) need a crew role or an API token that may sell at the event. When the network of an anonymous caller has many unpaid tickets, or the event asks for it, the response is 428 with a proof-of-work `challenge` (ALTCHA): solve it and send the order again with the solution in `challenge`.',
    access: anyone,
    body: NewOrder,
    answer: { status: 201, body: PlacedOrder },
    problems: ['rule_violation', 'sold_out', 'not_on_sale', 'buyer_limit', 'passkey_rejected', 'challenge_required'],
    batched: true,
    examples: {
      body: { eventId: 12, sessionId: 7, items: [{ itemId: 42, quantity: 2 }], buyer: exampleBuyer },
      answer: { ...exampleOrder, secret: 'Zb3xYq0R1m6iJtTnJ0gq6w' },
    },
  }),
  getOrder: route({
    method: 'GET',
    path: '/orders/{id}',
    group: 'shop',
    summary: 'Get an order',
    description: 'For who has its secret, and for who works on the event.',
    access: anyone,
    params: orderIdParams,
    query: SecretQuery,
    answer: { status: 200, body: Order },
    examples: { params: { id: 1001 }, query: exampleSecret, answer: exampleRead },
  }),
  cancelOrder: route({
    method: 'POST',
    path: '/orders/{id}/cancel',
    group: 'shop',
    summary: 'Give up an order that is not paid',
    description: 'What it held is free at once.',
    access: anyone,
    params: orderIdParams,
    query: SecretQuery,
    answer: { status: 200, body: Order },
    problems: ['wrong_state'],
    batched: true,
    examples: { params: { id: 1001 }, query: exampleSecret, answer: { ...exampleRead, status: 'cancelled' } },
  }),
  extendOrder: route({
    method: 'POST',
    path: '/orders/{id}/extend',
    group: 'shop',
    summary: 'Hold an order for 10 minutes more',
    description: 'Once, and before the hold expires.',
    access: anyone,
    params: orderIdParams,
    query: SecretQuery,
    answer: { status: 200, body: Order },
    problems: ['wrong_state', 'hold_expired'],
    examples: {
      params: { id: 1001 },
      query: exampleSecret,
      answer: { ...exampleRead, extended: true, expiresAt: '2026-11-20T13:20:00.000Z' },
    },
  }),
  refundOrder: route({
    method: 'POST',
    path: '/orders/{id}/refund',
    group: 'shop',
    summary: 'Refund an order that is paid, or a part of it',
    description:
      'Names tickets (`ticketIds`), a number per item (`lines`), or everything that is left. Of an item unused tickets go first, the newest of them first. A ticket that was used at the door is refunded only with `includeUsed`, by the crew. Refunded tickets no longer admit. The money goes back the way it came, to the cent. When everything is refunded so is the order. The reason is kept in the audit log, which nothing is erased from. A buyer, who has the secret, may withdraw from the whole order for as many days as the event gives, before it begins, and before anybody came in with one of the tickets.',
    access: orSecret(permitted('order.refund', { order: 'path.id' })),
    params: orderIdParams,
    query: SecretQuery,
    body: Refund,
    answer: { status: 200, body: Order },
    problems: ['wrong_state', 'rule_violation', 'withdrawal_closed'],
    examples: {
      params: { id: 1001 },
      body: { lines: [{ itemId: 42, quantity: 1 }], reason: 'Show moved to another day' },
      answer: {
        ...exampleRead,
        status: 'approved',
        approvedAt: '2026-11-20T13:02:00.000Z',
        lines: [{ ...exampleLine, refunded: 1, refundedAmount: 8800 }],
        refundedTotal: 8800,
      },
    },
  }),
  anonymizeOrder: route({
    method: 'POST',
    path: '/orders/{id}/anonymize',
    group: 'shop',
    summary: 'Erase who bought',
    description: 'For good: name, e-mail and document. What was bought and paid stays. Not while the order is held.',
    access: admin,
    params: orderIdParams,
    answer: { status: 200, body: Order },
    problems: ['wrong_state'],
    examples: {
      params: { id: 1001 },
      answer: { ...exampleRead, status: 'approved', approvedAt: '2026-11-20T13:02:00.000Z', buyer: null },
    },
  }),
  getOrderTickets: route({
    method: 'GET',
    path: '/orders/{id}/tickets',
    group: 'shop',
    summary: 'Tickets of an order',
    description: 'A page of them, in the order of their ids. `/tickets/{id}/qr.svg` and `/tickets/{id}/qr.png` have their pictures.',
    access: anyone,
    params: orderIdParams,
    query: Type.Object({ ...pageQuery, ...SecretQuery.properties }),
    answer: { status: 200, body: pageOf(Ticket) },
    examples: {
      params: { id: 1001 },
      query: exampleSecret,
      answer: {
        data: [{ id: 5001, itemId: 42, name: '2º lote', sessionIds: [7], status: 'valid', code: 'AEBAGBAF…' }],
        nextCursor: null,
      },
    },
  }),
  getTicketSvg: route({
    method: 'GET',
    path: '/tickets/{id}/qr.svg',
    group: 'shop',
    summary: 'QR code of a ticket as SVG',
    description: 'For callers with the secret of its order, and for the crew. A ticket that was refunded has no picture.',
    access: anyone,
    params: orderIdParams,
    query: TicketPictureQuery,
    sends: ['image/svg+xml'],
    answer: { status: 200 },
    problems: ['wrong_state'],
    examples: { params: { id: 5001 }, query: { orderId: 1001, ...exampleSecret } },
  }),
  getTicketPng: route({
    method: 'GET',
    path: '/tickets/{id}/qr.png',
    group: 'shop',
    summary: 'QR code of a ticket as PNG',
    description: 'For callers with the secret of its order, and for the crew. A ticket that was refunded has no picture.',
    access: anyone,
    params: orderIdParams,
    query: TicketPictureQuery,
    sends: ['image/png'],
    answer: { status: 200 },
    problems: ['wrong_state'],
    examples: { params: { id: 5001 }, query: { orderId: 1001, ...exampleSecret } },
  }),
  resendTickets: route({
    method: 'POST',
    path: '/orders/{id}/tickets/mail',
    group: 'shop',
    summary: 'Mail the tickets again',
    description:
      'To the address of the buyer, as they are now. Once a minute, and five times a day at most. `locale` is for who would rather have them in another language than the one of the currency.',
    access: anyone,
    params: orderIdParams,
    query: SecretQuery,
    body: Resend,
    answer: { status: 202 },
    problems: ['wrong_state'],
    examples: { params: { id: 1001 }, query: exampleSecret, body: { locale: 'en' } },
  }),
  listOrders: route({
    method: 'GET',
    path: '/event/{eventId}/orders',
    group: 'shop',
    summary: 'Orders of an event',
    description: 'Newest first.',
    access: permitted('order.read', { event: 'path.eventId' }),
    params: Type.Object({ eventId: Id }),
    query: OrderQuery,
    answer: { status: 200, body: pageOf(Order) },
    examples: { params: { eventId: 12 }, query: { status: 'approved' }, answer: { data: [exampleRead], nextCursor: null } },
  }),
};
