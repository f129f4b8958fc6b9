import type { LightMyRequestResponse } from 'fastify';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { auditOf, leakedInto } from '../../test/audit.ts';
import { runBehindLock } from '../../test/behind-lock.ts';
import { useWorld } from '../../test/harness.ts';
import { type Caller, noon, password } from '../../test/world.ts';
import { type CrewRole, crewRoles } from '../kernel/access.ts';
import type { InputError } from '../kernel/problem.ts';
import type { CrewMember } from './crew-contract.ts';

const world = useWorld();

const by = (caller: Caller) => `user ${world.users[caller]}`;
const personOf = (caller: Caller) => ({ id: world.users[caller], name: caller, email: world.emails[caller] });
const fieldsOf = (answer: LightMyRequestResponse) => [...new Set(answer.json().errors.map(({ field }: InputError) => field))];
const statusesOf = (answers: readonly LightMyRequestResponse[]) => answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b);

const crewAt = (event: number | string) => `/event/${event}/crew`;
const memberAt = (event: number | string, userId: number | string) => `/event/${event}/crew/${userId}`;

const get = (event: number | string, as: Caller = 'owner') => world.call('GET', crewAt(event), { as });
const add = (event: number, body: object, as: Caller = 'owner') => world.call('POST', crewAt(event), { as, body });
const give = (event: number, userId: number, role: CrewRole, as: Caller = 'owner') =>
  world.call('PUT', memberAt(event, userId), { as, body: { role } });
const remove = (event: number, userId: number, as: Caller = 'owner') => world.call('DELETE', memberAt(event, userId), { as });

const rolesIn = async (event: number): Promise<Record<string, CrewRole>> => {
  const { team }: { team: CrewMember[] } = (await get(event, 'admin')).json();
  return Object.fromEntries(team.map(({ user, role }) => [user.name, role]));
};

const mayManage: Caller[] = ['admin', 'owner', 'manager', 'crew_admin'];
const mayOnlyRead: Caller[] = ['crew_sales_manager', 'crew_entrance_manager'];
const mayNothing: Caller[] = ['crew_sales_operator', 'crew_entrance_operator'];
const outside: Caller[] = ['otherOwner', 'stranger'];

/** Before each test the event has its initial crew, and the sibling event has none. */
beforeEach(async () => {
  await world.db.deleteFrom('event_crew').execute();
  const rows = crewRoles.map((role) => ({ event_id: world.event, user_id: world.users[`crew_${role}`], role, created_at: noon }));
  await world.db.insertInto('event_crew').values(rows).execute();
});

describe('access to /event/{id}/crew', () => {
  const operations = (event: number | string) =>
    [
      ['GET', crewAt(event), undefined],
      ['POST', crewAt(event), { email: world.emails.stranger, role: 'admin' }],
      ['PUT', memberAt(event, world.users.crew_admin), { role: 'admin' }],
      ['DELETE', memberAt(event, world.users.crew_admin), undefined],
    ] as const;

  it('returns 401 without an access token', async () => {
    for (const [method, path, body] of operations(world.event)) {
      const answer = await world.call(method, path, { body });
      expect(answer.json()).toMatchObject({ status: 401, code: 'not_authenticated' });
      expect(answer.headers['www-authenticate']).toBe('Bearer realm="tessera"');
    }
  });

  it('returns 403 to crew members without the permission', async () => {
    for (const as of [...mayOnlyRead, ...mayNothing]) {
      const [reading, ...writing] = operations(world.event);
      for (const [method, path, body] of mayNothing.includes(as) ? [reading, ...writing] : writing) {
        const answer = await world.call(method, path, { as, body });
        expect(answer.json()).toMatchObject({ status: 403, code: 'forbidden' });
        expect(await auditOf(world, answer)).toEqual([]);
      }
    }
  });

  it('returns 404 to users without a role in the event, to the crew of another event, and for unknown and invalid ids', async () => {
    const hidden: [Caller, number | string][] = [
      ...outside.map((caller): [Caller, number] => [caller, world.event]),
      ['crew_admin', world.siblingEvent],
      ['owner', world.foreignEvent],
      ['admin', world.missing],
      ['admin', 0],
      ['admin', 'first-event'],
      ['admin', '9'.repeat(30)],
    ];
    for (const [as, event] of hidden) {
      for (const [method, path, body] of operations(event)) {
        const answer = await world.call(method, path, { as, body });
        expect(answer.json()).toMatchObject({ status: 404, code: 'not_found' });
        expect(await auditOf(world, answer)).toEqual([]);
      }
    }
  });
});

