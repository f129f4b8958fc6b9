import Stripe from 'stripe';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useReceiver } from '../../../../test/stripe/receiver.ts';
import { minutesLater, never, newPayment, startOfTest, startPaid, useAdapter, webhookSecret } from '../../../../test/stripe/use-adapter.ts';
import { InvalidNotice, type ProviderNotice } from '../port.ts';
import { apiVersion } from './client.ts';
import { eventTypes } from './notices.ts';

const adapter = useAdapter();
const { standIn } = adapter;
const receiver = useReceiver();
beforeAll(() => standIn.setEndpoint({ url: receiver.url, secret: webhookSecret, enabledEvents: eventTypes }));
beforeEach(async () => {
  await standIn.deliver();
  receiver.received = [];
});

const read = (body: Buffer, signature: string, receivedAt = startOfTest) =>
  adapter.provider.readNotice(body, { 'stripe-signature': signature }, receivedAt);

/** Delivers the held events and returns them as notices. */
async function delivered(options: Parameters<typeof standIn.deliver>[0] = {}): Promise<ProviderNotice[]> {
  await standIn.deliver(options);
  return receiver.received.splice(0).map(({ body, signature }) => read(body, signature));
}

const sign = (payload: string, secret = webhookSecret, timestamp = startOfTest.getTime() / 1000) =>
  Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
const eventOf = (changes: object = {}) =>
  JSON.stringify({
    id: 'evt_1',
    object: 'event',
    api_version: apiVersion,
    livemode: false,
    type: 'payout.paid',
    data: { object: {} },
    ...changes,
  });
const chargeOf = (intent: string) => standIn.charges().find(({ paymentIntent }) => paymentIntent === intent)?.id ?? '';

describe('what notices say', () => {
  it('a paid PIX, without the fee', async () => {
    const { providerId, reference } = await startPaid(adapter, { method: 'pix' });
    const notices = await delivered({ types: ['payment_intent.succeeded'] });
    expect(notices).toEqual([
      {
        id: expect.stringMatching(/^evt_/) as string,
        type: 'payment_intent.succeeded',
        account: null,
        about: 'payment',
        payment: { reference, providerId, status: 'paid', amount: 10_000, received: 10_000, fee: null, action: null, failure: null },
      },
    ]);
  });

  it('an expired PIX has failed, a declined card is open, and a canceled payment has failed', async () => {
    const pix = await adapter.provider.start(newPayment({ method: 'pix' }), never);
    standIn.expirePix(pix.providerId);
    const card = await adapter.provider.start(newPayment(), never);
    standIn.confirm(card.providerId, { paymentMethod: 'pm_card_chargeDeclined' });
    await adapter.provider.cancel({ reference: '', providerId: card.providerId }, never);
    const notices = await delivered();
    expect(notices.map((notice) => [notice.type, notice.about === 'payment' && notice.payment.status])).toEqual([
      ['payment_intent.requires_action', 'open'],
      ['payment_intent.payment_failed', 'failed'],
      ['payment_intent.payment_failed', 'open'],
      ['payment_intent.canceled', 'failed'],
    ]);
  });

  it('the states of a refund', async () => {
    const { providerId } = await startPaid(adapter, { method: 'pix' });
    await delivered();
    const refund = { reference: 'REFUND', paymentProviderId: providerId, amount: 400, startedAt: startOfTest, payout: false };
    const { providerId: id } = await adapter.provider.refund(refund, never);
    standIn.failRefund(id, 'declined');
    const notices = await delivered();
    const common = { reference: 'REFUND', providerId: id, paymentProviderId: providerId, amount: 400 };
    const failed = { about: 'refund', refund: { ...common, status: 'failed', failure: 'The bank of the buyer declined the refund.' } };
    expect(notices).toMatchObject([
      { type: 'refund.created', about: 'refund', refund: { ...common, status: 'open', failure: null } },
      { type: 'refund.failed', ...failed },
      { type: 'refund.updated', ...failed },
    ]);
  });

  it.each(['won', 'lost'] as const)('a dispute that is %s, with its fee', async (outcome) => {
    const { providerId } = await startPaid(adapter);
    await delivered();
    const { id } = standIn.openDispute(chargeOf(providerId), 'fraudulent', 9_000);
    standIn.closeDispute(id, outcome);
    const dispute = { providerId: id, paymentProviderId: providerId, amount: 9_000, fee: 5_500, reason: 'fraudulent', movements: 1 };
    const closed = { ...dispute, status: outcome, movements: outcome === 'won' ? 2 : 1 };
    expect((await delivered()).map((notice) => (notice.about === 'dispute' ? [notice.type, notice.dispute] : notice))).toEqual([
      ['charge.dispute.created', { ...dispute, status: 'open' }],
      ['charge.dispute.funds_withdrawn', { ...dispute, status: 'open' }],
      ['charge.dispute.closed', closed],
      ...(outcome === 'won' ? [['charge.dispute.funds_reinstated', closed]] : []),
    ]);
  });

  it('an inquiry, which withdraws no money, is about nothing', () => {
    const object = { object: 'dispute', id: 'dp_1', payment_intent: 'pi_1', status: 'warning_needs_response', balance_transactions: [] };
    const payload = eventOf({ type: 'charge.dispute.created', data: { object } });
    expect(read(Buffer.from(payload), sign(payload))).toMatchObject({ about: 'nothing' });
  });

  it('other types are about nothing', () => {
    const payload = eventOf();
    expect(read(Buffer.from(payload), sign(payload))).toEqual({ id: 'evt_1', type: 'payout.paid', account: null, about: 'nothing' });
  });

  it('an event of a connected account is about nothing, because it may use our references', async () => {
    await startPaid(adapter);
    const notices = await delivered({ types: ['payment_intent.succeeded'], account: 'acct_producer' });
    expect(notices).toMatchObject([{ account: 'acct_producer', about: 'nothing' }]);
  });
});

