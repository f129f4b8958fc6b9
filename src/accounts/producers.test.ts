import type { LightMyRequestResponse } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { auditOf, leakedInto } from '../../test/audit.ts';
import { runBehindLock } from '../../test/behind-lock.ts';
import { useWorld } from '../../test/harness.ts';
import { type Caller, noon, password } from '../../test/world.ts';
import type { ProducerRole } from '../kernel/access.ts';
import type { InputError } from '../kernel/problem.ts';
import type { Member, Producer } from './producer-contract.ts';

const world = useWorld();

const by = (caller: Caller) => `user ${world.users[caller]}`;
const personOf = (caller: Caller) => ({ id: world.users[caller], name: caller, email: world.emails[caller] });
const fieldsOf = (answer: LightMyRequestResponse) => [...new Set(answer.json().errors.map(({ field }: InputError) => field))];
const statusesOf = (answers: readonly LightMyRequestResponse[]) => answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b);

const producerAt = (id: number | string) => `/producers/${id}`;
const membersAt = (id: number) => `/producers/${id}/members`;

const create = (body: object) => world.call('POST', '/producers', { as: 'admin', body });
const add = (id: number, body: object, as: Caller = 'admin') => world.call('POST', membersAt(id), { as, body });
const give = (id: number, userId: number, role: ProducerRole, as: Caller = 'admin') =>
  world.call('PUT', `${membersAt(id)}/${userId}`, { as, body: { role } });
const remove = (id: number, userId: number, as: Caller = 'admin') => world.call('DELETE', `${membersAt(id)}/${userId}`, { as });

/** Creates a producer that no other test uses, with these members. */
async function newProducer(owner: Caller, others: Partial<Record<Caller, ProducerRole>> = {}): Promise<number> {
  const { id }: Producer = (await create({ name: 'New', owner: { email: world.emails[owner] } })).json();
  for (const [caller, role] of Object.entries(others)) await add(id, { email: world.emails[caller as Caller], role });
  return id;
}

const rolesIn = async (id: number) => {
  const { data }: { data: Member[] } = (await world.call('GET', membersAt(id), { as: 'admin' })).json();
  return Object.fromEntries(data.map(({ user, role }) => [user.name, role]));
};

/** Builds an e-mail with a local part of 240 characters. */
const longEmail = (start: string) => `${start.padEnd(240, 'x')}@test.test`;

afterEach(() => {
  world.now = noon;
});

describe('access to /producers', () => {
  /** Every operation on one producer. */
  const operations = (id: number | string) =>
    [
      ['GET', producerAt(id), undefined],
      ['PUT', producerAt(id), { name: 'Renamed' }],
      ['GET', `${producerAt(id)}/members`, undefined],
      ['POST', `${producerAt(id)}/members`, { email: world.emails.stranger, role: 'manager' }],
      ['PUT', `${producerAt(id)}/members/${world.users.manager}`, { role: 'manager' }],
      ['DELETE', `${producerAt(id)}/members/${world.users.manager}`, undefined],
    ] as const;

  it('returns 401 without an access token', async () => {
    const others = [
      ['GET', '/producers', undefined],
      ['POST', '/producers', { name: 'New', owner: { email: world.emails.owner } }],
    ] as const;
    for (const [method, path, body] of [...others, ...operations(world.producer)]) {
      const answer = await world.call(method, path, { body });
      expect(answer.json()).toMatchObject({ status: 401, code: 'not_authenticated' });
      expect(answer.headers['www-authenticate']).toBe('Bearer realm="tessera"');
    }
  });

  it('returns 403 unless an admin creates producers and an owner manages members', async () => {
    for (const as of ['owner', 'manager', 'crew_admin', 'stranger'] as const) {
      const answer = await world.call('POST', '/producers', { as, body: { name: 'Mine', owner: { email: world.emails[as] } } });
      expect(answer.json()).toMatchObject({ status: 403, code: 'forbidden' });
      expect(await auditOf(world, answer)).toEqual([]);
    }
    const answers = [
      await add(world.producer, { email: world.emails.stranger, role: 'owner' }, 'manager'),
      await give(world.producer, world.users.manager, 'owner', 'manager'),
      await remove(world.producer, world.users.owner, 'manager'),
      await remove(world.producer, world.users.manager, 'manager'),
    ];
    for (const answer of answers) expect(answer.json()).toMatchObject({ status: 403, code: 'forbidden' });
  });

  it('returns 404 to users who are not members, to event crew, and for unknown and invalid ids', async () => {
    const hidden: [Caller, number | string][] = [
      ['otherOwner', world.producer],
      ['owner', world.otherProducer],
      ['stranger', world.producer],
      ['crew_admin', world.producer],
      ['admin', world.missing],
      ['admin', 0],
      ['admin', 'x'],
      ['admin', '9'.repeat(30)],
    ];
    for (const [as, id] of hidden) {
      for (const [method, path, body] of operations(id)) {
        const answer = await world.call(method, path, { as, body });
        expect(answer.json()).toMatchObject({ status: 404, code: 'not_found' });
        expect(await auditOf(world, answer)).toEqual([]);
      }
    }
  });
});

