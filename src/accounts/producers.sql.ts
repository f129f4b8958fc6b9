import { type Insertable, type RawBuilder, type Selectable, sql, type Updateable } from 'kysely';
import type { ProducerRole } from '../kernel/access.ts';
import type { StoredPicture } from '../kernel/picture.ts';
import type { Tx } from '../postgres/database.ts';
import type { Schema } from '../postgres/schema.ts';
import { storedPicture } from '../postgres/stored-picture.ts';
import { hasShownId, invitationColumns, joinShownPerson, shownPerson } from './invitation.sql.ts';
import type { Invitation } from './invitation.ts';

export interface ProducerRow extends Selectable<Schema['producer']> {
  /** The uploaded logo. */
  picture: StoredPicture | null;
}
export type ProducerColumns = Updateable<Schema['producer']>;

const picture = storedPicture('producer.picture_id').as('picture');

/** A new producer has no uploaded logo. */
export async function insertProducer(tx: Tx, producer: Insertable<Schema['producer']>): Promise<ProducerRow> {
  const row = await tx.insertInto('producer').values(producer).returningAll().executeTakeFirstOrThrow();
  return { ...row, picture: null };
}

export async function selectProducer(tx: Tx, id: number): Promise<ProducerRow | undefined> {
  return tx.selectFrom('producer').selectAll().select(picture).where('id', '=', id).executeTakeFirst();
}

/** Every change of a producer or its members takes this lock first. */
export async function selectProducerForUpdate(tx: Tx, id: number): Promise<ProducerRow | undefined> {
  return tx.selectFrom('producer').selectAll().select(picture).where('id', '=', id).forUpdate().executeTakeFirst();
}

export async function updateProducerRow(tx: Tx, id: number, changes: Updateable<Schema['producer']>): Promise<ProducerRow> {
  return tx.updateTable('producer').set(changes).where('id', '=', id).returningAll().returning(picture).executeTakeFirstOrThrow();
}

/** `among` limits the result to these ids; null returns all producers. */
export async function selectProducers(tx: Tx, among: readonly number[] | null, after: number, limit: number): Promise<ProducerRow[]> {
  let producers = tx.selectFrom('producer').selectAll().select(picture).where('id', '>', after).orderBy('id').limit(limit);
  if (among) producers = producers.where((e) => e('id', '=', e.fn.any(e.val(among))));
  return producers.execute();
}

export async function countProducers(tx: Tx): Promise<number> {
  const { n } = await tx
    .selectFrom('producer')
    .select((e) => e.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow();
  return n;
}

/** Returns the accounts of the owners who can log in. */
export async function selectOwners(tx: Tx, producerId: number): Promise<{ id: number; email: string }[]> {
  return tx
    .selectFrom('producer_member')
    .innerJoin('app_user', 'app_user.id', 'producer_member.user_id')
    .select(['app_user.id', 'app_user.email'])
    .where('producer_id', '=', producerId)
    .where('role', '=', 'owner')
    .where('disabled_at', 'is', null)
    .orderBy('app_user.id')
    .execute();
}

export interface MemberRow {
  /** Id, name and e-mail as shown to callers: see `shownPerson`. */
  id: number;
  name: string;
  email: string;
  role: ProducerRole;
  invited: boolean;
  user_id: number;
  /** The sort key of lists. It does not reveal the account of an invited person. */
  position: number;
}

async function members(tx: Tx, producerId: number, condition: RawBuilder<unknown>, tail = sql``): Promise<MemberRow[]> {
  const { rows } = await sql<MemberRow>`
    select ${shownPerson}, m.role, m.user_id, coalesce(m.invitation, m.user_id) as position
      from producer_member m ${joinShownPerson}
     where m.producer_id = ${producerId} and ${condition} ${tail}`.execute(tx);
  return rows;
}

export async function selectMembers(tx: Tx, producerId: number, after: number, limit: number): Promise<MemberRow[]> {
  return members(tx, producerId, sql`coalesce(m.invitation, m.user_id) > ${after}`, sql`order by position limit ${limit}`);
}

export async function selectMember(tx: Tx, producerId: number, shownId: number): Promise<MemberRow | undefined> {
  return (await members(tx, producerId, hasShownId(shownId)))[0];
}

export async function selectMemberOfUser(tx: Tx, producerId: number, userId: number): Promise<MemberRow | undefined> {
  return (await members(tx, producerId, sql`m.user_id = ${userId}`))[0];
}

export async function countMembers(tx: Tx, producerId: number): Promise<number> {
  const { n } = await tx
    .selectFrom('producer_member')
    .select((e) => e.fn.countAll<number>().as('n'))
    .where('producer_id', '=', producerId)
    .executeTakeFirstOrThrow();
  return n;
}

export async function hasOtherOwner(tx: Tx, producerId: number, userId: number): Promise<boolean> {
  const other = await tx
    .selectFrom('producer_member')
    .innerJoin('app_user', 'app_user.id', 'producer_member.user_id')
    .select('user_id')
    .where('producer_id', '=', producerId)
    .where('role', '=', 'owner')
    .where('user_id', '<>', userId)
    .where('disabled_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return other !== undefined;
}

/** Returns false if the user is already a member. */
export async function insertMember(
  tx: Tx,
  producerId: number,
  userId: number,
  role: ProducerRole,
  at: Date,
  invitation: Invitation | null = null,
): Promise<boolean> {
  const inserted = await tx
    .insertInto('producer_member')
    .values({ producer_id: producerId, user_id: userId, role, created_at: at, ...invitationColumns(invitation) })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return inserted.numInsertedOrUpdatedRows === 1n;
}

export async function updateMemberRole(tx: Tx, producerId: number, userId: number, role: ProducerRole): Promise<void> {
  await tx.updateTable('producer_member').set({ role }).where('producer_id', '=', producerId).where('user_id', '=', userId).execute();
}

export async function deleteMember(tx: Tx, producerId: number, userId: number): Promise<void> {
  await tx.deleteFrom('producer_member').where('producer_id', '=', producerId).where('user_id', '=', userId).execute();
}
