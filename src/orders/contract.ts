import Type, { type Static } from 'typebox';
import { AppCategoryId } from '../catalog/contract.ts';
import { admin, anyone, orSecret, permitted } from '../kernel/access.ts';
import { locales } from '../kernel/locale.ts';
import { route } from '../kernel/route.ts';
import {
  Cents,
  Currency,
  closed,
  Email,
  Id,
  Instant,
  line,
  named,
  nullable,
  oneOf,
  pageOf,
  pageQuery,
  paragraphs,
} from '../kernel/schema.ts';

const orderStatuses = ['held', 'approved', 'expired', 'cancelled', 'refunded'] as const;

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
const disputeStatuses = ['open', 'won', 'lost'] as const;
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
const PlacedOrder = named('PlacedOrder', {
  ...order,
  secret: Type.String({
    description:
      'The secret of the order. Only this response contains it. Whoever has the secret may read, pay, extend, cancel and withdraw from the order, and set its buyer. Send it as `Authorization: Order SECRET`, or as `Order-Secret: SECRET` beside an access token',
  }),
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
        'The solution of the challenge from a 428 response: an ALTCHA payload, which is `{ challenge, solution }` as JSON in base64',
    }),
  ),
  admission: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'The admission of the waiting room, from `POST /queue/{id}/place`. Needed while the event has a waiting room',
    }),
  ),
  buyer: Type.Optional(Buyer),
});
export type NewOrder = Static<typeof NewOrder>;

const Refund = closed({
  lines: Type.Optional(
    Type.Array(closed({ itemId: Id, quantity: Type.Integer({ minimum: 1, maximum: 1000 }) }), {
      minItems: 1,
      maxItems: 50,
      description: 'How many tickets of each item to refund. If left out, all tickets that are not refunded yet are refunded',
    }),
  ),
  ticketIds: Type.Optional(
    Type.Array(Id, {
      minItems: 1,
      maxItems: 1000,
      description: 'Ids of the tickets to refund, instead of `lines`. Only the crew may send it',
    }),
  ),
  includeUsed: Type.Optional(
    Type.Boolean({
      description:
        'Also refund tickets that were used at the door. Only the crew may send it. If it is left out, the response for used tickets is 422',
    }),
  ),
  restock: Type.Optional(Type.Boolean({ description: 'Whether the refunded tickets go back on sale. Default: true' })),
  reason: Type.Optional(line(200, 'Show moved to another day')),
});
export type RefundBody = Static<typeof Refund>;

const Ticket = named('OrderTicket', {
  id: Id,
  itemId: Id,
  name: Type.String(),
  sessionIds: Type.Array(Id),
  status: oneOf(['valid', 'refunded']),
  code: Type.String({
    description: 'The code of the ticket: a signed code or an imported code. It is the content of the QR code that is scanned at the door',
  }),
  shortCode: nullable(
    Type.String({
      description:
        'A code of 8 characters or a few more that stewards can type if the QR code cannot be scanned. Null for tickets with an imported code',
      examples: ['7K3M-9PQ2'],
    }),
  ),
  used: Type.Boolean({ description: 'Whether a guest has entered with this ticket' }),
});
export type OrderTicket = Static<typeof Ticket>;

const Resend = closed({ locale: Type.Optional(oneOf(locales)) });
export type ResendBody = Static<typeof Resend>;

const OrderQuery = Type.Object({
  ...pageQuery,
  status: Type.Optional(oneOf(orderStatuses)),
  dispute: Type.Optional(oneOf(disputeStatuses, { description: 'Only orders with a dispute of this status' })),
  term: Type.Optional(
    Type.String({ maxLength: 100, description: "The beginning of the buyer's name, e-mail address or document, or the id of the order" }),
  ),
  channel: Type.Optional(AppCategoryId),
  itemId: Type.Optional(Id),
  method: Type.Optional(oneOf(paymentMethods, { description: 'Only orders that were paid with this method' })),
  from: Type.Optional(Instant),
  to: Type.Optional(Instant),
});
export type OrderQuery = Static<typeof OrderQuery>;

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

const TicketPictureQuery = Type.Object({ orderId: Id, ...SecretQuery.properties });
const TicketFileQuery = Type.Object({ locale: Type.Optional(oneOf(locales)), ...SecretQuery.properties });
export type TicketFileQuery = Static<typeof TicketFileQuery>;

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
/** Example response for an order. The payments contract uses it too. */
export const exampleRead = {
  ...exampleOrder,
  payments: [] as unknown[],
  refunds: [] as unknown[],
  disputes: [] as unknown[],
  buyer: { ...exampleBuyer, document: null },
};

