import { describe, expect, it } from 'vitest';
import { minutesLater, never, newPayment, startOfTest, startPaid, useAdapter } from '../../../../test/stripe/use-adapter.ts';
import { ProviderRefusal, ProviderUnavailable } from '../port.ts';

const adapter = useAdapter();
const { standIn } = adapter;
const find = (reference: string, providerId: string | null = null, startedAt = startOfTest) =>
  adapter.provider.find({ reference, providerId, startedAt, payoutAccount: null }, never);

describe('find', () => {
  it('finds a payment by the id of Stripe, with the fee', async () => {
    const { providerId } = await startPaid(adapter, { method: 'pix' });
    expect(await find('', providerId)).toMatchObject({ providerId, status: 'paid', received: 10_000, fee: 119 });
  });

  it('finds a payment by its reference, although more than a page of payments is newer', async () => {
    const { reference } = newPayment();
    const { providerId } = await startPaid(adapter, { reference });
    const client = standIn.client();
    await Promise.all(Array.from({ length: 120 }, () => client.paymentIntents.create({ amount: 500, currency: 'brl' })));
    expect(await find(reference)).toMatchObject({ reference, providerId, status: 'paid', fee: 438 });
  });

  it('returns null if Stripe does not know the payment', async () => {
    expect(await find('UNKNOWN')).toBeNull();
    expect(await find('UNKNOWN', 'pi_unknown')).toBeNull();
  });

  it('does not read payments that are older than the start', async () => {
    const { reference } = await startPaid(adapter);
    expect(await find(reference ?? '', null, minutesLater(2))).toBeNull();
  });

  it.each(['cut_before_effect', 'api_error', 'rate_limit'] as const)('is unavailable after %s', async (kind) => {
    const { providerId } = await startPaid(adapter);
    standIn.addFault({ kind, method: 'GET', times: 2 });
    await expect(find('', providerId)).rejects.toThrow(ProviderUnavailable);
  });

  it('an expired PIX has failed, with a reason for the buyer', async () => {
    const { providerId } = await adapter.provider.start(newPayment({ method: 'pix' }), never);
    standIn.expirePix(providerId);
    expect(await find('', providerId)).toMatchObject({
      status: 'failed',
      received: 0,
      action: null,
      failure: 'The code expired before it was paid.',
    });
  });

  it('a PIX that a bank is processing is open without an action', async () => {
    const { providerId } = await adapter.provider.start(newPayment({ method: 'pix' }), never);
    standIn.startProcessing(providerId);
    expect(await find('', providerId)).toMatchObject({ status: 'open', action: null });
  });
});

describe('cancel', () => {
  const cancel = (providerId: string) => adapter.provider.cancel({ reference: '', providerId }, never);

  it.each(['card', 'pix'] as const)('a canceled %s payment has failed and cannot be paid', async (method) => {
    const { providerId } = await adapter.provider.start(newPayment({ method }), never);
    expect(await cancel(providerId)).toMatchObject({ status: 'failed', failure: 'The payment was canceled.' });
    expect(() => (method === 'pix' ? standIn.payPix(providerId) : standIn.confirm(providerId, { paymentMethod: 'pm_card_visa' }))).toThrow(
      /canceled/,
    );
    expect(await cancel(providerId)).toMatchObject({ status: 'failed' });
  });

  it('a payment that was paid meanwhile stays paid', async () => {
    const { providerId } = await startPaid(adapter, { method: 'pix' });
    expect(await cancel(providerId)).toMatchObject({ status: 'paid', received: 10_000, fee: 119 });
  });

  it('a payment that a bank is processing stays open', async () => {
    const { providerId } = await adapter.provider.start(newPayment({ method: 'pix' }), never);
    standIn.startProcessing(providerId);
    expect(await cancel(providerId)).toMatchObject({ status: 'open' });
  });

  it('can be repeated after a 500', async () => {
    const { providerId } = await adapter.provider.start(newPayment(), never);
    standIn.addFault({ kind: 'api_error', method: 'POST' });
    await expect(cancel(providerId)).rejects.toThrow(ProviderUnavailable);
    expect(await cancel(providerId)).toMatchObject({ status: 'failed' });
  });

  it('an unknown payment is a refusal', async () => {
    await expect(cancel('pi_unknown')).rejects.toThrow(ProviderRefusal);
  });
});
