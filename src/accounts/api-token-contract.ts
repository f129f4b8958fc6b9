import Type, { type Static } from 'typebox';
import { permissions, signedInUser } from '../kernel/access.ts';
import { route } from '../kernel/route.ts';
import { closed, Id, Instant, line, named, nullable, oneOf, pageOf, pageQuery } from '../kernel/schema.ts';
import { idParams } from './account-schemas.ts';

const apiToken = {
  id: Id,
  name: Type.String(),
  permissions: Type.Array(oneOf(permissions)),
  eventIds: nullable(Type.Array(Id)),
  channels: nullable(
    Type.Array(Type.Integer(), { description: 'Sales channels (`appCategoryId`) that the token may order through; null for all' }),
  ),
  createdAt: Instant,
  expiresAt: Instant,
};

const ApiToken = named('ApiToken', apiToken);
export type ApiToken = Static<typeof ApiToken>;

const NewApiToken = named('NewApiToken', { ...apiToken, token: Type.String({ description: 'Returned only here: store it now.' }) });

const exampleToken = {
  id: 3,
  name: 'Box office export',
  permissions: ['crew.read'],
  eventIds: [12],
  channels: null,
  createdAt: '2026-11-15T12:00:00.000Z',
  expiresAt: '2027-11-15T12:00:00.000Z',
};

export const apiTokenContract = {
  createApiToken: route({
    method: 'POST',
    path: '/auth/tokens',
    group: 'account',
    summary: 'Create an API token',
    description:
      'The token acts for you, limited to the permissions, events and sales channels of this request. It never has more permissions than you have. The secret is returned only here. A user can have at most 200 tokens.',
    access: signedInUser,
    body: closed({
      name: line(100, 'Box office export'),
      permissions: Type.Array(oneOf(permissions), { minItems: 1, maxItems: permissions.length, uniqueItems: true }),
      eventIds: Type.Optional(nullable(Type.Array(Id, { minItems: 1, maxItems: 1000, uniqueItems: true }))),
      channels: Type.Optional(
        nullable(
          Type.Array(Type.Integer({ minimum: 1, maximum: 2_147_483_647 }), {
            minItems: 1,
            maxItems: 100,
            uniqueItems: true,
            description:
              'Sales channels (`appCategoryId`) that the token may order through; all by default. Channels other than web shop and app also need the permission `order.sell`.',
          }),
        ),
      ),
      expiresAt: Type.Optional(Type.String({ format: 'date-time', description: 'At most 366 days ahead; one year by default' })),
    }),
    answer: { status: 201, body: NewApiToken },
    problems: ['rule_violation'],
    examples: {
      body: { name: 'Box office export', permissions: ['crew.read'], eventIds: [12] },
      answer: { ...exampleToken, token: 'eyJhbGciOiJFZERTQSJ9.…' },
    },
  }),
  listApiTokens: route({
    method: 'GET',
    path: '/auth/tokens',
    group: 'account',
    summary: 'List your API tokens',
    description: 'Returns your tokens that are not revoked, without their secrets.',
    access: signedInUser,
    query: Type.Object(pageQuery),
    answer: { status: 200, body: pageOf(ApiToken) },
    examples: { query: { pageSize: 25 }, answer: { data: [exampleToken], nextCursor: null } },
  }),
  revokeApiToken: route({
    method: 'DELETE',
    path: '/auth/tokens/{id}',
    group: 'account',
    summary: 'Revoke one of your API tokens',
    description: 'The token is rejected from the next request on.',
    access: signedInUser,
    params: idParams,
    answer: { status: 204 },
    examples: { params: { id: exampleToken.id } },
  }),
};
