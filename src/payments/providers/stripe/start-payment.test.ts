import { describe, expect, it } from 'vitest';
import { minutesLater, never, newPayment, useAdapter } from '../../../../test/stripe/use-adapter.ts';
import { ProviderRefusal } from '../port.ts';

const adapter = useAdapter();
const { standIn } = adapter;
const start = (changes: Parameters<typeof newPayment>[0]) => adapter.provider.start(newPayment(changes), never);
const address = { line1: 'Rua Augusta 1', city: 'São Paulo', state: 'SP', postalCode: '01305-000', country: 'BR' };

describe('start', () => {
  it('a card payment is open, and the web component gets the client secret', async () => {
    const payment = newPayment();
    const started = await adapter.provider.start(payment, never);
    const [intent] = await adapter.intentsOf(payment.reference);
    expect(started).toEqual({
      reference: payment.reference,
      providerId: intent?.id,
      status: 'open',
      amount: 10_000,
      received: 0,
      fee: null,
      action: { type: 'client', publishableKey: 'pk_test_tessera', clientSecret: intent?.client_secret },
      failure: null,
    });
    expect(intent).toMatchObject({
      allowed_payment_method_types: ['card'],
      currency: 'brl',
      description: 'Order 42',
      metadata: { reference: payment.reference, event: '7', order: '42' },
    });
  });

  it('PIX returns the code and its image, and expires with the payment', async () => {
    const payment = newPayment({ method: 'pix', expiresAt: minutesLater(20) });
    const { action, status } = await adapter.provider.start(payment, never);
    const [intent] = await adapter.intentsOf(payment.reference);
    const { pix_display_qr_code: pix } = intent?.next_action ?? {};
    expect(status).toBe('open');
    expect(action).toEqual({ type: 'display', code: pix?.data, imageUrl: pix?.image_url_png });
    expect(pix?.expires_at).toBe(minutesLater(20).getTime() / 1000);
  });

  it('boleto redirects to the voucher', async () => {
    const { document } = newPayment().buyer;
    const { action } = await start({ method: 'boleto', buyer: { name: 'Ana', email: 'ana@example.com', document, address } });
    expect(action).toEqual({ type: 'redirect', url: expect.stringContaining('https://payments.stripe.com/boleto/voucher/') as string });
  });

  it('boleto is refused without the CPF and the address of the buyer', async () => {
    const before = standIn.requests().length;
    const buyer = { name: 'Ana', email: 'ana@example.com', document: null };
    await expect(start({ method: 'boleto', buyer })).rejects.toThrow(
      new ProviderRefusal('A boleto needs these details of the buyer: CPF or CNPJ, address.'),
    );
    expect(standIn.requests()).toHaveLength(before);
  });

  it('PIX is refused in other currencies', async () => {
    await expect(start({ method: 'pix', currency: 'USD' })).rejects.toThrow(ProviderRefusal);
  });

  it('a payment of a producer with an account is a destination charge with the application fee', async () => {
    const payment = newPayment({ method: 'pix', payout: { account: 'acct_producer', platformFee: 800 } });
    const { providerId } = await adapter.provider.start(payment, never);
    standIn.payPix(providerId);
    const [intent] = await adapter.intentsOf(payment.reference);
    expect(intent?.on_behalf_of).toBe('acct_producer');
    const charge = standIn.charges().find(({ paymentIntent }) => paymentIntent === providerId);
    expect(charge).toMatchObject({ destination: 'acct_producer', transferred: 10_000, applicationFee: 800, account: null });
  });

  it('a producer account that cannot receive money is a refusal', async () => {
    standIn.putAccount('acct_restricted', { capabilities: { transfers: 'inactive' } });
    await expect(start({ payout: { account: 'acct_restricted', platformFee: 0 } })).rejects.toThrow(ProviderRefusal);
  });

  it('an amount below the minimum of Stripe is a refusal with the reason', async () => {
    await expect(start({ amount: 10 })).rejects.toThrow('Stripe refused the request: Amount must be at least 0.50 brl');
  });

  it('a repeated start returns the present state of the payment, not the first response', async () => {
    const payment = newPayment({ method: 'pix' });
    const { providerId } = await adapter.provider.start(payment, never);
    standIn.payPix(providerId);
    expect(await adapter.provider.start(payment, never)).toMatchObject({ providerId, status: 'paid', received: 10_000, fee: 119 });
  });

  it('a start with other values under the same reference returns the first payment', async () => {
    const payment = newPayment();
    const { providerId } = await adapter.provider.start(payment, never);
    expect(await adapter.provider.start({ ...payment, amount: 1 }, never)).toMatchObject({ providerId, amount: 10_000 });
  });
});

describe('cards', () => {
  const stateOf = (providerId: string) =>
    adapter.provider.find({ reference: '', providerId, startedAt: minutesLater(0), payoutAccount: null }, never);

  it('a declined card leaves the payment open, and another card pays it', async () => {
    const { providerId } = await start({});
    standIn.confirm(providerId, { paymentMethod: 'pm_card_visa_chargeDeclinedInsufficientFunds' });
    expect(await stateOf(providerId)).toMatchObject({ status: 'open', received: 0, action: { type: 'client' }, failure: null });
    standIn.confirm(providerId, { paymentMethod: 'pm_card_visa' });
    expect(await stateOf(providerId)).toMatchObject({ status: 'paid', received: 10_000, fee: 438, action: null });
  });

  it('3-D Secure keeps the payment open until the buyer has passed it', async () => {
    const { providerId } = await start({});
    standIn.confirm(providerId, { paymentMethod: 'pm_card_authenticationRequired' });
    expect(await stateOf(providerId)).toMatchObject({ status: 'open', action: { type: 'client' } });
    standIn.completeAuthentication(providerId);
    expect(await stateOf(providerId)).toMatchObject({ status: 'paid', received: 10_000 });
  });

  it('after a failed 3-D Secure the buyer can try again', async () => {
    const { providerId } = await start({});
    standIn.confirm(providerId, { paymentMethod: 'pm_card_authenticationRequired' });
    standIn.failAuthentication(providerId);
    expect(await stateOf(providerId)).toMatchObject({ status: 'open', action: { type: 'client' } });
  });
});
