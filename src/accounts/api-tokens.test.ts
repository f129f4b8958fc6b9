import type { LightMyRequestResponse } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { auditOf, leakedInto } from '../../test/audit.ts';
import { useWorld } from '../../test/harness.ts';
import { type Caller, noon, password } from '../../test/world.ts';
import { type Permission, permissions } from '../kernel/access.ts';
import type { InputError } from '../kernel/problem.ts';
import type { Contract } from '../kernel/route.ts';
import type { ApiToken } from './contract.ts';
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

/** A good one, unless told otherwise for everything. */
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

describe('createApiToken', () => {
  it('201: shows the token once and leaves one entry in the audit log', async () => {
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

  it('201: lasts up to 366 days, and is good for every event without eventIds or with null', async () => {
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

  it('201: what it does is written down as done by its owner with this token', async () => {
    const { id, token } = await create('owner', { permissions: ['producer.manage'] });
    const answer = await world.call('PUT', producerOf(world.producer), { token, body: { name: 'By a token' } });
    expect(answer.statusCode).toBe(200);
    expect(await auditOf(world, answer)).toMatchObject([{ by: `user ${world.users.owner}`, token: id, operation: 'updateProducer' }]);
  });

  it('400: names every wrong field', async () => {
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

  it('401: nobody in particular', async () => {
    const answer = await world.call('POST', '/auth/tokens', { body: { name: 'Export', permissions: ['crew.read'] } });
    expect(answer.json()).toMatchObject({ status: 401, code: 'not_authenticated' });
  });

  it('422: an end that is not ahead, or too far', async () => {
    const ends = [
      '2020-01-01T00:00:00Z',
      noon.toISOString(),
      new Date(inDays(366).getTime() + 1).toISOString(),
      '9999-12-31T23:59:59Z',
      '2026-12-31T23:59:60Z',
    ];
    for (const expiresAt of ends) {
      const answer = await tryCreate('owner', { name: 'Export', permissions: ['crew.read'], expiresAt });
      expect(answer.json()).toMatchObject({ status: 422, code: 'rule_violation', errors: [{ in: 'body', field: 'expiresAt' }] });
      expect(await auditOf(world, answer)).toEqual([]);
    }
  });

  it('422: events in which they have no role, whether those exist or not, answered alike', async () => {
    const askFor = (as: Caller, eventIds: number[]) => tryCreate(as, { name: 'Export', permissions: ['crew.read'], eventIds });
    for (const [as, foreign] of [
      ['owner', world.foreignEvent],
      ['owner', world.missing],
      ['crew_admin', world.siblingEvent],
    ] as const) {
      const answer = await askFor(as, [world.event, foreign]);
      expect(answer.json()).toMatchObject({ status: 422, code: 'rule_violation', errors: [{ field: 'eventIds', code: 'unknown' }] });
      expect(answer.json().detail).toBe(`You have no role in the events ${foreign}`);
    }
    expect((await askFor('crew_admin', [world.event])).statusCode).toBe(201);
    expect((await askFor('owner', [world.event, world.siblingEvent])).statusCode).toBe(201);
  });

  it('422: more than 200 at a time; revoking one makes room', async () => {
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

describe('listApiTokens', () => {
  it('200: only mine, and never the token itself', async () => {
    const mine = await create('manager', { name: 'Mine' });
    await create('crew_admin', { name: 'Not mine', eventIds: [world.event] });
    const answer = await world.call('GET', '/auth/tokens', { as: 'manager' });
    expect(answer.statusCode).toBe(200);
    const { token, ...shown } = mine;
    expect(answer.json()).toEqual({ data: [shown], nextCursor: null });
    expect(answer.body).not.toContain(token);
    expect(answer.body).not.toContain('eyJ');
  });

  it('200: page by page, whatever comes and goes meanwhile, and counted on demand', async () => {
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

  it('200: an exact page has no next one', async () => {
    for (const name of ['One', 'Two']) await create('crew_sales_operator', { name });
    expect((await listAs('crew_sales_operator', '?pageSize=2')).nextCursor).toBeNull();
    expect(await listAs('stranger', '?count=true')).toEqual({ data: [], nextCursor: null, total: 0 });
  });

  it('400: a page of no size, of too much, a cursor of somebody else', async () => {
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

  it('401: nobody in particular', async () => {
    expect((await world.call('GET', '/auth/tokens')).statusCode).toBe(401);
  });
});

describe('revokeApiToken', () => {
  it('204: the token is refused from the next request on and no longer listed', async () => {
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

  it('401: nobody in particular', async () => {
    const { id, token } = await create('owner');
    expect((await world.call('DELETE', `/auth/tokens/${id}`)).statusCode).toBe(401);
    expect(await statusWith(token, '/auth/me')).toBe(200);
  });

  it("404: twice, somebody else's, even for an admin, and what is no id", async () => {
    const { id, token } = await create('owner');
    const revoke = async (as: Caller, which: number | string) => (await world.call('DELETE', `/auth/tokens/${which}`, { as })).statusCode;
    for (const as of ['otherOwner', 'manager', 'admin'] as const) expect(await revoke(as, id)).toBe(404);
    expect(await statusWith(token, '/auth/me')).toBe(200);
    expect(await revoke('owner', id)).toBe(204);
    expect(await revoke('owner', id)).toBe(404);
    for (const which of [world.missing, 0, -1, 'x', '9'.repeat(30)]) expect(await revoke('owner', which)).toBe(404);
  });
});

describe('an API token', () => {
  it('400 and 401: it opens no session', async () => {
    const { token } = await create('owner');
    expect((await world.call('POST', '/auth/refresh', { body: { refreshToken: token } })).statusCode).toBe(400);
    expect((await world.call('POST', '/auth/refresh', { token, body: { refreshToken: token.slice(0, 200) } })).statusCode).toBe(401);
    const login = await world.call('POST', '/auth/login', { token, body: { email: world.emails.owner, password: token.slice(0, 200) } });
    expect(login.statusCode).toBe(401);
  });

  it('401: when it has expired, whether it was seen before or not', async () => {
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

  it('401: when its owner is disabled', async () => {
    const { token } = await create('crew_sales_manager');
    const user = `/users/${world.users.crew_sales_manager}`;
    await world.call('PUT', user, { as: 'admin', body: { disabled: true } });
    expect(await statusWith(token, '/auth/me')).toBe(401);
    await world.call('PUT', user, { as: 'admin', body: { disabled: false } });
    expect(await statusWith(token, '/auth/me')).toBe(200);
  });

  it('403: beyond the permissions that were chosen', async () => {
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

  it('403: beyond the role of its owner, whatever was chosen', async () => {
    const { token } = await create('crew_entrance_operator');
    expect(await statusWith(token, crewOf(world.event))).toBe(403);
  });

  const isForPeople = ([, { access }]: [string, Contract[string]]) =>
    access.to === 'admin' || (access.to === 'signedIn' && access.as === 'user');
  const forPeople = Object.entries(accountsContract as Contract).filter(isForPeople);

  it('403: for what only a person may do, even that of an admin', async () => {
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

  it('404: for events outside of those chosen, and for the producer of them all', async () => {
    for (const as of ['owner', 'admin'] as const) {
      const { token } = await create(as, { eventIds: [world.event] });
      expect(await statusWith(token, crewOf(world.event))).toBe(200);
      for (const event of [world.siblingEvent, world.foreignEvent, world.missing]) expect(await statusWith(token, crewOf(event))).toBe(404);
      expect(await statusWith(token, producerOf(world.producer))).toBe(404);
      expect(await statusWith(token, `${producerOf(world.producer)}/members`)).toBe(404);
    }
  });

  it('404: what its owner has no part in', async () => {
    const { token } = await create('owner');
    expect(await statusWith(token, crewOf(world.foreignEvent))).toBe(404);
    expect(await statusWith(token, producerOf(world.otherProducer))).toBe(404);
  });

  it('403 and 404: when the role of its owner shrinks and goes', async () => {
    const { token } = await create('crew_admin', { eventIds: [world.event], permissions: ['crew.read'] });
    const member = `${crewOf(world.event)}/${world.users.crew_admin}`;
    expect(await statusWith(token, crewOf(world.event))).toBe(200);
    await world.call('PUT', member, { as: 'owner', body: { role: 'sales_operator' } });
    expect(await statusWith(token, crewOf(world.event))).toBe(403);
    await world.call('DELETE', member, { as: 'owner' });
    expect(await statusWith(token, crewOf(world.event))).toBe(404);
    expect(await statusWith(token, '/auth/me')).toBe(200);
  });

  it('404: for an admin who no longer is one', async () => {
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
  it('has none of the tokens', async () => {
    expect(secrets.length).toBeGreaterThan(20);
    expect(await leakedInto(world, secrets)).toEqual([]);
  });
});
