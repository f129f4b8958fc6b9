import type { Act } from '../kernel/act.ts';
import { lockLateLimits } from '../orders/approve-orders.ts';
import { lockOrders } from '../orders/order.ts';
import { recordAll } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { executeAll } from '../postgres/pipeline.ts';
import { inSavepoint } from '../postgres/transaction.ts';
import { NoticeBatch } from './notice-batch.ts';
import { waitAfter } from './notice-retries.ts';
import { lockDueNotices, moveNotices, type NoticeMove, type NoticeRow, selectOrdersOfReferences } from './notices.sql.ts';

const mostAtOnce = 500;
/** A notice may be faster than the payment that it is about; one that is still unknown after an hour is about nothing of ours. */
const mostWaitMs = 60 * 60_000;
const waitMs = 5_000;

/** Applies what providers told, each once. Answers how many were dealt with. */
export async function applyNotices(tx: Tx, act: Act): Promise<number> {
  const due = await lockDueNotices(tx, act.at, mostAtOnce);
  if (due.length > 0) await applyOrDivide(tx, act, due);
  return due.length;
}

/** If a batch fails, its notices are tried one by one. One that fails by itself is retried later, and given up after a day. */
async function applyOrDivide(tx: Tx, act: Act, notices: readonly NoticeRow[]): Promise<void> {
  try {
    await inSavepoint(tx, () => applyTogether(tx, act, notices));
  } catch (error) {
    const [only] = notices;
    if (notices.length > 1) for (const notice of notices) await applyOrDivide(tx, act, [notice]);
    else if (only) await executeAll(tx, [moveNotices([afterFailure(only, act.at, error)])]);
  }
}

function afterFailure({ id, attempts: before }: NoticeRow, at: Date, error: unknown): NoticeMove {
  const attempts = before + 1;
  const last_error = error instanceof Error ? error.message : 'unknown';
  const wait = waitAfter(attempts);
  if (wait === null) return { id, status: 'failed', outcome: `failed: ${last_error}`, last_error, attempts, due_at: at };
  return { id, status: 'received', outcome: null, last_error, attempts, due_at: new Date(at.getTime() + wait) };
}

async function applyTogether(tx: Tx, act: Act, notices: readonly NoticeRow[]): Promise<void> {
  const orderOf = await selectOrdersOfReferences(
    tx,
    notices.map(({ reference }) => reference),
  );
  const orders = await lockOrders(tx, [...new Set(orderOf.values())]);
  const round = new NoticeBatch(act, orders, await lockLateLimits(tx, [...orders.values()], act.at));
  const moves: NoticeMove[] = [];
  for (const notice of notices) {
    const orderId = orderOf.get(notice.reference);
    const { status, outcome } = orderId === undefined ? unknown(notice, act.at) : await round.apply(tx, orderId, notice);
    const due_at = new Date(act.at.getTime() + waitMs);
    moves.push({ id: notice.id, status, outcome, last_error: null, attempts: notice.attempts, due_at });
  }
  await round.write(tx, [moveNotices(moves), ...recordAll(round.changes)]);
}

function unknown({ reference, received_at }: NoticeRow, at: Date): Pick<NoticeMove, 'status' | 'outcome'> {
  const waits = at.getTime() - received_at.getTime() < mostWaitMs;
  return waits ? { status: 'received', outcome: null } : { status: 'set_aside', outcome: `there is no payment ${reference}` };
}