describe('GET /event/{id}/crew', () => {
  it('returns all members with their roles, sorted by name', async () => {
    for (const as of [...mayManage, ...mayOnlyRead]) {
      const answer = await get(world.event, as);
      expect(answer.statusCode).toBe(200);
      const inOrder = (['admin', 'entrance_manager', 'entrance_operator', 'sales_manager', 'sales_operator'] as const).map((role) => ({
        user: personOf(`crew_${role}`),
        role,
      }));
      expect(answer.json()).toEqual({ team: inOrder });
    }
  });

  it('returns an empty crew', async () => {
    expect((await get(world.siblingEvent)).json()).toEqual({ team: [] });
  });

  it('returns 200 with an ETag, and 304 if If-None-Match matches', async () => {
    const etag = String((await get(world.event)).headers.etag);
    const having = () => world.call('GET', crewAt(world.event), { as: 'owner', headers: { 'if-none-match': etag } });
    expect((await having()).statusCode).toBe(304);
    await remove(world.event, world.users.crew_admin);
    expect((await having()).statusCode).toBe(200);
  });
});

describe('POST /event/{id}/crew', () => {
  it('adds an existing user, who has access with the next request', async () => {
    expect((await get(world.siblingEvent, 'stranger')).statusCode).toBe(404);
    const answer = await add(world.siblingEvent, {
      email: world.emails.stranger.toUpperCase(),
      name: 'Not their name',
      role: 'sales_manager',
    });
    expect(answer.statusCode).toBe(201);
    const typed = { id: expect.any(Number), name: 'Not their name', email: world.emails.stranger };
    const member = { user: typed, role: 'sales_manager', invited: true };
    expect(answer.json()).toEqual(member);
    expect(await auditOf(world, answer)).toEqual([
      { by: by('owner'), operation: 'addCrewMember', on: `crew ${world.users.stranger}`, event: world.siblingEvent, after: member },
    ]);
    expect((await get(world.siblingEvent, 'stranger')).statusCode).toBe(200);
    expect((await get(world.event, 'stranger')).statusCode).toBe(404);
  });

  it('creates an account without a password for a new person and records it in the audit log', async () => {
    const answer = await add(world.event, { email: 'New.Hand@Test.Test', name: 'New Hand', role: 'entrance_operator' }, 'crew_admin');
    expect(answer.statusCode).toBe(201);
    const member: CrewMember = answer.json();
    const person = { id: expect.any(Number), name: 'New Hand', email: 'new.hand@test.test' };
    expect(member).toEqual({ user: person, role: 'entrance_operator', invited: true });
    const { id } = await world.db.selectFrom('app_user').select('id').where('email', '=', person.email).executeTakeFirstOrThrow();
    const user = { ...person, id };
    const account = { ...user, admin: false, disabled: false, createdAt: noon.toISOString(), updatedAt: noon.toISOString() };
    expect(await auditOf(world, answer)).toEqual([
      { by: by('crew_admin'), operation: 'addCrewMember', on: `user ${user.id}`, after: account },
      { by: by('crew_admin'), operation: 'addCrewMember', on: `crew ${user.id}`, event: world.event, after: member },
    ]);
    const { password_hash } = await world.db
      .selectFrom('app_user')
      .select('password_hash')
      .where('id', '=', user.id)
      .executeTakeFirstOrThrow();
    expect(password_hash).toBeNull();
  });

  it('is allowed to everyone with crew.manage, for every role', async () => {
    for (const as of mayManage) expect((await add(world.event, { email: `by-${as}@test.test`, role: 'admin' }, as)).statusCode).toBe(201);
    for (const role of crewRoles) {
      expect((await add(world.event, { email: `as-${role}@test.test`, role })).json()).toMatchObject({
        role,
        user: { name: `as-${role}` },
      });
    }
  });

  it('creates one account when two events add the same new person concurrently', async () => {
    const works = [world.event, world.siblingEvent].map((event) => () => add(event, { email: 'called@test.test', role: 'admin' }));
    const answers = await runBehindLock(world, 'lock table app_user in share row exclusive mode', works);
    expect(statusesOf(answers)).toEqual([201, 201]);
  });

  it('accepts the longest valid e-mail and returns 400 for a longer one', async () => {
    const answer = await add(world.event, { email: `${'x'.repeat(240)}@test.test`, role: 'admin' });
    expect([201, 400]).toContain(answer.statusCode);
  });

  it('returns 400 and names the invalid field', async () => {
    const good = { email: 'good@test.test', role: 'admin' };
    const wrong: [object, string[]][] = [
      [{}, ['email', 'role']],
      [{ ...good, email: 'no address' }, ['email']],
      [{ ...good, role: 'owner' }, ['role']],
      [{ ...good, role: null }, ['role']],
      [{ ...good, name: ' ' }, ['name']],
      [{ ...good, name: 'x'.repeat(201) }, ['name']],
      [{ ...good, roles: ['admin'], id: 1 }, ['roles', 'id']],
    ];
    for (const [body, fields] of wrong) {
      const answer = await add(world.event, body);
      expect(answer.json()).toMatchObject({ status: 400, code: 'invalid_input' });
      expect(fieldsOf(answer)).toEqual(fields);
      expect(await auditOf(world, answer)).toEqual([]);
    }
    expect((await world.call('POST', crewAt(world.event), { as: 'owner' })).statusCode).toBe(400);
  });

  it('returns 409 if the person is already in the crew, and keeps their role', async () => {
    const answer = await add(world.event, { email: world.emails.crew_sales_operator, role: 'admin' });
    expect(answer.json()).toMatchObject({ status: 409, code: 'already_exists' });
    expect(await auditOf(world, answer)).toEqual([]);
    expect((await rolesIn(world.event))['crew_sales_operator']).toBe('sales_operator');
  });

  it('returns 409 to one of two concurrent requests for the same person', async () => {
    const work = () => add(world.siblingEvent, { email: world.emails.stranger, role: 'admin' });
    const answers = await runBehindLock(world, 'lock table event_crew in share row exclusive mode', [work, work]);
    expect(statusesOf(answers)).toEqual([201, 409]);
    expect(await rolesIn(world.siblingEvent)).toEqual({ stranger: 'admin' });
  });

  it('returns 412 when If-Match is stale', async () => {
    const version = String((await get(world.event)).headers.etag);
    const addIfSame = (email: string) =>
      world.call('POST', crewAt(world.event), { as: 'owner', body: { email, role: 'admin' }, headers: { 'if-match': version } });
    expect((await addIfSame('in-time@test.test')).statusCode).toBe(201);
    expect((await addIfSame('too-late@test.test')).json()).toMatchObject({ status: 412, code: 'stale_version' });
  });

  it('returns 422 for the 2001st member', async () => {
    await sql`
      with more as (
        insert into app_user (email, name, created_at, updated_at)
        select 'many' || n || '@test.test', 'Many', ${noon}::timestamptz, ${noon}::timestamptz from generate_series(1, 1999) n
        returning id
      )
      insert into event_crew (event_id, user_id, role, created_at)
      select ${world.siblingEvent}::bigint, id, 'sales_operator', ${noon}::timestamptz from more`.execute(world.db);
    expect((await add(world.siblingEvent, { email: world.emails.stranger, role: 'admin' })).statusCode).toBe(201);
    const answer = await add(world.siblingEvent, { email: 'one-too-many@test.test', role: 'admin' });
    expect(answer.json()).toMatchObject({ status: 422, code: 'rule_violation', errors: [{ field: 'email', code: 'limit' }] });
    expect(await auditOf(world, answer)).toEqual([]);
    expect((await get(world.siblingEvent)).json().team).toHaveLength(2000);
  });
});

