import type { Act } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { revokeTokensOf } from './api-tokens.sql.ts';
import { clearMemberInvitations, renameTokens, selectProducersOf } from './erase-user.sql.ts';
import { eraseFactors } from './factors.ts';
import { hasOtherOwner, selectMemberOfUser, selectProducerForUpdate } from './producers.sql.ts';
import { revokeSessions } from './sessions.sql.ts';
import { hasOtherAdmin, selectUserForUpdate, type UserRow, updateUserRow } from './users.sql.ts';

const erased = 'Erased';

/**
 * Replaces the personal data of an account and disables it. The row stays, because roles, scans and the audit log name its id. The domain
 * `invalid` is reserved, so nobody can own the address.
 */
export async function eraseUser(tx: Tx, act: Act, id: number): Promise<void> {
  await requireOtherOwners(tx, id);
  const row = await selectUserForUpdate(tx, id);
  if (!row) throw new Problem('not_found');
  await requireAnotherAdmin(tx, row);
  await updateUserRow(tx, id, {
    email: `erased-${id}@erased.invalid`,
    name: erased,
    password_hash: null,
    admin: false,
    disabled_at: row.disabled_at ?? act.at,
    updated_at: act.at,
  });
  await revokeSessions(tx, id, null, 'the user was erased', act.at);
  const revokedApiTokens = await revokeTokensOf(tx, id, act.at);
  await renameTokens(tx, id, erased);
  await eraseFactors(tx, id);
  await clearMemberInvitations(tx, id);
  await record(tx, act, { subject: 'user', id, after: { erased: true, revokedApiTokens } });
}

/** Locks the producers of the user, so that two owners cannot be erased concurrently. */
async function requireOtherOwners(tx: Tx, id: number): Promise<void> {
  for (const producerId of await selectProducersOf(tx, id)) {
    await selectProducerForUpdate(tx, producerId);
    const member = await selectMemberOfUser(tx, producerId, id);
    if (member?.role === 'owner' && !(await hasOtherOwner(tx, producerId, id)))
      throw new Problem('last_owner', `The user is the only owner of producer ${producerId}. Give the producer another owner first.`);
  }
}

async function requireAnotherAdmin(tx: Tx, { id, admin, disabled_at: disabledAt }: UserRow): Promise<void> {
  if (!admin || disabledAt !== null || (await hasOtherAdmin(tx, id))) return;
  throw new Problem('rule_violation', 'The user is the only platform admin. Make another user admin first.');
}
