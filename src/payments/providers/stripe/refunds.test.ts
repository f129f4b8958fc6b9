import { describe, expect, it } from 'vitest';
import { minutesLater, never, newPayment, startOfTest, startPaid, useAdapter } from '../../../../test/stripe/use-adapter.ts';
import { ProviderRefusal, ProviderUnavailable, type RefundToStart } from '../port.ts';

const adapter = useAdapter();
const { standIn } = adapter;

let references = 0;
const newRefund = (paymentProviderId: string, amount: number, payout = false): RefundToStart => ({
  reference: `REFUND${++references}`,
  paymentProviderId,
  amount,
  startedAt: startOfTest,
  payout,
});
const refund = (...given: Parameters<typeof newRefund>) => adapter.provider.refund(newRefund(...given), never);
const chargeOf = (intent: string) => standIn.charges().find(({ paymentIntent }) => paymentIntent === intent);

describe('refund', () => {
  it('partial refunds of a card are done at once, and carry reference, event and order', async () => {
    const { providerId } = await startPaid(adapter);
    const first = newRefund(providerId, 2_500);
    const done = await adapter.provider.refund(first, never);
    expect(done).toEqual({
      reference: first.reference,
      providerId: expect.stringMatching(/^re_/) as string,
      paymentProviderId: providerId,
      status: 'done',
      amount: 2_500,
      failure: null,
    });
    await refund(providerId, 7_500);
    expect(chargeOf(providerId)?.amountRefunded).toBe(10_000);
    const stored = await standIn.client().refunds.retrieve(done.providerId);
    expect(stored.metadata).toEqual({ reference: first.reference, event: '7', order: '42' });
  });

  it('refunding more than the rest is a refusal with the reason', async () => {
    const { providerId } = await startPaid(adapter);
    await refund(providerId, 6_000);
    await expect(refund(providerId, 4_001)).rejects.toThrow(ProviderRefusal);
    await expect(refund(providerId, 4_001)).rejects.toThrow(/greater than unrefunded amount/);
    expect(chargeOf(providerId)?.amountRefunded).toBe(6_000);
  });

  it('a refund of PIX is open until the bank has settled it', async () => {
    const { providerId } = await startPaid(adapter, { method: 'pix' });
    const started = newRefund(providerId, 10_000);
    const open = await adapter.provider.refund(started, never);
    expect(open.status).toBe('open');
    standIn.settleRefund(open.providerId);
    expect(await adapter.provider.findRefund(started, never)).toMatchObject({ providerId: open.providerId, status: 'done' });
  });

  it('a refund that failed later has a reason, and its reference does not refund again', async () => {
    const { providerId } = await startPaid(adapter, { method: 'pix' });
    const started = newRefund(providerId, 10_000);
    const open = await adapter.provider.refund(started, never);
    standIn.failRefund(open.providerId, 'insufficient_funds');
    const failed = { providerId: open.providerId, status: 'failed', failure: 'The balance of the Stripe account is too low.' };
    expect(await adapter.provider.findRefund(started, never)).toMatchObject(failed);
    expect(await adapter.provider.refund(started, never)).toMatchObject(failed);
    expect(await refund(providerId, 10_000)).toMatchObject({ status: 'open' });
  });

  it('a payment that is not paid, an unknown payment and a disputed payment are refusals', async () => {
    const { providerId } = await adapter.provider.start(newPayment(), never);
    await expect(refund(providerId, 100)).rejects.toThrow(ProviderRefusal);
    await expect(refund('pi_unknown', 100)).rejects.toThrow(ProviderRefusal);
    const disputed = await startPaid(adapter);
    standIn.openDispute(chargeOf(disputed.providerId)?.id ?? '', 'fraudulent');
    await expect(refund(disputed.providerId, 100)).rejects.toThrow(/charged back/);
  });

  it('findRefund returns null for an unknown reference', async () => {
    const { providerId } = await startPaid(adapter);
    await refund(providerId, 100);
    expect(await adapter.provider.findRefund(newRefund(providerId, 100), never)).toBeNull();
  });
});

describe('refunds of a producer with an account', () => {
  it('reverse transfer and application fee in proportion', async () => {
    const { providerId } = await startPaid(adapter, { payout: { account: 'acct_producer', platformFee: 1_000 } });
    await refund(providerId, 2_500, true);
    expect(chargeOf(providerId)).toMatchObject({ amountRefunded: 2_500, transferReversed: 2_500, applicationFeeRefunded: 250 });
  });

  it('work without an application fee', async () => {
    const { providerId } = await startPaid(adapter, { payout: { account: 'acct_producer', platformFee: 0 } });
    await refund(providerId, 10_000, true);
    expect(chargeOf(providerId)).toMatchObject({ amountRefunded: 10_000, transferReversed: 10_000, applicationFeeRefunded: 0 });
  });

  it('leave the account of the producer alone if the refund is not for the payout', async () => {
    const { providerId } = await startPaid(adapter, { payout: { account: 'acct_producer', platformFee: 1_000 } });
    await refund(providerId, 2_500, false);
    expect(chargeOf(providerId)).toMatchObject({ amountRefunded: 2_500, transferReversed: 0, applicationFeeRefunded: 0 });
  });
});

describe('a repeated refund', () => {
  const creation = { method: 'POST', path: '/v1/refunds' } as const;

  it.each(['cut_before_effect', 'cut_after_effect', 'cut_body', 'rate_limit', 'lock_timeout'] as const)(
    'refunds once after %s',
    async (kind) => {
      const { providerId } = await startPaid(adapter);
      const started = newRefund(providerId, 1_000);
      standIn.addFault({ kind, times: 2, ...creation });
      const first = adapter.provider.refund(started, never);
      await expect(first).rejects.toThrow(ProviderUnavailable);
      standIn.clearFaults();
      expect(await adapter.provider.refund(started, never)).toMatchObject({ status: 'done', amount: 1_000 });
      expect(chargeOf(providerId)?.amountRefunded).toBe(1_000);
    },
  );

  it('finds the refund after a 500 that had the effect', async () => {
    const { providerId } = await startPaid(adapter);
    standIn.addFault({ kind: 'api_error_after_effect', ...creation });
    expect(await refund(providerId, 1_000)).toMatchObject({ status: 'done', amount: 1_000 });
    expect(chargeOf(providerId)?.amountRefunded).toBe(1_000);
  });

  it('is unavailable after a 500 without effect', async () => {
    const { providerId } = await startPaid(adapter);
    standIn.addFault({ kind: 'api_error', ...creation });
    await expect(refund(providerId, 1_000)).rejects.toThrow(ProviderUnavailable);
    expect(chargeOf(providerId)?.amountRefunded).toBe(0);
  });

  it('refunds once although Stripe has removed the key after a day', async () => {
    const { providerId } = await startPaid(adapter);
    const started = newRefund(providerId, 1_000);
    const { providerId: id } = await adapter.provider.refund(started, never);
    standIn.advanceClock(25 * 3600);
    expect(await adapter.provider.refund({ ...started, startedAt: minutesLater(0) }, never)).toMatchObject({ providerId: id });
    expect(chargeOf(providerId)?.amountRefunded).toBe(1_000);
  });
});