describe('PUT /event/{id}/crew/{userId}', () => {
  it('changes the role from the next request on, in this event only', async () => {
    const id = world.users.crew_sales_operator;
    await add(world.siblingEvent, { email: world.emails.crew_sales_operator, role: 'entrance_operator' });
    expect((await get(world.event, 'crew_sales_operator')).statusCode).toBe(403);
    const answer = await give(world.event, id, 'sales_manager', 'crew_admin');
    expect(answer.statusCode).toBe(200);
    const [before, after] = (['sales_operator', 'sales_manager'] as const).map((role) => ({ user: personOf('crew_sales_operator'), role }));
    expect(answer.json()).toEqual(after);
    expect(await auditOf(world, answer)).toEqual([
      { by: by('crew_admin'), operation: 'updateCrewMember', on: `crew ${id}`, event: world.event, before, after },
    ]);
    expect((await get(world.event, 'crew_sales_operator')).statusCode).toBe(200);
    expect(await rolesIn(world.siblingEvent)).toEqual({ crew_sales_operator: 'entrance_operator' });
  });

  it('is allowed to everyone with crew.manage', async () => {
    for (const as of mayManage)
      expect((await give(world.event, world.users.crew_sales_manager, 'sales_operator', as)).statusCode).toBe(200);
  });

  it('returns 400 for a missing or unknown role and for other fields', async () => {
    const wrong: [object, string[]][] = [
      [{}, ['role']],
      [{ role: 'owner' }, ['role']],
      [{ role: null }, ['role']],
      [{ role: 'admin', userId: 1 }, ['userId']],
    ];
    for (const [body, fields] of wrong) {
      const answer = await world.call('PUT', memberAt(world.event, world.users.crew_admin), { as: 'owner', body });
      expect(answer.json()).toMatchObject({ status: 400, code: 'invalid_input' });
      expect(fieldsOf(answer)).toEqual(fields);
    }
  });

  it('returns 404 for users who are not in the crew', async () => {
    for (const userId of [world.users.owner, world.users.stranger, world.missing]) {
      const answer = await give(world.event, userId, 'admin');
      expect(answer.json()).toMatchObject({ status: 404, code: 'not_found' });
      expect(await auditOf(world, answer)).toEqual([]);
    }
    expect((await give(world.siblingEvent, world.users.crew_admin, 'admin')).statusCode).toBe(404);
    expect((await world.call('PUT', memberAt(world.event, 'x'), { as: 'owner', body: { role: 'admin' } })).statusCode).toBe(404);
  });
});

