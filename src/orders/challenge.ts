import { type Challenge, createChallenge, verifySolution } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { Problem } from '../kernel/problem.ts';
import type { Tx } from '../postgres/database.ts';
import { countOldRows, deleteOldRows, type OldRows } from '../postgres/delete-old-rows.ts';
import { type ChallengeKey, expiredChallenges, selectSpent } from './challenge.sql.ts';
import { difficulties } from './challenge-level.ts';
import { type NetworkKey, settledNetworks } from './network-holds.sql.ts';

const validMs = 5 * 60_000;

/** A solution that was verified: this service signed its challenge, for this event and network, and it is neither expired nor used. */
export interface Proof extends ChallengeKey {
  level: number;
  expiresAt: Date;
}

/** The order needs a solved challenge. `withChallenges` replaces this problem with a copy that contains the challenge. */
export class ChallengeRequired extends Problem {
  readonly level: number;

  constructor(level: number, detail: string) {
    super('challenge_required', detail);
    this.level = level;
  }
}

/** The signed content of a challenge. Its solution is valid for five minutes, for one event and one network. */
interface Terms extends NetworkKey {
  level: number;
  expiresAt: number;
}

/** The key that signs challenges. A new SECRET_KEY makes unsolved challenges invalid; clients then get new challenges. */
const challengeKey = ({ secrets }: Tx): string => secrets.deriveKey('challenges').toString('hex');

/** Returns a copy of each problem with a new challenge for the caller. */
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
    // `terms.expiresAt` replaces the expiry of the library, which reads the system clock. `verify` uses the time of the request.
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

/**
 * Returns for each attempt a proof, or the reason why the solution is invalid. Call this before taking locks: one attempt takes up to 1 ms.
 */
export async function verifyAttempts(tx: Tx, attempts: readonly Attempt[]): Promise<(Proof | string)[]> {
  if (attempts.length === 0) return [];
  const secret = challengeKey(tx);
  const read = await Promise.all(attempts.map((attempt) => verify(attempt, secret)));
  const proofs = read.filter((proof) => typeof proof !== 'string');
  const spent = new Set(proofs.length === 0 ? [] : await selectSpent(tx, proofs));
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
  return { level: terms.level, eventId: key.eventId, nonce: challenge.parameters.nonce, expiresAt: new Date(terms.expiresAt) };
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

export const deletableChallengeData = ['networkHolds', 'challenges'] as const;
export type DeletableChallengeData = (typeof deletableChallengeData)[number];

const oldRowsOf: Record<DeletableChallengeData, (at: Date) => OldRows> = { networkHolds: settledNetworks, challenges: expiredChallenges };

export const countOldChallenges = (tx: Tx, kind: DeletableChallengeData, at: Date): Promise<number> =>
  countOldRows(tx, oldRowsOf[kind](at));

/** Deletes up to `limit` network counts that are 0, or used solutions that have expired. Returns the number of deleted rows. */
export const deleteOldChallenges = (tx: Tx, kind: DeletableChallengeData, at: Date, limit: number): Promise<number> =>
  deleteOldRows(tx, oldRowsOf[kind](at), limit);
