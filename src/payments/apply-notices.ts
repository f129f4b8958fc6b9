import type { Act } from '../kernel/act.ts';
import { lockLateLimits } from '../orders/approve-orders.ts';
import { lockOrders } from '../orders/order-access.ts';
import { recordAll } from '../platform/audit.ts';
import type { Database, Tx } from '../postgres/database.ts';
import { executeAll } from '../postgres/pipeline.ts';
import { inSavepoint, inTransaction } from '../postgres/transaction.ts';
import { NoticeBatch } from './notice-batch.ts';
import { waitAfter } from './notice-retries.ts';
import {
  lockDueNotices,
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

/** Notices of one event. */
interface Group {
  /** The event that the notices are stored with. 0 if no payment had the reference when they arrived. */
  storedWith: number;
  /** The event of their payments. 0 if no payment has the reference. */
  eventId: number;
  ids: number[];
}

/** Applies the notices that are due, one transaction per event. Returns the number of processed notices. */
export async function applyNotices(db: Database, act: Act): Promise<number> {
  let count = 0;
  for (const group of await findDue(db, act.at)) count += await inTransaction(db, {}, (tx) => applyGroup(tx, act, group));
  return count;
}

async function findDue(db: Database, at: Date): Promise<Group[]> {
  const due = await selectDueNotices(db, at, batchSize);
  const early = due.filter(({ event_id }) => event_id === 0).map(({ reference }) => reference);
  const eventOf = early.length === 0 ? new Map<string, number>() : await selectEventsOfReferences(db, early);
  const groups = new Map<string, Group>();
  for (const { event_id: storedWith, id, reference } of due) {
    const eventId = storedWith === 0 ? (eventOf.get(reference) ?? 0) : storedWith;
    const key = `${storedWith} ${eventId}`;
    const group = groups.get(key) ?? { storedWith, eventId, ids: [] };
    group.ids.push(id);
    groups.set(key, group);
  }
  return [...groups.values()];
}

async function applyGroup(tx: Tx, act: Act, { storedWith, eventId, ids }: Group): Promise<number> {
  const due = await lockDueNotices(tx, storedWith, ids, act.at);
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
