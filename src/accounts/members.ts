import type { ProducerRole } from '../kernel/access.ts';
import type { Act } from '../kernel/act.ts';
import { afterId, rowsToFetch, toPage } from '../kernel/cursor.ts';
import { Problem } from '../kernel/problem.ts';
import type { Page, PageQuery } from '../kernel/schema.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { mailInvitation } from './account-mails.ts';
import { invitationBy } from './invitation.ts';
import type { Member } from './producer-contract.ts';
import {
  countMembers,
  deleteMember,
  hasOtherOwner,
  insertMember,
  type MemberRow,
  selectMember,
  selectMemberOfUser,
  selectMembers,
  selectProducerForUpdate,
  updateMemberRole,
} from './producers.sql.ts';
import { findOrInviteUser } from './user.ts';

export async function listMembers(tx: Tx, producerId: number, query: PageQuery): Promise<Page<Member>> {
  const rows = await selectMembers(tx, producerId, afterId(query), rowsToFetch(query));
  const total = query.count ? await countMembers(tx, producerId) : undefined;
  return toPage(rows, query, (row) => [row.position], toMember, total);
}

export interface NewMember {
  email: string;
  name?: string;
  role: ProducerRole;
}

export async function addMember(tx: Tx, act: Act, producerId: number, { role, ...person }: NewMember): Promise<Member> {
  const producer = await selectProducerForUpdate(tx, producerId);
  const user = await findOrInviteUser(tx, act, person);
  if (!(await insertMember(tx, producerId, user.id, role, act.at, invitationBy(act, person))))
    throw new Problem('already_exists', 'This person is already a member. Change their role with PUT.');
  const member = toMember(await requireMember(selectMemberOfUser(tx, producerId, user.id)));
  await record(tx, act, { subject: 'member', id: user.id, producerId, after: member });
  if (producer) await mailInvitation(tx, act, user, producer);
  return member;
}

export async function updateMember(tx: Tx, act: Act, producerId: number, id: number, role: ProducerRole): Promise<Member> {
  await selectProducerForUpdate(tx, producerId);
  return changeRole(tx, act, producerId, await requireMember(selectMember(tx, producerId, id)), role);
}

async function changeRole(tx: Tx, act: Act, producerId: number, before: MemberRow, role: ProducerRole): Promise<Member> {
  if (role !== 'owner') await requireOtherOwner(tx, producerId, before);
  await updateMemberRole(tx, producerId, before.user_id, role);
  const after = toMember({ ...before, role });
  await record(tx, act, { subject: 'member', id: before.user_id, producerId, before: toMember(before), after });
  return after;
}

export async function removeMember(tx: Tx, act: Act, producerId: number, id: number): Promise<void> {
  await selectProducerForUpdate(tx, producerId);
  const before = await requireMember(selectMember(tx, producerId, id));
  await requireOtherOwner(tx, producerId, before);
  await deleteMember(tx, producerId, before.user_id);
  await record(tx, act, { subject: 'member', id: before.user_id, producerId, before: toMember(before) });
}

/** For the command line: adds the person, or changes their role if they are already a member. */
export async function grantProducerRole(tx: Tx, act: Act, producerId: number, userId: number, role: ProducerRole): Promise<void> {
  if (!(await selectProducerForUpdate(tx, producerId))) throw new Problem('not_found', `There is no producer ${producerId}`);
  if (await insertMember(tx, producerId, userId, role, act.at)) {
    await record(tx, act, { subject: 'member', id: userId, producerId, after: { role } });
  } else {
    await changeRole(tx, act, producerId, await requireMember(selectMemberOfUser(tx, producerId, userId)), role);
  }
}

/** The caller holds the lock of the producer, so that two owners cannot remove each other concurrently. */
async function requireMember(found: Promise<MemberRow | undefined>): Promise<MemberRow> {
  const member = await found;
  if (!member) throw new Problem('not_found');
  return member;
}

async function requireOtherOwner(tx: Tx, producerId: number, { user_id, role }: MemberRow): Promise<void> {
  if (role === 'owner' && !(await hasOtherOwner(tx, producerId, user_id))) throw new Problem('last_owner');
}

function toMember({ id, name, email, role, invited }: MemberRow): Member {
  return { user: { id, name, email }, role, ...(invited && { invited }) };
}
