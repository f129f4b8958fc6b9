import type { Tx } from '../postgres/database.ts';

/** Returns the ids in ascending order, which is the order in which producers are locked. */
export async function selectProducersOf(tx: Tx, userId: number): Promise<number[]> {
  const rows = await tx.selectFrom('producer_member').select('producer_id').where('user_id', '=', userId).orderBy('producer_id').execute();
  return rows.map(({ producer_id }) => producer_id);
}

export async function clearMemberInvitations(tx: Tx, userId: number): Promise<void> {
  await tx
    .updateTable('producer_member')
    .set({ invitation: null, invited_email: null, invited_name: null })
    .where('user_id', '=', userId)
    .where('invitation', 'is not', null)
    .execute();
}

/** Users choose the names of their API tokens, so a name can be personal. */
export async function renameTokens(tx: Tx, userId: number, name: string): Promise<void> {
  await tx.updateTable('api_token').set({ name }).where('user_id', '=', userId).execute();
}
