import { createHash } from 'node:crypto';
import { networkOf } from '../kernel/network.ts';
import { type Problem, retryLater } from '../kernel/problem.ts';
import type { Tx } from '../postgres/database.ts';
import { isKnownNetwork, upsertKnownNetwork } from './known-networks.sql.ts';
import { countDelayed, countFailure, deleteFailures, selectBlockedUntil, selectFailures, uncountFailure } from './login-failures.sql.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** The limit of failed log-ins for one account from one network: five without a delay, then a delay of 1, 2, 4, 8, 15, 15 … minutes. */
const delays = { free: 5, firstMinutes: 1, longestMinutes: 15 };
/** The limit of failed log-ins for one account, from all unknown networks together. It limits guessing that is distributed over many networks. */
const perAccount = { max: 100, windowMs: 60 * minuteMs };
/** The limit of failed log-ins from one network, for all accounts together. */
const perNetwork = { max: 100, windowMs: 15 * minuteMs };
const networkKnownDays = 90;

/** E-mail and IP addresses are personal data, so the tables have only their hashes. */
const hashOf = (...parts: string[]): Buffer => createHash('sha256').update(JSON.stringify(parts)).digest();
export const subjectOf = (kind: string, ...parts: string[]): string => `${kind}:${hashOf(...parts).toString('base64url')}`;
const after = (at: Date, ms: number): Date => new Date(at.getTime() + ms);

/** One attempt to log in. */
export interface Guess {
  email: string;
  network: string;
  /** Whether the account logged in from this network within the last 90 days. */
  knownNetwork: boolean;
}

/**
 * Counts an attempt to log in, or throws `rate_limited`. It runs before the password is checked, so that all concurrent guesses are
 * counted. The count depends only on the e-mail and the network, so the response is the same for accounts that do not exist.
 */
export async function countGuess(tx: Tx, email: string, address: string | null, at: Date): Promise<Guess> {
  const network = networkOf(address ?? '');
  const knownNetwork = await isKnownNetwork(tx, hashOf(email, network), at);
  if (!knownNetwork) await refuseBusyNetwork(tx, network, at);
  await countWithDelay(tx, subjectOf('account and network', email, network), at);
  if (!knownNetwork) await countForAccount(tx, email, at);
  return { email, network, knownNetwork };
}

/** Counts wrong passwords per session. They do not count for log-ins or for other sessions of the user. */
export async function countGuessInSession(tx: Tx, sessionId: string, at: Date): Promise<void> {
  await countWithDelay(tx, subjectOf('session', sessionId), at);
}

export const forgetGuessesInSession = (tx: Tx, sessionId: string): Promise<void> => deleteFailures(tx, subjectOf('session', sessionId));

export async function guessWasWrong(tx: Tx, { network }: Guess, at: Date): Promise<void> {
  await countFailure(tx, subjectOf('network', network), at, after(at, perNetwork.windowMs));
}

/** Resets the count for this account and network, and remembers the network. Failures for this account from other networks stay counted. */
export async function recordCorrectPassword(tx: Tx, { email, network, knownNetwork }: Guess, at: Date): Promise<void> {
  await deleteFailures(tx, subjectOf('account and network', email, network));
  if (!knownNetwork) await uncountFailure(tx, subjectOf('account', email));
  await upsertKnownNetwork(tx, hashOf(email, network), after(at, networkKnownDays * dayMs));
}

async function countWithDelay(tx: Tx, subject: string, at: Date): Promise<void> {
  if (await countDelayed(tx, subject, at, { ...delays, forgottenAt: after(at, dayMs) })) return;
  throw tooMany((await selectBlockedUntil(tx, subject)) ?? at, at);
}

async function countForAccount(tx: Tx, email: string, at: Date): Promise<void> {
  const { failures, expires_at } = await countFailure(tx, subjectOf('account', email), at, after(at, perAccount.windowMs));
  if (failures > perAccount.max) throw tooMany(expires_at, at);
}

async function refuseBusyNetwork(tx: Tx, network: string, at: Date): Promise<void> {
  const counted = await selectFailures(tx, subjectOf('network', network), at);
  if (counted && counted.failures >= perNetwork.max) throw tooMany(counted.expires_at, at);
}

function tooMany(until: Date, at: Date): Problem {
  return retryLater(
    'rate_limited',
    (until.getTime() - at.getTime()) / 1000,
    'Too many wrong passwords. Wait for the seconds in Retry-After, then try again.',
  );
}
