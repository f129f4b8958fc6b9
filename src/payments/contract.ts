import Type, { type Static } from 'typebox';
import { exampleProducer, Payout, Producer } from '../accounts/producer-contract.ts';
import { admin, anyone, anyoneIgnoringToken, permitted } from '../kernel/access.ts';
import { route } from '../kernel/route.ts';
import { Currency, closed, Id, Instant, line, named, nullable, oneOf, pageOf, pageQuery } from '../kernel/schema.ts';
import { exampleRead, Order, orderIdParams, paymentMethods, refundFields, refundStatuses, SecretQuery } from '../orders/order-schemas.ts';

const outcomes = ['approve', 'decline', 'late', 'twice', 'tooLittle', 'tooMuch', 'lost', 'never'] as const;
const Address = closed(
  {
    line1: line(200, 'Rua Augusta 100'),
    city: line(100, 'São Paulo'),
    state: line(100, 'SP'),
    postalCode: line(20, '01304-000'),
    country: Type.String({ maxLength: 2, pattern: '^[A-Z]{2}$', examples: ['BR'] }),
  },
  { description: "The buyer's address. A boleto needs it" },
);
const Payment = closed({
  method: oneOf(paymentMethods),
  address: Type.Optional(Address),
  outcome: Type.Optional(
    Type.Unsafe<(typeof outcomes)[number]>({
      type: 'string',
      enum: [...outcomes],
      description:
        'For tests with the sandbox: the outcome that the payment simulates. Default: `approve`. A card payment can only simulate `approve` and `decline`, and is decided at once. For PIX the sandbox simulates the buyer: with `late` the buyer pays when the hold expires, with `tooLittle` and `tooMuch` one cent less or more, and with `never` not at all. With `twice` the sandbox sends several notices about one payment, with `lost` it sends none.',
    }),
  ),
});
export type PaymentBody = Static<typeof Payment>;

export const signatureHeader = 'X-Sandbox-Signature';
/** Allows unknown fields and events, because a provider may add them. */
const Notice = Type.Object({
  id: line(100, 'n-1'),
  reference: line(100, '7ZK1V0Q8N3C5M2X9T4R6B7D8'),
  event: Type.String({ minLength: 1, maxLength: 50, description: '`paid` or `failed`', examples: ['paid'] }),
  amount: Type.Integer({ minimum: 1, maximum: 1_000_000_000_000 }),
  at: Instant,
});
export type NoticeBody = Static<typeof Notice>;
const ReceivedNotice = named('ReceivedNotice', { id: Type.String() });
const Sandbox = named('Sandbox', { secret: Type.String(), algorithm: oneOf(['HMAC-SHA256']), header: Type.String() });
export type Sandbox = Static<typeof Sandbox>;

const Refund = named('Refund', {
  ...refundFields,
  orderId: Id,
  provider: Type.String({ examples: ['stripe'] }),
  method: oneOf(paymentMethods),
  currency: Currency,
});
export type Refund = Static<typeof Refund>;
const RefundQuery = Type.Object({ ...pageQuery, status: Type.Optional(oneOf(refundStatuses)) });
export type RefundQuery = Static<typeof RefundQuery>;
const refundParams = Type.Object({ id: Id, refundId: Id });
const mayRefund = permitted('order.refund', { order: 'path.id' });

const exampleRefund = {
  id: 31,
  orderId: 1001,
  provider: 'stripe',
  method: 'card',
  currency: 'BRL',
  amount: 17600,
  reason: 'refund',
  status: 'failed',
  failure: 'The card expired or was canceled.',
  note: null,
  createdAt: '2026-11-21T13:00:00.000Z',
  finishedAt: '2026-11-21T13:00:02.000Z',
};

const exampleReference = '7ZK1V0Q8N3C5M2X9T4R6B7D8';
const examplePayment = {
  provider: 'sandbox',
  method: 'pix',
  status: 'pending',
  amount: 17600,
  received: 0,
  returned: 0,
  refunded: 0,
  reference: exampleReference,
  expiresAt: '2026-11-20T13:16:00.000Z',
  action: { type: 'display', code: '00020126…6304A1B2', imageUrl: null },
  pixCode: '00020126…6304A1B2',
  failure: null,
  createdAt: '2026-11-20T13:01:00.000Z',
};

const producerIdParams = Type.Object({ id: Id });
const examplePayout = { provider: 'stripe', account: 'acct_1QxAurora' };

