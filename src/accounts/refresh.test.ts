import type { LightMyRequestResponse } from 'fastify';
import { decodeJwt } from 'jose';
import { afterEach, describe, expect, it } from 'vitest';
import { auditOf, leakedInto } from '../../test/audit.ts';
import { runBehindLock } from '../../test/behind-lock.ts';
import { useWorld } from '../../test/harness.ts';
import { type Caller, noon, password } from '../../test/world.ts';
import type { IssuedLogin as Login } from './session.ts';

const world = useWorld();

const days = 86_400_000;
const secrets: string[] = [password];

const tryLogin = (email: string, secret = password) => world.call('POST', '/auth/login', { body: { email, password: secret } });

async function login(email: string, secret = password): Promise<Login> {
  const tokens: Login = (await tryLogin(email, secret)).json();
  secrets.push(secret, tokens.accessToken, tokens.refreshToken);
  return tokens;
}

const loginAs = (caller: Caller) => login(world.emails[caller]);

const tryRefresh = (refreshToken: string) => world.call('POST', '/auth/refresh', { body: { refreshToken } });

async function refresh(refreshToken: string): Promise<Login> {
  const tokens: Login = (await tryRefresh(refreshToken)).json();
  secrets.push(tokens.accessToken, tokens.refreshToken);
  return tokens;
}

/** Sends one request with each token and returns the two statuses. The refresh token cannot be used again after that. */
async function statusesWith({
  accessToken,
  refreshToken,
}: Pick<Login, 'accessToken' | 'refreshToken'>): Promise<{ access: number; refresh: number }> {
  const access = await world.call('GET', '/auth/me', { token: accessToken });
  const refreshed = await tryRefresh(refreshToken);
  return { access: access.statusCode, refresh: refreshed.statusCode };
}

const bothRevoked = { access: 401, refresh: 401 };
const bothValid = { access: 200, refresh: 200 };

const statusesOf = (answers: readonly LightMyRequestResponse[]) => answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b);

/** Creates a user that no other test uses, with the common test password. */
async function newPerson(name: string): Promise<{ id: number; email: string }> {
  const answer = await world.call('POST', '/users', { as: 'admin', body: { email: `${name}@test.test`, name, password } });
  return answer.json();
}

const sessionOf = ({ accessToken }: Login): string => String(decodeJwt(accessToken)['sid']);

afterEach(() => {
  world.now = noon;
});

