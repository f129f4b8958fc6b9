import type { Act } from '../kernel/act.ts';
import type { RowKey } from '../kernel/ids-by-event.ts';
import { Problem } from '../kernel/problem.ts';
import { cancelHolds } from '../orders/cancel-orders.ts';
import { statusAt as orderStatusAt } from '../orders/order.ts';
import { lockOrders } from '../orders/order-access.ts';
import { recordAll } from '../platform/audit.ts';
import { tellPages } from '../platform/page-changes.ts';
import type { Tx } from '../postgres/database.ts';
import { executeAll } from '../postgres/pipeline.ts';
import type { Entry } from './contract.ts';
import { closeEntry, confirmEntry, type EntryRow, eraseEmail, selectEntry } from './entries.sql.ts';
import { describeEntry, isConfirmationOver, lockLine, requireEntry, statusAt } from './entry.ts';
import { addWaiting, countConfirmed } from './lines.sql.ts';

const keyOf = ({ event_id: eventId, id }: EntryRow): RowKey => ({ eventId, id });

export const getWaitingListEntry = async (tx: Tx, act: Act, eventId: number, token: string): Promise<Entry> =>
  describeEntry(await requireEntry(tx, eventId, token), act.at);

const readEntry = async (tx: Tx, key: RowKey): Promise<EntryRow> => {
  const entry = await selectEntry(tx, key);
  if (!entry) throw new Problem('not_found');
  return entry;
};

/** Gives the person the last place in the line. From then on, other buyers cannot order tickets that the person can get. */
export async function confirmWaitingListEntry(tx: Tx, act: Act, eventId: number, token: string): Promise<Entry> {
  const found = await requireEntry(tx, eventId, token);
  await lockLine(tx, eventId, found.item_id);
  const entry = await readEntry(tx, keyOf(found));
  if (isConfirmationOver(entry, act.at)) throw new Problem('wrong_state', 'This link has expired. Join the waiting list again.');
  if (entry.status === 'left' || entry.status === 'removed')
    throw new Problem('wrong_state', 'You are no longer on the waiting list. Join it again.');
  if (entry.status !== 'unconfirmed') return describeEntry(entry, act.at);
  const change = {
    subject: 'waiting_list' as const,
    id: entry.id,
    eventId,
    before: { status: entry.status },
    after: { status: 'waiting' },
  };
  await executeAll(tx, [
    confirmEntry(keyOf(entry), act.at),
    countConfirmed(keyOf(entry)),
    ...tellPages([eventId]),
    ...recordAll([{ act, change }]),
  ]);
  return describeEntry(await readEntry(tx, keyOf(entry)), act.at);
}

export async function leaveWaitingList(tx: Tx, act: Act, eventId: number, token: string): Promise<Entry> {
  const entry = await requireEntry(tx, eventId, token);
  const status = statusAt(entry, act.at);
  if (status === 'bought') throw new Problem('wrong_state', 'You have bought the tickets. Return them on the page of your order.');
  if (status === 'left' || status === 'removed') return describeEntry(entry, act.at);
  await endEntry(tx, act, entry, 'left');
  return describeEntry(await readEntry(tx, keyOf(entry)), act.at);
}

/** Ends the place or the offer of the entry, and erases its address. */
export async function removeWaitingListEntry(tx: Tx, act: Act, key: RowKey): Promise<void> {
  await endEntry(tx, act, await readEntry(tx, key), 'removed');
}

async function endEntry(tx: Tx, act: Act, found: EntryRow, to: 'left' | 'removed'): Promise<void> {
  const { event_id: eventId, order_id: orderId } = found;
  // Orders are locked before stock. An offer that the worker makes at the same time is found below, when it is too late to lock its order.
  if (orderId !== null) await cancelOffer(tx, act, { eventId, id: orderId });
  await lockLine(tx, eventId, found.item_id);
  const entry = await readEntry(tx, keyOf(found));
  if (entry.order_id !== orderId) throw new Problem('wrong_state', 'Tickets were offered for this entry just now. Try again.');
  const isOpen = ['unconfirmed', 'waiting', 'offered'].includes(entry.status) && statusAt(entry, act.at) !== 'bought';
  const change = {
    subject: 'waiting_list' as const,
    id: entry.id,
    eventId,
    before: { status: entry.status },
    after: { status: isOpen ? to : entry.status, erased: true },
  };
  await executeAll(tx, [
    isOpen ? closeEntry(keyOf(entry), to, act.at) : eraseEmail(keyOf(entry)),
    ...(entry.status === 'waiting' ? [addWaiting(eventId, [{ lineId: entry.line_id, by: -entry.quantity }]), ...tellPages([eventId])] : []),
    ...recordAll([{ act, change }]),
  ]);
}

/** Cancels the hold of an offer. Its tickets go to the next in line. */
async function cancelOffer(tx: Tx, act: Act, key: RowKey): Promise<void> {
  const order = (await lockOrders(tx, [key])).get(key.id);
  if (order && orderStatusAt(order, act.at) === 'held') await cancelHolds(tx, act, [order]);
}
