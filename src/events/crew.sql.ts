import { type RawBuilder, sql } from 'kysely';
import { hasShownId, type Invitation, invitationColumns, joinShownPerson, shownPerson } from '../accounts/invitation.ts';
import type { CrewRole } from '../kernel/access.ts';
import type { Tx } from '../postgres/database.ts';

export interface CrewRow {
  /** Id, name and e-mail as shown to callers: see `shownPerson`. */
  id: number;
  name: string;
  email: string;
  role: CrewRole;
  invited: boolean;
  user_id: number;
}

async function crew(tx: Tx, eventId: number, condition: RawBuilder<unknown>, tail: RawBuilder<unknown>): Promise<CrewRow[]> {
  const { rows } = await sql<CrewRow>`
    select ${shownPerson}, m.role, m.user_id
      from event_crew m ${joinShownPerson}
     where m.event_id = ${eventId} and ${condition} ${tail}`.execute(tx);
  return rows;
}

/** Returns the crew sorted by the shown name and the invitation id, so that the order does not reveal the account of an invited person. */
export async function selectCrew(tx: Tx, eventId: number): Promise<CrewRow[]> {
  return crew(tx, eventId, sql`true`, sql`order by name, coalesce(m.invitation, m.user_id)`);
}

export async function selectCrewMemberForUpdate(tx: Tx, eventId: number, shownId: number): Promise<CrewRow | undefined> {
  return (await crew(tx, eventId, hasShownId(shownId), sql`for update of m`))[0];
}

export async function selectCrewMemberOfUser(tx: Tx, eventId: number, userId: number): Promise<CrewRow | undefined> {
  return (await crew(tx, eventId, sql`m.user_id = ${userId}`, sql`for update of m`))[0];
}

export async function countCrew(tx: Tx, eventId: number): Promise<number> {
  const { n } = await tx
    .selectFrom('event_crew')
    .select((e) => e.fn.countAll<number>().as('n'))
    .where('event_id', '=', eventId)
    .executeTakeFirstOrThrow();
  return n;
}

/** Returns false if the user is already in the crew. */
export async function insertCrewMember(
  tx: Tx,
  eventId: number,
  userId: number,
  role: CrewRole,
  at: Date,
  invitation: Invitation | null = null,
): Promise<boolean> {
  const inserted = await tx
    .insertInto('event_crew')
    .values({ event_id: eventId, user_id: userId, role, created_at: at, ...invitationColumns(invitation) })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return inserted.numInsertedOrUpdatedRows === 1n;
}

export async function updateCrewRole(tx: Tx, eventId: number, userId: number, role: CrewRole): Promise<void> {
  await tx.updateTable('event_crew').set({ role }).where('event_id', '=', eventId).where('user_id', '=', userId).execute();
}

/** Erases what inviters typed about this user, in all events. */
export async function clearCrewInvitations(tx: Tx, userId: number): Promise<void> {
  await tx
    .updateTable('event_crew')
    .set({ invitation: null, invited_email: null, invited_name: null })
    .where('user_id', '=', userId)
    .where('invitation', 'is not', null)
    .execute();
}

export async function deleteCrewMember(tx: Tx, eventId: number, userId: number): Promise<void> {
  await tx.deleteFrom('event_crew').where('event_id', '=', eventId).where('user_id', '=', userId).execute();
}
