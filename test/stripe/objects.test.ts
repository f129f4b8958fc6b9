import type Stripe from 'stripe';
import { beforeAll, describe, expect, it } from 'vitest';
import { failureOf } from './failures.ts';
import objects from './objects.json' with { type: 'json' };
import { idOf } from './store.ts';
import { useStandIn } from './use-stand-in.ts';

const standIn = useStandIn({ accounts: ['acct_producer'] });
let stripe: Stripe;
beforeAll(() => {
  stripe = standIn.client();
});

const pay = (metadata: Record<string, string> = {}) =>
  stripe.paymentIntents.create({
    amount: 500,
    currency: 'brl',
    allowed_payment_method_types: ['card'],
    payment_method: 'pm_card_visa',
    confirm: true,
    metadata,
  });
const chargeOf = (intent: Stripe.PaymentIntent) => idOf(intent.latest_charge) ?? '';

describe('fields', () => {
  /** Fields of the pinned API version that the published objects do not contain. */
  const newer: Record<string, string[]> = {
    payment_intent: ['allowed_payment_method_types', 'payment_record'],
    dispute: ['intended_submission_method'],
  };

  it.each([
    ['payment_intent', async () => pay()],
    ['charge', async () => stripe.charges.retrieve(chargeOf(await pay()))],
    ['refund', async () => stripe.refunds.create({ payment_intent: (await pay()).id })],
    ['dispute', async () => stripe.disputes.retrieve(standIn.openDispute(chargeOf(await pay()), 'fraudulent').id)],
    ['event', async () => (await stripe.events.list({ limit: 1 })).data[0]],
    ['balance_transaction', async () => (await stripe.balanceTransactions.list({ limit: 1 })).data[0]],
    ['account', async () => stripe.accounts.retrieve('acct_producer')],
  ] as const)('%s has the fields of the published object', async (name, get) => {
    const keys = Object.keys((await get()) ?? {}).filter((key) => key !== 'lastResponse');
    expect(keys.toSorted()).toEqual([...Object.keys(objects[name]), ...(newer[name] ?? [])].toSorted());
  });

  it('the details of a card have the fields of the published object', async () => {
    const { payment_method_details: details } = await stripe.charges.retrieve(chargeOf(await pay()));
    expect(Object.keys(details?.card ?? {}).toSorted()).toEqual(Object.keys(objects.charge.payment_method_details.card).toSorted());
  });
});

describe('lists', () => {
  it('pages are newest first and have no gap', async () => {
    const created: string[] = [];
    for (let i = 0; i < 7; i++) created.unshift((await pay()).id);
    const first = await stripe.paymentIntents.list({ limit: 3 });
    expect(first).toMatchObject({ object: 'list', has_more: true, url: '/v1/payment_intents' });
    const second = await stripe.paymentIntents.list({ limit: 4, starting_after: first.data.at(-1)?.id ?? '' });
    expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(created);
    const before = await stripe.paymentIntents.list({ limit: 2, ending_before: created[3] ?? '' });
    expect(before.data.map(({ id }) => id)).toEqual(created.slice(1, 3));
    const all: string[] = [];
    for await (const { id } of stripe.paymentIntents.list({ limit: 2 })) all.push(id);
    expect(all.slice(0, 7)).toEqual(created);
    expect(new Set(all).size).toBe(all.length);
  });

  it('created selects a time range', async () => {
    const early = await pay();
    standIn.advanceClock(100);
    const late = await pay();
    const listed = async (created: Stripe.RangeQueryParam) =>
      (await stripe.paymentIntents.list({ created, limit: 100 })).data.map(({ id }) => id);
    expect(await listed({ gte: late.created })).toEqual([late.id]);
    expect(await listed({ gt: late.created })).toEqual([]);
    expect(await listed({ lte: early.created })).toContain(early.id);
    expect(await listed({ lt: late.created })).not.toContain(late.id);
  });

  it('unknown cursors, filters and limits are refused', async () => {
    expect((await failureOf(stripe.paymentIntents.list({ starting_after: 'pi_nothing' }))).code).toBe('resource_missing');
    expect((await failureOf(stripe.paymentIntents.list({ limit: 101 }))).code).toBe('parameter_invalid_integer');
    const unknown = { colour: 'red' } as Stripe.PaymentIntentListParams;
    expect((await failureOf(stripe.paymentIntents.list(unknown))).code).toBe('parameter_unknown');
  });

  it('charges are listed by payment intent, with the failed attempts', async () => {
    const intent = await stripe.paymentIntents.create({ amount: 500, currency: 'brl', allowed_payment_method_types: ['card'] });
    standIn.confirm(intent.id, { paymentMethod: 'pm_card_chargeDeclined' });
    standIn.confirm(intent.id, { paymentMethod: 'pm_card_visa' });
    const { data } = await stripe.charges.list({ payment_intent: intent.id });
    expect(data.map(({ status }) => status)).toEqual(['succeeded', 'failed']);
  });

  it('lists can expand the objects in them', async () => {
    const { id } = await pay();
    const { data } = await stripe.paymentIntents.list({ limit: 1, expand: ['data.latest_charge.balance_transaction'] });
    expect(data[0]).toMatchObject({ id, latest_charge: { object: 'charge', balance_transaction: { fee: 59 } } });
  });
});

