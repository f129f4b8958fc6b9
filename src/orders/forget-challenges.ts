import type { Tx } from '../postgres/database.ts';
import { countOld, deleteOld, type OldRows } from '../postgres/old-rows.ts';
import { expiredChallenges } from './challenges.sql.ts';
import { settledNetworks } from './network-holds.sql.ts';

export const challengeLeftovers = ['networkHolds', 'challenges'] as const;
export type ChallengeLeftover = (typeof challengeLeftovers)[number];

const leftovers: Record<ChallengeLeftover, (at: Date) => OldRows> = { networkHolds: settledNetworks, challenges: expiredChallenges };

export const countOldChallenges = (tx: Tx, kind: ChallengeLeftover, at: Date): Promise<number> => countOld(tx, leftovers[kind](at));

/** Deletes counts of networks that no longer matter, and solutions that have expired, at most so many. Returns how many. */
export const forgetChallenges = (tx: Tx, kind: ChallengeLeftover, at: Date, most: number): Promise<number> =>
  deleteOld(tx, leftovers[kind](at), most);
