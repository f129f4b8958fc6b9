import { type Problem, retryLater } from '../kernel/problem.ts';
import type { Tx } from '../postgres/database.ts';
import { countFailure, deleteFailures, type Failures, selectFailures } from './login-failures.sql.ts';

const windowMs = 15 * 60_000;
const mostPerAccount = 10;
const mostPerAddress = 100;

const place = (address: string | null): string => `address:${address}`;
const windowEnd = (at: Date): Date => new Date(at.getTime() + windowMs);

/** Counted before the password is looked at, so that guesses sent at once do not slip through together. */
export async function countGuess(tx: Tx, account: string, at: Date): Promise<void> {
  const known = await countFailure(tx, account, at, windowEnd(at));
  if (known.failures > mostPerAccount) throw tooMany(known, at);
}

export const forgetGuesses = (tx: Tx, account: string): Promise<void> => deleteFailures(tx, account);

export async function refuseBusyAddress(tx: Tx, address: string | null, at: Date): Promise<void> {
  const known = await selectFailures(tx, place(address), at);
  if (known && known.failures >= mostPerAddress) throw tooMany(known, at);
}

export async function countAtAddress(tx: Tx, address: string | null, at: Date): Promise<void> {
  await countFailure(tx, place(address), at, windowEnd(at));
}

function tooMany({ expires_at }: Failures, at: Date): Problem {
  return retryLater('rate_limited', (expires_at.getTime() - at.getTime()) / 1000, 'Too many wrong passwords; wait and try again');
}