describe('which notices are refused', () => {
  /** Returns why the notice is refused. */
  function refusal(run: () => unknown): string {
    try {
      return `not refused: ${JSON.stringify(run())}`;
    } catch (error) {
      if (error instanceof InvalidNotice) return error.message;
      throw error;
    }
  }

  it('a forged signature, no signature and no body', async () => {
    await startPaid(adapter);
    await standIn.deliver({ secret: 'whsec_of_a_forger', maxAttempts: 1 });
    const [{ body, signature } = { body: Buffer.alloc(0), signature: '' }] = receiver.received;
    expect(refusal(() => read(body, signature))).toMatch(/signature of the notice is wrong/);
    expect(refusal(() => read(body, ''))).toMatch(/signature/);
    expect(refusal(() => adapter.provider.readNotice(body, {}, startOfTest))).toMatch(/signature/);
    expect(refusal(() => read(Buffer.alloc(0), signature))).toMatch(/signature/);
  });

  it('other bytes with the same JSON', async () => {
    await startPaid(adapter);
    await standIn.deliver();
    const [{ body, signature } = { body: Buffer.alloc(0), signature: '' }] = receiver.received;
    expect(read(body, signature).about).toBe('payment');
    expect(refusal(() => read(Buffer.from(JSON.stringify(JSON.parse(body.toString()))), signature))).toMatch(/signature/);
  });

  it('a signature that is older than 5 minutes at the time of receipt', () => {
    const payload = eventOf();
    expect(read(Buffer.from(payload), sign(payload), minutesLater(5)).about).toBe('nothing');
    expect(refusal(() => read(Buffer.from(payload), sign(payload), minutesLater(5.1)))).toMatch(/too old/);
  });

  it.each([
    ['live mode', { livemode: true }, /live mode/],
    ['another API version', { api_version: '2020-08-27' }, /2020-08-27.*2026-10-28\.endive/],
    ['no id', { id: undefined }, /not a Stripe event/],
  ])('a notice with %s', (_what, changes, message) => {
    const payload = eventOf(changes);
    expect(refusal(() => read(Buffer.from(payload), sign(payload)))).toMatch(message);
  });

  it.each(['null', '"text"', '{'])('the signed body %s', (payload) => {
    expect(refusal(() => read(Buffer.from(payload), sign(payload)))).toMatch(/not (JSON|a Stripe event)/);
  });

  it('a notice of test mode, if the key is live', () => {
    const payload = eventOf();
    const live = adapter.create({ secretKey: 'sk_live_0001' });
    expect(refusal(() => live.readNotice(Buffer.from(payload), { 'stripe-signature': sign(payload) }, startOfTest))).toMatch(/test mode/);
  });
});
