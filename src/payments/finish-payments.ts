import { type Act, systemAct } from '../kernel/act.ts';
import { inParallel } from '../kernel/in-parallel.ts';
import type { Database } from '../postgres/database.ts';
import { failedPayment, findAtProvider, providerOf, startAtProvider } from './call-provider.ts';
import { applyReported } from './complete-payment.ts';
import { leasePayment, type PaymentToCall, postponePayment, selectDuePayments, selectPaymentToCall } from './payments.sql.ts';
import type { Providers } from './providers/open-providers.ts';
import type { PaymentProvider, ProviderPayment } from './providers/port.ts';

const batchSize = 100;
const callsAtOnce = 8;
/** If this worker dies, another one takes the payment after this time. It is longer than a call can take. */
const leaseMs = 60_000;
const longestWaitMs = 10 * 60_000;
/** Providers remember idempotency keys for 24 hours. An older payment is only searched for, never started again. */
const startableMs = 23 * 60 * 60_000;
/** A fee that the provider has not reported by then is left to reconciliation. */
const maxFeeAttempts = 12;

/**
 * Finishes payments that need the provider: begun ones whose call failed, pending ones that have ended, and paid ones with an unknown fee.
 * Returns the number of payments. No transaction is open during a call.
 */
export async function finishPayments(db: Database, { at }: Act, providers: Providers, signal: AbortSignal): Promise<number> {
  const due = await selectDuePayments(db, at, batchSize);
  await inParallel(due, callsAtOnce, async (key) => {
    if (signal.aborted) return;
    const leased = await leasePayment(db, key, at, new Date(at.getTime() + leaseMs));
    const payment = leased ? await selectPaymentToCall(db, key) : null;
    if (payment) await finish(db, systemAct('finishPayments', at), providers, payment, signal);
  });
  return due.length;
}

async function finish(db: Database, act: Act, providers: Providers, payment: PaymentToCall, signal: AbortSignal): Promise<void> {
  try {
    const reported = await ask(providerOf(providers, payment.provider), payment, act.at, signal);
    const { changed, outcome } = await applyReported(db, act, payment, reported);
    if (!changed) await postponePayment(db, payment, outcome, nextCall(payment, act.at));
  } catch (error) {
    await postponePayment(db, payment, error instanceof Error ? error.message : 'unknown', nextCall(payment, act.at));
  }
}

async function ask(provider: PaymentProvider, payment: PaymentToCall, at: Date, signal: AbortSignal): Promise<ProviderPayment> {
  const { status, provider_id: providerId } = payment;
  if (status === 'begun') {
    const started = await startAgain(provider, payment, at, signal);
    return started.status === 'open' && mustEnd(provider, payment, at) ? cancel(provider, payment, started.providerId, signal) : started;
  }
  if (status === 'pending' && providerId !== null && mustEnd(provider, payment, at)) return cancel(provider, payment, providerId, signal);
  return (await findAtProvider(provider, payment, signal)) ?? failedPayment(payment, 'The provider does not know the payment.');
}

const cancel = (provider: PaymentProvider, { reference }: PaymentToCall, providerId: string, signal: AbortSignal) =>
  provider.cancel({ reference, providerId }, signal);

/** Starting again with the same reference is safe, and tells what became of the first call. */
async function startAgain(provider: PaymentProvider, payment: PaymentToCall, at: Date, signal: AbortSignal): Promise<ProviderPayment> {
  if (at.getTime() - payment.created_at.getTime() > startableMs) {
    return (await findAtProvider(provider, payment, signal)) ?? failedPayment(payment, 'The provider does not know the payment.');
  }
  return startAtProvider(provider, payment, signal);
}

/**
 * Whether the payment is cancelled at the provider, because the buyer could get the tickets only as a late payment. A payment that is
 * confirmed later is cancelled only if the order needs no payment any more: the buyer may have paid already.
 */
function mustEnd({ methods }: PaymentProvider, { method, expires_at, order_status }: PaymentToCall, at: Date): boolean {
  if (order_status !== 'held' && order_status !== 'expired') return true;
  const isConfirmedLater = methods.some((each) => each.method === method && each.confirmedLater);
  return !isConfirmedLater && (expires_at <= at || order_status === 'expired');
}

function nextCall({ status, attempts }: PaymentToCall, at: Date): Date | null {
  const isOpen = status === 'begun' || status === 'pending';
  if (!isOpen && attempts >= maxFeeAttempts) return null;
  return new Date(at.getTime() + Math.min(5_000 * 2 ** Math.min(attempts, 20), longestWaitMs));
}