const PaymentMethod = named('PaymentMethod', {
  method: oneOf(paymentMethods),
  provider: Type.String({ description: 'The payment provider, for example `stripe`', examples: ['stripe'] }),
  currencies: nullable(Type.Array(Currency, { description: 'The currencies that the method accepts. Null: all' })),
  action: oneOf(['none', 'display', 'redirect', 'client'], {
    description:
      "What the buyer does after `POST /orders/{id}/payment`. `none`: nothing, the payment is decided at once. `display`: pay a code that the page shows. `redirect`: open an address. `client`: use the provider's web component",
  }),
  component: nullable(
    closed(
      { script: Type.String(), publishableKey: Type.String() },
      {
        description: 'For the action `client`: the address of the script with the web component, and the key to create it. Otherwise null',
      },
    ),
  ),
  needs: Type.Array(oneOf(['document', 'address']), {
    description:
      'What the payment needs besides the name and the e-mail of the buyer. `document`: set it with the buyer. `address`: send it with the payment',
  }),
});
export type PaymentMethod = Static<typeof PaymentMethod>;

const exampleMethods = [
  {
    method: 'card',
    provider: 'stripe',
    currencies: ['BRL', 'USD'],
    action: 'client',
    component: { script: 'https://js.stripe.com/endive/stripe.js', publishableKey: 'pk_live_…' },
    needs: [],
  },
  { method: 'pix', provider: 'stripe', currencies: ['BRL'], action: 'display', component: null, needs: [] },
];

