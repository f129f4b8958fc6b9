import type { Act } from '../kernel/act.ts';
import type { Database } from '../postgres/database.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { applyPayment } from './apply-payments.ts';
import { findAtProvider, providerOf, startAtProvider, withOneRetry } from './call-provider.ts';
import { type PaymentToCall, postponePayment, selectPaymentToCall } from './payments.sql.ts';
import type { Providers } from './providers/open-providers.ts';
import { type ProviderPayment, ProviderRefusal, ProviderUnavailable } from './providers/port.ts';

/** When the worker takes over a payment whose provider did not respond to the request of the buyer. */
const takeOverMs = 5_000;

/**
 * Starts a begun payment at the provider, or asks for the state of a pending one, and applies the response. If the provider does not decide,
 * the payment stays as it is, and the worker goes on. No transaction is open during the call.
 */
export async function completePayment(
  db: Database,
  act: Act,
  key: { eventId: number; reference: string },
  { providers, clock }: { providers: Providers; clock: () => Date },
): Promise<void> {
  const payment = await selectPaymentToCall(db, key);
  if (!payment || (payment.status !== 'begun' && payment.status !== 'pending')) return;
  try {
    const reported = await ask(providers, payment, new AbortController().signal);
    if (reported) await applyReported(db, { ...act, at: clock() }, payment, reported);
  } catch (error) {
    if (!(error instanceof ProviderUnavailable || error instanceof ProviderRefusal)) throw error;
    const dueAt = new Date(clock().getTime() + takeOverMs);
    if (payment.status === 'begun') await postponePayment(db, payment, error.message, dueAt);
  }
}

async function ask(providers: Providers, payment: PaymentToCall, signal: AbortSignal): Promise<ProviderPayment | null> {
  const provider = providerOf(providers, payment.provider);
  if (payment.status === 'pending') return findAtProvider(provider, payment, signal);
  return withOneRetry(signal, () => startAtProvider(provider, payment, signal));
}

export const applyReported = (db: Database, act: Act, payment: PaymentToCall, reported: ProviderPayment) =>
  inTransaction(db, {}, (tx) =>
    applyPayment(tx, act, { eventId: payment.eventId, orderId: payment.order_id, reference: payment.reference }, reported),
  );
