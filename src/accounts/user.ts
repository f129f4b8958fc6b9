import type { Act } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { constraintToProblem } from '../postgres/transaction.ts';
import { normalizeEmail, toInvitation } from './invitation.ts';
import type { User } from './user-contract.ts';
import { insertUserIfNew, selectUserByEmail, type UserRow } from './users.sql.ts';

export function toUser(row: UserRow): User {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    admin: row.admin,
    disabled: row.disabled_at !== null,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

export const emailTaken = constraintToProblem({
  app_user_email: () => new Problem('already_exists', 'A user with this e-mail already exists'),
});

export const findUser = (tx: Tx, email: string): Promise<UserRow | undefined> => selectUserByEmail(tx, normalizeEmail(email));

/** Finds or creates the user with this e-mail. A new user has no password and cannot log in until a password is set. */
export async function findOrInviteUser(tx: Tx, act: Act, person: { email: string; name?: string }): Promise<UserRow> {
  const { email, name } = toInvitation(person);
  const known = await findUser(tx, email);
  if (known) return known;
  const row = { email, name, password_hash: null, admin: false, disabled_at: null, created_at: act.at, updated_at: act.at };
  const user = await insertUserIfNew(tx, row);
  if (!user) return findOrInviteUser(tx, act, person);
  await record(tx, act, { subject: 'user', id: user.id, after: toUser(user) });
  return user;
}