describe('DELETE /event/{id}/crew/{userId}', () => {
  it('removes access with the next request, in this event only', async () => {
    const id = world.users.crew_sales_manager;
    await add(world.siblingEvent, { email: world.emails.crew_sales_manager, role: 'sales_manager' });
    const answer = await remove(world.event, id, 'crew_admin');
    expect([answer.statusCode, answer.body]).toEqual([204, '']);
    const before = { user: personOf('crew_sales_manager'), role: 'sales_manager' };
    expect(await auditOf(world, answer)).toEqual([
      { by: by('crew_admin'), operation: 'removeCrewMember', on: `crew ${id}`, event: world.event, before },
    ]);
    expect((await get(world.event, 'crew_sales_manager')).statusCode).toBe(404);
    expect((await get(world.siblingEvent, 'crew_sales_manager')).statusCode).toBe(200);
  });

  it('is allowed to everyone with crew.manage, even for themselves', async () => {
    const targets: Caller[] = ['crew_sales_manager', 'crew_sales_operator', 'crew_entrance_manager', 'crew_admin'];
    for (const [i, as] of mayManage.entries()) expect((await remove(world.event, world.users[targets[i] ?? as], as)).statusCode).toBe(204);
    expect(await rolesIn(world.event)).toEqual({ crew_entrance_operator: 'entrance_operator' });
    expect((await get(world.event, 'crew_admin')).statusCode).toBe(404);
  });

  it('returns 404 for users who are not in the crew or were removed', async () => {
    expect((await remove(world.event, world.users.crew_admin)).statusCode).toBe(204);
    for (const userId of [world.users.crew_admin, world.users.owner, world.missing]) {
      const answer = await remove(world.event, userId);
      expect(answer.json()).toMatchObject({ status: 404, code: 'not_found' });
      expect(await auditOf(world, answer)).toEqual([]);
    }
    expect((await remove(world.siblingEvent, world.users.crew_sales_manager)).statusCode).toBe(404);
  });

  it('returns 404 to one of two concurrent requests', async () => {
    const work = () => remove(world.event, world.users.crew_admin);
    const lock = `select from event_crew where user_id = ${world.users.crew_admin} for update`;
    expect(statusesOf(await runBehindLock(world, lock, [work, work]))).toEqual([204, 404]);
  });

  it('returns 412 for If-Match, because crew members have no ETag', async () => {
    const answer = await world.call('DELETE', memberAt(world.event, world.users.crew_admin), { as: 'owner', headers: { 'if-match': '*' } });
    expect(answer.json()).toMatchObject({ status: 412, code: 'stale_version' });
    expect((await get(world.event, 'crew_admin')).statusCode).toBe(200);
  });
});

describe('the audit log', () => {
  it('contains no password and no hash', async () => {
    expect(await leakedInto(world, [password])).toEqual([]);
  });
});
