import { networkOf } from '../kernel/network.ts';
import { Problem, retryLater } from '../kernel/problem.ts';
import type { Tx } from '../postgres/database.ts';
import { GuessWindow } from './guess-window.ts';
import { termsOf, trimCode } from './passkey.ts';
import { type PasskeyStatus, passkeyStatus } from './passkey-status.ts';
import {
  lockPasskeyRows,
  lockPasskeysByText,
  type PasskeyRow,
  selectPasskeyByText,
  selectPasskeysById,
  selectPasskeysByText,
} from './passkeys.sql.ts';

export interface Attempt {
  eventId: number;
  /** As somebody typed it. */
  text: string;
  at: Date;
  address: string | null;
}

export interface OpenedPasskey {
  id: number;
  itemIds: number[];
}

const ofAddress = new GuessWindow({ most: 20, lengthMs: 10 * 60_000, keys: 50_000 });
const ofEvent = new GuessWindow({ most: 1_000, lengthMs: 60_000, keys: 10_000 });

const reasons = { scheduled: 'early', finished: 'late', exhausted: 'exhausted' } as const satisfies Record<
  Exclude<PasskeyStatus, 'active'>,
  string
>;

/** The items that a passkey opens now, for whoever knows it. Who guesses is sent away, and then cannot tell right from wrong. */
export async function openPasskey(tx: Tx, attempt: Attempt): Promise<OpenedPasskey> {
  refuseGuessers(attempt);
  const row = await selectPasskeyByText(tx, attempt.eventId, trimCode(attempt.text));
  return admit(attempt, row);
}

/** What the lookup found, once more before those who guess: guesses sent at once must not slip through together. */
function admit(attempt: Attempt, row: PasskeyRow | undefined): OpenedPasskey {
  refuseGuessers(attempt);
  if (!row) throw miss(attempt);
  const status = passkeyStatus(termsOf(row), attempt.at);
  if (status !== 'active') throw rejected(reasons[status]);
  return { id: row.id, itemIds: row.item_ids };
}

/** A passkey that tickets are about to be taken with: how many more it opens is known, as its counter is locked. */
export interface PasskeyInUse extends OpenedPasskey {
  /** Null for no limit. Whoever takes some counts them off. */
  left: number | null;
}

/** Many at once, each opened or refused on its own. */
export async function usePasskeys(tx: Tx, attempts: readonly Attempt[]): Promise<(PasskeyInUse | Problem)[]> {
  if (attempts.length === 0) return [];
  const eventIds = attempts.map(({ eventId }) => eventId);
  const texts = attempts.map(({ text }) => trimCode(text));
  await lockPasskeysByText(tx, eventIds, texts);
  const rows = await selectPasskeysByText(tx, eventIds, texts);
  const inUse = new Map<number, PasskeyInUse>();
  return attempts.map((attempt, i) => {
    const row = rows.find((known) => known.event_id === attempt.eventId && known.asked === texts[i]);
    try {
      const opened = admit(attempt, row);
      const known = inUse.get(opened.id) ?? { ...opened, left: row ? leftOf(row) : null };
      inUse.set(opened.id, known);
      return known;
    } catch (error) {
      if (error instanceof Problem) return error;
      throw error;
    }
  });
}

/**
 * The passkeys of orders that were placed before, locked. Those that were deleted or are outside their period are left out. A passkey without
 * any use left is not: the tickets of these very orders may be counted in it.
 */
export async function reopenPasskeys(tx: Tx, ids: readonly number[], at: Date): Promise<Map<number, PasskeyInUse>> {
  if (ids.length === 0) return new Map();
  await lockPasskeyRows(tx, ids);
  const working = (await selectPasskeysById(tx, ids)).filter((row) => ['active', 'exhausted'].includes(passkeyStatus(termsOf(row), at)));
  return new Map(working.map((row) => [row.id, { id: row.id, itemIds: row.item_ids, left: leftOf(row) }]));
}

const leftOf = ({ use_limit, used, held }: PasskeyRow): number | null => (use_limit === null ? null : use_limit - used - held);

export const usedUp = (left: number): Problem => rejected('exhausted', { left });

const keysOf = ({ eventId, address }: Attempt) => ({ place: networkOf(address ?? ''), event: String(eventId) });

function refuseGuessers(attempt: Attempt): void {
  const { place, event } = keysOf(attempt);
  const seconds = Math.max(ofAddress.secondsClosed(place, attempt.at), ofEvent.secondsClosed(event, attempt.at));
  if (seconds > 0) throw retryLater('rate_limited', seconds, 'Too many wrong passkeys; wait and try again');
}

function miss(attempt: Attempt): Problem {
  const { place, event } = keysOf(attempt);
  ofAddress.countMiss(place, attempt.at);
  ofEvent.countMiss(event, attempt.at);
  return rejected('unknown');
}

const details = {
  unknown: 'There is no such passkey',
  early: 'The passkey does not work yet',
  late: 'The passkey works no longer',
  exhausted: 'The passkey is used up',
};

const rejected = (reason: keyof typeof details, more: object = {}): Problem =>
  new Problem('passkey_rejected', details[reason], { extra: { reason, ...more } });