const OrderNote = named('OrderNote', {
  id: Id,
  text: Type.String(),
  author: closed({ id: Id, name: Type.String() }),
  createdAt: Instant,
});
export type OrderNote = Static<typeof OrderNote>;
const exampleNote = {
  id: 3,
  text: 'Called: the buyer arrives late.',
  author: { id: 7, name: 'Ana Souza' },
  createdAt: '2026-11-20T14:00:00.000Z',
};

const Changed = Type.Unsafe<Record<string, unknown> | null>({ type: ['object', 'null'] });
const TimelineEntry = named('TimelineEntry', {
  id: Id,
  at: Instant,
  operation: Type.String({ description: 'The `operationId` of the request, or the name of a background job' }),
  actor: closed({
    kind: oneOf(['anonymous', 'system', 'user'], { description: '`anonymous`: the buyer. `system`: a job or command' }),
    id: nullable(Id),
    name: nullable(Type.String({ description: 'The name of the user, job or command' })),
  }),
  before: Changed,
  after: Changed,
});
export type TimelineEntry = Static<typeof TimelineEntry>;
const exampleEntry = {
  id: 901,
  at: '2026-11-20T13:02:00.000Z',
  operation: 'payOrder',
  actor: { kind: 'anonymous', id: null, name: null },
  before: { status: 'held' },
  after: { status: 'approved' },
};

const exampleTicket = {
  id: 5001,
  itemId: 42,
  name: '2º lote',
  sessionIds: [7],
  status: 'valid',
  code: 'AEBAGBAF…',
  shortCode: '7K3M-9PQ2',
  used: false,
};
const onePage = <T>(row: T) => ({ data: [row], nextCursor: null });

const OrderDetails = named('OrderDetails', {
  order: Order,
  tickets: pageOf(Ticket),
  notes: pageOf(OrderNote),
  timeline: pageOf(TimelineEntry),
});
export type OrderDetails = Omit<Static<typeof OrderDetails>, 'order'> & { order: Order };

