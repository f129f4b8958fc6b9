import type { Permission } from '../kernel/access.ts';
import type { Actor, User } from '../kernel/act.ts';
import { ofCrewRole, ofProducerRole } from '../kernel/role-permissions.ts';

/** The object that a permission applies to: an event of a producer, or the producer itself if `eventId` is null. */
export interface Scope {
  producerId: number;
  eventId: number | null;
}

/** Which events lists show to a user: all of them, or the events of `producerIds` and the events in `eventIds`. */
export interface Reach {
  everything: boolean;
  producerIds: number[];
  eventIds: number[];
  /** The events that the API token is limited to; null for no limit. */
  only: number[] | null;
}

export function reach({ admin, producers, crew, token }: User, permission: Permission): Reach {
  if (token && !token.permissions.has(permission)) return { everything: false, producerIds: [], eventIds: [], only: [] };
  const holding = <R extends string>(roles: ReadonlyMap<number, R>, of: Record<R, ReadonlySet<Permission>>): number[] =>
    [...roles].filter(([, role]) => of[role].has(permission)).map(([id]) => id);
  return {
    everything: admin,
    producerIds: holding(producers, ofProducerRole),
    eventIds: holding(crew, ofCrewRole),
    only: token?.eventIds ? [...token.eventIds] : null,
  };
}

/** Returns `hidden` if the user has no role in the event or producer. The API then returns 404, as if the event or producer did not exist. */
export function checkPermission(user: User, permission: Permission, scope: Scope): 'allowed' | 'forbidden' | 'hidden' {
  const { token } = user;
  if (token?.eventIds && (scope.eventId === null || !token.eventIds.has(scope.eventId))) return 'hidden';
  const producerRole = user.producers.get(scope.producerId);
  const crewRole = scope.eventId === null ? undefined : user.crew.get(scope.eventId);
  if (!user.admin && !producerRole && !crewRole) return 'hidden';
  if (token && !token.permissions.has(permission)) return 'forbidden';
  const granted =
    user.admin || (producerRole && ofProducerRole[producerRole].has(permission)) || (crewRole && ofCrewRole[crewRole].has(permission));
  return granted ? 'allowed' : 'forbidden';
}

/** Like `checkPermission`, but also for anonymous callers, who have no permissions. */
export const isAllowed = (actor: Actor, permission: Permission, scope: Scope): boolean =>
  actor.kind === 'user' && checkPermission(actor, permission, scope) === 'allowed';
