import type Stripe from 'stripe';
import { beforeAll, describe, expect, it } from 'vitest';
import { failureOf } from './failures.ts';
import { apiVersion } from './state.ts';
import { useStandIn } from './use-stand-in.ts';

const standIn = useStandIn({ accounts: ['acct_producer'] });
let stripe: Stripe;
beforeAll(() => {
  stripe = standIn.client();
});

interface Raw {
  status: number;
  headers: Headers;
  error: Record<string, unknown> | undefined;
}

/** Sends a request that the package would not send. The value undefined removes a header. */
async function send(body: string, headers: Record<string, string | undefined> = {}, path = '/v1/payment_intents'): Promise<Raw> {
  const all = {
    authorization: `Bearer ${standIn.secretKey}`,
    'stripe-version': apiVersion,
    'content-type': 'application/x-www-form-urlencoded',
    ...headers,
  };
  const present = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const response = await fetch(`${standIn.origin}${path}`, { method: 'POST', headers: present, body });
  const { error } = (await response.json()) as { error?: Record<string, unknown> };
  return { status: response.status, headers: response.headers, error };
}

const valid = 'amount=500&currency=brl';
const card: Stripe.PaymentIntentCreateParams = { amount: 500, currency: 'brl', allowed_payment_method_types: ['card'] };
const create = (parameters: object) => stripe.paymentIntents.create(parameters as Stripe.PaymentIntentCreateParams);

describe('headers', () => {
  it('the stand-in speaks the API version that the package is pinned to', async () => {
    const { default: Package } = await import('stripe');
    expect(apiVersion).toBe(Package.API_VERSION);
  });

  it('a valid request returns 200 with a Request-Id, so the refusals below have a reason of their own', async () => {
    const { status, headers } = await send(valid);
    expect(status).toBe(200);
    expect(headers.get('request-id')).toMatch(/^req_/);
    expect(headers.get('stripe-version')).toBe(apiVersion);
  });

  it('a wrong key returns 401 and shows only the ends of the key', async () => {
    const error = await failureOf(standIn.client().paymentIntents.create(card, { apiKey: 'sk_test_wrong_key_0123456789' }));
    expect(error).toMatchObject({ type: 'StripeAuthenticationError', statusCode: 401, rawType: 'invalid_request_error' });
    expect(error.message).toMatch(/^Invalid API Key provided: sk_test_\*+6789$/);
    expect(error.requestId).toMatch(/^req_/);
    expect((await send(valid, { authorization: undefined })).status).toBe(401);
  });

  it('a missing or another Stripe-Version returns 400', async () => {
    const missing = await send(valid, { 'stripe-version': undefined });
    expect(missing).toMatchObject({ status: 400, error: { message: 'The stand-in requires the header Stripe-Version.' } });
    expect((await send(valid, { 'stripe-version': '2019-01-01' })).error?.message).toBe('Invalid Stripe API version: 2019-01-01');
  });

  it('an unknown Stripe-Account returns 403', async () => {
    expect(await failureOf(stripe.paymentIntents.create(card, { stripeAccount: 'acct_nobody' }))).toMatchObject({
      type: 'StripePermissionError',
      statusCode: 403,
      code: 'account_invalid',
    });
    expect((await failureOf(stripe.accounts.retrieve('acct_nobody'))).statusCode).toBe(403);
    expect((await stripe.accounts.retrieve('acct_producer')).charges_enabled).toBe(true);
  });
});

describe('encoding', () => {
  it.each([
    ['application/json', JSON.stringify(card)],
    ['text/plain', valid],
    ['multipart/form-data; boundary=x', valid],
    ['application/x-www-form-urlencoded-not', valid],
  ])('content type %s returns 400', async (type, body) => {
    expect(await send(body, { 'content-type': type })).toMatchObject({ status: 400, error: { type: 'invalid_request_error' } });
  });

  it.each(['amount=500&amount=600&currency=brl', `${valid}&metadata[a=1`, `${valid}&amount[x]=1`, `${valid}&__proto__[x]=1`])(
    'malformed brackets and repeated names return 400: %s',
    async (body) => {
      expect((await send(body)).status).toBe(400);
    },
  );

  it('brackets carry lists, objects and special characters', async () => {
    const metadata = { order: 'a&b=c[0] é', 'key with space': '100%' };
    const intent = await stripe.paymentIntents.create({ ...card, metadata });
    expect(intent.metadata).toEqual(metadata);
    expect((await send(`${valid}&allowed_payment_method_types[]=card&allowed_payment_method_types[]=pix`)).status).toBe(200);
  });
});