export const ordersContract = {
  createOrder: route({
    method: 'POST',
    path: '/orders',
    inEvent: true,
    group: 'shop',
    summary: 'Order tickets',
    description:
      "Places an order. No account is needed. The tickets are held for 10 minutes: pay with `POST /orders/{id}/payment` before `expiresAt`. A free order is approved at once. If `buyer` is left out, the order is only held: set the buyer with `PUT /orders/{id}/buyer` before the payment. A free order is then approved when its buyer is set. Send `sessionId` if an item is sold for several sessions. If not enough tickets are left, the response is 409 with the remaining quantity of each line. The event sets the maximum number of tickets per order in `maximumPerOrder`; at the box office the maximum is 500. Channels other than web shop (1) and app (3) need a crew role or an API token that may sell at the event. If the caller's network has many unpaid tickets, or if the event always requires a challenge, the response is 428 with a proof-of-work `challenge` (ALTCHA). Solve the challenge and send the order again with the solution in `challenge`. If the event has a waiting room, orders of the public need an `admission`. Otherwise the response is 403 `waiting_room` with the `reason`, and the address of the queue in `queue`.",
    access: anyone,
    body: NewOrder,
    answer: { status: 201, body: PlacedOrder },
    problems: ['rule_violation', 'sold_out', 'not_on_sale', 'buyer_limit', 'passkey_rejected', 'challenge_required', 'waiting_room'],
    batched: true,
    examples: {
      body: { eventId: 12, sessionId: 7, items: [{ itemId: 42, quantity: 2 }], buyer: exampleBuyer },
      answer: { ...exampleOrder, secret: 'Zb3xYq0R1m6iJtTnJ0gq6w' },
    },
  }),
  getOrder: route({
    method: 'GET',
    path: '/orders/{id}',
    inEvent: true,
    group: 'shop',
    summary: 'Get an order',
    description:
      'Returns an order with its lines, payments, refunds, disputes and buyer. Callers who have neither the secret of the order nor a role in its event get 404.',
    access: anyone,
    orderAccess: 'path.id',
    params: orderIdParams,
    query: SecretQuery,
    answer: { status: 200, body: Order },
    examples: { params: { id: 1001 }, answer: exampleRead },
  }),
  setBuyer: route({
    method: 'PUT',
    path: '/orders/{id}/buyer',
    inEvent: true,
    group: 'shop',
    summary: 'Set the buyer of a held order',
    description:
      'Sets the buyer of an order that was placed without one, or replaces the buyer. All fields are replaced. The buyer can be set while the order is held and no payment is pending. Otherwise the response is 409 `wrong_state`, or `hold_expired` after the hold has expired. If the order exceeds the limit per buyer of an item, the response is 409 `buyer_limit` with the remaining quantity of each line, and the order keeps its buyer. A free order is approved as soon as its buyer is set. `If-Match` takes the ETag of `GET /orders/{id}`.',
    access: anyone,
    orderAccess: 'path.id',
    params: orderIdParams,
    query: SecretQuery,
    body: Buyer,
    answer: { status: 200, body: Order },
    problems: ['wrong_state', 'hold_expired', 'buyer_limit', 'sold_out'],
    batched: true,
    versionOf: 'getOrder',
    examples: { params: { id: 1001 }, body: exampleBuyer, answer: exampleRead },
  }),
  cancelOrder: route({
    method: 'POST',
    path: '/orders/{id}/cancel',
    inEvent: true,
    group: 'shop',
    summary: 'Cancel a held order',
    description:
      'Cancels an order that is not paid yet and releases its tickets at once. Returns 409 `wrong_state` if the order is not held. To undo a paid order, refund it.',
    access: anyone,
    orderAccess: 'path.id',
    params: orderIdParams,
    query: SecretQuery,
    answer: { status: 200, body: Order },
    problems: ['wrong_state'],
    batched: true,
    examples: { params: { id: 1001 }, answer: { ...exampleRead, status: 'cancelled' } },
  }),
  extendOrder: route({
    method: 'POST',
    path: '/orders/{id}/extend',
    inEvent: true,
    group: 'shop',
    summary: 'Extend the hold of an order by 10 minutes',
    description:
      'Adds 10 minutes to `expiresAt`. An order can be extended once, before its hold expires. A second request returns 409 `wrong_state`. After the hold has expired, the response is 409 `hold_expired`: place a new order.',
    access: anyone,
    orderAccess: 'path.id',
    params: orderIdParams,
    query: SecretQuery,
    answer: { status: 200, body: Order },
    problems: ['wrong_state', 'hold_expired'],
    examples: {
      params: { id: 1001 },
      answer: { ...exampleRead, extended: true, expiresAt: '2026-11-20T13:20:00.000Z' },
    },
  }),
  refundOrder: route({
    method: 'POST',
    path: '/orders/{id}/refund',
    inEvent: true,
    group: 'shop',
    summary: 'Refund a paid order or a part of it',
    description:
      'Refunds the tickets in `ticketIds` or the quantities in `lines`. If both are left out, all tickets that are not refunded yet are refunded. For quantities, unused tickets are refunded before used tickets, and newer before older tickets. Tickets that were used at the door are refunded only with `includeUsed`. Refunded tickets are no longer valid. The money goes back through the original payment method; `refunds` shows whether it has arrived. When all tickets are refunded, the status of the order is `refunded`. `reason` is stored in the audit log, whose entries cannot be changed, so do not put personal data into it. A buyer who sends the secret may only withdraw from the whole order: within the withdrawal period of the event, before the first session of the order starts, and before a ticket is used. Otherwise the response is 409 `withdrawal_closed`. If the payment is disputed, the bank decides about the money: the response is 409 `wrong_state` until the dispute is won.',
    access: orSecret(permitted('order.refund', { order: 'path.id' })),
    orderAccess: 'path.id',
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
  openOrderSession: route({
    method: 'POST',
    path: '/orders/{id}/session',
    group: 'shop',
    summary: 'Open the order page in this browser',
    description:
      'Sets an `HttpOnly` cookie with the secret or the link token of the request, valid for 30 days. Then pages of the shop can call the operations of this order without a secret. The cookie is used only for requests from the same origin. Other callers get 404.',
    access: anyone,
    orderAccess: 'path.id',
    orderSession: 'open',
    params: orderIdParams,
    query: SecretQuery,
    answer: { status: 204 },
    unaudited: 'Only a cookie of the browser changes',
    examples: { params: { id: 1001 } },
  }),
  closeOrderSession: route({
    method: 'DELETE',
    path: '/orders/{id}/session',
    group: 'shop',
    summary: 'Close the order page in this browser',
    description: 'Deletes the cookie of the order, for example on a shared computer. The secret and the links of the order still work.',
    access: anyone,
    orderSession: 'close',
    params: orderIdParams,
    answer: { status: 204 },
    unaudited: 'Only a cookie of the browser changes',
    examples: { params: { id: 1001 } },
  }),
  revokeOrderLinks: route({
    method: 'POST',
    path: '/orders/{id}/revoke-links',
    group: 'shop',
    summary: 'Revoke the links in the mails of an order',
    description:
      'The links that were mailed for this order stop working at once, and so do the cookies that were opened with them. Use it if a buyer has forwarded a mail or lost a mailbox. The secret of the order still works. `POST /orders/{id}/tickets/mail` sends a mail with a new link.',
    access: permitted('order.sell', { order: 'path.id' }),
    params: orderIdParams,
    answer: { status: 200, body: named('RevokedLinks', { revoked: Type.Integer({ description: 'The number of revoked links' }) }) },
    examples: { params: { id: 1001 }, answer: { revoked: 2 } },
  }),
  changeBuyerEmail: route({
    method: 'PUT',
    path: '/orders/{id}/buyer/email',
    group: 'shop',
    summary: "Change the buyer's e-mail address of a paid order",
    description:
      'For buyers who mistyped their address. The links in earlier mails stop working. The new address gets the tickets, and the earlier address gets a notice without the new address. The secret of the order still works. Returns 409 `buyer_limit` if the new address would exceed the limit per buyer of an item.',
    access: permitted('order.refund', { order: 'path.id' }),
    params: orderIdParams,
    body: closed({ email: Email }),
    answer: { status: 200, body: Order },
    problems: ['wrong_state', 'buyer_limit', 'rule_violation'],
    examples: { params: { id: 1001 }, body: { email: 'ana@example.com' }, answer: { ...exampleRead, status: 'approved' } },
  }),
  createOrderNote: route({
    method: 'POST',
    path: '/orders/{id}/notes',
    group: 'shop',
    summary: 'Add a note to an order',
    description:
      'For the crew. Buyers do not see notes. A note cannot be changed or deleted. Erasing the buyer of the order deletes its notes. An order can have at most 200 notes.',
    access: permitted('order.sell', { order: 'path.id' }),
    params: orderIdParams,
    body: closed({ text: paragraphs(2000, 'Called: the buyer arrives late.') }),
    answer: { status: 201, body: OrderNote },
    problems: ['rule_violation'],
    examples: { params: { id: 1001 }, body: { text: exampleNote.text }, answer: exampleNote },
  }),
  listOrderNotes: route({
    method: 'GET',
    path: '/orders/{id}/notes',
    group: 'shop',
    summary: 'List the notes on an order',
    description: 'Returns the notes of the crew, oldest first.',
    access: permitted('order.read', { order: 'path.id' }),
    params: orderIdParams,
    query: Type.Object(pageQuery),
    answer: { status: 200, body: pageOf(OrderNote) },
    examples: { params: { id: 1001 }, answer: { data: [exampleNote], nextCursor: null } },
  }),
  getOrderTimeline: route({
    method: 'GET',
    path: '/orders/{id}/timeline',
    group: 'shop',
    summary: 'Get what happened to an order',
    description:
      'Returns the entries of the audit log about the order, oldest first: who did what, and what changed. Entries do not name the buyer. They are kept as long as the audit log.',
    access: permitted('order.read', { order: 'path.id' }),
    params: orderIdParams,
    query: Type.Object(pageQuery),
    answer: { status: 200, body: pageOf(TimelineEntry) },
    examples: { params: { id: 1001 }, answer: { data: [exampleEntry], nextCursor: null } },
  }),
  getOrderDetails: route({
    method: 'GET',
    path: '/orders/{id}/details',
    group: 'shop',
    summary: 'Get an order with its tickets, notes and timeline',
    description:
      'For pages of the crew. Returns the order and the first 200 of its tickets, of its notes and of the entries of its timeline. If there are more, `nextCursor` is not null: pass it to the operation that lists them.',
    access: permitted('order.read', { order: 'path.id' }),
    params: orderIdParams,
    answer: { status: 200, body: OrderDetails },
    examples: {
      params: { id: 1001 },
      answer: { order: exampleRead, tickets: onePage(exampleTicket), notes: onePage(exampleNote), timeline: onePage(exampleEntry) },
    },
  }),
  anonymizeOrder: route({
    method: 'POST',
    path: '/orders/{id}/anonymize',
    group: 'shop',
    summary: 'Erase the buyer of an order',
    description:
      'Erases the name, e-mail address and document of the buyer, and the notes of the crew. This cannot be undone. Lines, payments and tickets stay. Returns 409 `wrong_state` while the order is held.',
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
    summary: 'List the tickets of an order',
    description:
      'Returns a page of tickets, ordered by id. The list is empty until the order is approved. To get the QR code of a ticket as a picture, use `/tickets/{id}/qr.svg` or `/tickets/{id}/qr.png`.',
    access: anyone,
    orderAccess: 'path.id',
    params: orderIdParams,
    query: Type.Object({ ...pageQuery, ...SecretQuery.properties }),
    answer: { status: 200, body: pageOf(Ticket) },
    examples: {
      params: { id: 1001 },
      answer: {
        data: [exampleTicket],
        nextCursor: null,
      },
    },
  }),
  getTicketSvg: route({
    method: 'GET',
    path: '/tickets/{id}/qr.svg',
    group: 'shop',
    summary: 'Get the QR code of a ticket as SVG',
    description:
      'Send `orderId` with the secret of the order, or sign in as a crew member of the event. Returns 409 `wrong_state` for a refunded ticket.',
    access: anyone,
    orderAccess: 'query.orderId',
    params: orderIdParams,
    query: TicketPictureQuery,
    sends: ['image/svg+xml'],
    answer: { status: 200 },
    problems: ['wrong_state'],
    examples: { params: { id: 5001 }, query: { orderId: 1001 } },
  }),
  getTicketPng: route({
    method: 'GET',
    path: '/tickets/{id}/qr.png',
    group: 'shop',
    summary: 'Get the QR code of a ticket as PNG',
    description:
      'Send `orderId` with the secret of the order, or sign in as a crew member of the event. Returns 409 `wrong_state` for a refunded ticket.',
    access: anyone,
    orderAccess: 'query.orderId',
    params: orderIdParams,
    query: TicketPictureQuery,
    sends: ['image/png'],
    answer: { status: 200 },
    problems: ['wrong_state'],
    examples: { params: { id: 5001 }, query: { orderId: 1001 } },
  }),
  getTicketsPdf: route({
    method: 'GET',
    path: '/orders/{id}/tickets.pdf',
    group: 'shop',
    summary: 'Get the tickets of an order as PDF',
    description:
      'Returns all tickets that are not refunded, two on a page of A4. `locale` sets the language. By default the currency of the order decides the language. The same tickets always give the same ETag. Returns 409 `wrong_state` if the order has no tickets, for example because it is not paid. Names and titles can have Latin, Greek and Cyrillic letters. Letters of other scripts are printed as Latin letters.',
    access: anyone,
    orderAccess: 'path.id',
    params: orderIdParams,
    query: TicketFileQuery,
    sends: ['application/pdf'],
    answer: { status: 200 },
    problems: ['wrong_state'],
    concurrency: 4,
    examples: { params: { id: 1001 }, query: { locale: 'en' } },
  }),
  getOrderCalendar: route({
    method: 'GET',
    path: '/orders/{id}/calendar.ics',
    group: 'shop',
    summary: 'Get the sessions of an order as a calendar file',
    description:
      'Returns an iCalendar file (RFC 5545) with an entry for each session that the order has valid tickets for. Times are in UTC. A calendar that reads the file again updates its entries. `locale` sets the language. Returns 409 `wrong_state` if the order has no tickets.',
    access: anyone,
    orderAccess: 'path.id',
    params: orderIdParams,
    query: TicketFileQuery,
    sends: ['text/calendar'],
    answer: { status: 200 },
    problems: ['wrong_state'],
    examples: { params: { id: 1001 }, query: { locale: 'en' } },
  }),
  resendTickets: route({
    method: 'POST',
    path: '/orders/{id}/tickets/mail',
    group: 'shop',
    summary: 'Mail the tickets again',
    description:
      "Queues a mail with the valid tickets to the buyer's address. An order can be mailed once a minute and five times a day; further requests return 429 with `Retry-After`. `locale` sets the language of the mail. By default it is the language in which the buyer ordered (`Accept-Language`), or else the currency of the order decides.",
    access: anyone,
    orderAccess: 'path.id',
    params: orderIdParams,
    query: SecretQuery,
    body: Resend,
    answer: { status: 202 },
    problems: ['wrong_state'],
    examples: { params: { id: 1001 }, body: { locale: 'en' } },
  }),
  listOrders: route({
    method: 'GET',
    path: '/event/{eventId}/orders',
    group: 'shop',
    summary: 'List the orders of an event',
    description:
      'Returns the orders of an event, newest first. `status`, `dispute`, `term`, `channel`, `itemId`, `method`, `from` and `to` filter the list. Only the crew of the event may list its orders.',
    access: permitted('order.read', { event: 'path.eventId' }),
    params: Type.Object({ eventId: Id }),
    query: OrderQuery,
    answer: { status: 200, body: pageOf(Order) },
    examples: { params: { eventId: 12 }, query: { status: 'approved' }, answer: { data: [exampleRead], nextCursor: null } },
  }),
};
