import type { LightMyRequestResponse } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { auditOf, leakedInto } from '../../test/audit.ts';
import { useWorld } from '../../test/harness.ts';
import { type Caller, noon, password } from '../../test/world.ts';
import { type Permission, permissions } from '../kernel/access.ts';
import type { InputError } from '../kernel/problem.ts';
import type { Contract } from '../kernel/route.ts';
import type { ApiToken } from './api-token-contract.ts';
import { accountsContract } from './contract.ts';

const world = useWorld();

const inDays = (days: number) => new Date(noon.getTime() + days * 86_400_000);
const secrets: string[] = [];

interface Wish {
  name?: string;
  permissions?: Permission[];
  eventIds?: number[] | null;
  expiresAt?: string;
}

const tryCreate = (as: Caller, wish: object) => world.call('POST', '/auth/tokens', { as, body: wish });

/** Creates a token with all permissions, unless `wish` says otherwise. */
async function create(as: Caller, wish: Wish = {}): Promise<ApiToken & { token: string }> {
  const answer = await tryCreate(as, { name: 'Export', permissions: [...permissions], ...wish });
  expect(answer.statusCode).toBe(201);
  secrets.push(answer.json().token);
  return answer.json();
}

const statusWith = async (token: string, path: string) => (await world.call('GET', path, { token })).statusCode;
const crewOf = (event: number) => `/event/${event}/crew`;
const producerOf = (producer: number) => `/producers/${producer}`;

const listAs = async (as: Caller, query = '') => (await world.call('GET', `/auth/tokens${query}`, { as })).json();

const fieldsOf = (answer: LightMyRequestResponse) => [...new Set(answer.json().errors.map(({ field }: InputError) => field))];

afterEach(() => {
  world.now = noon;
});

