import { expect, it } from 'vitest';
import { checkPermission } from '../src/accounts/roles.ts';
import { crewRoles, permissions, producerRoles } from '../src/kernel/access.ts';
import type { User } from '../src/kernel/act.ts';
import { type Me, may } from '../web/console/app/access.ts';

const person = { id: 7, email: 'ana@example.com', name: 'Ana' };

/** Every role alone, no role, and two roles together. */
const people: Pick<Me, 'admin' | 'producers' | 'events'>[] = [
  { admin: true, producers: [], events: [] },
  { admin: false, producers: [], events: [] },
  ...producerRoles.map((role) => ({ admin: false, producers: [{ id: 1, role }], events: [] })),
  ...crewRoles.map((role) => ({ admin: false, producers: [], events: [{ id: 12, role }] })),
  { admin: false, producers: [{ id: 2, role: 'owner' }], events: [{ id: 12, role: 'entrance_operator' }] },
];

const userOf = ({ admin, producers, events }: (typeof people)[number]): User =>
  ({
    kind: 'user',
    ...person,
    admin,
    producers: new Map(producers.map(({ id, role }) => [id, role])),
    crew: new Map(events.map(({ id, role }) => [id, role])),
    token: null,
  }) as unknown as User;

it('the console and the server decide alike about every permission of every role, in events and producers', () => {
  const scopes = [1, 2].flatMap((producerId) => [12, 13, null].map((eventId) => ({ producerId, eventId })));
  for (const someone of people) {
    for (const permission of permissions) {
      for (const scope of scopes) {
        const here = may({ ...person, ...someone }, permission, { producerId: scope.producerId, eventId: scope.eventId ?? undefined });
        const there = checkPermission(userOf(someone), permission, scope) === 'allowed';
        expect([someone, permission, scope, here]).toEqual([someone, permission, scope, there]);
      }
    }
  }
});
