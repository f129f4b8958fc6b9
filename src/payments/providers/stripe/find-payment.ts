import Stripe from 'stripe';
import type { PaymentToFind, ProviderPayment } from '../port.ts';
import { listAll, type StripeApi, seconds } from './client.ts';
import { expandFee, paymentOf } from './payment-state.ts';

/** The clocks of Stripe and of the database may differ. */
const clockDifference = 60;

/** A payment is not started again when its idempotency key is older than a day. */
const lifeOfKey = 24 * 3600;

export async function findPayment(api: StripeApi, payment: PaymentToFind, signal: AbortSignal): Promise<ProviderPayment | null> {
  const { reference, providerId, startedAt } = payment;
  if (providerId === null) return findByReference(api, reference, startedAt, signal);
  try {
    return await readPayment(api, providerId, signal);
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError && error.statusCode === 404) return null;
    throw error;
  }
}

export async function readPayment(api: StripeApi, id: string, signal: AbortSignal): Promise<ProviderPayment> {
  const intent = await api.send(signal, (client) => client.paymentIntents.retrieve(id, { expand: expandFee }));
  return paymentOf(intent, api.publishableKey);
}

/** Reads the list, because Stripe's search shows new payments only after a delay. */
export async function findByReference(
  api: StripeApi,
  reference: string,
  startedAt: Date,
  signal: AbortSignal,
): Promise<ProviderPayment | null> {
  const from = seconds(startedAt) - clockDifference;
  const created = { gte: from, lte: from + lifeOfKey + 2 * clockDifference };
  for await (const intent of listAll(api, signal, (client, page) => client.paymentIntents.list({ created, ...page }))) {
    if (intent.metadata.reference === reference) return readPayment(api, intent.id, signal);
  }
  return null;
}

/** Cancels the intent and returns its state. Stripe cannot cancel a payment that is paid, or that a bank is processing. */
export async function cancelPayment(api: StripeApi, id: string, signal: AbortSignal): Promise<ProviderPayment> {
  try {
    // Without a key of ours the package creates one. A second cancellation has no effect, so a new key is safe.
    const intent = await api.send(signal, (client) => client.paymentIntents.cancel(id, { expand: expandFee }));
    return paymentOf(intent, api.publishableKey);
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError && error.code === 'payment_intent_unexpected_state') {
      return readPayment(api, id, signal);
    }
    throw error;
  }
}
