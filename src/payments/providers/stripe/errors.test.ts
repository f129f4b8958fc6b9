import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { never, newPayment } from '../../../../test/stripe/use-adapter.ts';
import { type PaymentProvider, ProviderRefusal, ProviderUnavailable } from '../port.ts';
import { createStripe } from './stripe.ts';

/** Returns the same response to each request. This is for responses that the stand-in does not have. */
let response = { status: 200, body: '' };
const server = createServer((_request, reply) =>
  reply.writeHead(response.status, { 'content-type': 'application/json' }).end(response.body),
);
let provider: PaymentProvider;
const secretKey = 'sk_test_very_secret';
const config = { secretKey, webhookSecret: 'whsec_x', publishableKey: 'pk_test_x', timeoutMs: 60_000, methods: ['pix' as const] };

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  provider = createStripe({ ...config, apiBase: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const errorOf = (error: object) => JSON.stringify({ error });
const start = () => provider.start(newPayment({ method: 'pix' }), never);

it.each([
  [401, 'invalid_request_error', ProviderRefusal],
  [403, 'invalid_request_error', ProviderRefusal],
  [400, 'invalid_request_error', ProviderRefusal],
  [402, 'invalid_request_error', ProviderRefusal],
  [409, 'invalid_request_error', ProviderUnavailable],
  [429, 'invalid_request_error', ProviderUnavailable],
  [500, 'api_error', ProviderUnavailable],
  [503, 'api_error', ProviderUnavailable],
])('%i with %s is %s, and the message has no secrets', async (status, type, expected) => {
  response = {
    status,
    body: errorOf({ type, message: `Bad key ${secretKey}, sk_test_****cret, whsec_x and pi_1_secret_abc for order 42.` }),
  };
  const error = (await start().catch((caught: unknown) => caught)) as Error;
  expect(error).toBeInstanceOf(expected);
  expect(error.cause).toBeUndefined();
  expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.toMatch(/sk_test|whsec|_secret_/);
});

it('a refusal keeps the rest of the message of Stripe', async () => {
  response = {
    status: 403,
    body: errorOf({ type: 'invalid_request_error', message: "The key 'sk_test_***cret' may not access 'acct_1'." }),
  };
  await expect(start()).rejects.toThrow("Stripe refused the request: The key '(secret)' may not access 'acct_1'.");
});

it('a page of a proxy instead of JSON is unavailable', async () => {
  response = { status: 502, body: '<html>Bad gateway</html>' };
  await expect(start()).rejects.toThrow(ProviderUnavailable);
});

it('a card error during the confirmation is a failed payment', async () => {
  const intent = {
    id: 'pi_1',
    metadata: { reference: 'R' },
    amount: 500,
    status: 'requires_payment_method',
    payment_method_types: ['pix'],
  };
  const error = { type: 'card_error', code: 'card_declined', decline_code: 'generic_decline', message: 'Your payment was declined.' };
  response = { status: 402, body: errorOf({ ...error, payment_intent: { ...intent, last_payment_error: error } }) };
  const expected = { reference: 'R', providerId: 'pi_1', status: 'failed', action: null, failure: 'Your payment was declined.' };
  expect(await start()).toMatchObject(expected);
});

it('an account that leaves out the method is a refusal', async () => {
  const intent = { id: 'pi_1', metadata: {}, amount: 500, status: 'canceled', payment_method_types: ['card'], last_payment_error: null };
  response = { status: 200, body: JSON.stringify(intent) };
  await expect(start()).rejects.toThrow(new ProviderRefusal('This Stripe account does not accept pix.'));
});

it('the base address of the API must not have a path', () => {
  expect(() => createStripe({ ...config, apiBase: 'https://example.com/v1' })).toThrow('without a path');
});
