import type { LightMyRequestResponse } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { auditOf, leakedInto } from '../../test/audit.ts';
import { runBehindLock } from '../../test/behind-lock.ts';
import { useWorld } from '../../test/harness.ts';
import { type Caller, callers, noon, password } from '../../test/world.ts';
import type { InputError } from '../kernel/problem.ts';
import type { User } from './user-contract.ts';

const world = useWorld();

const newPassword = 'another password, as long';
const later = new Date(noon.getTime() + 60_000);

const create = (body: object) => world.call('POST', '/users', { as: 'admin', body });
const update = (id: number, body: object, headers: Record<string, string> = {}) =>
  world.call('PUT', `/users/${id}`, { as: 'admin', body, headers });
const login = (email: string, secret: string) => world.call('POST', '/auth/login', { body: { email, password: secret } });

let made = 0;
/** Creates a user that no other test uses. */
async function newUser(wish: object = {}): Promise<User> {
  const answer = await create({ email: `user${++made}@users.test`, name: `User ${made}`, ...wish });
  expect(answer.statusCode).toBe(201);
  return answer.json();
}

const byAdmin = () => `user ${world.users.admin}`;
const fieldsOf = (answer: LightMyRequestResponse) => [...new Set(answer.json().errors.map(({ field }: InputError) => field))];

/** Every operation of this file, on an existing user. */
const operations = () =>
  [
    ['POST', '/users', { email: 'somebody@users.test', name: 'Somebody' }],
    ['GET', '/users', undefined],
    ['GET', `/users/${world.users.stranger}`, undefined],
    ['PUT', `/users/${world.users.stranger}`, { name: 'Renamed' }],
  ] as const;

afterEach(() => {
  world.now = noon;
});

describe('access to /users', () => {
  it('returns 401 without an access token', async () => {
    for (const [method, path, body] of operations()) {
      const answer = await world.call(method, path, { body });
      expect(answer.json()).toMatchObject({ status: 401, code: 'not_authenticated' });
      expect(answer.headers['www-authenticate']).toBe('Bearer realm="tessera"');
    }
  });

  it('returns 403 to everyone except admins, even for their own account', async () => {
    const others = callers.filter((caller) => caller !== 'admin');
    for (const as of others) {
      for (const [method, path, body] of operations()) {
        const answer = await world.call(method, path, { as, body });
        expect(answer.json()).toMatchObject({ status: 403, code: 'forbidden' });
        expect(await auditOf(world, answer)).toEqual([]);
      }
    }
  });
});

