import { requireEventOf } from '../events/event-of.ts';
import { Problem } from '../kernel/problem.ts';
import { toWallClock } from '../kernel/wall-clock.ts';
import type { Tx } from '../postgres/database.ts';
import { constraintToProblem } from '../postgres/transaction.ts';
import type { Passkey } from './contract.ts';
import { passkeyStatus, type Terms } from './passkey-status.ts';
import { lockPasskeyRow, type PasskeyRow, type PasskeyWithItems, selectPasskey, selectZone } from './passkeys.sql.ts';

export const termsOf = ({ starts_at, finishes_at, use_limit, used, held }: PasskeyWithItems): Terms => ({
  start: starts_at,
  finish: finishes_at,
  limit: use_limit,
  used,
  held,
});

export function toPasskey(row: PasskeyRow, at: Date): Passkey {
  const inEventTime = (moment: Date | null) => moment && toWallClock(moment, row.timezone);
  return {
    id: row.id,
    eventId: row.event_id,
    passkey: row.code,
    start: inEventTime(row.starts_at),
    finish: inEventTime(row.finishes_at),
    limit: row.use_limit,
    used: row.used,
    held: row.held,
    itemIds: row.item_ids,
    status: passkeyStatus(termsOf(row), at),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

export async function getPasskey(tx: Tx, id: number, at: Date): Promise<Passkey> {
  return getPasskeyOfEvent(tx, await requireEventOf(tx, 'passkey', id), id, at);
}

export async function getPasskeyOfEvent(tx: Tx, eventId: number, id: number, at: Date): Promise<Passkey> {
  return toPasskey(await requirePasskey(tx, eventId, id), at);
}

/** Throws 404 for a deleted passkey. */
async function requirePasskey(tx: Tx, eventId: number, id: number): Promise<PasskeyRow> {
  const row = await selectPasskey(tx, eventId, id);
  if (!row) throw new Problem('not_found');
  return row;
}

/** Returns the time zone of the event. It applies to times that are sent without an offset. */
export async function requireZone(tx: Tx, eventId: number): Promise<string> {
  const zone = await selectZone(tx, eventId);
  if (zone === undefined) throw new Problem('not_found');
  return zone;
}

export async function lockPasskey(tx: Tx, id: number): Promise<PasskeyRow> {
  const eventId = await requireEventOf(tx, 'passkey', id);
  await lockPasskeyRow(tx, eventId, id);
  return requirePasskey(tx, eventId, id);
}

/** Removes surrounding white space, which is a typing error. Keeps upper and lower case as sent. */
export const trimCode = (text: string): string => text.trim();

/**
 * An error handler for `.catch()` of a write. It relies on the unique index, because a query before the write would miss concurrent
 * requests.
 */
export const codeTaken = (code: string) =>
  constraintToProblem({
    passkey_code: () => new Problem('already_exists', `The event already has the passkey ${code}. Choose another text.`),
  });
