/*
 * Reports read sums instead of counting scans: `entry_total` by quarter of an hour, and `guest_total` by item. Whoever changes which scans
 * count as entries also changes the sums, in the same transaction and under the lock of the door.
 */

import type { ItemType } from '../catalog/item-types.ts';
import type { Tx } from '../postgres/database.ts';
import { executeAll, type Statement } from '../postgres/pipeline.ts';
import {
  type AwayMove,
  addAway,
  addEntries,
  addGuests,
  deleteAbsentGuests,
  type EntryMove,
  type Guest,
  type GuestMove,
  insertReturningGuests,
} from './entry-totals.sql.ts';

const quarterMs = 15 * 60_000;

/** A scan that counts as an entry from now on (1), or no longer does (-1). Scans of refunded tickets do not count. */
export interface EntryChange extends Guest {
  type: ItemType;
  sessionId: number | null;
  /** The time of the scan, in milliseconds. */
  at: number;
  gate: string | null;
  by: 1 | -1;
}

/** Whether one ticket of the item may enter several sessions. Such a ticket is one guest, but has an entry in each session. */
const mayReturn = ({ type }: Pick<EntryChange, 'type'>): boolean => type === 'passport' || type === 'external';

/** Identifies a guest: one of our tickets, or an imported code of a ticket that was sold elsewhere. */
export const guestKey = (ticketId: number | null, codeId: number | null): string => `${ticketId ?? `c${codeId}`}`;

/** Returns the statements that count new scans. `guestsBefore` has the `guestKey` of all guests of the batch who had entered before. */
export function countEntries(eventId: number, changes: readonly EntryChange[], guestsBefore: ReadonlySet<string>): Statement[] {
  const returning = new Map<string, EntryChange>();
  for (const change of changes.filter(mayReturn)) {
    const key = guestKey(change.ticketId, change.codeId);
    if (!guestsBefore.has(key)) returning.set(key, change);
  }
  const newGuests = [...returning.values()];
  return [
    ...moveTotals(eventId, changes, [...ordinaryGuests(changes), ...newGuests.map(({ itemId }) => ({ itemId, by: 1 }))]),
    ...(newGuests.length > 0 ? [insertReturningGuests(eventId, newGuests)] : []),
  ];
}

/** A guest who has left (1), or who has come back or no longer counts (-1). */
export interface AwayChange {
  itemId: number;
  sessionId: number | null;
  by: 1 | -1;
}

/** Returns the statements that count guests who have left. Events without re-entry have no such guests, and no statement is sent. */
export function countAway(eventId: number, changes: readonly AwayChange[]): Statement[] {
  const moves = summed(
    changes.map(({ itemId, sessionId, by }): AwayMove => ({ itemId, sessionId: sessionId ?? 0, by })),
    ({ itemId, sessionId }) => [itemId, sessionId],
  );
  return moves.length === 0 ? [] : [addAway(eventId, moves)];
}

/** Corrects the sums after scans were undone. The scans must have their new states already. */
export async function recountUndone(tx: Tx, eventId: number, changes: readonly EntryChange[]): Promise<void> {
  const returning = changes.filter(mayReturn);
  const gone = returning.length === 0 ? [] : await deleteAbsentGuests(tx, eventId, returning);
  await executeAll(tx, moveTotals(eventId, changes, [...ordinaryGuests(changes), ...gone.map((itemId) => ({ itemId, by: -1 }))]));
}

/** A ticket that is valid in one session has at most one entry, so its entries are also its guests. */
const ordinaryGuests = (changes: readonly EntryChange[]): GuestMove[] => changes.filter((change) => !mayReturn(change));

function moveTotals(eventId: number, changes: readonly EntryChange[], guests: readonly GuestMove[]): Statement[] {
  const entryMoves = summed(
    changes.map(
      ({ itemId, sessionId, at, gate, by }): EntryMove => ({
        itemId,
        sessionId: sessionId ?? 0,
        quarter: Math.floor(at / quarterMs) * quarterMs,
        gate: gate ?? '',
        by,
      }),
    ),
    ({ itemId, sessionId, quarter, gate }) => [itemId, sessionId, quarter, gate],
  );
  const guestMoves = summed(guests, ({ itemId }) => [itemId]);
  return [
    ...(entryMoves.length > 0 ? [addEntries(eventId, entryMoves)] : []),
    ...(guestMoves.length > 0 ? [addGuests(eventId, guestMoves)] : []),
  ];
}

type KeyPart = number | string;

/** Adds up the moves of each key, leaves out sums of 0, and sorts by key. */
function summed<M extends { by: number }>(moves: readonly M[], keyOf: (move: M) => readonly KeyPart[]): M[] {
  const sums = new Map<string, M>();
  for (const move of moves) {
    const key = keyOf(move).join(' ');
    sums.set(key, { ...move, by: (sums.get(key)?.by ?? 0) + move.by });
  }
  return [...sums.values()].filter(({ by }) => by !== 0).toSorted((a, b) => compareKeys(keyOf(a), keyOf(b)));
}

function compareKeys(a: readonly KeyPart[], b: readonly KeyPart[]): number {
  const i = a.findIndex((part, n) => part !== b[n]);
  return i < 0 ? 0 : (a[i] as KeyPart) < (b[i] as KeyPart) ? -1 : 1;
}
