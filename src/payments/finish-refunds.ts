import { type Act, systemAct } from '../kernel/act.ts';
import { inParallel } from '../kernel/in-parallel.ts';
import type { Database } from '../postgres/database.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { providerOf } from './call-provider.ts';
import type { Providers } from './providers/open-providers.ts';
import { type ProviderRefund, ProviderRefusal } from './providers/port.ts';
import { applyRefund } from './refund-notices.ts';
import { leaseRefund, postponeRefund, type RefundToCall, selectDueRefunds } from './refunds.sql.ts';

const batchSize = 100;
const callsAtOnce = 8;
/** If this worker dies, another one takes the refund after this time. It is longer than a call can take. */
const leaseMs = 60_000;
const longestWaitMs = 60 * 60_000;

/** Sends money back through the providers. Returns the number of refunds. No transaction is open during a call. */
export async function finishRefunds(db: Database, { at }: Act, providers: Providers, signal: AbortSignal): Promise<number> {
  const due = await selectDueRefunds(db, at, batchSize);
  await inParallel(due, callsAtOnce, async (key) => {
    if (signal.aborted) return;
    const refund = await leaseRefund(db, key, at, new Date(at.getTime() + leaseMs));
    if (refund) await finish(db, systemAct('finishRefunds', at), providers, refund, signal);
  });
  return due.length;
}

async function finish(db: Database, act: Act, providers: Providers, refund: RefundToCall, signal: AbortSignal): Promise<void> {
  const again = new Date(act.at.getTime() + Math.min(5_000 * 2 ** Math.min(refund.attempts, 20), longestWaitMs));
  try {
    const state = await send(providers, refund, signal);
    const changed = await inTransaction(db, {}, (tx) => applyRefund(tx, act, refund, state));
    if (!changed) await postponeRefund(db, refund, null, again);
  } catch (error) {
    await postponeRefund(db, refund, error instanceof Error ? error.message : 'unknown', again);
  }
}

/** A refund that the provider refuses has failed. The crew can retry it. */
async function send(
  providers: Providers,
  refund: RefundToCall,
  signal: AbortSignal,
): Promise<Pick<ProviderRefund, 'status' | 'providerId' | 'failure'>> {
  const { provider: name, reference, payment_provider_id: paymentProviderId, amount, payout, created_at: startedAt } = refund;
  const provider = providerOf(providers, name);
  try {
    return await provider.refund({ reference, paymentProviderId, amount, startedAt, payout }, signal);
  } catch (error) {
    if (error instanceof ProviderRefusal) return { status: 'failed', providerId: '', failure: error.message };
    throw error;
  }
}
