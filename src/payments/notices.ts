import type { GaugeSource } from '../http/metrics.ts';
import type { Act } from '../kernel/act.ts';
import { idsByEvent } from '../kernel/ids-by-event.ts';
import { Problem } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import type { Database, Tx } from '../postgres/database.ts';
import { countOldRows, deleteOldRows } from '../postgres/delete-old-rows.ts';
import { executeAll } from '../postgres/pipeline.ts';
import {
  countOpenNotices,
  countParkedWithText,
  eraseText,
  type OpenNotice,
  oldNotices,
  requeueNotices,
  selectNoticesToRetry,
  selectOpenNotices,
  selectParkedWithText,
} from './notices.sql.ts';

const maxListed = 200;

/** Lists notices that need an operator, and notices that failed at least once and are being retried. */
export const listOpenNotices = (tx: Tx): Promise<OpenNotice[]> => selectOpenNotices(tx, maxListed);

/** Makes the worker retry the notice with this id, or all failed notices if `id` is null. Returns the number of notices. */
export async function retryNotices(tx: Tx, act: Act, id: number | null): Promise<number> {
  let count = 0;
  for (const [eventId, ids] of idsByEvent(await selectNoticesToRetry(tx, id))) {
    const requeued = await requeueNotices(tx, eventId, ids, act.at);
    for (const each of requeued) await record(tx, act, { subject: 'payment_notice', id: each, eventId, after: { status: 'received' } });
    count += requeued.length;
  }
  if (id !== null && count === 0) throw new Problem('not_found', `There is no notice ${id} that failed or was set aside.`);
  return count;
}

export const countOldNotices = (tx: Tx, before: Date): Promise<number> => countOldRows(tx, oldNotices(before));

/** Deletes up to `limit` applied and ignored notices that were received before this time. Failed and set-aside notices stay. */
export const deleteOldNotices = (tx: Tx, before: Date, limit: number): Promise<number> => deleteOldRows(tx, oldNotices(before), limit);

export const countErasableNotices = (tx: Tx, before: Date): Promise<number> => countParkedWithText(tx, before);

/**
 * Erases the original text of failed and set-aside notices, which may name the payer. The notices stay until an operator deals with them.
 * Returns the number of changed notices.
 */
export async function eraseNoticeTexts(tx: Tx, before: Date, limit: number): Promise<number> {
  const keys = await selectParkedWithText(tx, before, limit);
  await executeAll(
    tx,
    [...idsByEvent(keys)].map(([eventId, ids]) => eraseText(eventId, ids)),
  );
  return keys.length;
}

/** Operators should alert on `failed`: the buyer may have paid and got neither tickets nor a refund. */
export const noticeMetrics = (db: Database): GaugeSource => ({
  name: 'tessera_payment_notices',
  help: 'Payment notices that wait to be applied (received), were not understood (set_aside) or could not be applied (failed)',
  label: 'status',
  read: async () => (await countOpenNotices(db)).map(({ status, n }) => [status, n] as const),
});
