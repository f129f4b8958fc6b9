import { type Challenge, createChallenge, verifySolution } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { Problem } from '../kernel/problem.ts';
import type { Tx } from '../postgres/database.ts';
import { countOldRows, deleteOldRows, type OldRows } from '../postgres/delete-old-rows.ts';
import { expiredChallenges, selectSpent } from './challenge.sql.ts';
import { difficulties } from './challenge-level.ts';
import { type NetworkKey, settledNetworks } from './network-holds.sql.ts';

const validMs = 5 * 60_000;

/** A valid solution: signed by this service, for this event and network, not expired and not used before. */
export interface Proof {
  level: number;
  nonce: string;
  expiresAt: Date;
}

/** The order needs a solved challenge. `withChallenges` adds the challenge to the problem. */
export class ChallengeRequired extends Problem {
  readonly level: number;

  constructor(level: number, detail: string) {
    super('challenge_required', detail);
    this.level = level;
  }
}

/** The signed content of a challenge. A solution is valid for one event and one network, for five minutes. */
interface Terms extends NetworkKey {
  level: number;
  expiresAt: number;
}

/** Signs challenges. After a change of SECRET_KEY, open challenges are invalid and clients solve new ones. */
const challengeKey = ({ secrets }: Tx): string => secrets.deriveKey('challenges').toString('hex');

/** Returns the same problems, each with a challenge for its caller. */
export async function withChallenges(
  tx: Tx,
  needed: readonly { problem: ChallengeRequired; key: NetworkKey; at: Date }[],
): Promise<Problem[]> {
  if (needed.length === 0) return [];
  const secret = challengeKey(tx);
  return Promise.all(
    needed.map(async ({ problem, key, at }) => {
      const { level } = problem;
      const terms: Terms = { ...key, level, expiresAt: at.getTime() + validMs };
      return new Problem('challenge_required', problem.message, { extra: { challenge: await signed(terms, secret) } });
    }),
  );
}

function signed(terms: Terms, secret: string): Promise<Challenge> {
  const { cost, prefix } = difficulties[terms.level] ?? { cost: 1, prefix: '0' };
  return createChallenge({
    algorithm: 'PBKDF2/SHA-256',
    cost,
    keyPrefix: prefix,
    deriveKey,
    // The library's `expiresAt` uses the clock of this machine. `verify` compares with the time of the request instead.
    data: { ...terms },
    hmacSignatureSecret: secret,
  });
}

export interface Attempt {
  /** The ALTCHA payload of the request body: base64 of JSON. */
  payload: string;
  key: NetworkKey;
  at: Date;
}

/** Returns a proof for each attempt, or the reason why it is invalid. Each takes up to 1 ms, so call this before taking locks. */
export async function verifyAttempts(tx: Tx, attempts: readonly Attempt[]): Promise<(Proof | string)[]> {
  if (attempts.length === 0) return [];
  const secret = challengeKey(tx);
  const read = await Promise.all(attempts.map((attempt) => verify(attempt, secret)));
  const nonces = read.flatMap((proof) => (typeof proof === 'string' ? [] : [proof.nonce]));
  const spent = new Set(nonces.length === 0 ? [] : await selectSpent(tx, nonces));
  return read.map((proof) => (typeof proof !== 'string' && spent.has(proof.nonce) ? usedBefore : proof));
}

export const usedBefore = 'The solution was used before.';

async function verify({ payload, key, at }: Attempt, secret: string): Promise<Proof | string> {
  const parsed = parse(payload);
  if (!parsed) return 'The solution is malformed: send the base64 text of the ALTCHA payload.';
  const { challenge, solution, terms } = parsed;
  if (terms.eventId !== key.eventId || terms.network !== key.network) return 'The solution is for another event or network.';
  if (!(terms.expiresAt > at.getTime())) return 'The solution has expired.';
  const { verified } = await verifySolution({ challenge, solution, deriveKey, hmacSignatureSecret: secret }).catch(() => ({
    verified: false,
  }));
  if (!verified) return 'The solution is wrong.';
  return { level: terms.level, nonce: challenge.parameters.nonce, expiresAt: new Date(terms.expiresAt) };
}

function parse(payload: string) {
  try {
    const { challenge, solution } = JSON.parse(Buffer.from(payload, 'base64').toString('utf8')) as {
      challenge: Challenge;
      solution: { counter: number; derivedKey: string };
    };
    const terms = challenge.parameters.data as Partial<Terms> | undefined;
    const isWhole = terms && typeof challenge.parameters.nonce === 'string' && typeof solution.derivedKey === 'string';
    return isWhole ? { challenge, solution, terms: terms as Terms } : null;
  } catch {
    return null;
  }
}

export const challengeLeftovers = ['networkHolds', 'challenges'] as const;
export type ChallengeLeftover = (typeof challengeLeftovers)[number];

const oldRowsOf: Record<ChallengeLeftover, (at: Date) => OldRows> = { networkHolds: settledNetworks, challenges: expiredChallenges };

export const countOldChallenges = (tx: Tx, kind: ChallengeLeftover, at: Date): Promise<number> => countOldRows(tx, oldRowsOf[kind](at));

/** Deletes at most `most` network counts that are back to 0, or used solutions that have expired. Returns how many. */
export const deleteOldChallenges = (tx: Tx, kind: ChallengeLeftover, at: Date, most: number): Promise<number> =>
  deleteOldRows(tx, oldRowsOf[kind](at), most);