describe('POST /producers', () => {
  it('makes an existing user the owner', async () => {
    const answer = await create({ name: 'Aurora Produções', currency: 'EUR', owner: { email: world.emails.stranger.toUpperCase() } });
    expect(answer.statusCode).toBe(201);
    const producer: Producer = answer.json();
    expect(producer).toEqual({
      id: expect.any(Number),
      name: 'Aurora Produções',
      description: null,
      links: [],
      logo: null,
      picture: null,
      currency: 'EUR',
      payout: null,
      createdAt: noon.toISOString(),
      updatedAt: noon.toISOString(),
    });
    expect(await auditOf(world, answer)).toEqual([
      {
        by: by('admin'),
        operation: 'createProducer',
        on: `producer ${producer.id}`,
        producer: producer.id,
        after: { ...producer, ownerId: world.users.stranger },
      },
    ]);
    expect((await world.call('GET', membersAt(producer.id), { as: 'stranger' })).json().data).toEqual([
      { user: personOf('stranger'), role: 'owner' },
    ]);
  });

  it('creates an account for a new owner and records it in the audit log', async () => {
    const answer = await create({ name: 'Boreal', owner: { email: 'New.Owner@Test.Test', name: 'New Owner' } });
    const producer: Producer = answer.json();
    expect(producer.currency).toBe('BRL');
    const [invited, made, ...more] = await auditOf(world, answer);
    expect(invited).toMatchObject({
      by: by('admin'),
      operation: 'createProducer',
      after: { email: 'new.owner@test.test', name: 'New Owner', admin: false },
    });
    expect(made).toMatchObject({ on: `producer ${producer.id}`, after: { ownerId: Number(invited?.on.replace('user ', '')) } });
    expect(more).toEqual([]);
    expect(await rolesIn(producer.id)).toEqual({ 'New Owner': 'owner' });
  });

  it('creates two producers concurrently with the same new owner', async () => {
    const body = { name: 'Twin', owner: { email: 'twins@test.test' } };
    const answers = await runBehindLock(world, 'lock table app_user in share row exclusive mode', [() => create(body), () => create(body)]);
    expect(statusesOf(answers)).toEqual([201, 201]);
  });

  it('accepts the longest valid e-mail and returns 400 for a longer one', async () => {
    expect([201, 400]).toContain((await create({ name: 'Long', owner: { email: longEmail('owner') } })).statusCode);
  });

  it('returns 400 and names the invalid field', async () => {
    const good = { name: 'Good', owner: { email: 'good@test.test' } };
    const wrong: [object, string[]][] = [
      [{}, ['name', 'owner']],
      [{ ...good, name: '' }, ['name']],
      [{ ...good, name: 'x'.repeat(201) }, ['name']],
      [{ ...good, currency: 'real' }, ['currency']],
      [{ ...good, currency: null }, ['currency']],
      [{ ...good, owner: {} }, ['owner.email']],
      [{ ...good, owner: { email: 'no address' } }, ['owner.email']],
      [{ ...good, owner: { email: 'good@test.test', role: 'owner' } }, ['owner.role']],
      [{ ...good, id: 1 }, ['id']],
    ];
    for (const [body, fields] of wrong) {
      const answer = await create(body);
      expect(answer.json()).toMatchObject({ status: 400, code: 'invalid_input' });
      expect(fieldsOf(answer)).toEqual(fields);
      expect(await auditOf(world, answer)).toEqual([]);
    }
  });
});

