import Type, { type Static } from 'typebox';
import { Invited, invitedPerson, Person } from '../accounts/account-schemas.ts';
import { crewRoles, permitted } from '../kernel/access.ts';
import { route } from '../kernel/route.ts';
import { closed, Email, Id, line, named, oneOf } from '../kernel/schema.ts';
import { idParams } from './event-schemas.ts';

const crewParams = Type.Object({ id: Id, userId: Id });

const CrewMember = named('CrewMember', { user: Person, role: oneOf(crewRoles), invited: Type.Optional(Invited) });
export type CrewMember = Static<typeof CrewMember>;

const exampleCrewMember = { user: { id: 7, name: 'Ana Souza', email: 'ana@example.com' }, role: 'entrance_manager' };

export const crewContract = {
  getCrew: route({
    method: 'GET',
    path: '/event/{id}/crew',
    group: 'event',
    summary: 'Get the crew of an event',
    description: 'Returns all crew members with their roles, sorted by name.',
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
    description:
      'If no user has this e-mail, an account without a password is created. The person gets a mail, with a link to choose a password if the account has none. The response contains only the e-mail and name that you sent, and `invited: true`, so it does not reveal whether the account existed. After the person has logged in, the crew list shows the name and id of the account. Returns 409 if the person is already in the crew.',
    access: permitted('crew.manage', { event: 'path.id' }),
    params: idParams,
    body: closed({ email: Email, name: Type.Optional(line(200)), role: oneOf(crewRoles) }),
    answer: { status: 201, body: CrewMember },
    problems: ['already_exists', 'rule_violation'],
    examples: {
      params: { id: 12 },
      body: { email: 'ana@example.com', role: 'entrance_manager' },
      answer: { user: invitedPerson, role: 'entrance_manager', invited: true },
    },
  }),
  updateCrewMember: route({
    method: 'PUT',
    path: '/event/{id}/crew/{userId}',
    group: 'event',
    summary: 'Change the role of a crew member',
    description: 'The new role applies from the next request of this person on.',
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
    description: 'The person loses access to this event from their next request on.',
    access: permitted('crew.manage', { event: 'path.id' }),
    params: crewParams,
    answer: { status: 204 },
    examples: { params: { id: 12, userId: 7 } },
  }),
};
