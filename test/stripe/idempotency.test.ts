import Stripe from 'stripe';
import { beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../eventually.ts';
import { failureOf } from './failures.ts';
import { useStandIn } from './use-stand-in.ts';

const standIn = useStandIn({ accounts: ['acct_producer'] });
let stripe: Stripe;
beforeAll(() => {
  stripe = standIn.client();
});

const payment: Stripe.PaymentIntentCreateParams = {
  amount: 500,
  currency: 'brl',
  allowed_payment_method_types: ['card'],
  payment_method: 'pm_card_visa',
  confirm: true,
};
const declined = { ...payment, payment_method: 'pm_card_chargeDeclined' };

const pay = (idempotencyKey: string, parameters = payment, options: Stripe.RequestOptions = {}) =>
  stripe.paymentIntents.create(parameters, { idempotencyKey, ...options });
const chargesWith = (key: string) => standIn.charges().filter(({ idempotencyKey }) => idempotencyKey === key);
const isReplay = (response: { lastResponse: { headers: Record<string, string> } }) =>
  response.lastResponse.headers['idempotent-replayed'] === 'true';

describe('the same key', () => {
  it('the same parameters replay the response, and the card is charged once', async () => {
    const first = await pay('same');
    const second = await pay('same');
    expect([isReplay(first), isReplay(second)]).toEqual([false, true]);
    expect(second.id).toBe(first.id);
    expect(second.lastResponse.headers['original-request']).toBe(first.lastResponse.requestId);
    expect(second.lastResponse.requestId).not.toBe(first.lastResponse.requestId);
    expect(chargesWith('same')).toHaveLength(1);
  });

  it('other keys charge again, so that the ledger can show a double charge', async () => {
    await pay('one');
    await pay('two');
    expect([...chargesWith('one'), ...chargesWith('two')]).toHaveLength(2);
  });

  it('the replay is the old state, even if the object has changed', async () => {
    const waiting = { ...payment, confirm: false };
    const { id } = await pay('old state', waiting);
    await stripe.paymentIntents.cancel(id);
    expect((await pay('old state', waiting)).status).toBe('requires_confirmation');
    expect((await stripe.paymentIntents.retrieve(id)).status).toBe('canceled');
  });

  it('other parameters return 400 idempotency_error', async () => {
    await pay('other body');
    const error = await failureOf(pay('other body', { ...payment, amount: 501 }));
    expect(error).toMatchObject({ type: 'StripeIdempotencyError', statusCode: 400, rawType: 'idempotency_error' });
    expect(chargesWith('other body')).toHaveLength(1);
  });

  it('another path returns 400 idempotency_error', async () => {
    const unpaid = { ...payment, confirm: false };
    const [first, second] = [await stripe.paymentIntents.create(unpaid), await stripe.paymentIntents.create(unpaid)];
    const cancel = ({ id }: { id: string }) => stripe.paymentIntents.cancel(id, {}, { idempotencyKey: 'other path' });
    await cancel(first);
    const error = await failureOf(cancel(second));
    expect(error).toMatchObject({ type: 'StripeIdempotencyError', statusCode: 400 });
    const paths = [second, first].map(({ id }) => `'/v1/payment_intents/${id}/cancel'`).join(' vs ');
    expect(error.message).toContain(`same endpoint they were first used for (${paths})`);
    expect((await stripe.paymentIntents.retrieve(second.id)).status).toBe('requires_confirmation');
  });

  it('errors of the execution are replayed', async () => {
    const first = await failureOf(pay('declined', declined));
    const second = await failureOf(pay('declined', declined));
    expect(second).toMatchObject({ statusCode: 402, code: 'card_declined', charge: first.charge });
    expect(second.headers).toMatchObject({ 'idempotent-replayed': 'true' });
    expect(chargesWith('declined')).toHaveLength(1);
  });

  it('invalid parameters do not use up the key', async () => {
    expect((await failureOf(pay('invalid', { ...payment, amount: 0 }))).statusCode).toBe(400);
    expect((await pay('invalid')).status).toBe('succeeded');
  });

  it('the order of the parameters does not matter', async () => {
    const first = await pay('order');
    const reversed = Object.fromEntries(Object.entries(payment).toReversed()) as unknown as typeof payment;
    expect((await pay('order', reversed)).id).toBe(first.id);
  });

  it('keys belong to an account', async () => {
    const onPlatform = await pay('shared');
    const onAccount = await pay('shared', payment, { stripeAccount: 'acct_producer' });
    expect(onAccount.id).not.toBe(onPlatform.id);
    expect(isReplay(onAccount)).toBe(false);
  });

  it('keys of GET requests have no effect', async () => {
    const { id } = await pay('get');
    expect(isReplay(await stripe.paymentIntents.retrieve(id, {}, { idempotencyKey: 'get' }))).toBe(false);
  });

  it('a key is forgotten after 24 hours, and then the card is charged again', async () => {
    const first = await pay('old');
    standIn.advanceClock(24 * 3600 - 60);
    expect((await pay('old')).id).toBe(first.id);
    standIn.advanceClock(120);
    expect((await pay('old')).id).not.toBe(first.id);
    expect(chargesWith('old')).toHaveLength(2);
  });
});

describe('concurrent requests with the same key', () => {
  it('the second returns 409 while the first runs', async () => {
    const fault = standIn.addFault({ kind: 'hold_before_effect' });
    const first = pay('concurrent');
    await eventually('the first request waits', () => standIn.faultStatus(fault).waiting === 1);
    expect(await failureOf(pay('concurrent'))).toMatchObject({ statusCode: 409, code: 'idempotency_key_in_use' });
    expect(standIn.charges().filter(({ idempotencyKey }) => idempotencyKey === 'concurrent')).toEqual([]);
    standIn.releaseFault(fault);
    expect((await pay('concurrent')).id).toBe((await first).id);
    expect(chargesWith('concurrent')).toHaveLength(1);
  });

  it('the package retries 409 until the first request has ended', async () => {
    const retrying = standIn.client({ maxNetworkRetries: 2 });
    const fault = standIn.addFault({ kind: 'hold_before_effect' });
    const first = pay('retried');
    await eventually('the first request waits', () => standIn.faultStatus(fault).waiting === 1);
    const second = retrying.paymentIntents.create(payment, { idempotencyKey: 'retried' });
    await eventually('the second request is refused', () =>
      standIn.requests().some(({ idempotencyKey, status }) => idempotencyKey === 'retried' && status === 409),
    );
    standIn.releaseFault(fault);
    expect((await second).id).toBe((await first).id);
  });
});

describe('the package', () => {
  it('sends a key of its own with POST requests', async () => {
    await new Stripe(standIn.secretKey, {
      host: '127.0.0.1',
      port: Number(new URL(standIn.origin).port),
      protocol: 'http',
      maxNetworkRetries: 0,
    }).paymentIntents.create(payment);
    expect(standIn.requests().at(-1)?.idempotencyKey).toMatch(/^stripe-node-retry-/);
  });
});