describe('POST /auth/tokens', () => {
  it('returns 201 with the token, and writes one audit entry', async () => {
    const answer = await tryCreate('owner', { name: 'Box office', permissions: ['crew.read'], eventIds: [world.event] });
    expect(answer.statusCode).toBe(201);
    const { token, ...shown } = answer.json();
    secrets.push(token);
    expect(shown).toEqual({
      id: expect.any(Number),
      name: 'Box office',
      permissions: ['crew.read'],
      eventIds: [world.event],
      channels: null,
      createdAt: noon.toISOString(),
      expiresAt: inDays(365).toISOString(),
    });
    expect(await statusWith(token, '/auth/me')).toBe(200);
    expect(await auditOf(world, answer)).toEqual([
      { by: `user ${world.users.owner}`, operation: 'createApiToken', on: `api_token ${shown.id}`, after: shown },
    ]);
    const { data } = await listAs('owner');
    expect(data.find(({ id }: ApiToken) => id === shown.id)).toEqual(shown);
  });

  it('creates a token for up to 366 days, and for all events if eventIds is absent or null', async () => {
    const longest = await create('owner', { expiresAt: inDays(366).toISOString() });
    expect(longest.expiresAt).toBe(inDays(366).toISOString());
    for (const wish of [{}, { eventIds: null }]) {
      const { token, eventIds } = await create('owner', wish);
      expect(eventIds).toBeNull();
      expect(await statusWith(token, crewOf(world.event))).toBe(200);
      expect(await statusWith(token, crewOf(world.siblingEvent))).toBe(200);
      expect(await statusWith(token, producerOf(world.producer))).toBe(200);
    }
  });

  it('requests with the token are recorded in the audit log with its owner and its id', async () => {
    const { id, token } = await create('owner', { permissions: ['producer.manage'] });
    const answer = await world.call('PUT', producerOf(world.producer), { token, body: { name: 'By a token' } });
    expect(answer.statusCode).toBe(200);
    expect(await auditOf(world, answer)).toMatchObject([{ by: `user ${world.users.owner}`, token: id, operation: 'updateProducer' }]);
  });

  it('returns 400 and names the invalid field', async () => {
    const good = { name: 'Export', permissions: ['crew.read'] };
    const wrong: [object, string][] = [
      [{ permissions: good.permissions }, 'name'],
      [{ ...good, name: '' }, 'name'],
      [{ ...good, name: ' ' }, 'name'],
      [{ ...good, name: 'two\nlines' }, 'name'],
      [{ ...good, name: 'x'.repeat(101) }, 'name'],
      [{ name: good.name }, 'permissions'],
      [{ ...good, permissions: [] }, 'permissions'],
      [{ ...good, permissions: ['crew.read', 'crew.read'] }, 'permissions'],
      [{ ...good, permissions: ['crew.read', 'everything'] }, 'permissions[1]'],
      [{ ...good, eventIds: [] }, 'eventIds'],
      [{ ...good, eventIds: [world.event, world.event] }, 'eventIds'],
      [{ ...good, eventIds: ['1'] }, 'eventIds[0]'],
      [{ ...good, eventIds: [0] }, 'eventIds[0]'],
      [{ ...good, expiresAt: 'tomorrow' }, 'expiresAt'],
      [{ ...good, expiresAt: null }, 'expiresAt'],
      [{ ...good, userId: world.users.admin }, 'userId'],
    ];
    for (const [body, field] of wrong) {
      const answer = await tryCreate('owner', body);
      expect(answer.json()).toMatchObject({ status: 400, code: 'invalid_input' });
      expect(fieldsOf(answer)).toEqual([field]);
    }
  });

  it('returns 401 without an access token', async () => {
    const answer = await world.call('POST', '/auth/tokens', { body: { name: 'Export', permissions: ['crew.read'] } });
    expect(answer.json()).toMatchObject({ status: 401, code: 'not_authenticated' });
  });

  it('returns 422 if expiresAt is not in the future or more than 366 days ahead', async () => {
    const ends = ['2020-01-01T00:00:00Z', noon.toISOString(), new Date(inDays(366).getTime() + 1).toISOString(), '9999-12-31T23:59:59Z'];
    for (const expiresAt of ends) {
      const answer = await tryCreate('owner', { name: 'Export', permissions: ['crew.read'], expiresAt });
      expect(answer.json()).toMatchObject({ status: 422, code: 'rule_violation', errors: [{ in: 'body', field: 'expiresAt' }] });
      expect(await auditOf(world, answer)).toEqual([]);
    }
  });

  it('returns the same 422 for events without a role and for events that do not exist', async () => {
    const askFor = (as: Caller, eventIds: number[]) => tryCreate(as, { name: 'Export', permissions: ['crew.read'], eventIds });
    for (const [as, foreign] of [
      ['owner', world.foreignEvent],
      ['owner', world.missing],
      ['crew_admin', world.siblingEvent],
    ] as const) {
      const answer = await askFor(as, [world.event, foreign]);
      expect(answer.json()).toMatchObject({ status: 422, code: 'rule_violation', errors: [{ field: 'eventIds', code: 'unknown' }] });
      expect(answer.json().detail).toBe(`You have no role in these events: ${foreign}`);
    }
    expect((await askFor('crew_admin', [world.event])).statusCode).toBe(201);
    expect((await askFor('owner', [world.event, world.siblingEvent])).statusCode).toBe(201);
  });

  it('returns 422 for the 201st token, until another token is revoked', async () => {
    const row = {
      user_id: world.users.otherOwner,
      permissions: ['crew.read'],
      event_ids: null,
      created_at: noon,
      expires_at: inDays(1),
      revoked_at: null,
    };
    const rows = Array.from({ length: 200 }, (_, i) => ({ ...row, name: `Token ${i}` }));
    const [first] = await world.db.insertInto('api_token').values(rows).returning('id').execute();
    const more = () => tryCreate('otherOwner', { name: 'One more', permissions: ['crew.read'] });
    expect((await more()).json()).toMatchObject({ status: 422, code: 'rule_violation' });
    expect((await world.call('DELETE', `/auth/tokens/${first?.id}`, { as: 'otherOwner' })).statusCode).toBe(204);
    expect((await more()).statusCode).toBe(201);
  });
});

