import type Stripe from 'stripe';
import { beforeAll, describe, expect, it } from 'vitest';
import { failureOf } from './failures.ts';
import { useStandIn } from './use-stand-in.ts';

const standIn = useStandIn({ accounts: ['acct_producer'] });
let stripe: Stripe;
beforeAll(() => {
  stripe = standIn.client();
});

const card = { amount: 10_000, currency: 'brl', allowed_payment_method_types: ['card'] } satisfies Stripe.PaymentIntentCreateParams;
const pix = {
  amount: 10_000,
  currency: 'brl',
  allowed_payment_method_types: ['pix'],
  payment_method_data: { type: 'pix' },
  confirm: true,
} satisfies Stripe.PaymentIntentCreateParams;
const boleto = {
  amount: 10_000,
  currency: 'brl',
  allowed_payment_method_types: ['boleto'],
  payment_method_data: {
    type: 'boleto',
    boleto: { tax_id: '000.000.000-00' },
    billing_details: {
      name: 'Ana Souza',
      email: 'ana@example.com',
      address: { line1: 'Rua A 1', city: 'São Paulo', state: 'SP', postal_code: '01310-100', country: 'BR' },
    },
  },
  confirm: true,
} satisfies Stripe.PaymentIntentCreateParams;

const payByCard = (method: string, more: Partial<Stripe.PaymentIntentCreateParams> = {}) =>
  stripe.paymentIntents.create({ ...card, payment_method: method, confirm: true, ...more });

const eventTypesOf = async (id: string): Promise<string[]> => {
  const events = await stripe.events.list({ limit: 100 });
  const own = events.data.filter(({ data }) => (data.object as { id?: string }).id === id);
  return own.map(({ type }) => type as string).toReversed();
};

describe('cards', () => {
  it('an intent without payment method waits for one, and has a client secret', async () => {
    const intent = await stripe.paymentIntents.create({ ...card, metadata: { order: '17' }, receipt_email: 'ana@example.com' });
    expect(intent).toMatchObject({
      status: 'requires_payment_method',
      amount_received: 0,
      latest_charge: null,
      payment_method_types: ['card'],
      metadata: { order: '17' },
      receipt_email: 'ana@example.com',
    });
    expect(intent.client_secret).toMatch(new RegExp(`^${intent.id}_secret_`));
    expect(await stripe.paymentIntents.retrieve(intent.id)).toMatchObject({ id: intent.id, client_secret: intent.client_secret });
  });

  it('an intent is paid in one request, or confirmed later', async () => {
    const paid = await payByCard('pm_card_visa');
    expect(paid).toMatchObject({ status: 'succeeded', amount_received: 10_000, next_action: null });
    const later = await stripe.paymentIntents.create({ ...card, payment_method: 'pm_card_visa' });
    expect(later.status).toBe('requires_confirmation');
    expect((await stripe.paymentIntents.confirm(later.id)).status).toBe('succeeded');
    expect(await eventTypesOf(later.id)).toEqual(['payment_intent.created', 'payment_intent.succeeded']);
  });

  it('the buyer confirms in the browser', async () => {
    const intent = await stripe.paymentIntents.create(card);
    expect(standIn.confirm(intent.id, { paymentMethod: 'pm_card_chargeDeclined' }).status).toBe('requires_payment_method');
    expect(standIn.confirm(intent.id, { paymentMethod: 'pm_card_visa' }).status).toBe('succeeded');
  });

  it.each([
    ['pm_card_chargeDeclined', 'card_declined', 'generic_decline'],
    ['pm_card_visa_chargeDeclinedInsufficientFunds', 'card_declined', 'insufficient_funds'],
    ['pm_card_chargeDeclinedExpiredCard', 'expired_card', 'expired_card'],
    ['pm_card_chargeDeclinedIncorrectCvc', 'incorrect_cvc', 'incorrect_cvc'],
  ])('%s is declined with %s and %s', async (method, code, declineCode) => {
    const error = await failureOf(payByCard(method));
    expect(error).toMatchObject({ type: 'StripeCardError', statusCode: 402, rawType: 'card_error', code, decline_code: declineCode });
    expect(error.raw).not.toHaveProperty('request_log_url');
    const intent = error.payment_intent as Stripe.PaymentIntent;
    expect(intent).toMatchObject({ status: 'requires_payment_method', last_payment_error: { code, decline_code: declineCode } });
    expect(await stripe.charges.retrieve(String(error.charge))).toMatchObject({ status: 'failed', paid: false, failure_code: code });
    expect(await eventTypesOf(intent.id)).toEqual(['payment_intent.created', 'payment_intent.payment_failed']);
  });

  it('3-D Secure waits for the buyer, who passes or fails', async () => {
    const first = await payByCard('pm_card_authenticationRequired');
    expect(first).toMatchObject({ status: 'requires_action', next_action: { type: 'use_stripe_sdk' }, amount_received: 0 });
    expect(standIn.failAuthentication(first.id)).toMatchObject({
      status: 'requires_payment_method',
      last_payment_error: { code: 'payment_intent_authentication_failure' },
    });
    const second = await payByCard('pm_card_authenticationRequired', { return_url: 'https://example.com/back' });
    expect(second.next_action).toMatchObject({ type: 'redirect_to_url', redirect_to_url: { return_url: 'https://example.com/back' } });
    standIn.completeAuthentication(second.id);
    expect((await stripe.paymentIntents.retrieve(second.id)).status).toBe('succeeded');
    const third = await payByCard('pm_card_authenticationRequiredChargeDeclinedInsufficientFunds');
    expect(standIn.completeAuthentication(third.id).last_payment_error).toMatchObject({ decline_code: 'insufficient_funds' });
    expect(await eventTypesOf(first.id)).toEqual([
      'payment_intent.created',
      'payment_intent.requires_action',
      'payment_intent.payment_failed',
    ]);
  });

  it('off-session payments that need authentication are declined', async () => {
    expect(await failureOf(payByCard('pm_card_authenticationRequired', { off_session: true }))).toMatchObject({
      statusCode: 402,
      code: 'authentication_required',
      decline_code: 'authentication_required',
    });
  });
});