describe('POST /auth/refresh', () => {
  it('returns new tokens of the same session', async () => {
    const first = await loginAs('owner');
    const answer = await tryRefresh(first.refreshToken);
    expect(answer.statusCode).toBe(200);
    const second: Login = answer.json();
    expect(second).toMatchObject({ expiresIn: 900, user: { id: world.users.owner, producers: [{ id: world.producer, role: 'owner' }] } });
    expect(second.accessToken).not.toBe(first.accessToken);
    expect(second.refreshToken).not.toBe(first.refreshToken);
    expect(sessionOf(second)).toBe(sessionOf(first));
    expect(await auditOf(world, answer)).toEqual([
      { by: 'anonymous', operation: 'refresh', on: `login_session ${sessionOf(first)}`, after: { refreshed: true } },
    ]);
    expect(await statusesWith(second)).toEqual(bothValid);
  });

  it('works repeatedly, and earlier access tokens stay valid until they expire', async () => {
    const first = await loginAs('manager');
    let last = first;
    for (let i = 0; i < 5; i++) last = await refresh(last.refreshToken);
    expect((await world.call('GET', '/auth/me', { token: first.accessToken })).statusCode).toBe(200);
    world.now = new Date(noon.getTime() + 30 * days - 1);
    expect((await world.call('GET', '/auth/me', { token: first.accessToken })).statusCode).toBe(401);
    expect((await tryRefresh(last.refreshToken)).statusCode).toBe(200);
  });

  it('returns 400 for a missing refresh token and for other fields', async () => {
    const { accessToken, refreshToken } = await loginAs('owner');
    const bodies = [{}, { refreshToken: 7 }, { refreshToken: null }, { refreshToken: accessToken }, { refreshToken, userId: 1 }, []];
    for (const body of bodies)
      expect((await world.call('POST', '/auth/refresh', { body })).json()).toMatchObject({ status: 400, code: 'invalid_input' });
    const answer = await world.call('POST', '/auth/refresh', { body: { refreshToken, userId: 1 } });
    expect(answer.json().errors).toMatchObject([{ in: 'body', field: 'userId', code: 'unknown' }]);
    expect((await tryRefresh(refreshToken)).statusCode).toBe(200);
  });

  it('returns 401 for unknown refresh tokens', async () => {
    const { refreshToken } = await loginAs('owner');
    for (const wrong of ['', 'x', refreshToken.slice(1), `${refreshToken}A`, refreshToken.toLowerCase(), ` ${refreshToken}`]) {
      const answer = await tryRefresh(wrong);
      expect(answer.json()).toMatchObject({ status: 401, code: 'invalid_refresh_token' });
      expect(await auditOf(world, answer)).toEqual([]);
    }
    expect((await tryRefresh(refreshToken)).statusCode).toBe(200);
  });

  it('returns 401 for a used refresh token and revokes its session, and no other session', async () => {
    const [first, elsewhere] = [await loginAs('owner'), await loginAs('owner')];
    const second = await refresh(first.refreshToken);
    const third = await refresh(second.refreshToken);
    const again = await tryRefresh(first.refreshToken);
    expect(again.json()).toMatchObject({ status: 401, code: 'invalid_refresh_token' });
    expect(await auditOf(world, again)).toEqual([
      { by: 'anonymous', operation: 'refresh', on: `login_session ${sessionOf(first)}`, after: { revoked: 'refresh token used twice' } },
    ]);
    for (const tokens of [first, second, third]) expect(await statusesWith(tokens)).toEqual(bothRevoked);
    expect(await statusesWith(elsewhere)).toEqual(bothValid);
  });

  it('does not record a second revocation of the same session', async () => {
    const first = await loginAs('owner');
    await refresh(first.refreshToken);
    await tryRefresh(first.refreshToken);
    const again = await tryRefresh(first.refreshToken);
    expect(again.statusCode).toBe(401);
    expect(await auditOf(world, again)).toEqual([]);
  });

  it('returns 200 to one of two concurrent uses of a token and revokes the session', async () => {
    const first = await loginAs('owner');
    const answers = await runBehindLock(world, `select from auth_session where id = '${sessionOf(first)}' for update`, [
      () => tryRefresh(first.refreshToken),
      () => tryRefresh(first.refreshToken),
    ]);
    expect(statusesOf(answers)).toEqual([200, 401]);
    const won: Login | undefined = answers.find(({ statusCode }) => statusCode === 200)?.json();
    expect(won && (await statusesWith(won))).toEqual(bothRevoked);
    expect(await statusesWith(first)).toEqual(bothRevoked);
  });

  it('returns 200 to one of twenty concurrent uses of a token and revokes the session', async () => {
    const first = await loginAs('owner');
    const answers = await Promise.all(Array.from({ length: 20 }, () => tryRefresh(first.refreshToken)));
    expect(statusesOf(answers)).toEqual([200, ...Array<number>(19).fill(401)]);
    const won: Login | undefined = answers.find(({ statusCode }) => statusCode === 200)?.json();
    expect(won && (await statusesWith(won))).toEqual(bothRevoked);
  });

  it('returns 401 thirty days after the log-in, even for the last access token', async () => {
    const first = await loginAs('owner');
    world.now = new Date(noon.getTime() + 30 * days - 60_000);
    const last = await refresh(first.refreshToken);
    expect((await world.call('GET', '/auth/me', { token: last.accessToken })).statusCode).toBe(200);
    world.now = new Date(noon.getTime() + 30 * days);
    expect(await statusesWith(last)).toEqual(bothRevoked);
  });

  it('returns 401 after the user was disabled, even when they are enabled again', async () => {
    const { id, email } = await newPerson('disabled');
    const tokens = await login(email);
    expect((await world.call('PUT', `/users/${id}`, { as: 'admin', body: { disabled: true } })).statusCode).toBe(200);
    expect(await statusesWith(tokens)).toEqual(bothRevoked);
    expect((await tryLogin(email)).statusCode).toBe(401);
    await world.call('PUT', `/users/${id}`, { as: 'admin', body: { disabled: false } });
    expect(await statusesWith(tokens)).toEqual(bothRevoked);
    expect(await statusesWith(await login(email))).toEqual(bothValid);
  });

  it('returns 401 to a disabled user whose session was not revoked', async () => {
    const { id, email } = await newPerson('left-open');
    const tokens = await login(email);
    await world.db.updateTable('app_user').set({ disabled_at: noon }).where('id', '=', id).execute();
    expect(await statusesWith(tokens)).toEqual(bothRevoked);
    await world.db.updateTable('app_user').set({ disabled_at: null }).where('id', '=', id).execute();
    expect(await statusesWith(tokens)).toEqual(bothValid);
  });
});

