import { Problem, retryLater } from '../kernel/problem.ts';
import type { Tx } from '../postgres/database.ts';
import { GuessWindow, networkOf } from './guess-window.ts';
import { termsOf, trimCode } from './passkey.ts';
import { type PasskeyStatus, passkeyStatus } from './passkey-status.ts';
import { selectPasskeyByText } from './passkeys.sql.ts';

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
  const { eventId, text, at } = attempt;
  refuseGuessers(attempt);
  const row = await selectPasskeyByText(tx, eventId, trimCode(text));
  // Once more, as others of the same address may have missed meanwhile: guesses sent at once must not slip through together.
  refuseGuessers(attempt);
  if (!row) throw miss(attempt);
  const status = passkeyStatus(termsOf(row), at);
  if (status !== 'active') throw rejected(reasons[status]);
  return { id: row.id, itemIds: row.item_ids };
}

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

const rejected = (reason: keyof typeof details): Problem => new Problem('passkey_rejected', details[reason], { extra: { reason } });
