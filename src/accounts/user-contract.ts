import Type, { type Static } from 'typebox';
import { admin, crewRoles, producerRoles } from '../kernel/access.ts';
import { route } from '../kernel/route.ts';
import { closed, Email, Id, Instant, line, named, oneOf, pageOf, pageQuery } from '../kernel/schema.ts';
import { exampleTimes, idParams } from './account-schemas.ts';
import { examplePerson, KeepTokens, Password } from './sign-in-contract.ts';

export const Name = line(200, 'Ana Souza');

export const User = named('User', {
  id: Id,
  email: Type.String(),
  name: Type.String(),
  admin: Type.Boolean(),
  disabled: Type.Boolean(),
  createdAt: Instant,
  updatedAt: Instant,
});
export type User = Static<typeof User>;

const UserRoles = named('UserRoles', {
  producers: Type.Array(closed({ id: Id, name: Type.String(), role: oneOf(producerRoles) })),
  events: Type.Array(closed({ id: Id, title: Type.String(), role: oneOf(crewRoles) }), {
    description: 'The events whose crew the user is in',
  }),
});
export type UserRoles = Static<typeof UserRoles>;

const exampleUser = { ...examplePerson, admin: false, disabled: false, ...exampleTimes };

export const userContract = {
  createUser: route({
    method: 'POST',
    path: '/users',
    group: 'account',
    summary: 'Create a user',
    description:
      'A user without a password cannot log in. An admin sets one with `PUT /users/{id}`, or the user chooses one with the mail of `POST /auth/password/forgot`.',
    access: admin,
    body: closed({ email: Email, name: Name, password: Type.Optional(Password), admin: Type.Optional(Type.Boolean()) }),
    answer: { status: 201, body: User },
    problems: ['already_exists'],
    examples: { body: { email: 'ana@example.com', name: 'Ana Souza', password: 'correct horse battery' }, answer: exampleUser },
  }),
  listUsers: route({
    method: 'GET',
    path: '/users',
    group: 'account',
    summary: 'List users',
    description: 'Returns all users in the order of their ids, or those that match `term`.',
    access: admin,
    query: Type.Object({ ...pageQuery, term: Type.Optional(Type.String({ maxLength: 100, description: 'Part of the name or e-mail' })) }),
    answer: { status: 200, body: pageOf(User) },
    examples: { query: { term: 'ana' }, answer: { data: [exampleUser], nextCursor: null } },
  }),
  getUser: route({
    method: 'GET',
    path: '/users/{id}',
    group: 'account',
    summary: 'Get a user',
    description: 'Returns one user, even if the user is disabled.',
    access: admin,
    params: idParams,
    answer: { status: 200, body: User },
    examples: { params: { id: 7 }, answer: exampleUser },
  }),
  getUserRoles: route({
    method: 'GET',
    path: '/users/{id}/roles',
    group: 'account',
    summary: 'Get the roles of a user',
    description: 'Returns the roles of the user in producers and in the crews of events.',
    access: admin,
    params: idParams,
    answer: { status: 200, body: UserRoles },
    examples: {
      params: { id: 7 },
      answer: {
        producers: [{ id: 1, name: 'Aurora Produções', role: 'owner' }],
        events: [{ id: 12, title: 'Noite de Samba', role: 'sales_manager' }],
      },
    },
  }),
  updateUser: route({
    method: 'PUT',
    path: '/users/{id}',
    group: 'account',
    summary: 'Update a user',
    description:
      'Changes only the fields that are present. Disabling a user or setting a new password revokes all their sessions. A new password also revokes their API tokens, unless `keepTokens` is true. Returns 422 if no active admin would remain.',
    access: admin,
    params: idParams,
    body: closed(
      {
        email: Type.Optional(Email),
        name: Type.Optional(Name),
        password: Type.Optional(Password),
        keepTokens: Type.Optional(KeepTokens),
        admin: Type.Optional(Type.Boolean()),
        disabled: Type.Optional(Type.Boolean()),
      },
      { minProperties: 1 },
    ),
    answer: { status: 200, body: User },
    problems: ['already_exists', 'rule_violation'],
    examples: { params: { id: 7 }, body: { disabled: true }, answer: { ...exampleUser, disabled: true } },
  }),
};
