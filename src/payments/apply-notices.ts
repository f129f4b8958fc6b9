import type { Act } from '../kernel/act.ts';
import { idsByEvent, type RowKey } from '../kernel/ids-by-event.ts';
import { lockLateLimits } from '../orders/approve-orders.ts';
import { lockOrders } from '../orders/order-access.ts';
import type { Database, Tx } from '../postgres/database.ts';
import { executeAll } from '../postgres/pipeline.ts';
import { inSavepoint, inTransaction } from '../postgres/transaction.ts';
import { applyDisputes } from './apply-disputes.ts';
import { type NoticeResult, unknownPayment, updateOf, waitOrSetAside } from './notice-result.ts';
import { waitAfter } from './notice-retries.ts';
import {
  copyEarlyNotices,
  type DueNotice,
  deleteEarlyNotices,
  isNamed,
  lockDueNotices,
  lockEarlyNotices,
  type NamedPayment,
  type NoticeRow,
  type NoticeUpdate,
  resolveChange,
  selectDueNotices,
  selectEventsOfNotices,
  selectPaymentsOfNotices,
  updateNotices,
} from './notices.sql.ts';
import { PaymentBatch } from './payment-batch.ts';
import type { Providers } from './providers/open-providers.ts';
import type { PaymentProvider, ProviderPayment } from './providers/port.ts';
import { applyRefundNotice } from './refund-notices.ts';

const batchSize = 500;

/**
 * Applies the notices that are due, in transactions of one event. Notices about disputes have transactions of their own, after the others,
 * because they take other locks, and because a dispute needs its payment. Returns the number of processed notices.
 */
export async function applyNotices(db: Database, act: Act, providers: Providers): Promise<number> {
  const due = await resolveChanges(db, await selectDueNotices(db, act.at, batchSize), providers);
  const keys = await assignEvents(db, due);
  const isDispute = (_: RowKey, i: number) => due[i]?.content.about === 'dispute';
  const others = keys.filter((key, i) => !isDispute(key, i));
  return (await applyKind(db, act, others, applyPayments)) + (await applyKind(db, act, keys.filter(isDispute), applyDisputes));
}

async function applyKind(db: Database, act: Act, keys: readonly RowKey[], apply: Apply): Promise<number> {
  let count = 0;
  for (const [eventId, ids] of idsByEvent(keys)) count += await inTransaction(db, {}, (tx) => applyDue(tx, act, eventId, ids, apply));
  return count;
}

/** Some notices say only that a payment has changed. Then the provider is asked for its state, before any transaction is open. */
async function resolveChanges(db: Database, due: readonly DueNotice[], { byName }: Providers): Promise<DueNotice[]> {
  const resolved: DueNotice[] = [];
  for (const notice of due) {
    if (notice.content.about !== 'change') resolved.push(notice);
    else {
      const payment = await findChanged(byName.get(notice.provider), notice.content.paymentProviderId);
      if (payment) await resolveChange(db, notice, payment);
      resolved.push(payment ? { ...notice, reference: notice.reference ?? payment.reference } : notice);
    }
  }
  return resolved;
}

/** Null if the provider did not respond. Then the notice is tried again later. */
async function findChanged(provider: PaymentProvider | undefined, providerId: string): Promise<ProviderPayment | null> {
  const payment = { reference: '', providerId, startedAt: new Date(0), payoutAccount: null };
  return (await provider?.find(payment, new AbortController().signal).catch(() => null)) ?? null;
}

/** Notices that arrived before their payment have no event. When the payment is known, they are moved to its event. Returns the new keys. */
async function assignEvents(db: Database, due: readonly DueNotice[]): Promise<RowKey[]> {
  const early = due.filter(({ eventId }) => eventId === 0);
  const eventOf = early.length === 0 ? () => null : await selectEventsOfNotices(db, early);
  const keys = due.map((notice) => ({ eventId: notice.eventId || (eventOf(notice) ?? 0), id: notice.id }));
  const moved = keys.filter(({ eventId }, i) => eventId !== due[i]?.eventId);
  for (const [eventId, ids] of idsByEvent(moved)) await inTransaction(db, {}, (tx) => moveToEvent(tx, eventId, ids));
  return keys;
}

async function moveToEvent(tx: Tx, eventId: number, ids: readonly number[]): Promise<void> {
  const locked = await lockEarlyNotices(tx, ids);
  await executeAll(tx, [copyEarlyNotices(eventId, locked), deleteEarlyNotices(locked)]);
}

/** Applies notices of one event that are all of the same kind. */
type Apply = (tx: Tx, act: Act, eventId: number, notices: readonly NoticeRow[]) => Promise<void>;

async function applyDue(tx: Tx, act: Act, eventId: number, ids: readonly number[], apply: Apply): Promise<number> {
  const due = await lockDueNotices(tx, eventId, ids, act.at);
  if (due.length > 0) await applyOrSplit(tx, act, eventId, due, apply);
  return due.length;
}

/** If a batch fails, its notices are applied one by one. A notice that fails on its own is retried later; see `waitAfter`. */
async function applyOrSplit(tx: Tx, act: Act, eventId: number, notices: readonly NoticeRow[], apply: Apply): Promise<void> {
  try {
    await inSavepoint(tx, () => apply(tx, act, eventId, notices));
  } catch (error) {
    const [only] = notices;
    if (notices.length > 1) for (const notice of notices) await applyOrSplit(tx, act, eventId, [notice], apply);
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

async function applyPayments(tx: Tx, act: Act, eventId: number, notices: readonly NoticeRow[]): Promise<void> {
  const payments = await selectPaymentsOfNotices(tx, eventId, notices);
  const orders = await lockOrders(
    tx,
    payments.map(({ order_id: id }) => ({ eventId, id })),
  );
  const batch = new PaymentBatch(act, orders, await lockLateLimits(tx, [...orders.values()], act.at));
  const updates: NoticeUpdate[] = [];
  for (const notice of notices) {
    const payment = payments.find((each) => isNamed(each, notice));
    const result = payment ? await applyNotice(tx, act, batch, notice, payment) : unknownPayment(notice, act.at);
    updates.push(updateOf(notice, result, act.at));
  }
  await batch.write(tx, [updateNotices(updates)]);
}

async function applyNotice(tx: Tx, act: Act, batch: PaymentBatch, notice: NoticeRow, payment: NamedPayment): Promise<NoticeResult> {
  const { content, received_at } = notice;
  if (content.about === 'payment') {
    const { changed, outcome } = await batch.apply(tx, payment.order_id, payment.reference, content.payment, received_at);
    return { status: changed ? 'applied' : 'ignored', outcome };
  }
  if (content.about === 'refund') return applyRefundNotice(tx, act, { eventId: notice.event_id, id: payment.order_id }, content.refund);
  return waitOrSetAside(notice, act.at, 'the provider did not return the payment');
}