describe('POST /users', () => {
  it('creates a user who can log in, ignoring the case of the e-mail', async () => {
    const answer = await create({ email: 'Ana.Souza@Users.Test', name: 'Ana Souza', password });
    expect(answer.statusCode).toBe(201);
    const user: User = answer.json();
    expect(user).toEqual({
      id: expect.any(Number),
      email: 'ana.souza@users.test',
      name: 'Ana Souza',
      admin: false,
      disabled: false,
      createdAt: noon.toISOString(),
      updatedAt: noon.toISOString(),
    });
    expect(await auditOf(world, answer)).toEqual([{ by: byAdmin(), operation: 'createUser', on: `user ${user.id}`, after: user }]);
    expect((await login('ana.souza@users.test', password)).statusCode).toBe(200);
  });

  it('creates users without a password, who cannot log in, and admins', async () => {
    const { email } = await newUser();
    expect((await login(email, '')).statusCode).toBe(401);
    const other = await newUser({ admin: true, password });
    expect(other.admin).toBe(true);
    const { accessToken } = (await login(other.email, password)).json();
    expect((await world.call('GET', '/users', { token: accessToken })).statusCode).toBe(200);
  });

  it('returns 400 and names the invalid field', async () => {
    const good = { email: 'good@users.test', name: 'Good' };
    const wrong: [unknown, string[]][] = [
      [{}, ['email', 'name']],
      [{ ...good, email: 'no address' }, ['email']],
      [{ ...good, email: `${'x'.repeat(250)}@users.test` }, ['email']],
      [{ ...good, email: null }, ['email']],
      [{ ...good, name: '' }, ['name']],
      [{ ...good, name: '   ' }, ['name']],
      [{ ...good, name: 'two\nlines' }, ['name']],
      [{ ...good, name: 'x'.repeat(201) }, ['name']],
      [{ ...good, password: 'too short' }, ['password']],
      [{ ...good, password: 'x'.repeat(201) }, ['password']],
      [{ ...good, admin: 'yes' }, ['admin']],
      [{ ...good, role: 'admin', id: 1 }, ['role', 'id']],
      [{ ...good, passwordHash: 'x' }, ['passwordHash']],
      [[], ['']],
    ];
    for (const [body, fields] of wrong) {
      const answer = await world.call('POST', '/users', { as: 'admin', body });
      expect(answer.json()).toMatchObject({ status: 400, code: 'invalid_input' });
      expect(fieldsOf(answer)).toEqual(fields);
      expect(await auditOf(world, answer)).toEqual([]);
    }
    expect((await world.call('POST', '/users', { as: 'admin' })).json()).toMatchObject({ status: 400, code: 'invalid_input' });
  });

  it('returns 409 if the e-mail exists, ignoring case', async () => {
    const answer = await create({ email: world.emails.owner.toUpperCase(), name: 'Somebody else' });
    expect(answer.json()).toMatchObject({ status: 409, code: 'already_exists' });
    expect(await auditOf(world, answer)).toEqual([]);
  });

  it('creates one user when five requests with the same e-mail run concurrently', async () => {
    const body = { email: 'at-once@users.test', name: 'At once' };
    const answers = await runBehindLock(
      world,
      'lock table app_user in share row exclusive mode',
      Array.from({ length: 5 }, () => () => create(body)),
    );
    expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([201, 409, 409, 409, 409]);
    const { total } = (await world.call('GET', '/users?count=true&term=at-once@', { as: 'admin' })).json();
    expect(total).toBe(1);
  });
});

describe('GET /users', () => {
  const list = async (query: string) => (await world.call('GET', `/users?${query}`, { as: 'admin' })).json();
  const idsOf = (page: { data: User[] }) => page.data.map(({ id }) => id);

  it('finds users by part of name or e-mail, ignoring case and without wildcards', async () => {
    const crew = callers
      .filter((caller): caller is Exclude<Caller, 'admin'> => caller.startsWith('crew_'))
      .map((caller) => world.users[caller]);
    expect(idsOf(await list('term=CREW_'))).toEqual(crew);
    expect(idsOf(await list(`term=${world.emails.stranger}`))).toEqual([world.users.stranger]);
    for (const term of ['%25', 'crew%25admin', 'crew-', '%5C', "'", 'nobody has this'])
      expect(await list(`term=${term}`)).toEqual({ data: [], nextCursor: null });
  });

  it('returns each user once over all pages, and a total if count is true', async () => {
    const everybody = await list('pageSize=200&count=true');
    expect(everybody.total).toBe(everybody.data.length);
    expect(idsOf(everybody)).toEqual(expect.arrayContaining(Object.values(world.users)));
    const seen: number[] = [];
    let cursor = '';
    do {
      const page = await list(`pageSize=4${cursor}`);
      expect(page).not.toHaveProperty('total');
      seen.push(...idsOf(page));
      cursor = page.nextCursor === null ? '' : `&cursor=${page.nextCursor}`;
    } while (cursor !== '');
    expect(seen).toEqual(idsOf(everybody));
    expect((await list('pageSize=1&count=true&term=crew_')).total).toBe(5);
  });

  it('returns no password hash', async () => {
    const { data } = await list('pageSize=1');
    expect(Object.keys(data[0])).toEqual(['id', 'email', 'name', 'admin', 'disabled', 'createdAt', 'updatedAt']);
  });

  it('returns 400 for invalid query parameters', async () => {
    for (const query of ['pageSize=0', 'pageSize=201', 'cursor=x', 'count=2', `term=${'x'.repeat(101)}`, 'term=%00', 'term=a&term=b']) {
      expect(await list(query)).toMatchObject({ status: 400, code: 'invalid_input', errors: [{ in: 'query' }] });
    }
  });
});

