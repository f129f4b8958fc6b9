import { sql } from 'kysely';
import { textList } from '../postgres/array-parameters.ts';
import type { Tx } from '../postgres/database.ts';
import type { OldRows } from '../postgres/delete-old-rows.ts';
import type { Statement } from '../postgres/pipeline.ts';

/** Returns which of the nonces were used before. Nonces are hexadecimal. */
export async function selectSpent(tx: Tx, nonces: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ nonce: string }>`
    select encode(nonce, 'hex') as nonce from spent_challenge
     where nonce in (select decode(hex, 'hex') from unnest(${nonces}::text[]) as hex)`.execute(tx);
  return rows.map(({ nonce }) => nonce);
}

/** If two transactions use the same solution, the primary key makes the second transaction fail. */
export const insertSpent = (spent: readonly { nonce: string; expiresAt: Date }[]): Statement => sql`
  insert into spent_challenge (nonce, expires_at)
  select decode(nonce, 'hex'), expires_at
    from unnest(${textList(spent.map(({ nonce }) => nonce))}::text[], ${textList(spent.map(({ expiresAt }) => expiresAt.toISOString()))}::timestamptz[])
      as given (nonce, expires_at) order by 1`;

export const expiredChallenges = (at: Date): OldRows => ({
  table: 'spent_challenge',
  where: sql`expires_at < ${at}`,
  age: 'expires_at',
  keyedByEvent: true,
});
