import type { Act } from '../kernel/act.ts';
import { lockLateLimits } from '../orders/approve-orders.ts';
import { lockOrders } from '../orders/order-access.ts';
import { recordAll } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { executeAll } from '../postgres/pipeline.ts';
import { inSavepoint } from '../postgres/transaction.ts';
import { NoticeBatch } from './notice-batch.ts';
import { waitAfter } from './notice-retries.ts';
import { lockDueNotices, type NoticeRow, type NoticeUpdate, selectOrdersOfReferences, updateNotices } from './notices.sql.ts';

const batchSize = 500;
/** A notice may arrive before its payment is committed. If the payment is still unknown after this time, the notice is set aside. */
const maxWaitMs = 60 * 60_000;
const waitMs = 5_000;

/** Applies the notices that are due. Returns the number of processed notices. */
export async function applyNotices(tx: Tx, act: Act): Promise<number> {
  const due = await lockDueNotices(tx, act.at, batchSize);
  if (due.length > 0) await applyOrSplit(tx, act, due);
  return due.length;
}

/** If a batch fails, its notices are applied one by one. A notice that fails on its own is retried later; see `waitAfter`. */
async function applyOrSplit(tx: Tx, act: Act, notices: readonly NoticeRow[]): Promise<void> {
  try {
    await inSavepoint(tx, () => applyBatch(tx, act, notices));
  } catch (error) {
    const [only] = notices;
    if (notices.length > 1) for (const notice of notices) await applyOrSplit(tx, act, [notice]);
    else if (only) await executeAll(tx, [updateNotices([afterFailure(only, act.at, error)])]);
  }
}

function afterFailure({ id, attempts: before }: NoticeRow, at: Date, error: unknown): NoticeUpdate {
  const attempts = before + 1;
  const last_error = error instanceof Error ? error.message : 'unknown';
  const wait = waitAfter(attempts);
  if (wait === null) return { id, status: 'failed', outcome: `failed: ${last_error}`, last_error, attempts, due_at: at };
  return { id, status: 'received', outcome: null, last_error, attempts, due_at: new Date(at.getTime() + wait) };
}

async function applyBatch(tx: Tx, act: Act, notices: readonly NoticeRow[]): Promise<void> {
  const orderOf = await selectOrdersOfReferences(
    tx,
    notices.map(({ reference }) => reference),
  );
  const orders = await lockOrders(tx, [...new Set(orderOf.values())]);
  const batch = new NoticeBatch(act, orders, await lockLateLimits(tx, [...orders.values()], act.at));
  const updates: NoticeUpdate[] = [];
  for (const notice of notices) {
    const orderId = orderOf.get(notice.reference);
    const { status, outcome } = orderId === undefined ? unknownPayment(notice, act.at) : await batch.apply(tx, orderId, notice);
    const due_at = new Date(act.at.getTime() + waitMs);
    updates.push({ id: notice.id, status, outcome, last_error: null, attempts: notice.attempts, due_at });
  }
  await batch.write(tx, [updateNotices(updates), ...recordAll(batch.changes)]);
}

function unknownPayment({ reference, received_at }: NoticeRow, at: Date): Pick<NoticeUpdate, 'status' | 'outcome'> {
  const waits = at.getTime() - received_at.getTime() < maxWaitMs;
  return waits ? { status: 'received', outcome: null } : { status: 'set_aside', outcome: `there is no payment ${reference}` };
}