describe('GET /users/{id}', () => {
  it('returns 200 with an ETag, and 304 if If-None-Match matches', async () => {
    const answer = await world.call('GET', `/users/${world.users.owner}`, { as: 'admin' });
    expect(answer.json()).toMatchObject({ id: world.users.owner, email: world.emails.owner, admin: false, disabled: false });
    const etag = String(answer.headers.etag);
    const again = await world.call('GET', `/users/${world.users.owner}`, { as: 'admin', headers: { 'if-none-match': etag } });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });

  it('/roles returns the roles with the names of producers and events, and 404 for an unknown user', async () => {
    const roles = async (id: number) => world.call('GET', `/users/${id}/roles`, { as: 'admin' });
    const producer = { id: world.producer, name: expect.any(String), role: 'owner' };
    expect((await roles(world.users.owner)).json()).toEqual({ producers: [producer], events: [] });
    const event = { id: world.event, title: 'first-event', role: 'sales_operator' };
    expect((await roles(world.users.crew_sales_operator)).json()).toEqual({ producers: [], events: [event] });
    expect((await roles(world.missing)).statusCode).toBe(404);
  });

  it('returns 404 for unknown and invalid ids', async () => {
    for (const id of [world.missing, 0, -1, '1.5', 'me', '9'.repeat(30), '%00']) {
      expect((await world.call('GET', `/users/${id}`, { as: 'admin' })).json()).toMatchObject({ status: 404, code: 'not_found' });
    }
  });

  it('returns 404 for other spellings of an id', async () => {
    const id = world.users.owner;
    for (const spelling of [`0x${id.toString(16)}`, `0${id}`, `${id}.0`, `${id}e0`, `+${id}`, `%20${id}`]) {
      expect([spelling, (await world.call('GET', `/users/${spelling}`, { as: 'admin' })).statusCode]).toEqual([spelling, 404]);
    }
  });
});

