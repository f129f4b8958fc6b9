import Stripe from 'stripe';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useReceiver } from './receiver.ts';
import { apiVersion } from './state.ts';
import { useStandIn } from './use-stand-in.ts';
import type { Endpoint } from './webhooks.ts';

const standIn = useStandIn({ accounts: ['acct_producer'] });
const receiver = useReceiver();
const secret = 'whsec_test_secret_of_the_stand_in';
let stripe: Stripe;
beforeAll(() => {
  stripe = standIn.client();
});

const setEndpoint = (more: Partial<Endpoint> = {}) => standIn.setEndpoint({ url: receiver.url, secret, ...more });
beforeEach(() => setEndpoint());
afterEach(async () => {
  setEndpoint();
  receiver.statuses = [];
  await standIn.webhooksIdle();
  await standIn.deliver();
});

const pay = (options: Stripe.RequestOptions = {}) =>
  stripe.paymentIntents.create(
    { amount: 500, currency: 'brl', allowed_payment_method_types: ['card'], payment_method: 'pm_card_visa', confirm: true },
    options,
  );

/** Verifies the raw bytes as the product must do it. */
const verified = ({ body, signature }: { body: Buffer; signature: string }, tolerance?: number): Stripe.Event =>
  stripe.webhooks.constructEvent(body, signature, secret, tolerance);
const receivedTypes = () => receiver.received.map(({ body }) => (JSON.parse(body.toString()) as Stripe.Event).type as string);

const paid = ['payment_intent.created', 'charge.succeeded', 'payment_intent.succeeded'];

describe('deliveries', () => {
  it('events are held until deliver() sends them in order, with valid signatures', async () => {
    const { id, lastResponse } = await pay({ idempotencyKey: 'order 1' });
    expect(receiver.received).toEqual([]);
    expect(standIn.heldEvents().map(({ type }) => type)).toEqual(paid);
    const deliveries = await standIn.deliver();
    expect(deliveries.map(({ type, attempt, status }) => [type, attempt, status])).toEqual(paid.map((type) => [type, 1, 200]));
    expect(receivedTypes()).toEqual(paid);
    expect(receiver.received.map((delivery) => verified(delivery)).at(-1)).toMatchObject({
      object: 'event',
      api_version: apiVersion,
      livemode: false,
      request: { id: lastResponse.requestId, idempotency_key: 'order 1' },
      type: 'payment_intent.succeeded',
      data: { object: { id, object: 'payment_intent', status: 'succeeded' } },
    });
    expect(standIn.heldEvents()).toEqual([]);
  });

  it('changed bytes make the signature invalid', async () => {
    await pay();
    await standIn.deliver();
    const [first] = receiver.received;
    if (!first) throw new Error('Nothing was received.');
    const changed = Buffer.from(first.body.toString().replace('500', '501'));
    expect(() => verified({ ...first, body: changed })).toThrow(Stripe.errors.StripeSignatureVerificationError);
    const reformatted = Buffer.from(JSON.stringify(JSON.parse(first.body.toString())));
    expect(() => verified({ ...first, body: reformatted })).toThrow(Stripe.errors.StripeSignatureVerificationError);
  });

  it('an event keeps the object as it was when the event happened', async () => {
    const { id } = await pay();
    await stripe.refunds.create({ payment_intent: id });
    await standIn.deliver({ types: ['charge.succeeded', 'charge.refunded'] });
    const charges = receiver.received.map((delivery) => verified(delivery).data.object as Stripe.Charge);
    expect(charges.map(({ amount_refunded: refunded }) => refunded)).toEqual([0, 500]);
  });

  it('at_once delivers without a call', async () => {
    setEndpoint({ delivery: 'at_once' });
    await pay();
    await standIn.webhooksIdle();
    expect(receivedTypes()).toEqual(paid);
  });

  it('an endpoint receives only the types that it has enabled', async () => {
    setEndpoint({ delivery: 'at_once', enabledEvents: ['payment_intent.succeeded'] });
    await pay();
    await standIn.webhooksIdle();
    expect(receivedTypes()).toEqual(['payment_intent.succeeded']);
  });
});