describe('GET /producers', () => {
  const list = async (as: Caller, query = '') => (await world.call('GET', `/producers?${query}`, { as })).json();
  const idsOf = (page: { data: Producer[] }) => page.data.map(({ id }) => id);

  it('returns the producers of the caller, and all of them to an admin', async () => {
    expect(await list('manager', 'count=true')).toMatchObject({ data: [{ id: world.producer }], nextCursor: null, total: 1 });
    expect(await list('crew_admin', 'count=true')).toEqual({ data: [], nextCursor: null, total: 0 });
    const all = await list('admin', 'pageSize=200&count=true');
    expect(all.total).toBe(all.data.length);
    expect(idsOf(all)).toEqual(expect.arrayContaining([world.producer, world.otherProducer]));
  });

  it('returns each producer once over all pages', async () => {
    const mine = [
      await newProducer('crew_sales_operator'),
      await newProducer('crew_sales_operator'),
      await newProducer('crew_sales_operator'),
    ];
    const first = await list('crew_sales_operator', 'pageSize=2&count=true');
    expect(idsOf(first)).toEqual(mine.slice(0, 2));
    expect(first.total).toBe(3);
    const second = await list('crew_sales_operator', `pageSize=2&cursor=${first.nextCursor}`);
    expect(second).toMatchObject({ data: [{ id: mine[2] }], nextCursor: null });
  });

  it('returns 400 for invalid query parameters', async () => {
    for (const query of ['pageSize=0', 'pageSize=201', 'cursor=x', 'count=2']) {
      expect(await list('owner', query)).toMatchObject({ status: 400, code: 'invalid_input', errors: [{ in: 'query' }] });
    }
  });
});

describe('GET /producers/{id}', () => {
  it('returns 200 with an ETag, and 304 if If-None-Match matches until the producer changes', async () => {
    const path = producerAt(await newProducer('owner'));
    const answer = await world.call('GET', path, { as: 'owner' });
    expect(answer.statusCode).toBe(200);
    const etag = String(answer.headers.etag);
    expect(etag).toMatch(/^"[\w-]+"$/);
    const having = (tags: string) => world.call('GET', path, { as: 'owner', headers: { 'if-none-match': tags } });
    for (const tags of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await having(tags);
      expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', etag]);
    }
    expect((await having('"other"')).statusCode).toBe(200);
    await world.call('PUT', path, { as: 'owner', body: { name: 'Renamed' } });
    const changed = await having(etag);
    expect(changed.statusCode).toBe(200);
    expect(changed.headers.etag).not.toBe(etag);
  });

  it('returns 404, not 304, to users who are not members', async () => {
    const answer = await world.call('GET', producerAt(world.otherProducer), { as: 'owner', headers: { 'if-none-match': '*' } });
    expect(answer.statusCode).toBe(404);
    expect(answer.headers.etag).toBeUndefined();
  });
});