describe('parameters', () => {
  it.each([
    [{ ...card, colour: 'red' }, 'parameter_unknown', 'colour'],
    [{ ...card, payment_method_options: { pix: { colour: 1 } } }, 'parameter_unknown', 'payment_method_options[pix][colour]'],
    [{ currency: 'brl' }, 'parameter_missing', 'amount'],
    [{ amount: 500 }, 'parameter_missing', 'currency'],
    [{ ...card, amount: 0 }, 'parameter_invalid_integer', 'amount'],
    [{ ...card, amount: -5 }, 'parameter_invalid_integer', 'amount'],
    [{ ...card, amount: 10.5 }, 'parameter_invalid_integer', 'amount'],
    [{ ...card, amount: '1e3' }, 'parameter_invalid_integer', 'amount'],
    [{ ...card, amount: 49 }, 'amount_too_small', 'amount'],
    [{ ...card, description: '' }, 'parameter_invalid_empty', 'description'],
    [{ ...card, currency: 'BRL' }, undefined, 'currency'],
    [{ ...card, confirm: 'yes' }, undefined, 'confirm'],
    [{ ...card, receipt_email: 'nobody' }, 'email_invalid', 'receipt_email'],
    [{ ...card, metadata: { a: 'x'.repeat(501) } }, undefined, 'metadata[a]'],
    [{ ...card, return_url: 'https://example.com' }, undefined, 'return_url'],
    [{ ...card, application_fee_amount: 10 }, undefined, 'application_fee_amount'],
    [{ ...card, payment_method: 'pm_unknown' }, 'resource_missing', 'payment_method'],
    [{ ...card, transfer_data: { destination: 'acct_nobody' } }, 'resource_missing', 'transfer_data[destination]'],
    [{ ...card, on_behalf_of: 'acct_nobody' }, 'resource_missing', 'on_behalf_of'],
    [{ ...card, automatic_payment_methods: { enabled: true } }, 'parameters_exclusive', undefined],
  ])('%j returns 400 %s for %s and creates nothing', async (parameters, code, param) => {
    const before = await stripe.paymentIntents.list({ limit: 1 });
    const error = await failureOf(create(parameters));
    expect({ status: error.statusCode, code: error.code, param: error.param }).toEqual({ status: 400, code, param });
    expect(error.type).toBe('StripeInvalidRequestError');
    expect((await stripe.paymentIntents.list({ limit: 1 })).data).toEqual(before.data);
  });

  it('an error has only the fields that Stripe documents', async () => {
    const { error } = await send('amount=x&currency=brl');
    expect(Object.keys(error ?? {}).toSorted()).toEqual(['code', 'doc_url', 'message', 'param', 'type']);
  });

  it('unknown ids and paths return 404', async () => {
    expect(await failureOf(stripe.paymentIntents.retrieve('pi_nothing'))).toMatchObject({
      statusCode: 404,
      code: 'resource_missing',
      message: "No such payment_intent: 'pi_nothing'",
    });
    for (const request of [
      stripe.charges.retrieve('ch_nothing'),
      stripe.refunds.retrieve('re_nothing'),
      stripe.disputes.retrieve('dp_nothing'),
      stripe.events.retrieve('evt_nothing'),
      stripe.balanceTransactions.retrieve('txn_nothing'),
      stripe.customers.retrieve('cus_nothing'),
    ]) {
      expect((await failureOf(request)).statusCode).toBe(404);
    }
  });

  it('only known properties can be expanded', async () => {
    const { id } = await stripe.paymentIntents.create(card);
    const expanding = (...expand: string[]) => stripe.paymentIntents.retrieve(id, { expand });
    expect((await failureOf(expanding('colour'))).message).toBe('This property cannot be expanded (colour).');
    expect((await failureOf(expanding('latest_charge', 'amount'))).param).toBe('expand[1]');
    expect((await expanding('latest_charge.balance_transaction')).latest_charge).toBeNull();
    const deep = ['latest_charge', 'payment_intent', 'latest_charge', 'payment_intent', 'latest_charge'];
    expect((await failureOf(expanding(deep.join('.')))).message).toContain('4 levels');
    expect((await failureOf(stripe.paymentIntents.list({ expand: ['latest_charge'] }))).statusCode).toBe(400);
  });

  it('a request that expands an unknown property has no effect', async () => {
    const before = standIn.charges().length;
    const paid = { ...card, payment_method: 'pm_card_visa', confirm: true, expand: ['colour'] };
    expect((await failureOf(stripe.paymentIntents.create(paid))).statusCode).toBe(400);
    expect(standIn.charges()).toHaveLength(before);
    await stripe.paymentIntents.create({ ...paid, expand: ['latest_charge'] });
    expect(standIn.charges()).toHaveLength(before + 1);
  });
});
