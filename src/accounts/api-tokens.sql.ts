import type { Insertable, Selectable } from 'kysely';
import type { Tx } from '../postgres/database.ts';
import type { Schema } from '../postgres/schema.ts';

export type ApiTokenRow = Selectable<Schema['api_token']>;

export async function insertApiToken(tx: Tx, token: Insertable<Schema['api_token']>): Promise<ApiTokenRow> {
  return tx.insertInto('api_token').values(token).returningAll().executeTakeFirstOrThrow();
}

export async function selectApiTokens(tx: Tx, userId: number, after: number, limit: number): Promise<ApiTokenRow[]> {
  return tx
    .selectFrom('api_token')
    .selectAll()
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

export async function countApiTokens(tx: Tx, userId: number): Promise<number> {
  const { n } = await tx
    .selectFrom('api_token')
    .select((e) => e.fn.countAll<number>().as('n'))
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow();
  return n;
}

/** Returns the ids of the tokens that were revoked. */
export async function revokeTokensOf(tx: Tx, userId: number, at: Date): Promise<number[]> {
  const revoked = await tx
    .updateTable('api_token')
    .set({ revoked_at: at })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .returning('id')
    .execute();
  return revoked.map(({ id }) => id).toSorted((a, b) => a - b);
}

export async function revokeToken(tx: Tx, id: number, userId: number, at: Date): Promise<ApiTokenRow | undefined> {
  return tx
    .updateTable('api_token')
    .set({ revoked_at: at })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
}

export async function revokeAllTokens(tx: Tx, at: Date): Promise<number> {
  const revoked = await tx.updateTable('api_token').set({ revoked_at: at }).where('revoked_at', 'is', null).executeTakeFirst();
  return Number(revoked.numUpdatedRows);
}