describe('GET /auth/tokens', () => {
  it('returns only the tokens of the caller, without the secret', async () => {
    const mine = await create('manager', { name: 'Mine' });
    await create('crew_admin', { name: 'Not mine', eventIds: [world.event] });
    const answer = await world.call('GET', '/auth/tokens', { as: 'manager' });
    expect(answer.statusCode).toBe(200);
    const { token, ...shown } = mine;
    expect(answer.json()).toEqual({ data: [shown], nextCursor: null });
    expect(answer.body).not.toContain(token);
    expect(answer.body).not.toContain('eyJ');
  });

  it('pages do not skip or repeat tokens while other tokens are created or revoked, and return a total if count is true', async () => {
    const made: number[] = [];
    for (let i = 0; i < 5; i++) made.push((await create('crew_entrance_manager', { name: `Token ${i}` })).id);
    const ids = (page: { data: ApiToken[] }) => page.data.map(({ id }) => id);
    const first = await listAs('crew_entrance_manager', '?pageSize=2&count=true');
    expect(ids(first)).toEqual(made.slice(0, 2));
    expect(first.total).toBe(5);
    await world.call('DELETE', `/auth/tokens/${made[0]}`, { as: 'crew_entrance_manager' });
    const second = await listAs('crew_entrance_manager', `?pageSize=2&cursor=${first.nextCursor}`);
    expect(ids(second)).toEqual(made.slice(2, 4));
    expect(second).not.toHaveProperty('total');
    const late = await create('crew_entrance_manager', { name: 'Late' });
    const third = await listAs('crew_entrance_manager', `?pageSize=2&count=true&cursor=${second.nextCursor}`);
    expect(third).toMatchObject({ nextCursor: null, total: 5 });
    expect(ids(third)).toEqual([made[4], late.id]);
  });

  it('returns no nextCursor when the last page is full', async () => {
    for (const name of ['One', 'Two']) await create('crew_sales_operator', { name });
    expect((await listAs('crew_sales_operator', '?pageSize=2')).nextCursor).toBeNull();
    expect(await listAs('stranger', '?count=true')).toEqual({ data: [], nextCursor: null, total: 0 });
  });

  it('returns 400 for an invalid pageSize or cursor', async () => {
    const wrong: [string, string][] = [
      ['pageSize=0', 'pageSize'],
      ['pageSize=201', 'pageSize'],
      ['pageSize=two', 'pageSize'],
      ['pageSize=1&pageSize=2', 'pageSize'],
      ['count=perhaps', 'count'],
      ['cursor=', 'cursor'],
      ['cursor=garbage', 'cursor'],
      [`cursor=${btoa('["1"]')}`, 'cursor'],
      [`cursor=${btoa('[1,2]')}`, 'cursor'],
      [`cursor=${btoa('[1.5]')}`, 'cursor'],
      [`cursor=${'a'.repeat(501)}`, 'cursor'],
    ];
    for (const [query, field] of wrong) {
      expect(await listAs('owner', `?${query}`)).toMatchObject({ status: 400, code: 'invalid_input', errors: [{ in: 'query', field }] });
    }
  });

  it('returns 401 without an access token', async () => {
    expect((await world.call('GET', '/auth/tokens')).statusCode).toBe(401);
  });
});