describe('PUT /producers/{id}', () => {
  const update = (id: number, body: object, headers: Record<string, string> = {}) =>
    world.call('PUT', producerAt(id), { as: 'owner', body, headers });
  const versionOf = async (id: number) => String((await world.call('GET', producerAt(id), { as: 'owner' })).headers.etag);

  it('changes only the fields that are present', async () => {
    const id = await newProducer('owner');
    const before: Producer = (await world.call('GET', producerAt(id), { as: 'owner' })).json();
    world.now = new Date(noon.getTime() + 60_000);
    const answer = await update(id, { name: 'Renamed' });
    const after = { ...before, name: 'Renamed', updatedAt: world.now.toISOString() };
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual(after);
    expect(await auditOf(world, answer)).toEqual([
      { by: by('owner'), operation: 'updateProducer', on: `producer ${id}`, producer: id, before, after },
    ]);
    expect((await update(id, { currency: 'USD' })).json()).toEqual({ ...after, currency: 'USD' });
  });

  it('is allowed to managers', async () => {
    const id = await newProducer('owner', { manager: 'manager' });
    expect((await world.call('PUT', producerAt(id), { as: 'manager', body: { name: 'By a manager' } })).statusCode).toBe(200);
  });

  it('returns 400 for an empty body and for invalid fields', async () => {
    const empty = await update(world.producer, {});
    expect(empty.json()).toMatchObject({ status: 400, code: 'invalid_input', errors: [{ in: 'body', code: 'minProperties' }] });
    const wrong: [object, string[]][] = [
      [{ name: ' ' }, ['name']],
      [{ name: null }, ['name']],
      [{ currency: 'brl' }, ['currency']],
      [{ name: 'Good', nmae: 'Typo' }, ['nmae']],
      [{ id: 1, createdAt: noon.toISOString() }, ['id', 'createdAt']],
    ];
    for (const [body, fields] of wrong) {
      const answer = await update(world.producer, body);
      expect(answer.json()).toMatchObject({ status: 400, code: 'invalid_input' });
      expect(fieldsOf(answer)).toEqual(fields);
      expect(answer.json().errors[0].message).toEqual(expect.any(String));
      expect(await auditOf(world, answer)).toEqual([]);
    }
    expect((await world.call('PUT', producerAt(world.producer), { as: 'owner' })).statusCode).toBe(400);
  });

  it('returns 412 when If-Match is stale', async () => {
    const id = await newProducer('owner');
    const version = await versionOf(id);
    expect((await update(id, { name: 'First' }, { 'if-match': version })).statusCode).toBe(200);
    const answer = await update(id, { name: 'Second' }, { 'if-match': version });
    expect(answer.json()).toMatchObject({ status: 412, code: 'stale_version' });
    expect(await auditOf(world, answer)).toEqual([]);
    for (const tags of [`"other", ${await versionOf(id)}`, '*'])
      expect((await update(id, { name: 'Third' }, { 'if-match': tags })).statusCode).toBe(200);
  });

  it('returns 412 to four of five concurrent requests with the same If-Match', async () => {
    const id = await newProducer('owner');
    const version = await versionOf(id);
    const works = ['A', 'B', 'C', 'D', 'E'].map((name) => () => update(id, { name }, { 'if-match': version }));
    const answers = await runBehindLock(world, `select from producer where id = ${id} for update`, works);
    expect(statusesOf(answers)).toEqual([200, 412, 412, 412, 412]);
    const written: Producer | undefined = answers.find(({ statusCode }) => statusCode === 200)?.json();
    expect((await world.call('GET', producerAt(id), { as: 'owner' })).json()).toEqual(written);
  });
});

describe('GET /producers/{id}/members', () => {
  it('returns all members in pages to owners and managers', async () => {
    const id = await newProducer('owner', { manager: 'manager', stranger: 'owner' });
    const list = async (query: string, as: Caller = 'manager') => (await world.call('GET', `${membersAt(id)}?${query}`, { as })).json();
    const everybody = [
      { user: personOf('owner'), role: 'owner' },
      { user: personOf('manager'), role: 'manager' },
      { user: personOf('stranger'), role: 'owner' },
    ];
    expect(await list('')).toEqual({ data: everybody, nextCursor: null });
    const first = await list('pageSize=2&count=true', 'owner');
    expect(first).toMatchObject({ data: everybody.slice(0, 2), total: 3 });
    expect(await list(`pageSize=2&cursor=${first.nextCursor}`)).toEqual({ data: everybody.slice(2), nextCursor: null });
  });

  it('returns 400 for invalid query parameters', async () => {
    for (const query of ['pageSize=0', 'pageSize=201', 'cursor=x', 'count=2']) {
      expect((await world.call('GET', `${membersAt(world.producer)}?${query}`, { as: 'owner' })).json()).toMatchObject({
        status: 400,
        code: 'invalid_input',
      });
    }
  });
});

