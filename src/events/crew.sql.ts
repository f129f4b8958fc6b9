import { type RawBuilder, sql } from 'kysely';
import type { Invitation } from '../accounts/invitation.ts';
import type { CrewRole } from '../kernel/access.ts';
import type { Tx } from '../postgres/database.ts';

export interface CrewRow {
  /** As they are shown: until an invited person has signed in, what the inviter typed, and the number of the invitation for the id. */
  id: number;
  name: string;
  email: string;
  role: CrewRole;
  invited: boolean;
  user_id: number;
}

async function crew(tx: Tx, eventId: number, condition: RawBuilder<unknown>, tail: RawBuilder<unknown>): Promise<CrewRow[]> {
  const { rows } = await sql<CrewRow>`
    select case when i.invited then m.invitation else u.id end as id,
           case when i.invited then m.invited_name else u.name end as name,
           case when i.invited then m.invited_email else u.email end as email,
           m.role, i.invited, m.user_id
      from event_crew m
      join app_user u on u.id = m.user_id
     cross join lateral (select m.invitation is not null and coalesce(u.last_login_at <= m.created_at, true) as invited) i
     where m.event_id = ${eventId} and ${condition} ${tail}`.execute(tx);
  return rows;
}

/** The order does not depend on the account of somebody who is invited. */
export async function selectCrew(tx: Tx, eventId: number): Promise<CrewRow[]> {
  return crew(tx, eventId, sql`true`, sql`order by name, coalesce(m.invitation, m.user_id)`);
}

/** By the id that is shown. The number of an invitation stays good when the person has signed in. */
export async function selectCrewMemberForUpdate(tx: Tx, eventId: number, id: number): Promise<CrewRow | undefined> {
  const shown = sql`(m.invitation = ${id} or (m.user_id = ${id} and not i.invited))`;
  return (await crew(tx, eventId, shown, sql`for update of m`))[0];
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

/** Returns whether they were new to the crew. */
export async function insertCrewMember(
  tx: Tx,
  eventId: number,
  userId: number,
  role: CrewRole,
  at: Date,
  invitation: Invitation | null = null,
): Promise<boolean> {
  const invited = invitation && {
    invitation: sql<number>`nextval('invitation_number')`,
    invited_email: invitation.email,
    invited_name: invitation.name,
  };
  const inserted = await tx
    .insertInto('event_crew')
    .values({ event_id: eventId, user_id: userId, role, created_at: at, ...invited })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return inserted.numInsertedOrUpdatedRows === 1n;
}

export async function updateCrewRole(tx: Tx, eventId: number, userId: number, role: CrewRole): Promise<void> {
  await tx.updateTable('event_crew').set({ role }).where('event_id', '=', eventId).where('user_id', '=', userId).execute();
}

export async function deleteCrewMember(tx: Tx, eventId: number, userId: number): Promise<void> {
  await tx.deleteFrom('event_crew').where('event_id', '=', eventId).where('user_id', '=', userId).execute();
}