describe('DELETE /auth/tokens/{id}', () => {
  it('returns 204; the next request with the token returns 401 and the list omits it', async () => {
    const { token, ...shown } = await create('owner');
    expect(await statusWith(token, '/auth/me')).toBe(200);
    const answer = await world.call('DELETE', `/auth/tokens/${shown.id}`, { as: 'owner' });
    expect(answer.statusCode).toBe(204);
    expect(await auditOf(world, answer)).toEqual([
      { by: `user ${world.users.owner}`, operation: 'revokeApiToken', on: `api_token ${shown.id}`, before: shown },
    ]);
    expect(await statusWith(token, '/auth/me')).toBe(401);
    const { data } = await listAs('owner', '?pageSize=200');
    expect(data.map(({ id }: ApiToken) => id)).not.toContain(shown.id);
  });

  it('returns 401 without an access token', async () => {
    const { id, token } = await create('owner');
    expect((await world.call('DELETE', `/auth/tokens/${id}`)).statusCode).toBe(401);
    expect(await statusWith(token, '/auth/me')).toBe(200);
  });

  it('returns 404 for a revoked token, for a token of another user (even to an admin) and for an invalid id', async () => {
    const { id, token } = await create('owner');
    const revoke = async (as: Caller, which: number | string) => (await world.call('DELETE', `/auth/tokens/${which}`, { as })).statusCode;
    for (const as of ['otherOwner', 'manager', 'admin'] as const) expect(await revoke(as, id)).toBe(404);
    expect(await statusWith(token, '/auth/me')).toBe(200);
    expect(await revoke('owner', id)).toBe(204);
    expect(await revoke('owner', id)).toBe(404);
    for (const which of [world.missing, 0, -1, 'x', '9'.repeat(30)]) expect(await revoke('owner', which)).toBe(404);
  });
});

