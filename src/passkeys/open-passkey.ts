import { type FailureLimits, failureLimits, readFailureLimits } from '../accounts/failure-limits.ts';
import { Problem } from '../kernel/problem.ts';
import type { Tx } from '../postgres/database.ts';
import { runPipeline, type Statement, type Step } from '../postgres/pipeline.ts';
import { guessLimitsOf, tooManyGuesses } from './guess-limits.ts';
import { termsOf, trimCode } from './passkey.ts';
import { type PasskeyStatus, passkeyStatus } from './passkey-status.ts';
import {
  lockPasskeyRows,
  lockPasskeysByText,
  type PasskeyByText,
  type PasskeyWithItems,
  selectPasskeyByText,
  selectPasskeysById,
  selectPasskeysByText,
} from './passkeys.sql.ts';

/** Somebody presents a passkey. */
export interface Attempt {
  eventId: number;
  /** As the caller typed it. */
  text: string;
  at: Date;
  address: string | null;
}

export interface OpenedPasskey {
  id: number;
  itemIds: number[];
  /** How many more tickets it opens; null for no limit. */
  left: number | null;
}

const reasons = { scheduled: 'early', finished: 'late', exhausted: 'exhausted' } as const satisfies Record<
  Exclude<PasskeyStatus, 'active'>,
  string
>;

/**
 * The items that a passkey opens now. Callers with too many wrong passkeys get 429 for right ones too, so that they cannot tell them apart.
 * A problem is returned, not thrown: a wrong passkey must stay counted. Guesses that other connections are still working on do not count yet,
 * so a burst can pass the limit by at most one guess for each database connection.
 */
export async function openPasskey(tx: Tx, attempt: Attempt): Promise<OpenedPasskey | Problem> {
  const limits = guessLimitsOf(attempt);
  const guesses = await readFailureLimits(tx, limits, attempt.at, tooManyGuesses);
  const refused = guesses.refusal(limits, attempt.at);
  if (refused) return refused;
  const row = await selectPasskeyByText(tx, attempt.eventId, trimCode(attempt.text));
  if (row) return openRow(row, attempt.at);
  guesses.add(limits, attempt.at);
  return (await guesses.save(tx, limits, attempt.at)) ?? rejected('unknown');
}

function openRow(row: PasskeyWithItems, at: Date): OpenedPasskey | Problem {
  const status = passkeyStatus(termsOf(row), at);
  return status === 'active' ? toOpened(row) : rejected(reasons[status]);
}

function toOpened({ id, item_ids: itemIds, use_limit: limit, used, held }: PasskeyWithItems): OpenedPasskey {
  return { id, itemIds, left: limit === null ? null : limit - used - held };
}

export interface UsedPasskeys {
  /** One for each attempt, in their order. Orders with the same passkey share an object, and each subtracts what it takes from `left`. */
  outcomes: (OpenedPasskey | Problem)[];
  /** Count the wrong passkeys. Send them last, with the commit. */
  misses: Statement[];
}

/** Opens and locks the passkeys of a batch of orders, in one round trip. */
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
 * Locks the passkeys of orders that were placed before. Leaves out passkeys that were deleted or are outside their period. Keeps exhausted ones,
 * because the tickets of these orders may be the ones that exhausted them.
 */
export async function reopenPasskeys(tx: Tx, ids: readonly number[], at: Date): Promise<Map<number, OpenedPasskey>> {
  if (ids.length === 0) return new Map();
  await lockPasskeyRows(tx, ids);
  const valid = (await selectPasskeysById(tx, ids)).filter((row) => ['active', 'exhausted'].includes(passkeyStatus(termsOf(row), at)));
  return new Map(valid.map((row) => [row.id, toOpened(row)]));
}

/** The order needs more tickets than the passkey has left. */
export const usedUp = (left: number): Problem => rejected('exhausted', { left }, `Only ${left} tickets are left for this passkey.`);

const details = {
  unknown: 'This event has no such passkey. Check the spelling.',
  early: 'This passkey is not valid yet. Try again after its start.',
  late: 'This passkey has expired.',
  exhausted: 'This passkey has no tickets left.',
};

const rejected = (reason: keyof typeof details, more: object = {}, detail = details[reason]): Problem =>
  new Problem('passkey_rejected', detail, { extra: { reason, ...more } });