describe('POST /producers/{id}/members', () => {
  it('adds an existing user by e-mail, ignoring case; they have access with the next request', async () => {
    const id = await newProducer('owner');
    const seen = async () => (await world.call('GET', producerAt(id), { as: 'stranger' })).statusCode;
    expect(await seen()).toBe(404);
    const answer = await add(id, { email: world.emails.stranger.toUpperCase(), name: 'Not their name', role: 'manager' }, 'owner');
    expect(answer.statusCode).toBe(201);
    const typed = { id: expect.any(Number), name: 'Not their name', email: world.emails.stranger };
    const member = { user: typed, role: 'manager', invited: true };
    expect(answer.json()).toEqual(member);
    expect(await auditOf(world, answer)).toEqual([
      { by: by('owner'), operation: 'addMember', on: `member ${world.users.stranger}`, producer: id, after: member },
    ]);
    expect(await seen()).toBe(200);
  });

  it('creates an account without a password for a new person and records it in the audit log', async () => {
    const answer = await add(world.producer, { email: 'Invited.Person@Test.Test', role: 'manager' }, 'owner');
    const member: Member = answer.json();
    const person = { id: expect.any(Number), name: 'invited.person', email: 'invited.person@test.test' };
    expect(member).toEqual({ user: person, role: 'manager', invited: true });
    const { id } = await world.db.selectFrom('app_user').select('id').where('email', '=', person.email).executeTakeFirstOrThrow();
    const user = { ...person, id };
    const account = { ...user, admin: false, disabled: false, createdAt: noon.toISOString(), updatedAt: noon.toISOString() };
    expect(await auditOf(world, answer)).toEqual([
      { by: by('owner'), operation: 'addMember', on: `user ${user.id}`, after: account },
      { by: by('owner'), operation: 'addMember', on: `member ${user.id}`, producer: world.producer, after: member },
    ]);
    const { password_hash } = await world.db
      .selectFrom('app_user')
      .select('password_hash')
      .where('id', '=', user.id)
      .executeTakeFirstOrThrow();
    expect(password_hash).toBeNull();
  });

  it('creates one account when two producers invite the same new person concurrently', async () => {
    const ids = [await newProducer('owner'), await newProducer('otherOwner')];
    const answers = await runBehindLock(
      world,
      'lock table app_user in share row exclusive mode',
      ids.map((id) => () => add(id, { email: 'wanted@test.test', role: 'manager' })),
    );
    expect(statusesOf(answers)).toEqual([201, 201]);
  });

  it('accepts the longest valid e-mail and returns 400 for a longer one', async () => {
    expect([201, 400]).toContain((await add(world.producer, { email: longEmail('member'), role: 'manager' })).statusCode);
  });

  it('returns 400 and names the invalid field', async () => {
    const good = { email: 'good@test.test', role: 'manager' };
    const wrong: [object, string[]][] = [
      [{}, ['email', 'role']],
      [{ ...good, email: 'no address' }, ['email']],
      [{ ...good, role: 'admin' }, ['role']],
      [{ ...good, role: ['owner'] }, ['role']],
      [{ ...good, name: '' }, ['name']],
      [{ ...good, admin: true, password }, ['admin', 'password']],
    ];
    for (const [body, fields] of wrong) {
      const answer = await add(world.producer, body, 'owner');
      expect(answer.json()).toMatchObject({ status: 400, code: 'invalid_input' });
      expect(fieldsOf(answer)).toEqual(fields);
      expect(await auditOf(world, answer)).toEqual([]);
    }
  });

  it('returns 409 if the person is already a member, in any role', async () => {
    const id = await newProducer('owner', { manager: 'manager' });
    const answer = await add(id, { email: world.emails.manager, role: 'owner' });
    expect(answer.json()).toMatchObject({ status: 409, code: 'already_exists' });
    expect(await auditOf(world, answer)).toEqual([]);
    expect(await rolesIn(id)).toEqual({ owner: 'owner', manager: 'manager' });
  });

  it('returns 409 to one of two concurrent requests for the same new person', async () => {
    const id = await newProducer('owner');
    const work = () => add(id, { email: 'once@test.test', role: 'manager' });
    const answers = await runBehindLock(world, `select from producer where id = ${id} for update`, [work, work]);
    expect(statusesOf(answers)).toEqual([201, 409]);
  });
});

