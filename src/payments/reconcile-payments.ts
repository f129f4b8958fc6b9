import type { Act } from '../kernel/act.ts';
import type { Tx } from '../postgres/database.ts';
import { selectProviderSecret } from './notices.sql.ts';
import { type Missed, selectMissed } from './providers/sandbox.sql.ts';
import { provider, receiveNotices } from './receive-notices.ts';
import { noticeOf } from './run-sandbox.ts';

/** Notices normally arrive within seconds. A notice that is missing after this time counts as lost. */
const graceMs = 60_000;
const lookBackMs = 7 * 24 * 60 * 60_000;
const batchSize = 500;

/**
 * Compares pending and declined payments with the provider's records. For each result without a notice it stores a notice, as if the
 * provider had sent it. If the real notice arrives later, it is ignored. Returns the results that were missing.
 */
export async function reconcilePayments(tx: Tx, act: Act): Promise<Missed[]> {
  const before = (ms: number) => new Date(act.at.getTime() - ms);
  const missed = await selectMissed(tx, { since: before(lookBackMs), until: before(graceMs), limit: batchSize });
  if (missed.length === 0) return [];
  const secret = await selectProviderSecret(tx, provider);
  const notices = missed.map(({ reference, event, amount }) =>
    noticeOf(secret, reference, { id: `${reference}-statement-${event}`, event, amount }, act.at),
  );
  await receiveNotices(tx, act, notices);
  return missed;
}
