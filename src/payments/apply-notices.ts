import type { Act } from '../kernel/act.ts';
import { idsByEvent, type RowKey } from '../kernel/ids-by-event.ts';
import { lockLateLimits } from '../orders/approve-orders.ts';
import { lockOrders } from '../orders/order-access.ts';
import { recordAll } from '../platform/audit.ts';
import type { Database, Tx } from '../postgres/database.ts';
import { executeAll } from '../postgres/pipeline.ts';
import { inSavepoint, inTransaction } from '../postgres/transaction.ts';
import { NoticeBatch } from './notice-batch.ts';
import { waitAfter } from './notice-retries.ts';
import {
  copyEarlyNotices,
  type DueNotice,
  deleteEarlyNotices,
  lockDueNotices,
  lockEarlyNotices,
  type NoticeRow,
  type NoticeUpdate,
  selectDueNotices,
  selectEventsOfReferences,
  selectOrdersOfReferences,
  updateNotices,
} from './notices.sql.ts';

const batchSize = 500;
/** A notice may arrive before its payment is committed. If the payment is still unknown after this time, the notice is set aside. */
const maxWaitMs = 60 * 60_000;
const waitMs = 5_000;

/** Applies the notices that are due, one transaction per event. Returns the number of processed notices. */
export async function applyNotices(db: Database, act: Act): Promise<number> {
  const due = await selectDueNotices(db, act.at, batchSize);
  let count = 0;
  for (const [eventId, ids] of idsByEvent(await assignEvents(db, due))) {
    count += await inTransaction(db, {}, (tx) => applyDue(tx, act, eventId, ids));
  }
  return count;
}

/** Notices that arrived before their payment have no event. When the payment is known, they are moved to its event. Returns the new keys. */
async function assignEvents(db: Database, due: readonly DueNotice[]): Promise<RowKey[]> {
  const early = due.filter(({ eventId }) => eventId === 0).map(({ reference }) => reference);
  const eventOf = early.length === 0 ? new Map<string, number>() : await selectEventsOfReferences(db, early);
  const keys = due.map(({ eventId, id, reference }) => ({ eventId: eventId || (eventOf.get(reference) ?? 0), id }));
  const moved = keys.filter(({ eventId }, i) => eventId !== due[i]?.eventId);
  for (const [eventId, ids] of idsByEvent(moved)) await inTransaction(db, {}, (tx) => moveToEvent(tx, eventId, ids));
  return keys;
}

async function moveToEvent(tx: Tx, eventId: number, ids: readonly number[]): Promise<void> {
  const locked = await lockEarlyNotices(tx, ids);
  await executeAll(tx, [copyEarlyNotices(eventId, locked), deleteEarlyNotices(locked)]);
}

async function applyDue(tx: Tx, act: Act, eventId: number, ids: readonly number[]): Promise<number> {
  const due = await lockDueNotices(tx, eventId, ids, act.at);
  if (due.length > 0) await applyOrSplit(tx, act, eventId, due);
  return due.length;
}

/** If a batch fails, its notices are applied one by one. A notice that fails on its own is retried later; see `waitAfter`. */
async function applyOrSplit(tx: Tx, act: Act, eventId: number, notices: readonly NoticeRow[]): Promise<void> {
  try {
    await inSavepoint(tx, () => applyBatch(tx, act, eventId, notices));
  } catch (error) {
    const [only] = notices;
    if (notices.length > 1) for (const notice of notices) await applyOrSplit(tx, act, eventId, [notice]);
    else if (only) await executeAll(tx, [updateNotices([afterFailure(only, act.at, error)])]);
  }
}

function afterFailure({ event_id, id, attempts: before }: NoticeRow, at: Date, error: unknown): NoticeUpdate {
  const attempts = before + 1;
  const last_error = error instanceof Error ? error.message : 'unknown';
  const wait = waitAfter(attempts);
  if (wait === null) return { event_id, id, status: 'failed', outcome: `failed: ${last_error}`, last_error, attempts, due_at: at };
  return { event_id, id, status: 'received', outcome: null, last_error, attempts, due_at: new Date(at.getTime() + wait) };
}

async function applyBatch(tx: Tx, act: Act, eventId: number, notices: readonly NoticeRow[]): Promise<void> {
  const orderOf = await selectOrdersOfReferences(
    tx,
    eventId,
    notices.map(({ reference }) => reference),
  );
  const orders = await lockOrders(
    tx,
    [...orderOf.values()].map((id) => ({ eventId, id })),
  );
  const batch = new NoticeBatch(act, orders, await lockLateLimits(tx, [...orders.values()], act.at));
  const updates: NoticeUpdate[] = [];
  for (const notice of notices) {
    const orderId = orderOf.get(notice.reference);
    const { status, outcome } = orderId === undefined ? unknownPayment(notice, act.at) : await batch.apply(tx, orderId, notice);
    const due_at = new Date(act.at.getTime() + waitMs);
    updates.push({ event_id: notice.event_id, id: notice.id, status, outcome, last_error: null, attempts: notice.attempts, due_at });
  }
  await batch.write(tx, [updateNotices(updates), ...recordAll(batch.changes)]);
}

function unknownPayment({ reference, received_at }: NoticeRow, at: Date): Pick<NoticeUpdate, 'status' | 'outcome'> {
  const waits = at.getTime() - received_at.getTime() < maxWaitMs;
  return waits ? { status: 'received', outcome: null } : { status: 'set_aside', outcome: `there is no payment ${reference}` };
}