describe('PIX', () => {
  it('an intent shows a QR code, and succeeds when the buyer pays', async () => {
    const intent = await stripe.paymentIntents.create({ ...pix, payment_method_options: { pix: { expires_after_seconds: 600 } } });
    expect(intent).toMatchObject({ status: 'requires_action', latest_charge: null, next_action: { type: 'pix_display_qr_code' } });
    const code = intent.next_action?.pix_display_qr_code;
    expect(code?.expires_at).toBeGreaterThanOrEqual(intent.created + 600);
    expect(code?.data).toContain('br.gov.bcb.pix');
    for (const url of [code?.hosted_instructions_url, code?.image_url_png, code?.image_url_svg]) expect(url).toMatch(/^https:/);
    standIn.payPix(intent.id);
    const paid = await stripe.paymentIntents.retrieve(intent.id, { expand: ['latest_charge'] });
    expect(paid).toMatchObject({ status: 'succeeded', amount_received: 10_000, next_action: null });
    expect(paid.latest_charge).toMatchObject({ object: 'charge', payment_method_details: { type: 'pix' } });
    expect(() => standIn.payPix(intent.id)).toThrow('has the status succeeded');
  });

  it('an expired QR code cannot be paid, and the intent can be confirmed again', async () => {
    const intent = await stripe.paymentIntents.create(pix);
    expect(standIn.expirePix(intent.id)).toMatchObject({
      status: 'requires_payment_method',
      last_payment_error: { code: 'payment_intent_payment_attempt_expired' },
    });
    expect(() => standIn.payPix(intent.id)).toThrow('has the status requires_payment_method');
    const again = await stripe.paymentIntents.confirm(intent.id, { payment_method_data: { type: 'pix' } });
    expect(again.status).toBe('requires_action');
  });

  it('codes expire when the clock passes their time', async () => {
    const short = await stripe.paymentIntents.create({ ...pix, payment_method_options: { pix: { expires_after_seconds: 10 } } });
    const long = await stripe.paymentIntents.create({ ...pix, payment_method_options: { pix: { expires_after_seconds: 1000 } } });
    standIn.advanceClock(11);
    expect((await stripe.paymentIntents.retrieve(short.id)).status).toBe('requires_payment_method');
    expect((await stripe.paymentIntents.retrieve(long.id)).status).toBe('requires_action');
  });

  it('a payment can be in processing first', async () => {
    const { id } = await stripe.paymentIntents.create(pix);
    expect(standIn.startProcessing(id).status).toBe('processing');
    expect(await failureOf(stripe.paymentIntents.cancel(id))).toMatchObject({ code: 'payment_intent_unexpected_state' });
    standIn.payPix(id);
    expect(await eventTypesOf(id)).toEqual([
      'payment_intent.created',
      'payment_intent.requires_action',
      'payment_intent.processing',
      'payment_intent.succeeded',
    ]);
  });

  it('the expiry is between 10 seconds and 14 days', async () => {
    for (const seconds of [9, 1_209_601]) {
      const tooFar = { ...pix, payment_method_options: { pix: { expires_after_seconds: seconds } } };
      expect(await failureOf(stripe.paymentIntents.create(tooFar))).toMatchObject({
        code: 'parameter_invalid_integer',
        param: 'payment_method_options[pix][expires_after_seconds]',
      });
    }
  });
});

