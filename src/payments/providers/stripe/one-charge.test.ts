import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../../../test/eventually.ts';
import type { Fault } from '../../../../test/stripe/faults.ts';
import { startKeylessProxy } from '../../../../test/stripe/keyless-proxy.ts';
import { never, newPayment, useAdapter } from '../../../../test/stripe/use-adapter.ts';
import { type PaymentProvider, type PaymentToStart, type ProviderPayment, ProviderUnavailable } from '../port.ts';

const adapter = useAdapter();
const { standIn } = adapter;
let proxy: Awaited<ReturnType<typeof startKeylessProxy>>;
let keyless: PaymentProvider;
beforeAll(async () => {
  proxy = await startKeylessProxy(standIn.origin);
  keyless = adapter.create({ apiBase: proxy.origin });
});
afterAll(() => proxy.close());

const creation = { method: 'POST', path: '/v1/payment_intents' } as const;

/** Repeats the start as the service does, until the provider has decided. */
async function startUntilDecided(provider: PaymentProvider, payment: PaymentToStart): Promise<ProviderPayment> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await provider.start(payment, never);
    } catch (error) {
      if (!(error instanceof ProviderUnavailable) || attempt === 5) throw error;
    }
  }
}

/** Returns the payment or the error. */
const outcomeOf = (start: Promise<ProviderPayment>): Promise<unknown> => start.catch((error: unknown) => error);

/** The buyer pays everything that can be paid. */
async function chargesAfterPaying({ reference, method }: PaymentToStart) {
  for (const { id } of await adapter.intentsOf(reference)) {
    if (method === 'pix') standIn.payPix(id);
    else standIn.confirm(id, { paymentMethod: 'pm_card_visa' });
  }
  return standIn.charges().filter(({ metadata }) => metadata.reference === reference);
}

/** The package repeats a request once after a cut connection, so two cuts are needed for an error. */
const faults: Fault[] = [
  { kind: 'cut_before_effect', times: 1 },
  { kind: 'cut_before_effect', times: 2 },
  { kind: 'cut_after_effect', times: 1 },
  { kind: 'cut_after_effect', times: 2 },
  { kind: 'cut_body', times: 2 },
  { kind: 'rate_limit', times: 2 },
  { kind: 'lock_timeout', times: 2 },
  { kind: 'api_error_after_effect', times: 1 },
];

describe.each(['card', 'pix'] as const)('a repeated start of a %s payment', (method) => {
  it.each(faults)('leaves one charge after $times × $kind', async (fault) => {
    const payment = newPayment({ method });
    const added = standIn.addFault({ ...fault, ...creation });
    const started = await startUntilDecided(adapter.provider, payment);
    expect(standIn.faultStatus(added).used).toBe(fault.times);
    expect(started).toMatchObject({ status: 'open', action: { type: method === 'pix' ? 'display' : 'client' } });
    expect(await chargesAfterPaying(payment)).toMatchObject([{ paymentIntent: started.providerId, amount: 10_000 }]);
  });

  it.each(['hold_before_effect', 'hold_after_effect'] as const)('leaves one charge after an abort during %s', async (kind) => {
    const payment = newPayment({ method });
    const fault = standIn.addFault({ kind, ...creation });
    const abort = new AbortController();
    const outcome = outcomeOf(adapter.provider.start(payment, abort.signal));
    await eventually('the request is held', () => standIn.faultStatus(fault).waiting === 1);
    abort.abort();
    expect(await outcome).toBeInstanceOf(ProviderUnavailable);
    // While the first request is in progress, Stripe returns 409. After its effect, Stripe returns the stored response.
    const repeated = await outcomeOf(adapter.provider.start(payment, never));
    expect(repeated instanceof ProviderUnavailable).toBe(kind === 'hold_before_effect');
    standIn.releaseFault(fault);
    await eventually('the payment exists', async () => (await adapter.intentsOf(payment.reference)).length > 0);
    const { providerId } = await startUntilDecided(adapter.provider, payment);
    expect(await chargesAfterPaying(payment)).toMatchObject([{ paymentIntent: providerId }]);
  });

  it('leaves no charge after a stored 500 without effect, and does not use another key', async () => {
    const payment = newPayment({ method });
    standIn.addFault({ kind: 'api_error', ...creation });
    await expect(startUntilDecided(adapter.provider, payment)).rejects.toThrow(ProviderUnavailable);
    expect(await adapter.intentsOf(payment.reference)).toEqual([]);
    const keys = standIn
      .requests()
      .flatMap(({ path, idempotencyKey }) => (path === creation.path && idempotencyKey ? [idempotencyKey] : []));
    expect(keys.filter((key) => key === payment.reference)).toHaveLength(5);
    expect(keys.filter((key) => key.startsWith('stripe-node'))).toEqual([]);
  });

  it('control: without the idempotency key there are two charges', async () => {
    const payment = newPayment({ method });
    standIn.addFault({ kind: 'cut_after_effect', ...creation });
    await startUntilDecided(keyless, payment);
    expect(await chargesAfterPaying(payment)).toHaveLength(2);
  });
});

describe('the end of a call', () => {
  it('a request that takes longer than the timeout is unavailable', async () => {
    standIn.addFault({ kind: 'hold_after_effect', times: 5 });
    const impatient = adapter.create({ timeoutMs: 50 });
    await expect(impatient.start(newPayment(), never)).rejects.toThrow(ProviderUnavailable);
  });

  it('a signal that is already aborted sends no request', async () => {
    const payment = newPayment();
    await expect(adapter.provider.start(payment, AbortSignal.abort())).rejects.toThrow(ProviderUnavailable);
    expect(standIn.requests().filter(({ idempotencyKey }) => idempotencyKey === payment.reference)).toEqual([]);
  });

  it('an address without a server is unavailable', async () => {
    const closed = adapter.create({ apiBase: 'http://127.0.0.1:9' });
    await expect(closed.start(newPayment(), never)).rejects.toThrow(ProviderUnavailable);
  });
});
