import type { Act } from '../kernel/act.ts';
import { afterId, rowsToFetch, toPage } from '../kernel/cursor.ts';
import { Problem, ruleViolation } from '../kernel/problem.ts';
import type { Page, PageQuery } from '../kernel/schema.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { normalizeEmail } from './invitation.ts';
import { hashPassword } from './passwords.ts';
import { revokeAccess } from './revoke-access.ts';
import { selectNamedRolesOf } from './roles.sql.ts';
import { revokeSessions } from './sessions.sql.ts';
import { emailTaken, toUser } from './user.ts';
import type { User, UserRoles } from './user-contract.ts';
import { countUsers, hasOtherAdmin, insertUser, selectUser, selectUserForUpdate, selectUsers, updateUserRow } from './users.sql.ts';

export interface NewUser {
  email: string;
  name: string;
  password?: string;
  admin?: boolean;
}

export async function createUser(tx: Tx, act: Act, { email, name, password, admin = false }: NewUser): Promise<User> {
  const password_hash = password === undefined ? null : await hashPassword(password);
  const row = await insertUser(tx, {
    email: normalizeEmail(email),
    name,
    password_hash,
    admin,
    disabled_at: null,
    created_at: act.at,
    updated_at: act.at,
  }).catch(emailTaken);
  const user = toUser(row);
  await record(tx, act, { subject: 'user', id: user.id, after: user });
  return user;
}

export async function listUsers(tx: Tx, query: PageQuery & { term?: string }): Promise<Page<User>> {
  const rows = await selectUsers(tx, query.term, afterId(query), rowsToFetch(query));
  const total = query.count ? await countUsers(tx, query.term) : undefined;
  return toPage(rows, query, (row) => [row.id], toUser, total);
}

export async function getUser(tx: Tx, id: number): Promise<User> {
  const row = await selectUser(tx, id);
  if (!row) throw new Problem('not_found');
  return toUser(row);
}

export async function getUserRoles(tx: Tx, id: number): Promise<UserRoles> {
  if (!(await selectUser(tx, id))) throw new Problem('not_found');
  return selectNamedRolesOf(tx, id);
}

export interface UserChanges {
  email?: string;
  name?: string;
  password?: string;
  /** Keeps API tokens valid. Allowed only together with a new password. */
  keepTokens?: boolean;
  admin?: boolean;
  disabled?: boolean;
}

export async function updateUser(tx: Tx, act: Act, id: number, changes: UserChanges): Promise<User> {
  const { password, keepTokens } = changes;
  if (keepTokens !== undefined && password === undefined) {
    throw ruleViolation('keepTokens', 'needs_password', 'keepTokens is only allowed together with password');
  }
  const row = await selectUserForUpdate(tx, id);
  if (!row) throw new Problem('not_found');
  const losesAdmin = row.admin && (changes.admin === false || changes.disabled === true);
  if (losesAdmin && !(await hasOtherAdmin(tx, id))) {
    throw ruleViolation(
      changes.disabled ? 'disabled' : 'admin',
      'last_admin',
      'The platform needs at least one active admin. Make another user admin first.',
    );
  }
  const disabledAt = changes.disabled === undefined ? row.disabled_at : changes.disabled ? (row.disabled_at ?? act.at) : null;
  const updated = await updateUserRow(tx, id, {
    email: changes.email === undefined ? row.email : normalizeEmail(changes.email),
    name: changes.name ?? row.name,
    admin: changes.admin ?? row.admin,
    password_hash: password === undefined ? row.password_hash : await hashPassword(password),
    disabled_at: disabledAt,
    updated_at: act.at,
  }).catch(emailTaken);
  const because = 'changed by an admin';
  if (changes.disabled) await revokeSessions(tx, id, null, because, act.at);
  const ended =
    password !== undefined && (await revokeAccess(tx, id, { exceptSession: null, keepTokens: keepTokens ?? false, because }, act.at));
  await record(tx, act, { subject: 'user', id, before: toUser(row), after: { ...toUser(updated), ...ended } });
  return toUser(updated);
}
