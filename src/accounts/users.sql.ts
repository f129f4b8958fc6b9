import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Tx } from '../postgres/database.ts';
import type { Schema } from '../postgres/schema.ts';
import { containsText } from '../postgres/text-search.ts';

export type UserRow = Selectable<Schema['app_user']>;

export async function insertUser(tx: Tx, user: Insertable<Schema['app_user']>): Promise<UserRow> {
  return tx.insertInto('app_user').values(user).returningAll().executeTakeFirstOrThrow();
}

export async function selectUser(tx: Tx, id: number): Promise<UserRow | undefined> {
  return tx.selectFrom('app_user').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function selectUserForUpdate(tx: Tx, id: number): Promise<UserRow | undefined> {
  return tx.selectFrom('app_user').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

export async function selectUserByEmail(tx: Tx, email: string): Promise<UserRow | undefined> {
  return tx.selectFrom('app_user').selectAll().where('email', '=', email).executeTakeFirst();
}

/**
 * Locks the user while the password is compared. A concurrent password change either waits for this lock, or is committed before this query
 * reads the password.
 */
export async function selectUserByEmailForLogin(tx: Tx, email: string): Promise<UserRow | undefined> {
  return tx.selectFrom('app_user').selectAll().where('email', '=', email).forKeyShare().executeTakeFirst();
}

/** Makes password changes and disabling wait until this transaction ends. */
export async function lockUserShared(tx: Tx, id: number): Promise<UserRow | undefined> {
  return tx.selectFrom('app_user').selectAll().where('id', '=', id).forKeyShare().executeTakeFirst();
}

export async function insertUserIfNew(tx: Tx, user: Insertable<Schema['app_user']>): Promise<UserRow | undefined> {
  return tx
    .insertInto('app_user')
    .values(user)
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returningAll()
    .executeTakeFirst();
}

export async function updateUserRow(tx: Tx, id: number, changes: Updateable<Schema['app_user']>): Promise<UserRow> {
  return tx.updateTable('app_user').set(changes).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

export async function updateLastLogin(tx: Tx, id: number, at: Date): Promise<void> {
  await tx.updateTable('app_user').set({ last_login_at: at }).where('id', '=', id).execute();
}

/** Returns whether there is another active admin. Locks all admins, so that two cannot be removed concurrently. */
export async function hasOtherAdmin(tx: Tx, id: number): Promise<boolean> {
  const admins = await tx
    .selectFrom('app_user')
    .select('id')
    .where('admin', '=', true)
    .where('disabled_at', 'is', null)
    .orderBy('id')
    .forUpdate()
    .execute();
  return admins.some((other) => other.id !== id);
}

const matching = (term: string | undefined) =>
  term ? sql<boolean>`(${containsText('name', term)} or ${containsText('email', term)})` : sql<boolean>`true`;

export async function selectUsers(tx: Tx, term: string | undefined, after: number, limit: number): Promise<UserRow[]> {
  return tx.selectFrom('app_user').selectAll().where('id', '>', after).where(matching(term)).orderBy('id').limit(limit).execute();
}

export async function countUsers(tx: Tx, term: string | undefined): Promise<number> {
  const { n } = await tx
    .selectFrom('app_user')
    .select((e) => e.fn.countAll<number>().as('n'))
    .where(matching(term))
    .executeTakeFirstOrThrow();
  return n;
}
