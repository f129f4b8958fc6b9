import Type from 'typebox';
import { anyone, permitted } from '../kernel/access.ts';
import { route } from '../kernel/route.ts';
import { closed, Email, named } from '../kernel/schema.ts';
import { exampleRead, Order, orderIdParams, SecretQuery } from './order-schemas.ts';

export const linkContract = {
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
};