export const paymentsContract = {
  listPaymentMethods: route({
    method: 'GET',
    path: '/payment-methods',
    group: 'shop',
    summary: 'List the payment methods of an event',
    description:
      'Returns the methods that this shop accepts in the currency of the event, and what a page needs for each. Cash is listed only for callers who may sell at the event. Returns 404 for an event that the caller may not read.',
    access: anyone,
    query: Type.Object({ eventId: Id }),
    answer: { status: 200, body: closed({ data: Type.Array(PaymentMethod) }) },
    examples: { query: { eventId: 12 }, answer: { data: exampleMethods } },
  }),
  payOrder: route({
    method: 'POST',
    path: '/orders/{id}/payment',
    inEvent: true,
    group: 'shop',
    summary: 'Pay an order',
    description:
      'Pays a held order. Cash, which only the crew may take, approves the order at once and issues its tickets. Any other payment starts at the payment provider: it is `pending`, and its `action` says what the buyer does. Poll `GET /orders/{id}` until the order is approved. The first payment of an order extends its hold until the payment expires. While a payment of the same method is open, the request returns that payment, after asking the provider for its state. If the provider does not respond in time, the payment is `begun`, and the service goes on asking. If the shop does not accept the payment method, the response is 422 and lists the accepted methods in `methods`. An order without a buyer can only be paid in cash. For other methods the response is 409 `buyer_required`: set the buyer first. An expired hold cannot be paid: the response is 409 `hold_expired`. A payment that started during the hold may be confirmed up to 24 hours after the hold expired. It buys the order at the original price if the same order could be placed at that time. Otherwise the money goes back.',
    access: anyone,
    orderAccess: 'path.id',
    params: orderIdParams,
    query: SecretQuery,
    body: Payment,
    answer: { status: 201, body: Order },
    problems: [
      'wrong_state',
      'hold_expired',
      'buyer_required',
      'payment_declined',
      'sold_out',
      'rule_violation',
      'payment_method_unavailable',
    ],
    batched: true,
    mayChangeNothing: 'If a payment is already open, the request only returns it',
    examples: {
      params: { id: 1001 },
      body: { method: 'pix' },
      answer: { ...exampleRead, payments: [examplePayment] },
    },
  }),
  setPayout: route({
    method: 'PUT',
    path: '/producers/{id}/payout',
    group: 'account',
    summary: "Set a producer's own account at a payment provider",
    description:
      "The money of payments through this provider goes to the producer's account. The platform keeps its tax. Payments that have begun keep the account they began with. The owners of the producer get a mail. Only admins of the platform can set it. Returns 422 if the provider is not in PAYMENTS, cannot pay to such accounts, or has accounts of another form.",
    access: admin,
    params: producerIdParams,
    body: Payout,
    answer: { status: 200, body: Producer },
    problems: ['rule_violation'],
    versionOf: 'getProducer',
    examples: { params: { id: 1 }, body: examplePayout, answer: { ...exampleProducer, payout: examplePayout } },
  }),
  deletePayout: route({
    method: 'DELETE',
    path: '/producers/{id}/payout',
    group: 'account',
    summary: "Remove a producer's own account at a payment provider",
    description:
      'The platform receives the money of payments that begin from now on. The owners of the producer get a mail. Only admins of the platform can remove it. Returns 404 if the producer has no account.',
    access: admin,
    params: producerIdParams,
    answer: { status: 204 },
    versionOf: 'getProducer',
    examples: { params: { id: 1 } },
  }),
  receiveSandboxNotice: route({
    method: 'POST',
    path: '/payments/sandbox/notices',
    group: 'shop',
    summary: 'Receive a payment notice from the sandbox',
    description:
      'Stores a notice about a payment. The worker applies it within a second. A notice with an `id` that was received before is ignored. Sign the body with the secret from `GET /payments/sandbox`; a wrong signature returns 401. Returns 404 if the sandbox is off.',
    access: anyoneIgnoringToken,
    body: Notice,
    signed: [signatureHeader],
    answer: { status: 202, body: ReceivedNotice },
    problems: ['invalid_signature'],
    unaudited: 'The notice itself is stored. The changes that it makes are audited when it is applied',
    examples: {
      body: { id: 'n-1', reference: exampleReference, event: 'paid', amount: 17600, at: '2026-11-20T13:02:00.000Z' },
      answer: { id: 'n-1' },
    },
  }),
  receiveNotice: route({
    method: 'POST',
    path: '/payments/{provider}/notices',
    group: 'shop',
    summary: 'Receive a payment notice from a provider',
    description:
      "The address for the webhooks of a payment provider, for example `/v1/payments/stripe/notices`. The provider's own library checks the signature: a wrong one returns 401. The notice is stored and applied by the worker within a second. A notice with an `id` that was received before is ignored. Returns 404 if the provider is not in PAYMENTS.",
    access: anyoneIgnoringToken,
    params: Type.Object({ provider: Type.String({ pattern: '^[a-z]{2,20}$', examples: ['stripe'] }) }),
    body: Type.Object({}, { description: 'As the provider sends it' }),
    bodyLimit: 256 * 1024,
    signed: ['Stripe-Signature', 'X-Signature', 'X-Request-Id'],
    answer: { status: 202, body: ReceivedNotice },
    problems: ['invalid_signature'],
    unaudited: 'The notice itself is stored. The changes that it makes are audited when it is applied',
    examples: { params: { provider: 'stripe' }, body: { id: 'evt_1', type: 'payment_intent.succeeded' }, answer: { id: 'evt_1' } },
  }),
  listRefunds: route({
    method: 'GET',
    path: '/event/{eventId}/refunds',
    group: 'shop',
    summary: 'List the refunds of an event',
    description:
      'Returns the money that goes back to the buyers of an event, newest first. `status=failed` lists the refunds that need the crew: retry them, or return the money in another way and settle them. Only crew members who may refund can read the list.',
    access: permitted('order.refund', { event: 'path.eventId' }),
    params: Type.Object({ eventId: Id }),
    query: RefundQuery,
    answer: { status: 200, body: pageOf(Refund) },
    examples: { params: { eventId: 12 }, query: { status: 'failed' }, answer: { data: [exampleRefund], nextCursor: null } },
  }),
  retryRefund: route({
    method: 'POST',
    path: '/orders/{id}/refunds/{refundId}/retry',
    group: 'shop',
    summary: 'Retry a failed refund',
    description:
      'Asks the payment provider again to return the money. The refund is `begun`, and the worker calls the provider within a second. Returns 409 `wrong_state` if the refund has not failed, or if the buyer disputed the payment.',
    access: mayRefund,
    params: refundParams,
    answer: { status: 200, body: Refund },
    problems: ['wrong_state'],
    examples: {
      params: { id: 1001, refundId: 31 },
      answer: { ...exampleRefund, status: 'begun', failure: null, finishedAt: null },
    },
  }),
  settleRefund: route({
    method: 'POST',
    path: '/orders/{id}/refunds/{refundId}/settle',
    group: 'shop',
    summary: 'Settle a failed refund by hand',
    description:
      'Marks a failed refund as `done`, because the buyer got the money in another way, for example by bank transfer. The provider is not called. `note` says how the money was returned. It is stored in the audit log, whose entries cannot be changed, so do not put personal data into it. Returns 409 `wrong_state` if the refund has not failed.',
    access: mayRefund,
    params: refundParams,
    body: closed({ note: line(200, 'Paid by bank transfer on 21 November') }),
    answer: { status: 200, body: Refund },
    problems: ['wrong_state'],
    examples: {
      params: { id: 1001, refundId: 31 },
      body: { note: 'Paid by bank transfer on 21 November' },
      answer: { ...exampleRefund, status: 'done', failure: null, note: 'Paid by bank transfer on 21 November' },
    },
  }),
  getSandbox: route({
    method: 'GET',
    path: '/payments/sandbox',
    group: 'shop',
    summary: 'Get the signing secret of the sandbox',
    description:
      'Returns the secret, the algorithm and the header for signing notices, so that you can send notices yourself to test payments. Returns 404 if the sandbox is off.',
    access: admin,
    answer: { status: 200, body: Sandbox },
    examples: { answer: { secret: '9f2c…', algorithm: 'HMAC-SHA256', header: signatureHeader } },
  }),
};
