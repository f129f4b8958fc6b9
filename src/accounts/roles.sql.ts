import type { Tx } from '../postgres/database.ts';
import type { Me } from './sign-in-contract.ts';
import type { UserRoles } from './user-contract.ts';

export async function selectRolesOf(tx: Tx, userId: number): Promise<Pick<Me, 'producers' | 'events'>> {
  const producers = await tx
    .selectFrom('producer_member')
    .select(['producer_id as id', 'role'])
    .where('user_id', '=', userId)
    .orderBy('producer_id')
    .execute();
  const events = await tx
    .selectFrom('event_crew')
    .select(['event_id as id', 'role'])
    .where('user_id', '=', userId)
    .orderBy('event_id')
    .execute();
  return { producers, events };
}

/** The roles with the names of the producers and events, for admins of the platform. */
export async function selectNamedRolesOf(tx: Tx, userId: number): Promise<UserRoles> {
  const producers = await tx
    .selectFrom('producer_member')
    .innerJoin('producer', 'producer.id', 'producer_member.producer_id')
    .select(['producer.id', 'producer.name', 'role'])
    .where('user_id', '=', userId)
    .orderBy('producer.id')
    .execute();
  const events = await tx
    .selectFrom('event_crew')
    .innerJoin('event', 'event.id', 'event_crew.event_id')
    .select(['event.id', 'event.title', 'role'])
    .where('user_id', '=', userId)
    .orderBy('event.id')
    .execute();
  return { producers, events };
}

/** Returns which of the events the user has a role in, as crew or as member of the producer. */
export async function selectEventsOfUser(tx: Tx, userId: number, eventIds: readonly number[]): Promise<Set<number>> {
  const events = await tx
    .selectFrom('event')
    .select('event.id')
    .where('event.id', 'in', [...eventIds])
    .where((e) =>
      e.or([
        e.exists(e.selectFrom('event_crew').select('user_id').whereRef('event_id', '=', 'event.id').where('user_id', '=', userId)),
        e.exists(
          e
            .selectFrom('producer_member')
            .select('user_id')
            .whereRef('producer_member.producer_id', '=', 'event.producer_id')
            .where('user_id', '=', userId),
        ),
      ]),
    )
    .execute();
  return new Set(events.map(({ id }) => id));
}
