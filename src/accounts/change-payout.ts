import { randomUUID } from 'node:crypto';
import type { Act } from '../kernel/act.ts';
import { localeOfCurrency } from '../kernel/locale.ts';
import { Problem } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import { queueMails } from '../platform/mail/outbox.ts';
import type { Tx } from '../postgres/database.ts';
import { executeAll } from '../postgres/pipeline.ts';
import type { Payout, Producer } from './producer-contract.ts';
import { selectOwners, selectProducerForUpdate, updateProducerRow } from './producers.sql.ts';
import { describeProducer } from './producers.ts';

/**
 * Sets the producer's own account at a payment provider, or removes it. Payments that have begun keep the account they began with. The
 * owners get a mail, because the money of their sales goes to another account.
 */
export async function changePayout(tx: Tx, act: Act, id: number, payout: Payout | null): Promise<Producer> {
  const row = await selectProducerForUpdate(tx, id);
  if (!row) throw new Problem('not_found');
  const before = describeProducer(row).payout;
  if (!before && !payout) throw new Problem('not_found', 'The producer has no account of its own.');
  const columns = { payout_provider: payout?.provider ?? null, payout_account: payout?.account ?? null };
  const after = describeProducer(await updateProducerRow(tx, id, { ...columns, updated_at: act.at }));
  await record(tx, act, { subject: 'producer', id, producerId: id, before: { payout: before }, after: { payout } });
  const isSame = before?.provider === payout?.provider && before?.account === payout?.account;
  if (!isSame) await notifyOwners(tx, act, after, before);
  return after;
}

async function notifyOwners(tx: Tx, { at }: Act, { id, name, currency, payout = null }: Producer, before: Payout | null): Promise<void> {
  const change = randomUUID();
  const mails = (await selectOwners(tx, id)).map((owner) => ({
    kind: 'payout_changed' as const,
    recipient: owner.email,
    locale: localeOfCurrency(currency),
    payload: { producer: name, before, after: payout },
    dedupeKey: `producer/${id}/payout/${change}/${owner.id}`,
    at,
  }));
  await executeAll(tx, queueMails(mails));
}
