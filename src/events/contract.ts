import Type, { type Static } from 'typebox';
import { Person } from '../accounts/contract.ts';
import { crewRoles, permitted } from '../kernel/access.ts';
import { route } from '../kernel/route.ts';
import { closed, Email, Id, line, named, oneOf } from '../kernel/schema.ts';

const idParams = Type.Object({ id: Id });
const crewParams = Type.Object({ id: Id, userId: Id });

const CrewMember = named('CrewMember', { user: Person, role: oneOf(crewRoles) });
export type CrewMember = Static<typeof CrewMember>;

const exampleCrewMember = { user: { id: 7, name: 'Ana Souza', email: 'ana@example.com' }, role: 'entrance_manager' };

export const eventsContract = {
  getCrew: route({
    method: 'GET',
    path: '/event/{id}/crew',
    group: 'event',
    summary: 'Crew of an event',
    access: permitted('crew.read', { event: 'path.id' }),
    params: idParams,
    answer: { status: 200, body: closed({ team: Type.Array(CrewMember) }) },
    examples: { params: { id: 12 }, answer: { team: [exampleCrewMember] } },
  }),
  addCrewMember: route({
    method: 'POST',
    path: '/event/{id}/crew',
    group: 'event',
    summary: 'Add a person to the crew by e-mail',
    description: 'A person without an account gets one, with no password until one is set.',
    access: permitted('crew.manage', { event: 'path.id' }),
    params: idParams,
    body: closed({ email: Email, name: Type.Optional(line(200)), role: oneOf(crewRoles) }),
    answer: { status: 201, body: CrewMember },
    problems: ['already_exists', 'rule_violation'],
    examples: { params: { id: 12 }, body: { email: 'ana@example.com', role: 'entrance_manager' }, answer: exampleCrewMember },
  }),
  updateCrewMember: route({
    method: 'PUT',
    path: '/event/{id}/crew/{userId}',
    group: 'event',
    summary: 'Give a crew member another role',
    access: permitted('crew.manage', { event: 'path.id' }),
    params: crewParams,
    body: closed({ role: oneOf(crewRoles) }),
    answer: { status: 200, body: CrewMember },
    examples: { params: { id: 12, userId: 7 }, body: { role: 'entrance_manager' }, answer: exampleCrewMember },
  }),
  removeCrewMember: route({
    method: 'DELETE',
    path: '/event/{id}/crew/{userId}',
    group: 'event',
    summary: 'Remove a person from the crew',
    description: 'They lose access at once.',
    access: permitted('crew.manage', { event: 'path.id' }),
    params: crewParams,
    answer: { status: 204 },
    examples: { params: { id: 12, userId: 7 } },
  }),
};
