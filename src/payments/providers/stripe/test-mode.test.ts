import { describe, expect, it } from 'vitest';
import { eventually } from '../../../../test/eventually.ts';
import { useStripe } from '../../../../test/stripe/use-stripe.ts';
import { type PaymentToStart, type ProviderPayment, ProviderRefusal } from '../port.ts';

/*
 * These tests run on the stand-in. With STRIPE_TEST_KEY they run on Stripe's test mode, to show that the stand-in behaves like Stripe.
 * They need no faults, and no fixed clock.
 */

const underTest = useStripe();
const never = new AbortController().signal;
const begunAt = new Date();

let references = 0;
/** Stripe remembers references for a day, so each run needs others. */
const newReference = (): string => `${begunAt.getTime().toString(36)}X${++references}`.toUpperCase();

const newPayment = (): PaymentToStart => ({
  reference: newReference(),
  method: 'card',
  amount: 10_000,
  currency: 'BRL',
  expiresAt: new Date(begunAt.getTime() + 30 * 60_000),
  eventId: 7,
  orderId: 42,
  description: 'Order 42',
  buyer: { name: 'Ana Souza', email: 'ana@example.com', document: '529.982.247-25' },
  payout: null,
});

/** The buyer confirms the payment with a test card, as the web component does. A declined card throws an error, which the component shows. */
const confirm = (providerId: string, card: string) =>
  underTest.client.paymentIntents
    .confirm(providerId, { payment_method: card, return_url: 'https://example.com/return' })
    .catch((error: unknown) => error);

const find = (reference: string, providerId: string | null) =>
  underTest.provider.find({ reference, providerId, startedAt: begunAt, payoutAccount: null }, never);

async function startPaid(): Promise<ProviderPayment> {
  const started = await underTest.provider.start(newPayment(), never);
  await confirm(started.providerId, 'pm_card_visa');
  return started;
}

const refund = (paymentProviderId: string, amount: number, reference = newReference()) =>
  underTest.provider.refund({ reference, paymentProviderId, amount, startedAt: begunAt, payout: false }, never);

describe('the adapter, on Stripe or the stand-in', () => {
  it('starts a card payment once per reference, and finds it by its reference', async () => {
    const payment = newPayment();
    const started = await underTest.provider.start(payment, never);
    expect(started).toEqual({
      reference: payment.reference,
      providerId: expect.stringMatching(/^pi_/) as string,
      status: 'open',
      amount: 10_000,
      received: 0,
      fee: null,
      action: { type: 'client', publishableKey: 'pk_test_tessera', clientSecret: expect.stringMatching(/^pi_\w+_secret_\w+$/) as string },
      failure: null,
    });
    expect(await underTest.provider.start(payment, never)).toEqual(started);
    expect(await find(payment.reference, null)).toEqual(started);
    expect(await find(payment.reference, started.providerId)).toEqual(started);
  });

  it('returns the first payment if a reference is started again with another amount', async () => {
    const payment = newPayment();
    await underTest.provider.start(payment, never);
    const other = await underTest.provider.start({ ...payment, amount: 20_000 }, never);
    expect(other.amount).toBe(10_000);
  });

  it('reports a paid card with its fee', async () => {
    const { reference, providerId } = await startPaid();
    const paid = () => find(reference ?? '', providerId);
    expect(await paid()).toMatchObject({ status: 'paid', received: 10_000, action: null, failure: null });
    await eventually('Stripe reports the fee', async () => ((await paid())?.fee ?? 0) > 0);
  });

  it('keeps a payment open after a declined card, and another card pays it', async () => {
    const started = await underTest.provider.start(newPayment(), never);
    await confirm(started.providerId, 'pm_card_visa_chargeDeclined');
    expect(await find(started.reference ?? '', started.providerId)).toEqual(started);
    await confirm(started.providerId, 'pm_card_visa');
    expect(await find(started.reference ?? '', started.providerId)).toMatchObject({ status: 'paid' });
  });

  it('refunds in parts, once per reference, and never more than was paid', async () => {
    const { providerId } = await startPaid();
    const reference = newReference();
    const first = await refund(providerId, 2_500, reference);
    expect(first).toMatchObject({ reference, status: 'done', amount: 2_500, paymentProviderId: providerId });
    expect(await refund(providerId, 2_500, reference)).toEqual(first);
    await refund(providerId, 7_000);
    await expect(refund(providerId, 501)).rejects.toThrow(ProviderRefusal);
  });

  it('cancels an open payment, and reports a paid one as paid', async () => {
    const [open, paid] = [await underTest.provider.start(newPayment(), never), await startPaid()];
    const cancel = ({ reference, providerId }: ProviderPayment) =>
      underTest.provider.cancel({ reference: reference ?? '', providerId }, never);
    expect(await cancel(open)).toMatchObject({ status: 'failed' });
    expect(await cancel(open)).toMatchObject({ status: 'failed' });
    expect(await cancel(paid)).toMatchObject({ status: 'paid', received: 10_000 });
  });

  it('lists what changed since a time', async () => {
    const { reference } = await startPaid();
    const paidReferences = async () => {
      const found: (string | null)[] = [];
      for await (const notice of underTest.provider.changesSince(begunAt, never)) {
        if (notice.about === 'payment' && notice.payment.status === 'paid') found.push(notice.payment.reference);
      }
      return found;
    };
    await expect.poll(paidReferences).toContain(reference);
  });
});
