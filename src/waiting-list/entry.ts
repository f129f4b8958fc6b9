import { hash, randomBytes } from 'node:crypto';
import { lockStock } from '../catalog/stock.ts';
import type { RowKey } from '../kernel/ids-by-event.ts';
import { Problem } from '../kernel/problem.ts';
import type { Tx } from '../postgres/database.ts';
import type { CrewEntry, Entry, EntryStatus } from './contract.ts';
import { type EntryRow, insertLink, selectEntryByToken } from './entries.sql.ts';
import { selectItemsOf } from './lines.sql.ts';

/** How long the link of the first mail confirms the address. */
export const confirmMs = 24 * 3_600_000;

const hashOf = (token: string): Buffer => hash('sha256', token, 'buffer');

/** Creates the token of a link in a mail. Each mail has its own token, because only the hash of a token is stored. */
export async function createEntryLink(tx: Tx, entry: RowKey): Promise<string> {
  const token = randomBytes(24).toString('base64url');
  await insertLink(tx, entry, hashOf(token));
  return token;
}

export async function requireEntry(tx: Tx, eventId: number, token: string): Promise<EntryRow> {
  const entry = await selectEntryByToken(tx, eventId, hashOf(token));
  if (!entry) throw new Problem('not_found');
  return entry;
}

/** Locks the counters of everything that the line can get. This lock protects the line, its counter and the places in it. */
export async function lockLine(tx: Tx, eventId: number, itemId: number): Promise<void> {
  const itemIds = [...new Set([itemId, ...(await selectItemsOf(tx, eventId, itemId))])];
  const items = itemIds.map((id) => ({ eventId, id }));
  await lockStock(tx, { eventIds: [eventId], items, sessions: [], itemsOfAnySession: itemIds });
}

/** The worker closes an entry some time after its order has ended. Until then the order decides. */
export function statusAt({ status, order_status, order_expires_at }: EntryRow, at: Date): EntryStatus {
  if (status !== 'offered' && status !== 'lapsed') return status;
  if (order_status === 'approved' || order_status === 'refunded') return 'bought';
  const isOpen = status === 'offered' && order_status === 'held' && order_expires_at !== null && order_expires_at > at;
  return isOpen ? 'offered' : 'lapsed';
}

const confirmBy = ({ created_at }: EntryRow): Date => new Date(created_at.getTime() + confirmMs);

/** Whether the link of the first mail no longer confirms the address. */
export const isConfirmationOver = (row: EntryRow, at: Date): boolean => row.status === 'unconfirmed' && confirmBy(row) <= at;

function expiryOf(row: EntryRow, status: EntryStatus): Date | null {
  if (status === 'unconfirmed') return confirmBy(row);
  return status === 'offered' ? row.order_expires_at : null;
}

export function describeEntry(row: EntryRow, at: Date): Entry {
  const status = statusAt(row, at);
  return {
    id: row.id,
    itemId: row.item_id,
    itemName: row.item_name,
    sessionId: row.session_id,
    quantity: row.quantity,
    status,
    position: row.position,
    createdAt: row.created_at.toISOString(),
    confirmedAt: row.confirmed_at?.toISOString() ?? null,
    offeredAt: row.offered_at?.toISOString() ?? null,
    expiresAt: expiryOf(row, status)?.toISOString() ?? null,
  };
}

export const describeForCrew = (row: EntryRow, at: Date): CrewEntry => ({
  ...describeEntry(row, at),
  email: row.email,
  orderId: row.order_id,
});
