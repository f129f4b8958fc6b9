import type { Act } from '../kernel/act.ts';
import type { Tx } from '../postgres/database.ts';
import { selectProviderSecret } from './notices.sql.ts';
import { type Missed, selectMissed } from './providers/sandbox.sql.ts';
import { provider, receiveNotices } from './receive-notices.ts';
import { noticeOf } from './run-sandbox.ts';

/** A notice is told within moments; what is older than this and not here is lost. */
const graceMs = 60_000;
const reachMs = 7 * 24 * 60 * 60_000;
const mostAtOnce = 500;

/**
 * Compares what is still open with the books of the provider, and takes in what was missed as if it had been told. Whatever comes
 * later finds it done. Answers what was missed.
 */
export async function reconcilePayments(tx: Tx, act: Act): Promise<Missed[]> {
  const before = (ms: number) => new Date(act.at.getTime() - ms);
  const missed = await selectMissed(tx, { since: before(reachMs), until: before(graceMs), limit: mostAtOnce });
  if (missed.length === 0) return [];
  const secret = await selectProviderSecret(tx, provider);
  const notices = missed.map(({ reference, event, amount }) =>
    noticeOf(secret, reference, { id: `${reference}-statement-${event}`, event, amount }, act.at),
  );
  await receiveNotices(tx, act, notices);
  return missed;
}