describe('PUT /producers/{id}/members/{userId}', () => {
  it('changes the role from the next request on, in this producer only', async () => {
    const id = await newProducer('owner', { manager: 'manager' });
    const mayManage = async () => (await add(id, {}, 'manager')).statusCode === 400;
    expect(await mayManage()).toBe(false);
    const answer = await give(id, world.users.manager, 'owner', 'owner');
    expect(answer.statusCode).toBe(200);
    const [before, after] = (['manager', 'owner'] as const).map((role) => ({ user: personOf('manager'), role }));
    expect(answer.json()).toEqual(after);
    expect(await auditOf(world, answer)).toEqual([
      { by: by('owner'), operation: 'updateMember', on: `member ${world.users.manager}`, producer: id, before, after },
    ]);
    expect(await mayManage()).toBe(true);
    expect(await rolesIn(world.producer)).toMatchObject({ owner: 'owner', manager: 'manager' });
    expect((await give(id, world.users.owner, 'manager', 'manager')).statusCode).toBe(200);
    expect((await give(id, world.users.owner, 'owner', 'owner')).statusCode).toBe(403);
  });

  it('accepts the role owner for the last owner', async () => {
    const id = await newProducer('owner');
    expect((await give(id, world.users.owner, 'owner', 'owner')).statusCode).toBe(200);
  });

  it('returns 400 for a missing or unknown role and for other fields', async () => {
    const path = `${membersAt(world.producer)}/${world.users.manager}`;
    const wrong: [object, string[]][] = [
      [{}, ['role']],
      [{ role: 'admin' }, ['role']],
      [{ role: null }, ['role']],
      [{ role: 'owner', userId: 1 }, ['userId']],
    ];
    for (const [body, fields] of wrong) {
      const answer = await world.call('PUT', path, { as: 'owner', body });
      expect(answer.json()).toMatchObject({ status: 400, code: 'invalid_input' });
      expect(fieldsOf(answer)).toEqual(fields);
    }
  });

  it('returns 404 for users who are not members', async () => {
    for (const userId of [world.users.otherOwner, world.users.crew_admin, world.missing]) {
      expect((await give(world.producer, userId, 'owner', 'owner')).json()).toMatchObject({ status: 404, code: 'not_found' });
    }
    expect((await world.call('PUT', `${membersAt(world.producer)}/x`, { as: 'owner', body: { role: 'owner' } })).statusCode).toBe(404);
  });

  it('returns 409 when the last owner would lose the role, even to an admin', async () => {
    const id = await newProducer('owner', { manager: 'manager' });
    for (const as of ['owner', 'admin'] as const) {
      const answer = await give(id, world.users.owner, 'manager', as);
      expect(answer.json()).toMatchObject({ status: 409, code: 'last_owner' });
      expect(await auditOf(world, answer)).toEqual([]);
    }
    expect(await rolesIn(id)).toEqual({ owner: 'owner', manager: 'manager' });
  });

  it('returns 409 to one of two owners who demote each other concurrently', async () => {
    const id = await newProducer('owner', { stranger: 'owner' });
    const answers = await runBehindLock(world, `select from producer where id = ${id} for update`, [
      () => give(id, world.users.owner, 'manager', 'stranger'),
      () => give(id, world.users.stranger, 'manager', 'owner'),
    ]);
    expect(statusesOf(answers)).toEqual([200, 409]);
    expect(Object.values(await rolesIn(id)).toSorted()).toEqual(['manager', 'owner']);
  });

  it('returns 412 for If-Match, because members have no ETag', async () => {
    const answer = await world.call('PUT', `${membersAt(world.producer)}/${world.users.manager}`, {
      as: 'owner',
      body: { role: 'manager' },
      headers: { 'if-match': '*' },
    });
    expect(answer.json()).toMatchObject({ status: 412, code: 'stale_version' });
  });
});