describe('boleto', () => {
  it('an intent shows a voucher, and succeeds when the buyer pays', async () => {
    const intent = await stripe.paymentIntents.create(boleto);
    expect(intent).toMatchObject({ status: 'requires_action', next_action: { type: 'boleto_display_details' } });
    const voucher = intent.next_action?.boleto_display_details;
    expect(voucher?.expires_at).toBeGreaterThan(intent.created + 2 * 86_400);
    expect(Object.keys(voucher ?? {}).toSorted()).toEqual(['expires_at', 'hosted_voucher_url', 'number', 'pdf']);
    expect(standIn.payBoleto(intent.id).status).toBe('succeeded');
  });

  it('the buyer must give a tax id, a name, an email address and an address', async () => {
    const { boleto: _taxId, ...data } = boleto.payment_method_data;
    const error = await failureOf(stripe.paymentIntents.create({ ...boleto, payment_method_data: data }));
    expect(error).toMatchObject({ code: 'parameter_missing', param: 'payment_method_data[boleto][tax_id]' });
  });

  it('a voucher expires', async () => {
    const intent = await stripe.paymentIntents.create(boleto);
    expect(standIn.expireBoleto(intent.id).status).toBe('requires_payment_method');
  });
});

describe('types of payment methods', () => {
  it('types that the currency does not allow are left out without an error', async () => {
    const intent = await stripe.paymentIntents.create({ amount: 500, currency: 'usd', allowed_payment_method_types: ['card', 'pix'] });
    expect(intent).toMatchObject({ payment_method_types: ['card'], allowed_payment_method_types: ['card', 'pix'] });
  });

  it('payment_method_types is refused, because this API version has removed it', async () => {
    const old = { amount: 500, currency: 'brl', payment_method_types: ['pix'] };
    expect(await failureOf(stripe.paymentIntents.create(old))).toMatchObject({ code: 'payment_method_types_no_longer_supported' });
  });

  it('a payment method of another type is refused', async () => {
    const intent = await stripe.paymentIntents.create(card);
    const error = await failureOf(stripe.paymentIntents.confirm(intent.id, { payment_method_data: { type: 'pix' } }));
    expect(error.code).toBe('payment_intent_incompatible_payment_method');
  });

  it('dynamic payment methods need a return_url on confirmation', async () => {
    const open = { amount: 500, currency: 'brl', automatic_payment_methods: { enabled: true }, payment_method: 'pm_card_visa' };
    expect((await failureOf(stripe.paymentIntents.create({ ...open, confirm: true }))).message).toContain('return_url');
    const paid = await stripe.paymentIntents.create({ ...open, confirm: true, return_url: 'https://example.com' });
    expect(paid.status).toBe('succeeded');
  });
});

describe('states', () => {
  it('a canceled intent cannot be confirmed, paid or canceled again', async () => {
    const { id } = await stripe.paymentIntents.create(pix);
    const canceled = await stripe.paymentIntents.cancel(id, { cancellation_reason: 'abandoned' });
    expect(canceled).toMatchObject({ status: 'canceled', cancellation_reason: 'abandoned', next_action: null });
    expect(canceled.canceled_at).not.toBeNull();
    const unexpected = { statusCode: 400, code: 'payment_intent_unexpected_state', payment_intent: { id, status: 'canceled' } };
    expect(await failureOf(stripe.paymentIntents.confirm(id))).toMatchObject(unexpected);
    expect(await failureOf(stripe.paymentIntents.cancel(id))).toMatchObject(unexpected);
    expect(() => standIn.payPix(id)).toThrow('has the status canceled');
    expect(await eventTypesOf(id)).toContain('payment_intent.canceled');
  });

  it('a paid intent cannot be confirmed or canceled', async () => {
    const { id } = await payByCard('pm_card_visa');
    const before = standIn.charges().length;
    expect((await failureOf(stripe.paymentIntents.confirm(id))).code).toBe('payment_intent_unexpected_state');
    expect((await failureOf(stripe.paymentIntents.cancel(id))).code).toBe('payment_intent_unexpected_state');
    expect(standIn.charges()).toHaveLength(before);
  });

  it('confirmation needs a payment method', async () => {
    const { id } = await stripe.paymentIntents.create(card);
    expect((await failureOf(stripe.paymentIntents.confirm(id))).message).toContain('missing a payment method');
  });
});