describe('disorder', () => {
  it('copies are sent more than once, with the same event id', async () => {
    await pay();
    await standIn.deliver({ copies: 3, types: ['payment_intent.succeeded'] });
    const ids = receiver.received.map((delivery) => verified(delivery).id);
    expect(ids).toHaveLength(3);
    expect(new Set(ids).size).toBe(1);
  });

  it('a delivered event can be delivered again', async () => {
    await pay();
    const [first] = await standIn.deliver();
    await standIn.deliver({ ids: [first?.event ?? ''], concurrent: true, copies: 2 });
    expect(receivedTypes()).toEqual([...paid, paid[0], paid[0]]);
  });

  it('the order can be reversed or shuffled', async () => {
    await pay();
    await standIn.deliver({ order: 'reversed' });
    expect(receivedTypes()).toEqual(paid.toReversed());
    receiver.received = [];
    for (let i = 0; i < 4; i++) await pay();
    const created = standIn.heldEvents().map(({ id }) => id);
    const shuffled = (await standIn.deliver({ order: 'shuffled' })).map(({ event }) => event);
    expect(shuffled).not.toEqual(created);
    expect(shuffled.toSorted()).toEqual(created.toSorted());
  });

  it('an old timestamp is refused, unless the tolerance allows it', async () => {
    await pay();
    await standIn.deliver({ ageSeconds: 400, types: ['payment_intent.succeeded'] });
    const [old] = receiver.received;
    if (!old) throw new Error('Nothing was received.');
    expect(() => verified(old)).toThrow('outside the tolerance zone');
    expect(verified(old, 10_000).type).toBe('payment_intent.succeeded');
  });

  it('a forged signature is refused, and the event stays held', async () => {
    await pay();
    await standIn.deliver({ secret: 'whsec_of_a_forger' });
    expect(receiver.received).toHaveLength(3);
    for (const delivery of receiver.received) expect(() => verified(delivery)).toThrow(Stripe.errors.StripeSignatureVerificationError);
    expect(standIn.heldEvents()).toHaveLength(3);
  });

  it('an event can name another account', async () => {
    await pay();
    await standIn.deliver({ account: 'acct_other' });
    expect(receiver.received.map((delivery) => verified(delivery).account)).toEqual(['acct_other', 'acct_other', 'acct_other']);
    receiver.received = [];
    await standIn.deliver();
    expect(receiver.received.map((delivery) => verified(delivery).account)).toEqual([undefined, undefined, undefined]);
  });

  it('events of a connected account have its id', async () => {
    await pay({ stripeAccount: 'acct_producer' });
    await standIn.deliver();
    expect(new Set(receiver.received.map((delivery) => verified(delivery).account))).toEqual(new Set(['acct_producer']));
  });
});

describe('retries', () => {
  it('a delivery is repeated until the endpoint returns 2xx', async () => {
    await pay();
    receiver.statuses = [500, 0, 204];
    const deliveries = await standIn.deliver({ types: ['payment_intent.succeeded'] });
    expect(deliveries.map(({ attempt, status }) => [attempt, status])).toEqual([
      [1, 500],
      [2, null],
      [3, 204],
    ]);
  });

  it('retries are bounded, and the event stays held', async () => {
    setEndpoint({ maxAttempts: 2 });
    await pay();
    receiver.statuses = [503, 302, 200];
    await standIn.deliver({ types: ['payment_intent.succeeded'] });
    expect(receiver.received).toHaveLength(2);
    const [held] = standIn.heldEvents().filter(({ type }) => type === 'payment_intent.succeeded');
    expect(await stripe.events.retrieve(held?.id ?? '')).toMatchObject({ pending_webhooks: 1 });
    expect((await stripe.events.list({ delivery_success: false })).data.map(({ id }) => id)).toContain(held?.id);
  });
});
