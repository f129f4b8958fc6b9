import Type, { type Static } from 'typebox';
import { admin, anyone, anyoneIgnoringToken } from '../kernel/access.ts';
import { route } from '../kernel/route.ts';
import { closed, Instant, line, named, oneOf } from '../kernel/schema.ts';
import { exampleRead, Order, orderIdParams, paymentMethods, SecretQuery } from '../orders/contract.ts';

const outcomes = ['approve', 'decline', 'late', 'twice', 'tooLittle', 'tooMuch', 'lost', 'never'] as const;
const Payment = closed({
  method: oneOf(paymentMethods),
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
const Sandbox = named('Sandbox', { secret: Type.String(), algorithm: oneOf(['HMAC-SHA256']), header: Type.String() });
export type Sandbox = Static<typeof Sandbox>;

const exampleReference = '7ZK1V0Q8N3C5M2X9T4R6B7D8';
const examplePayment = {
  method: 'pix',
  status: 'pending',
  amount: 17600,
  received: 0,
  returned: 0,
  refunded: 0,
  reference: exampleReference,
  pixCode: '00020126…6304A1B2',
  createdAt: '2026-11-20T13:01:00.000Z',
};

export const paymentsContract = {
  payOrder: route({
    method: 'POST',
    path: '/orders/{id}/payment',
    group: 'shop',
    summary: 'Pay an order',
    description:
      'Pays a held order. Cash and cards approve the order at once and issue its tickets. With PIX the order stays held with a pending payment until the provider confirms it: show the `pixCode` of the payment to the buyer and poll `GET /orders/{id}`. Only the crew may take cash. If the shop does not accept the payment method, the response is 422 and lists the accepted methods in `methods`. An order without a buyer cannot be paid: the response is 409 `buyer_required`. Set the buyer first. An expired hold cannot be paid: the response is 409 `hold_expired`. A PIX payment that started during the hold may be confirmed up to 24 hours after the hold expired. It buys the order at the original price if the same order could be placed at that time. Otherwise the payment is refunded.',
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
    examples: {
      params: { id: 1001 },
      body: { method: 'pix' },
      answer: { ...exampleRead, payments: [examplePayment] },
    },
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
    signed: { header: signatureHeader },
    answer: { status: 202, body: named('ReceivedNotice', { id: Type.String() }) },
    problems: ['invalid_signature'],
    unaudited: 'The notice itself is stored. The changes that it makes are audited when it is applied',
    examples: {
      body: { id: 'n-1', reference: exampleReference, event: 'paid', amount: 17600, at: '2026-11-20T13:02:00.000Z' },
      answer: { id: 'n-1' },
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