describe('events', () => {
  it('events are listed by type, also with a wildcard', async () => {
    const { id } = await pay();
    const { data } = await stripe.events.list({ types: ['payment_intent.succeeded', 'payment_intent.canceled'], limit: 1 });
    expect(data[0]).toMatchObject({ type: 'payment_intent.succeeded', data: { object: { id } } });
    expect((await stripe.events.retrieve(data[0]?.id ?? '')).id).toBe(data[0]?.id);
    expect((await stripe.events.list({ type: 'charge.*', limit: 1 })).data[0]?.type).toBe('charge.succeeded');
  });

  it('events are kept for 30 days', async () => {
    const { id } = await pay();
    const eventsOf = async () =>
      (await stripe.events.list({ type: 'payment_intent.succeeded', limit: 100 })).data.filter(
        ({ data }) => (data.object as { id: string }).id === id,
      );
    const [event] = await eventsOf();
    standIn.advanceClock(30 * 86_400 - 60);
    expect(await eventsOf()).toHaveLength(1);
    standIn.advanceClock(120);
    expect(await eventsOf()).toEqual([]);
    expect((await failureOf(stripe.events.retrieve(event?.id ?? ''))).statusCode).toBe(404);
    expect((await stripe.paymentIntents.retrieve(id)).status).toBe('succeeded');
  });
});

describe('disputes', () => {
  const typesOf = async (id: string) => {
    const { data } = await stripe.events.list({ type: 'charge.dispute.*', limit: 100 });
    return data
      .filter((event) => (event.data.object as { id: string }).id === id)
      .map(({ type }) => type as string)
      .toReversed();
  };

  it('a dispute withdraws the amount and a fee, and blocks refunds', async () => {
    const intent = await pay();
    const { id } = standIn.openDispute(chargeOf(intent), 'product_not_received');
    const dispute = await stripe.disputes.retrieve(id);
    expect(dispute).toMatchObject({ status: 'needs_response', reason: 'product_not_received', amount: 500, payment_intent: intent.id });
    expect(dispute.balance_transactions).toMatchObject([{ amount: -500, fee: 5_500, net: -6_000 }]);
    expect((await failureOf(stripe.refunds.create({ payment_intent: intent.id }))).code).toBe('charge_disputed');
    expect((await stripe.disputes.list({ payment_intent: intent.id })).data.map((listed) => listed.id)).toEqual([id]);
    expect(await stripe.charges.retrieve(chargeOf(intent))).toMatchObject({ disputed: true });
    standIn.closeDispute(id, 'lost');
    expect(await typesOf(id)).toEqual(['charge.dispute.created', 'charge.dispute.funds_withdrawn', 'charge.dispute.closed']);
    expect(() => standIn.closeDispute(id, 'won')).toThrow('is already lost');
  });

  it('a dispute that is won returns the amount', async () => {
    const { id } = standIn.openDispute(chargeOf(await pay()), 'fraudulent', 200);
    const won = standIn.closeDispute(id, 'won');
    expect(won.balance_transactions.map(({ amount }) => amount)).toEqual([-200, 200]);
    expect(await typesOf(id)).toEqual([
      'charge.dispute.created',
      'charge.dispute.funds_withdrawn',
      'charge.dispute.closed',
      'charge.dispute.funds_reinstated',
    ]);
  });
});

describe('the ledger', () => {
  it('every charge has its amount, metadata and idempotency key', async () => {
    const { id } = await pay({ order: '17' });
    const [charge] = standIn.charges().filter(({ paymentIntent }) => paymentIntent === id);
    expect(charge).toMatchObject({ amount: 500, amountRefunded: 0, status: 'succeeded', metadata: { order: '17' } });
    expect(charge?.idempotencyKey).toMatch(/./);
  });
});
