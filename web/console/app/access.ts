import type { AnswerOf } from '../../../client/src/index.ts';
import type { Permission } from '../../../src/kernel/access.ts';
import { ofCrewRole, ofProducerRole } from '../../../src/kernel/role-permissions.ts';

export type Me = AnswerOf<'getMe'>;

/** What a permission is checked on: an event of a producer, a producer, or nothing in particular. */
export interface Scope {
  producerId?: number | undefined;
  eventId?: number | undefined;
}

/** The same rules as the server's. The server checks every request again, so a wrong answer here only shows a button that does not work. */
export function may({ admin, producers, events }: Me, permission: Permission | 'admin', { producerId, eventId }: Scope = {}): boolean {
  if (admin) return true;
  if (permission === 'admin') return false;
  const isAnywhere = producerId === undefined && eventId === undefined;
  const byProducer = producers.some(({ id, role }) => (isAnywhere || id === producerId) && ofProducerRole[role].has(permission));
  return byProducer || events.some(({ id, role }) => id === eventId && ofCrewRole[role].has(permission));
}
