import Type, { type Static } from 'typebox';
import { admin, anyone, anyoneIgnoringToken } from '../kernel/access.ts';
import { route } from '../kernel/route.ts';
import { closed, Instant, line, named, oneOf } from '../kernel/schema.ts';
import { exampleRead, exampleSecret, Order, orderIdParams, paymentMethods, SecretQuery } from '../orders/contract.ts';

const outcomes = ['approve', 'decline', 'late', 'twice', 'tooLittle', 'tooMuch', 'lost', 'never'] as const;
const Payment = closed({
  method: oneOf(paymentMethods),
  outcome: Type.Optional(
    Type.Unsafe<(typeof outcomes)[number]>({
      type: 'string',
      enum: [...outcomes],
      description:
        'Of the sandbox that stands in for a provider: what becomes of it; `approve` when left out. A card is approved or declined at once. Of PIX the sandbox plays the buyer: who pays after the hold ran out, a cent too little or too much, or never; or whose notice comes twice or is lost.',
    }),
  ),
});
export type PaymentBody = Static<typeof Payment>;

export const signatureHeader = 'X-Sandbox-Signature';
/** Fields and events that we do not know yet are no reason to refuse what a provider tells. */
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
      'Cash and cards approve the order at once and issue its tickets. PIX leaves it held with a pending payment until the provider confirms. Only the crew takes cash. A method that this shop does not take returns 422 with those that it takes, in `methods`. A hold that has expired cannot be paid: 409 `hold_expired`. A PIX payment that was begun during the hold and is confirmed up to 24 hours after it expired buys the order if the order could still be placed today, at the price of the order. Otherwise it is refunded.',
    access: anyone,
    params: orderIdParams,
    query: SecretQuery,
    body: Payment,
    answer: { status: 201, body: Order },
    problems: ['wrong_state', 'hold_expired', 'payment_declined', 'sold_out', 'rule_violation', 'payment_method_unavailable'],
    batched: true,
    examples: {
      params: { id: 1001 },
      query: exampleSecret,
      body: { method: 'pix' },
      answer: { ...exampleRead, payments: [examplePayment] },
    },
  }),
  receiveSandboxNotice: route({
    method: 'POST',
    path: '/payments/sandbox/notices',
    group: 'shop',
    summary: 'Notice of the sandbox about a payment',
    description:
      'Stored as it came, and applied once by the worker. The same `id` again is the same notice. What is not signed with the secret of the sandbox is refused. Where the sandbox is off this address does not exist (404).',
    access: anyoneIgnoringToken,
    body: Notice,
    signed: { header: signatureHeader },
    answer: { status: 202, body: named('ReceivedNotice', { id: Type.String() }) },
    problems: ['invalid_signature'],
    unaudited: 'The notice itself is kept; what it changes is audited when it is applied',
    examples: {
      body: { id: 'n-1', reference: exampleReference, event: 'paid', amount: 17600, at: '2026-11-20T13:02:00.000Z' },
      answer: { id: 'n-1' },
    },
  }),
  getSandbox: route({
    method: 'GET',
    path: '/payments/sandbox',
    group: 'shop',
    summary: 'How notices of the sandbox are signed',
    description: 'Where the sandbox is off this address does not exist (404).',
    access: admin,
    answer: { status: 200, body: Sandbox },
    examples: { answer: { secret: '9f2c…', algorithm: 'HMAC-SHA256', header: signatureHeader } },
  }),
};