describe('DELETE /producers/{id}/members/{userId}', () => {
  it('removes access with the next request; an owner can leave if there is another', async () => {
    const id = await newProducer('owner', { manager: 'manager', stranger: 'owner' });
    const answer = await remove(id, world.users.manager, 'owner');
    expect([answer.statusCode, answer.body]).toEqual([204, '']);
    const before = { user: personOf('manager'), role: 'manager' };
    expect(await auditOf(world, answer)).toEqual([
      { by: by('owner'), operation: 'removeMember', on: `member ${world.users.manager}`, producer: id, before },
    ]);
    expect((await world.call('GET', producerAt(id), { as: 'manager' })).statusCode).toBe(404);
    expect((await remove(id, world.users.owner, 'owner')).statusCode).toBe(204);
    expect((await world.call('GET', producerAt(id), { as: 'owner' })).statusCode).toBe(404);
    expect(await rolesIn(id)).toEqual({ stranger: 'owner' });
    expect(await rolesIn(world.producer)).toMatchObject({ owner: 'owner', manager: 'manager' });
  });

  it('returns 404 for users who are not members or were removed', async () => {
    const id = await newProducer('owner', { manager: 'manager' });
    expect((await remove(id, world.users.manager, 'owner')).statusCode).toBe(204);
    for (const userId of [world.users.manager, world.users.otherOwner, world.missing]) {
      const answer = await remove(id, userId, 'owner');
      expect(answer.json()).toMatchObject({ status: 404, code: 'not_found' });
      expect(await auditOf(world, answer)).toEqual([]);
    }
  });

  it('returns 409 when the last owner would leave or be removed by an admin', async () => {
    const id = await newProducer('owner', { manager: 'manager' });
    for (const as of ['owner', 'admin'] as const) {
      const answer = await remove(id, world.users.owner, as);
      expect(answer.json()).toMatchObject({ status: 409, code: 'last_owner' });
      expect(await auditOf(world, answer)).toEqual([]);
    }
    expect(await rolesIn(id)).toEqual({ owner: 'owner', manager: 'manager' });
  });

  it('returns 409 to one of two owners who remove each other concurrently', async () => {
    const id = await newProducer('owner', { stranger: 'owner' });
    const answers = await runBehindLock(world, `select from producer where id = ${id} for update`, [
      () => remove(id, world.users.owner, 'stranger'),
      () => remove(id, world.users.stranger, 'owner'),
    ]);
    expect(statusesOf(answers)).toEqual([204, 409]);
    expect(Object.values(await rolesIn(id))).toEqual(['owner']);
  });

  it('returns 409 to one of two owners who leave concurrently', async () => {
    const id = await newProducer('owner', { stranger: 'owner' });
    const answers = await runBehindLock(world, `select from producer where id = ${id} for update`, [
      () => remove(id, world.users.owner, 'owner'),
      () => remove(id, world.users.stranger, 'stranger'),
    ]);
    expect(statusesOf(answers)).toEqual([204, 409]);
    expect(Object.values(await rolesIn(id))).toEqual(['owner']);
  });
});

describe('the audit log', () => {
  it('contains no password and no hash', async () => {
    expect(await leakedInto(world, [password])).toEqual([]);
  });
});
