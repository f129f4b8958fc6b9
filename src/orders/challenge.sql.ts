import { sql } from 'kysely';
import { numberList, textList } from '../postgres/array-parameters.ts';
import type { Tx } from '../postgres/database.ts';
import type { OldRows } from '../postgres/delete-old-rows.ts';
import type { Statement } from '../postgres/pipeline.ts';

export interface ChallengeKey {
  eventId: number;
  /** In hexadecimal. */
  nonce: string;
}

/** Returns which of the nonces were used before. */
export async function selectSpent(tx: Tx, keys: readonly ChallengeKey[]): Promise<string[]> {
  const { rows } = await sql<{ nonce: string }>`
    select encode(nonce, 'hex') as nonce from spent_challenge
     where event_id = any(${keys.map(({ eventId }) => eventId)}::bigint[])
       and nonce = any(array(select decode(hex, 'hex') from unnest(${keys.map(({ nonce }) => nonce)}::text[]) as hex))`.execute(tx);
  return rows.map(({ nonce }) => nonce);
}

/** If two transactions use the same solution, the primary key makes the second transaction fail. */
export const insertSpent = (spent: readonly (ChallengeKey & { expiresAt: Date })[]): Statement => sql`
  insert into spent_challenge (event_id, nonce, expires_at)
  select event_id, decode(nonce, 'hex'), expires_at
    from unnest(${numberList(spent.map(({ eventId }) => eventId))}::bigint[], ${textList(spent.map(({ nonce }) => nonce))}::text[],
                ${textList(spent.map(({ expiresAt }) => expiresAt.toISOString()))}::timestamptz[])
      as given (event_id, nonce, expires_at) order by 1, 2`;

export const expiredChallenges = (at: Date): OldRows => ({
  table: 'spent_challenge',
  where: sql`expires_at < ${at}`,
  age: 'expires_at',
  keyedByEvent: true,
});