describe('a request with an API token', () => {
  it('returns 400 or 401 when the token is sent as refresh token or password', async () => {
    const { token } = await create('owner');
    expect((await world.call('POST', '/auth/refresh', { body: { refreshToken: token } })).statusCode).toBe(400);
    expect((await world.call('POST', '/auth/refresh', { token, body: { refreshToken: token.slice(0, 200) } })).statusCode).toBe(401);
    const login = await world.call('POST', '/auth/login', { token, body: { email: world.emails.owner, password: token.slice(0, 200) } });
    expect(login.statusCode).toBe(401);
  });

  it('returns 401 after the token has expired, even when its signature is cached', async () => {
    const expiresAt = inDays(1).toISOString();
    const [seen, unseen] = [await create('owner', { expiresAt }), await create('owner', { expiresAt })];
    world.now = new Date(inDays(1).getTime() - 1000);
    expect(await statusWith(seen.token, '/auth/me')).toBe(200);
    world.now = inDays(1);
    for (const { token } of [seen, unseen]) {
      const answer = await world.call('GET', '/auth/me', { token });
      expect(answer.json()).toMatchObject({ status: 401, code: 'invalid_token' });
      expect(answer.headers['www-authenticate']).toContain('invalid_token');
    }
  });

  it('returns 401 when the owner is disabled', async () => {
    const { token } = await create('crew_sales_manager');
    const user = `/users/${world.users.crew_sales_manager}`;
    await world.call('PUT', user, { as: 'admin', body: { disabled: true } });
    expect(await statusWith(token, '/auth/me')).toBe(401);
    await world.call('PUT', user, { as: 'admin', body: { disabled: false } });
    expect(await statusWith(token, '/auth/me')).toBe(200);
  });

  it('returns 403 for permissions that the token does not have', async () => {
    const { token } = await create('owner', { permissions: ['crew.read', 'producer.read'] });
    expect(await statusWith(token, crewOf(world.event))).toBe(200);
    expect(await statusWith(token, producerOf(world.producer))).toBe(200);
    expect(await statusWith(token, `${producerOf(world.producer)}/members`)).toBe(403);
    const added = await world.call('POST', crewOf(world.event), { token, body: { email: 'x@test.test', role: 'admin' } });
    expect(added.statusCode).toBe(403);
    const renamed = await world.call('PUT', producerOf(world.producer), { token, body: { name: 'Taken over' } });
    expect(renamed.statusCode).toBe(403);
    expect(await auditOf(world, renamed)).toEqual([]);
  });

  it('returns 403 for permissions that the role of the owner does not have', async () => {
    const { token } = await create('crew_entrance_operator');
    expect(await statusWith(token, crewOf(world.event))).toBe(403);
  });

  const isForPeople = ([, { access }]: [string, Contract[string]]) =>
    access.to === 'admin' || (access.to === 'signedIn' && access.as === 'user');
  const forPeople = Object.entries(accountsContract as Contract).filter(isForPeople);

  it('returns 403 for operations that need a login session, even for the token of an admin', async () => {
    const { id, token } = await create('admin');
    expect(forPeople.map(([name]) => name)).toEqual(
      expect.arrayContaining([
        'logout',
        'changePassword',
        'createApiToken',
        'revokeApiToken',
        'createUser',
        'updateUser',
        'createProducer',
      ]),
    );
    for (const [, { method, path, examples }] of forPeople) {
      const body = examples.body === undefined ? {} : { body: examples.body };
      const answer = await world.call(method, path.replace('{id}', String(id)), { token, ...body });
      expect(answer.json()).toMatchObject({ status: 403, code: 'forbidden' });
      expect(await auditOf(world, answer)).toEqual([]);
    }
    expect(await statusWith(token, '/auth/me')).toBe(200);
  });

  it('returns 404 for events outside eventIds, and for the producer', async () => {
    for (const as of ['owner', 'admin'] as const) {
      const { token } = await create(as, { eventIds: [world.event] });
      expect(await statusWith(token, crewOf(world.event))).toBe(200);
      for (const event of [world.siblingEvent, world.foreignEvent, world.missing]) expect(await statusWith(token, crewOf(event))).toBe(404);
      expect(await statusWith(token, producerOf(world.producer))).toBe(404);
      expect(await statusWith(token, `${producerOf(world.producer)}/members`)).toBe(404);
    }
  });

  it('returns 404 for events in which the owner has no role', async () => {
    const { token } = await create('owner');
    expect(await statusWith(token, crewOf(world.foreignEvent))).toBe(404);
    expect(await statusWith(token, producerOf(world.otherProducer))).toBe(404);
  });

  it('returns 403 when the owner gets a smaller role, and 404 when the owner is removed', async () => {
    const { token } = await create('crew_admin', { eventIds: [world.event], permissions: ['crew.read'] });
    const member = `${crewOf(world.event)}/${world.users.crew_admin}`;
    expect(await statusWith(token, crewOf(world.event))).toBe(200);
    await world.call('PUT', member, { as: 'owner', body: { role: 'sales_operator' } });
    expect(await statusWith(token, crewOf(world.event))).toBe(403);
    await world.call('DELETE', member, { as: 'owner' });
    expect(await statusWith(token, crewOf(world.event))).toBe(404);
    expect(await statusWith(token, '/auth/me')).toBe(200);
  });

  it('returns 404 when the owner is no longer an admin', async () => {
    const { id } = (
      await world.call('POST', '/users', { as: 'admin', body: { email: 'was@test.test', name: 'Was', password, admin: true } })
    ).json();
    const { accessToken } = (await world.call('POST', '/auth/login', { body: { email: 'was@test.test', password } })).json();
    const made = await world.call('POST', '/auth/tokens', { token: accessToken, body: { name: 'All', permissions: ['crew.read'] } });
    const { token } = made.json();
    expect(await statusWith(token, crewOf(world.foreignEvent))).toBe(200);
    await world.call('PUT', `/users/${id}`, { as: 'admin', body: { admin: false } });
    expect(await statusWith(token, crewOf(world.foreignEvent))).toBe(404);
  });
});

describe('the audit log', () => {
  it('contains no token', async () => {
    expect(secrets.length).toBeGreaterThan(20);
    expect(await leakedInto(world, secrets)).toEqual([]);
  });
});
