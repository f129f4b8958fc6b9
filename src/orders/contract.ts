import Type, { type Static } from 'typebox';
import { AppCategoryId } from '../catalog/item-schemas.ts';
import { admin, anyone, orSecret, permitted } from '../kernel/access.ts';
import { route } from '../kernel/route.ts';
import { closed, Id, Instant, line, oneOf, pageOf, pageQuery } from '../kernel/schema.ts';
import { historyContract } from './history-contract.ts';
import { linkContract } from './link-contract.ts';
import {
  Buyer,
  disputeStatuses,
  exampleBuyer,
  exampleLine,
  exampleOrder,
  exampleRead,
  Order,
  orderIdParams,
  orderStatuses,
  PlacedOrder,
  paymentMethods,
  SecretQuery,
} from './order-schemas.ts';
import { ticketContract } from './ticket-contract.ts';

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
  ...ticketContract,
  ...linkContract,
  ...historyContract,
};
