import { type FailureLimits, failureLimits } from '../accounts/failure-limits.ts';
import type { RowKey } from '../kernel/ids-by-event.ts';
import { Problem } from '../kernel/problem.ts';
import type { Tx } from '../postgres/database.ts';
import { runPipeline, type Statement, type Step, withoutTableScans } from '../postgres/pipeline.ts';
import { guessLimitsOf, tooManyGuesses } from './guess-limits.ts';
import { termsOf, trimCode } from './passkey.ts';
import { type PasskeyStatus, passkeyStatus } from './passkey-status.ts';
import {
  lockPasskeyRows,
  lockPasskeysByText,
  type PasskeyByText,
  type PasskeyWithItems,
  selectPasskeysByKey,
  selectPasskeysByText,
} from './passkeys.sql.ts';

/** A passkey that a caller sent. */
export interface Attempt {
  eventId: number;
  /** The text as the caller sent it. */
  text: string;
  at: Date;
  address: string | null;
}

export interface OpenedPasskey {
  id: number;
  itemIds: number[];
  /** How many more tickets can be ordered with the passkey; null for no limit. */
  left: number | null;
}

const reasons = { scheduled: 'early', finished: 'late', exhausted: 'exhausted' } as const satisfies Record<
  Exclude<PasskeyStatus, 'active'>,
  string
>;

/**
 * Returns the items that a passkey unlocks now. After too many wrong passkeys, callers get 429 for correct passkeys too, so that they
 * cannot recognize a correct one. A problem is returned, not thrown: throwing would roll back the count of wrong passkeys. Guesses in
 * transactions that are not committed yet do not count, so concurrent requests can exceed the limit by at most one guess per database
 * connection.
 */
export async function openPasskey(tx: Tx, attempt: Attempt): Promise<OpenedPasskey | Problem> {
  const limits = guessLimitsOf(attempt);
  const [, guesses, row] = await runPipeline(tx, [
    withoutTableScans,
    failureLimits(limits, attempt.at, tooManyGuesses),
    passkeyWithText(attempt),
  ]);
  const opened = openCounted(guesses, attempt, row);
  return (await guesses.save(tx, limits, attempt.at)) ?? opened;
}

const passkeyWithText = ({ eventId, text }: Attempt): Step<PasskeyByText | undefined> => ({
  statements: [selectPasskeysByText([eventId], [trimCode(text)])],
  read: ([rows = []]) => rows[0] as PasskeyByText | undefined,
});

function openRow(row: PasskeyWithItems, at: Date): OpenedPasskey | Problem {
  const status = passkeyStatus(termsOf(row), at);
  return status === 'active' ? toOpened(row) : rejected(reasons[status]);
}

function toOpened({ id, item_ids: itemIds, use_limit: limit, used, held }: PasskeyWithItems): OpenedPasskey {
  return { id, itemIds, left: limit === null ? null : limit - used - held };
}

export interface UsedPasskeys {
  /**
   * One result per attempt, in the same order. Orders with the same passkey share one object. Each order subtracts its tickets from `left`.
   */
  outcomes: (OpenedPasskey | Problem)[];
  /** Statements that count the wrong passkeys. Send them last, with the commit. */
  misses: Statement[];
}

/** Locks and checks the passkeys of a batch of orders, in one round trip. */
export async function usePasskeys(tx: Tx, attempts: readonly Attempt[]): Promise<UsedPasskeys> {
  const [first] = attempts;
  if (!first) return { outcomes: [], misses: [] };
  const texts = attempts.map(({ text }) => trimCode(text));
  const [guesses, rows] = await runPipeline(tx, [
    failureLimits(attempts.flatMap(guessLimitsOf), first.at, tooManyGuesses),
    lockedPasskeys(
      attempts.map(({ eventId }) => eventId),
      texts,
    ),
  ]);
  const shared = new Map<number, OpenedPasskey>();
  const outcomes = attempts.map((attempt, i) => {
    const row = rows.find((known) => known.event_id === attempt.eventId && known.asked === texts[i]);
    const opened = openCounted(guesses, attempt, row);
    if (opened instanceof Problem) return opened;
    const known = shared.get(opened.id) ?? opened;
    shared.set(opened.id, known);
    return known;
  });
  return { outcomes, misses: guesses.statements(first.at) };
}

const lockedPasskeys = (eventIds: readonly number[], texts: readonly string[]): Step<PasskeyByText[]> => ({
  statements: [lockPasskeysByText(eventIds, texts), selectPasskeysByText(eventIds, texts)],
  read: ([, rows = []]) => rows as PasskeyByText[],
});

function openCounted(guesses: FailureLimits, attempt: Attempt, row: PasskeyByText | undefined): OpenedPasskey | Problem {
  const limits = guessLimitsOf(attempt);
  const refused = guesses.refusal(limits, attempt.at);
  if (refused) return refused;
  if (row) return openRow(row, attempt.at);
  guesses.add(limits, attempt.at);
  return rejected('unknown');
}

/**
 * Locks the passkeys of existing orders. Leaves out passkeys that were deleted or are outside their period. Exhausted passkeys are
 * returned, because the tickets of these very orders may have exhausted them.
 */
export async function reopenPasskeys(tx: Tx, keys: readonly RowKey[], at: Date): Promise<Map<number, OpenedPasskey>> {
  if (keys.length === 0) return new Map();
  await lockPasskeyRows(tx, keys);
  const rows = await selectPasskeysByKey(tx, keys);
  const valid = rows.filter((row) => ['active', 'exhausted'].includes(passkeyStatus(termsOf(row), at)));
  return new Map(valid.map((row) => [row.id, toOpened(row)]));
}

/** The problem for an order with more tickets than the passkey has left. */
export const usedUp = (left: number): Problem =>
  rejected('exhausted', { left }, `Only ${left} tickets are left for this passkey. Order fewer tickets.`);

const details = {
  unknown: 'This event has no such passkey. Check the spelling.',
  early: 'This passkey is not valid yet. Try again after its start.',
  late: 'This passkey has expired.',
  exhausted: 'This passkey has no tickets left.',
};

const rejected = (reason: keyof typeof details, more: object = {}, detail = details[reason]): Problem =>
  new Problem('passkey_rejected', detail, { extra: { reason, ...more } });
