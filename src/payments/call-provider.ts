import { setTimeout as wait } from 'node:timers/promises';
import type { PaymentToCall } from './payments.sql.ts';
import type { Providers } from './providers/open-providers.ts';
import { type PaymentProvider, type PaymentToStart, type ProviderPayment, ProviderRefusal, ProviderUnavailable } from './providers/port.ts';

const retryAfterMs = 250;

/** Repeats a call once if the provider did not decide. The worker repeats it later, if that fails too. */
export async function withOneRetry<T>(signal: AbortSignal, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof ProviderUnavailable) || signal.aborted) throw error;
    await wait(retryAfterMs);
    return call();
  }
}

/** A provider that was removed from PAYMENTS cannot be called, so its payments wait until it is back. */
export function providerOf({ byName }: Providers, name: string): PaymentProvider {
  const provider = byName.get(name);
  if (!provider) throw new ProviderUnavailable(`The provider ${name} is not in PAYMENTS.`);
  return provider;
}

/** Providers write the reason of a refusal for developers, so the buyer gets a plain sentence, and the audit log has the reason. */
export async function startAtProvider(provider: PaymentProvider, payment: PaymentToCall, signal: AbortSignal): Promise<ProviderPayment> {
  try {
    return await provider.start(toStart(payment), signal);
  } catch (error) {
    if (!(error instanceof ProviderRefusal)) throw error;
    return { ...failedPayment(payment, 'The payment provider does not accept this payment.'), refusal: error.message };
  }
}

/** Depends only on columns that do not change while the payment is open, because providers compare a repeated request with the first. */
const toStart = (payment: PaymentToCall): PaymentToStart => ({
  reference: payment.reference,
  method: payment.method,
  amount: payment.amount,
  currency: payment.currency,
  expiresAt: payment.expires_at,
  eventId: payment.eventId,
  orderId: payment.order_id,
  description: `Order ${payment.order_id}`,
  buyer: {
    name: payment.buyer_name ?? '',
    email: payment.buyer_email ?? '',
    document: payment.buyer_document,
    address: payment.buyer_address,
  },
  payout:
    payment.payout_account === null || payment.platform_fee === null
      ? null
      : { account: payment.payout_account, platformFee: payment.platform_fee },
  ...(payment.simulated !== null && { outcome: payment.simulated }),
});

export const findAtProvider = (provider: PaymentProvider, payment: PaymentToCall, signal: AbortSignal): Promise<ProviderPayment | null> =>
  provider.find(
    {
      reference: payment.reference,
      providerId: payment.provider_id,
      startedAt: payment.created_at,
      payoutAccount: payment.payout_account,
    },
    signal,
  );

/** What the core assumes about a payment that the provider refused to start, or does not know. */
export const failedPayment = ({ reference, provider_id, amount }: PaymentToCall, failure: string): ProviderPayment => ({
  reference,
  providerId: provider_id ?? '',
  status: 'failed',
  amount,
  received: 0,
  fee: null,
  action: null,
  failure,
});
