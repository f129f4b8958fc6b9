import type { CrewRole } from '../kernel/access.ts';
import type { Tx } from '../postgres/database.ts';

export interface CrewRow {
  id: number;
  name: string;
  email: string;
  role: CrewRole;
}

const crew = (tx: Tx, eventId: number) =>
  tx
    .selectFrom('event_crew')
    .innerJoin('app_user', 'app_user.id', 'event_crew.user_id')
    .select(['app_user.id', 'app_user.name', 'app_user.email', 'event_crew.role'])
    .where('event_id', '=', eventId);

export async function selectCrew(tx: Tx, eventId: number): Promise<CrewRow[]> {
  return crew(tx, eventId).orderBy('app_user.name').orderBy('app_user.id').execute();
}

export async function selectCrewMemberForUpdate(tx: Tx, eventId: number, userId: number): Promise<CrewRow | undefined> {
  return crew(tx, eventId).where('user_id', '=', userId).forUpdate('event_crew').executeTakeFirst();
}

export async function countCrew(tx: Tx, eventId: number): Promise<number> {
  const { n } = await tx
    .selectFrom('event_crew')
    .select((e) => e.fn.countAll<number>().as('n'))
    .where('event_id', '=', eventId)
    .executeTakeFirstOrThrow();
  return n;
}

/** Answers whether they were new to the crew. */
export async function insertCrewMember(tx: Tx, eventId: number, userId: number, role: CrewRole, at: Date): Promise<boolean> {
  const inserted = await tx
    .insertInto('event_crew')
    .values({ event_id: eventId, user_id: userId, role, created_at: at })
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
