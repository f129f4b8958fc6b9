import type { Insertable, Selectable } from 'kysely';
import type { Tx } from '../postgres/database.ts';
import type { Schema } from '../postgres/schema.ts';

export type FactorRow = Selectable<Schema['auth_factor']>;

export async function insertFactor(tx: Tx, factor: Insertable<Schema['auth_factor']>): Promise<FactorRow> {
  return tx.insertInto('auth_factor').values(factor).returningAll().executeTakeFirstOrThrow();
}

export async function selectFactors(tx: Tx, userId: number): Promise<FactorRow[]> {
  return tx.selectFrom('auth_factor').selectAll().where('user_id', '=', userId).orderBy('id').execute();
}

/** A code or signature counts once: the step and the counter only grow. Returns false if a concurrent request was faster. */
export async function markTotpUsed(tx: Tx, id: number, step: number, at: Date): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('auth_factor')
    .set((e) => ({ last_step: step, last_used_at: at, confirmed_at: e.fn.coalesce('confirmed_at', e.val(at)) }))
    .where('id', '=', id)
    .where((e) => e.or([e('last_step', 'is', null), e('last_step', '<', step)]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function markWebauthnUsed(tx: Tx, id: number, signCount: number, at: Date): Promise<void> {
  await tx.updateTable('auth_factor').set({ sign_count: signCount, last_used_at: at }).where('id', '=', id).execute();
}

export async function deleteFactor(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('auth_factor').where('id', '=', id).execute();
}

export async function deleteFactorsOf(tx: Tx, userId: number): Promise<number> {
  return Number((await tx.deleteFrom('auth_factor').where('user_id', '=', userId).executeTakeFirst()).numDeletedRows);
}

export async function insertRecoveryCodes(tx: Tx, userId: number, hashes: readonly Buffer[]): Promise<void> {
  await tx
    .insertInto('recovery_code')
    .values(hashes.map((hash) => ({ user_id: userId, hash })))
    .execute();
}

/** A recovery code is deleted when it is used. Returns whether it existed. */
export async function deleteRecoveryCode(tx: Tx, userId: number, hash: Buffer): Promise<boolean> {
  const deleted = await tx.deleteFrom('recovery_code').where('user_id', '=', userId).where('hash', '=', hash).executeTakeFirst();
  return deleted.numDeletedRows > 0n;
}

export async function deleteRecoveryCodesOf(tx: Tx, userId: number): Promise<void> {
  await tx.deleteFrom('recovery_code').where('user_id', '=', userId).execute();
}

export async function countRecoveryCodes(tx: Tx, userId: number): Promise<number> {
  const { n } = await tx
    .selectFrom('recovery_code')
    .select((e) => e.fn.countAll<number>().as('n'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return n;
}

export async function selectSealedSecretsForUpdate(tx: Tx): Promise<{ id: number; user_id: number; sealed_secret: Buffer }[]> {
  return tx
    .selectFrom('auth_factor')
    .select(['id', 'user_id', 'sealed_secret'])
    .where('sealed_secret', 'is not', null)
    .orderBy('id')
    .forUpdate()
    .$narrowType<{ sealed_secret: Buffer }>()
    .execute();
}

export async function updateSealedSecret(tx: Tx, id: number, sealedSecret: Buffer): Promise<void> {
  await tx.updateTable('auth_factor').set({ sealed_secret: sealedSecret }).where('id', '=', id).execute();
}
