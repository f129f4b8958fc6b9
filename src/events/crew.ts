import { mailInvitation } from '../accounts/account-mails.ts';
import { invitationBy } from '../accounts/invitation.ts';
import { findOrInviteUser } from '../accounts/user.ts';
import type { CrewRole } from '../kernel/access.ts';
import type { Act } from '../kernel/act.ts';
import { Problem, ruleViolation } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import {
  type CrewRow,
  clearCrewInvitations,
  countCrew,
  deleteCrewMember,
  insertCrewMember,
  selectCrew,
  selectCrewMemberForUpdate,
  selectCrewMemberOfUser,
  updateCrewRole,
} from './crew.sql.ts';
import type { CrewMember } from './crew-contract.ts';
import { eventExists } from './events.sql.ts';
import { lockEvent } from './lock-event.ts';

/** The whole crew is returned in one response, so its size is limited. */
const maxCrew = 2_000;

export async function getCrew(tx: Tx, eventId: number): Promise<{ team: CrewMember[] }> {
  return { team: (await selectCrew(tx, eventId)).map(toCrewMember) };
}

export interface NewCrewMember {
  email: string;
  name?: string;
  role: CrewRole;
}

export async function addCrewMember(tx: Tx, act: Act, eventId: number, { role, ...person }: NewCrewMember): Promise<CrewMember> {
  const { title, currency } = await lockEvent(tx, eventId);
  if ((await countCrew(tx, eventId)) >= maxCrew)
    throw ruleViolation('email', 'limit', `A crew can have at most ${maxCrew} people. Remove some first.`);
  const user = await findOrInviteUser(tx, act, person);
  if (!(await insertCrewMember(tx, eventId, user.id, role, act.at, invitationBy(act, person))))
    throw new Problem('already_exists', 'This person is already in the crew. Change their role with PUT.');
  const member = toCrewMember(await requireMember(selectCrewMemberOfUser(tx, eventId, user.id)));
  await record(tx, act, { subject: 'crew', id: user.id, eventId, after: member });
  await mailInvitation(tx, act, user, { name: title, currency, eventId });
  return member;
}

export async function updateCrewMember(tx: Tx, act: Act, eventId: number, id: number, role: CrewRole): Promise<CrewMember> {
  return changeRole(tx, act, eventId, await requireMember(selectCrewMemberForUpdate(tx, eventId, id)), role);
}

async function changeRole(tx: Tx, act: Act, eventId: number, before: CrewRow, role: CrewRole): Promise<CrewMember> {
  await updateCrewRole(tx, eventId, before.user_id, role);
  const after = toCrewMember({ ...before, role });
  await record(tx, act, { subject: 'crew', id: before.user_id, eventId, before: toCrewMember(before), after });
  return after;
}

export async function removeCrewMember(tx: Tx, act: Act, eventId: number, id: number): Promise<void> {
  const before = await requireMember(selectCrewMemberForUpdate(tx, eventId, id));
  await deleteCrewMember(tx, eventId, before.user_id);
  await record(tx, act, { subject: 'crew', id: before.user_id, eventId, before: toCrewMember(before) });
}

/** For the command line: adds the person, or changes their role if they are already in the crew. */
export async function grantCrewRole(tx: Tx, act: Act, eventId: number, userId: number, role: CrewRole): Promise<void> {
  if (!(await eventExists(tx, eventId))) throw new Problem('not_found', `There is no event ${eventId}`);
  if (await insertCrewMember(tx, eventId, userId, role, act.at)) {
    await record(tx, act, { subject: 'crew', id: userId, eventId, after: { role } });
  } else {
    await changeRole(tx, act, eventId, await requireMember(selectCrewMemberOfUser(tx, eventId, userId)), role);
  }
}

/** For the command line: erases what inviters typed about a user. The audit entry of the erased user covers it. */
export const eraseCrewInvitations = (tx: Tx, userId: number): Promise<void> => clearCrewInvitations(tx, userId);

async function requireMember(found: Promise<CrewRow | undefined>): Promise<CrewRow> {
  const member = await found;
  if (!member) throw new Problem('not_found');
  return member;
}

function toCrewMember({ id, name, email, role, invited }: CrewRow): CrewMember {
  return { user: { id, name, email }, role, ...(invited && { invited }) };
}