describe('PUT /users/{id}', () => {
  it('changes only the fields that are present', async () => {
    const before = await newUser({ password });
    world.now = later;
    const answer = await world.call('PUT', `/users/${before.id}`, {
      token: await adminToken(),
      body: { name: 'Renamed', email: 'Moved@Users.Test' },
    });
    expect(answer.statusCode).toBe(200);
    const after = { ...before, name: 'Renamed', email: 'moved@users.test', updatedAt: later.toISOString() };
    expect(answer.json()).toEqual(after);
    expect(await auditOf(world, answer)).toEqual([{ by: byAdmin(), operation: 'updateUser', on: `user ${before.id}`, before, after }]);
    expect((await login('moved@users.test', password)).statusCode).toBe(200);
    expect((await login(before.email, password)).statusCode).toBe(401);
  });

  it('ends all sessions when the password changes, and the old password no longer works', async () => {
    const before = await newUser({ password });
    const { accessToken, refreshToken } = (await login(before.email, password)).json();
    const answer = await update(before.id, { password: newPassword });
    expect(answer.json()).toEqual(before);
    const after = { ...before, password: 'changed' };
    expect(await auditOf(world, answer)).toEqual([{ by: byAdmin(), operation: 'updateUser', on: `user ${before.id}`, before, after }]);
    expect((await world.call('GET', '/auth/me', { token: accessToken })).statusCode).toBe(401);
    expect((await world.call('POST', '/auth/refresh', { body: { refreshToken } })).statusCode).toBe(401);
    expect((await login(before.email, password)).statusCode).toBe(401);
    expect((await login(before.email, newPassword)).statusCode).toBe(200);
  });

  it('ends all sessions when the user is disabled; they log in again after they are enabled', async () => {
    const before = await newUser({ password });
    const { accessToken, refreshToken } = (await login(before.email, password)).json();
    const out = async () => [
      (await world.call('GET', '/auth/me', { token: accessToken })).statusCode,
      (await world.call('POST', '/auth/refresh', { body: { refreshToken } })).statusCode,
    ];
    const answer = await update(before.id, { disabled: true });
    expect(answer.json()).toEqual({ ...before, disabled: true });
    expect(await auditOf(world, answer)).toMatchObject([
      { operation: 'updateUser', before: { disabled: false }, after: { disabled: true } },
    ]);
    expect(await out()).toEqual([401, 401]);
    expect((await login(before.email, password)).statusCode).toBe(401);
    expect((await update(before.id, { disabled: false })).json()).toEqual(before);
    expect(await out()).toEqual([401, 401]);
    expect((await login(before.email, password)).statusCode).toBe(200);
  });

  it('keeps the sessions when the name changes', async () => {
    const before = await newUser({ password });
    const { accessToken } = (await login(before.email, password)).json();
    await update(before.id, { name: 'Renamed', email: 'renamed@users.test' });
    expect((await world.call('GET', '/auth/me', { token: accessToken })).json()).toMatchObject({
      name: 'Renamed',
      email: 'renamed@users.test',
    });
  });

  it('returns 400 for an empty body and for invalid fields', async () => {
    const { id } = await newUser();
    const empty = await update(id, {});
    expect(empty.json()).toMatchObject({ status: 400, code: 'invalid_input', errors: [{ in: 'body', code: 'minProperties' }] });
    const wrong: [object, string[]][] = [
      [{ name: '' }, ['name']],
      [{ email: 'no address' }, ['email']],
      [{ password: 'short' }, ['password']],
      [{ admin: null }, ['admin']],
      [{ disabled: 1 }, ['disabled']],
      [{ name: 'Good', nmae: 'Typo' }, ['nmae']],
      [{ id: 1 }, ['id']],
    ];
    for (const [body, fields] of wrong) {
      const answer = await update(id, body);
      expect(answer.json()).toMatchObject({ status: 400, code: 'invalid_input' });
      expect(fieldsOf(answer)).toEqual(fields);
      expect(await auditOf(world, answer)).toEqual([]);
    }
  });

  it('returns 404 for an unknown user', async () => {
    expect((await update(world.missing, { name: 'Nobody' })).json()).toMatchObject({ status: 404, code: 'not_found' });
  });

  it('returns 409 if the e-mail belongs to another user', async () => {
    const { id, email } = await newUser();
    const answer = await update(id, { email: world.emails.owner.toUpperCase() });
    expect(answer.json()).toMatchObject({ status: 409, code: 'already_exists' });
    expect(await auditOf(world, answer)).toEqual([]);
    expect((await update(id, { email: email.toUpperCase() })).json()).toMatchObject({ email });
  });

  it('returns 412 when If-Match is stale', async () => {
    const { id } = await newUser();
    const etag = String((await world.call('GET', `/users/${id}`, { as: 'admin' })).headers.etag);
    expect((await update(id, { name: 'First' }, { 'if-match': etag })).statusCode).toBe(200);
    const answer = await update(id, { name: 'Second' }, { 'if-match': etag });
    expect(answer.json()).toMatchObject({ status: 412, code: 'stale_version' });
    expect(await auditOf(world, answer)).toEqual([]);
  });

  describe('the last admin', () => {
    const isActive = async (id: number) =>
      (
        await world.db
          .selectFrom('app_user')
          .selectAll()
          .where('id', '=', id)
          .where('admin', '=', true)
          .where('disabled_at', 'is', null)
          .execute()
      ).length === 1;

    /** Leaves only one admin. */
    async function demoteOthers(): Promise<void> {
      await world.db.updateTable('app_user').set({ admin: false }).where('id', '<>', world.users.admin).execute();
    }

    it('one of two admins can give up their own admin role', async () => {
      await demoteOthers();
      const { id, email } = await newUser({ admin: true, password });
      const { accessToken } = (await login(email, password)).json();
      const answer = await world.call('PUT', `/users/${id}`, { token: accessToken, body: { admin: false } });
      expect(answer.json()).toMatchObject({ id, admin: false });
      expect((await world.call('GET', '/users', { token: accessToken })).statusCode).toBe(403);
    });

    it('cannot lose the admin role or be disabled, even if there are disabled admins (422)', async () => {
      await demoteOthers();
      const { id } = await newUser({ admin: true });
      await update(id, { disabled: true });
      for (const [body, field] of [
        [{ admin: false }, 'admin'],
        [{ disabled: true }, 'disabled'],
        [{ admin: false, disabled: true }, 'disabled'],
      ] as const) {
        const answer = await update(world.users.admin, body);
        expect(answer.json()).toMatchObject({ status: 422, code: 'rule_violation', errors: [{ in: 'body', field, code: 'last_admin' }] });
        expect(await auditOf(world, answer)).toEqual([]);
      }
      expect((await update(id, { admin: false })).statusCode).toBe(200);
      expect((await update(world.users.admin, { name: 'admin', admin: true, disabled: false })).statusCode).toBe(200);
    });

    it('remains when two admins demote each other concurrently: one request gets 422', async () => {
      await demoteOthers();
      const { id, email } = await newUser({ admin: true, password });
      const { accessToken } = (await login(email, password)).json();
      const answers = await runBehindLock(world, `select from app_user where id in (${world.users.admin}, ${id}) for update`, [
        () => update(id, { admin: false }),
        () => world.call('PUT', `/users/${world.users.admin}`, { token: accessToken, body: { admin: false } }),
      ]);
      expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([200, 422]);
      expect([await isActive(id), await isActive(world.users.admin)].filter(Boolean)).toHaveLength(1);
      await world.db.updateTable('app_user').set({ admin: true }).where('id', '=', world.users.admin).execute();
    });

    it('remains when two admins demote themselves concurrently: one request gets 422', async () => {
      await demoteOthers();
      const { id, email } = await newUser({ admin: true, password });
      const { accessToken } = (await login(email, password)).json();
      const answers = await runBehindLock(world, `select from app_user where id in (${world.users.admin}, ${id}) for update`, [
        () => update(world.users.admin, { admin: false }),
        () => world.call('PUT', `/users/${id}`, { token: accessToken, body: { disabled: true } }),
      ]);
      expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([200, 422]);
      expect([await isActive(id), await isActive(world.users.admin)].filter(Boolean)).toHaveLength(1);
      await world.db.updateTable('app_user').set({ admin: true }).where('id', '=', world.users.admin).execute();
    });
  });
});

const adminToken = async (): Promise<string> => (await login(world.emails.admin, password)).json().accessToken;

describe('the audit log', () => {
  it('contains no password and no hash', async () => {
    expect(await leakedInto(world, [password, newPassword])).toEqual([]);
  });
});

describe('PUT /auth/me', () => {
  it('changes the name of the caller and nothing else, and is audited', async () => {
    const { id, email } = await newUser({ password });
    const token = (await login(email, password)).json().accessToken;
    const answer = await world.call('PUT', '/auth/me', { token, body: { name: 'New Name' } });
    expect(answer.json()).toEqual({ id, email, name: 'New Name', admin: false, producers: [], events: [] });
    expect(await auditOf(world, answer)).toMatchObject([
      { by: `user ${id}`, operation: 'updateMe', on: `user ${id}`, after: { name: 'New Name' } },
    ]);
    expect((await world.call('GET', `/users/${id}`, { as: 'admin' })).json()).toMatchObject({ name: 'New Name', email });
    const refused = await world.call('PUT', '/auth/me', { token, body: { name: 'New Name', email: 'other@users.test' } });
    expect(refused.json()).toMatchObject({ status: 400, code: 'invalid_input' });
  });
});