describe('POST /auth/logout', () => {
  it('revokes the access and refresh token of this session only', async () => {
    const [here, elsewhere] = [await loginAs('owner'), await loginAs('owner')];
    const answer = await world.call('POST', '/auth/logout', { token: here.accessToken });
    expect(answer.statusCode).toBe(204);
    expect(answer.body).toBe('');
    expect(await auditOf(world, answer)).toEqual([
      { by: `user ${world.users.owner}`, operation: 'logout', on: `login_session ${sessionOf(here)}`, after: { revoked: 'logged out' } },
    ]);
    expect(await statusesWith(here)).toEqual(bothRevoked);
    expect(await statusesWith(elsewhere)).toEqual(bothValid);
  });

  it('revokes all earlier tokens of the session', async () => {
    const first = await loginAs('owner');
    const second = await refresh(first.refreshToken);
    expect((await world.call('POST', '/auth/logout', { token: first.accessToken })).statusCode).toBe(204);
    for (const tokens of [second, first]) expect(await statusesWith(tokens)).toEqual(bothRevoked);
  });

  it('revokes the tokens of a concurrent refresh too', async () => {
    const first = await loginAs('owner');
    const [refreshed, loggedOut] = await runBehindLock(world, `select from auth_session where id = '${sessionOf(first)}' for update`, [
      () => tryRefresh(first.refreshToken),
      () => world.call('POST', '/auth/logout', { token: first.accessToken }),
    ]);
    expect([refreshed?.statusCode, loggedOut?.statusCode]).toEqual([200, 204]);
    expect(refreshed && (await statusesWith(refreshed.json()))).toEqual(bothRevoked);
  });

  it('returns 401 without a session, and for the second log-out', async () => {
    expect((await world.call('POST', '/auth/logout')).json()).toMatchObject({ status: 401, code: 'not_authenticated' });
    const { accessToken } = await loginAs('owner');
    await world.call('POST', '/auth/logout', { token: accessToken });
    const again = await world.call('POST', '/auth/logout', { token: accessToken });
    expect(again.json()).toMatchObject({ status: 401, code: 'invalid_token' });
    expect(await auditOf(world, again)).toEqual([]);
  });
});

describe('PUT /auth/password', () => {
  const newPassword = 'another password, as long';
  const change = (token: string, body: object) => world.call('PUT', '/auth/password', { token, body });

  it('revokes the other sessions, keeps this one, and the old password no longer works', async () => {
    const { id, email } = await newPerson('changes');
    const [here, elsewhere] = [await login(email), await login(email)];
    const answer = await change(here.accessToken, { currentPassword: password, newPassword });
    expect(answer.statusCode).toBe(204);
    expect(await auditOf(world, answer)).toEqual([
      { by: `user ${id}`, operation: 'changePassword', on: `user ${id}`, after: { password: 'changed' } },
    ]);
    expect(await statusesWith(elsewhere)).toEqual(bothRevoked);
    expect(await statusesWith(here)).toEqual(bothValid);
    expect((await tryLogin(email, password)).statusCode).toBe(401);
    expect(await statusesWith(await login(email, newPassword))).toEqual(bothValid);
  });

  it('succeeds for one of two concurrent requests', async () => {
    const { id, email } = await newPerson('changes-twice');
    const { accessToken } = await login(email);
    const answers = await runBehindLock(world, `select from app_user where id = ${id} for update`, [
      () => change(accessToken, { currentPassword: password, newPassword }),
      () => change(accessToken, { currentPassword: password, newPassword: 'a third one, as long' }),
    ]);
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([204, 401]);
    expect((await tryLogin(email, newPassword)).statusCode).toBe(200);
  });

  it('revokes the session of a concurrent log-in with the old password', async () => {
    const { id, email } = await newPerson('under-way');
    const { accessToken } = await login(email);
    const [changed, entered] = await runBehindLock(world, `select from app_user where id = ${id} for update`, [
      () => change(accessToken, { currentPassword: password, newPassword }),
      () => tryLogin(email),
    ]);
    expect(changed?.statusCode).toBe(204);
    const me = await world.call('GET', '/auth/me', { token: entered?.json().accessToken ?? 'none' });
    expect(me.statusCode).toBe(401);
  });

  it('returns 400 for a short, long or missing password and for an unknown field', async () => {
    const { accessToken } = await loginAs('stranger');
    const fieldOf = async (body: object) => (await change(accessToken, body)).json().errors?.[0].field;
    expect(await fieldOf({ currentPassword: password, newPassword: 'too short' })).toBe('newPassword');
    expect(await fieldOf({ currentPassword: password, newPassword: 'x'.repeat(201) })).toBe('newPassword');
    expect(await fieldOf({ currentPassword: password })).toBe('newPassword');
    expect(await fieldOf({ newPassword })).toBe('currentPassword');
    expect(await fieldOf({ currentPassword: password, newPassword, userId: world.users.admin })).toBe('userId');
    expect((await change(accessToken, {})).statusCode).toBe(400);
  });

  it('returns 401 for a wrong current password and changes nothing', async () => {
    const { email } = await newPerson('mistaken');
    const [here, elsewhere] = [await login(email), await login(email)];
    const answer = await change(here.accessToken, { currentPassword: newPassword, newPassword });
    expect(answer.json()).toMatchObject({ status: 401, code: 'invalid_credentials' });
    expect(await auditOf(world, answer)).toEqual([]);
    for (const tokens of [here, elsewhere]) expect(await statusesWith(tokens)).toEqual(bothValid);
    expect((await tryLogin(email, newPassword)).statusCode).toBe(401);
    expect((await tryLogin(email)).statusCode).toBe(200);
  });

  it('returns 401 without an access token', async () => {
    const answer = await world.call('PUT', '/auth/password', { body: { currentPassword: password, newPassword } });
    expect(answer.json()).toMatchObject({ status: 401, code: 'not_authenticated' });
  });
});

describe('the audit log', () => {
  it('contains no password, hash or token', async () => {
    expect(secrets.length).toBeGreaterThan(50);
    expect(await leakedInto(world, secrets)).toEqual([]);
  });
});
