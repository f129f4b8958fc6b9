import { Problem } from '../kernel/problem.ts';
import { toWallClock } from '../kernel/wall-clock.ts';
import type { Tx } from '../postgres/database.ts';
import { refusedAs } from '../postgres/transaction.ts';
import type { Passkey } from './contract.ts';
import { passkeyStatus, type Terms } from './passkey-status.ts';
import { lockPasskeyRow, type PasskeyRow, selectPasskey, selectZone } from './passkeys.sql.ts';

export const termsOf = ({ starts_at, finishes_at, use_limit, used, held }: PasskeyRow): Terms => ({
  start: starts_at,
  finish: finishes_at,
  limit: use_limit,
  used,
  held,
});

export function toPasskey(row: PasskeyRow, at: Date): Passkey {
  const onTheWall = (moment: Date | null) => moment && toWallClock(moment, row.timezone);
  return {
    id: row.id,
    eventId: row.event_id,
    passkey: row.code,
    start: onTheWall(row.starts_at),
    finish: onTheWall(row.finishes_at),
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
  return toPasskey(await requirePasskey(tx, id), at);
}

async function requirePasskey(tx: Tx, id: number): Promise<PasskeyRow> {
  const row = await selectPasskey(tx, id);
  if (!row) throw new Problem('not_found');
  return row;
}

/** The time zone in which the event's times are meant. */
export async function requireZone(tx: Tx, eventId: number): Promise<string> {
  const zone = await selectZone(tx, eventId);
  if (zone === undefined) throw new Problem('not_found');
  return zone;
}

export async function lockPasskey(tx: Tx, id: number): Promise<PasskeyRow> {
  await lockPasskeyRow(tx, id);
  return requirePasskey(tx, id);
}

/** Blanks around a code are nobody's intention; its letters are kept as they were sent. */
export const trimCode = (text: string): string => text.trim();

/** Whether a code is taken is for the index to say: only it knows what comes in at the same time. */
export const codeTaken = (code: string) =>
  refusedAs({ passkey_code: () => new Problem('already_exists', `The event has the passkey ${code}`) });
