import type { LightMyRequestResponse } from 'fastify';
import { decodeJwt } from 'jose';
import { afterEach, describe, expect, it } from 'vitest';
import { auditOf, leakedInto } from '../../test/audit.ts';
import { runBehindLock } from '../../test/behind-lock.ts';
import { useWorld } from '../../test/harness.ts';
import { type Caller, noon, password } from '../../test/world.ts';
import type { Login } from './contract.ts';

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

/** What a pair of tokens is still good for. Asking uses the refresh token up. */
async function worth({
  accessToken,
  refreshToken,
}: Pick<Login, 'accessToken' | 'refreshToken'>): Promise<{ access: number; refresh: number }> {
  const access = await world.call('GET', '/auth/me', { token: accessToken });
  const refreshed = await tryRefresh(refreshToken);
  return { access: access.statusCode, refresh: refreshed.statusCode };
}

const nothing = { access: 401, refresh: 401 };
const everything = { access: 200, refresh: 200 };

const statusesOf = (answers: readonly LightMyRequestResponse[]) => answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b);

/** A person whom no other test knows, with the password of everybody. */
async function newPerson(name: string): Promise<{ id: number; email: string }> {
  const answer = await world.call('POST', '/users', { as: 'admin', body: { email: `${name}@test.test`, name, password } });
  return answer.json();
}

const sessionOf = ({ accessToken }: Login): string => String(decodeJwt(accessToken)['sid']);

afterEach(() => {
  world.now = noon;
});

describe('refresh', () => {
  it('200: gives new tokens that work, of the same session', async () => {
    const first = await loginAs('owner');
    const answer = await tryRefresh(first.refreshToken);
    expect(answer.statusCode).toBe(200);
    const second: Login = answer.json();
    expect(second).toMatchObject({ expiresIn: 900, user: { id: world.users.owner, producers: [{ id: world.producer, role: 'owner' }] } });
    expect(second.accessToken).not.toBe(first.accessToken);
    expect(second.refreshToken).not.toBe(first.refreshToken);
    expect(sessionOf(second)).toBe(sessionOf(first));
    expect(await auditOf(world, answer)).toEqual([
      { by: 'anonymous', operation: 'refresh', on: `session ${sessionOf(first)}`, after: { refreshed: true } },
    ]);
    expect(await worth(second)).toEqual(everything);
  });

  it('200: goes on as long as the session lasts, and the access token of before stays good until it expires', async () => {
    const first = await loginAs('manager');
    let last = first;
    for (let i = 0; i < 5; i++) last = await refresh(last.refreshToken);
    expect((await world.call('GET', '/auth/me', { token: first.accessToken })).statusCode).toBe(200);
    world.now = new Date(noon.getTime() + 30 * days - 1);
    expect((await world.call('GET', '/auth/me', { token: first.accessToken })).statusCode).toBe(401);
    expect((await tryRefresh(last.refreshToken)).statusCode).toBe(200);
  });

  it('400: needs a refresh token and nothing else', async () => {
    const { accessToken, refreshToken } = await loginAs('owner');
    const bodies = [{}, { refreshToken: 7 }, { refreshToken: null }, { refreshToken: accessToken }, { refreshToken, userId: 1 }, []];
    for (const body of bodies)
      expect((await world.call('POST', '/auth/refresh', { body })).json()).toMatchObject({ status: 400, code: 'invalid_input' });
    const answer = await world.call('POST', '/auth/refresh', { body: { refreshToken, userId: 1 } });
    expect(answer.json().errors).toMatchObject([{ in: 'body', field: 'userId', code: 'unknown' }]);
    expect((await tryRefresh(refreshToken)).statusCode).toBe(200);
  });

  it('401: refuses what it never gave', async () => {
    const { refreshToken } = await loginAs('owner');
    for (const wrong of ['', 'x', refreshToken.slice(1), `${refreshToken}A`, refreshToken.toLowerCase(), ` ${refreshToken}`]) {
      const answer = await tryRefresh(wrong);
      expect(answer.json()).toMatchObject({ status: 401, code: 'invalid_refresh_token' });
      expect(await auditOf(world, answer)).toEqual([]);
    }
    expect((await tryRefresh(refreshToken)).statusCode).toBe(200);
  });

  it('401: used twice ends the whole session, and no other one', async () => {
    const [first, elsewhere] = [await loginAs('owner'), await loginAs('owner')];
    const second = await refresh(first.refreshToken);
    const third = await refresh(second.refreshToken);
    const again = await tryRefresh(first.refreshToken);
    expect(again.json()).toMatchObject({ status: 401, code: 'invalid_refresh_token' });
    expect(await auditOf(world, again)).toEqual([
      { by: 'anonymous', operation: 'refresh', on: `session ${sessionOf(first)}`, after: { revoked: 'refresh token used twice' } },
    ]);
    for (const tokens of [first, second, third]) expect(await worth(tokens)).toEqual(nothing);
    expect(await worth(elsewhere)).toEqual(everything);
  });

  it('401: an ended session is not ended a second time', async () => {
    const first = await loginAs('owner');
    await refresh(first.refreshToken);
    await tryRefresh(first.refreshToken);
    const again = await tryRefresh(first.refreshToken);
    expect(again.statusCode).toBe(401);
    expect(await auditOf(world, again)).toEqual([]);
  });

  it('401: of two at once exactly one wins, and the session is ended', async () => {
    const first = await loginAs('owner');
    const answers = await runBehindLock(world, `select from auth_session where id = '${sessionOf(first)}' for update`, [
      () => tryRefresh(first.refreshToken),
      () => tryRefresh(first.refreshToken),
    ]);
    expect(statusesOf(answers)).toEqual([200, 401]);
    const won: Login | undefined = answers.find(({ statusCode }) => statusCode === 200)?.json();
    expect(won && (await worth(won))).toEqual(nothing);
    expect(await worth(first)).toEqual(nothing);
  });

  it('401: of twenty at once exactly one wins, and the session is ended', async () => {
    const first = await loginAs('owner');
    const answers = await Promise.all(Array.from({ length: 20 }, () => tryRefresh(first.refreshToken)));
    expect(statusesOf(answers)).toEqual([200, ...Array<number>(19).fill(401)]);
    const won: Login | undefined = answers.find(({ statusCode }) => statusCode === 200)?.json();
    expect(won && (await worth(won))).toEqual(nothing);
  });

  it('401: a session ends after thirty days however often it was refreshed, its last access token too', async () => {
    const first = await loginAs('owner');
    world.now = new Date(noon.getTime() + 30 * days - 60_000);
    const last = await refresh(first.refreshToken);
    expect((await world.call('GET', '/auth/me', { token: last.accessToken })).statusCode).toBe(200);
    world.now = new Date(noon.getTime() + 30 * days);
    expect(await worth(last)).toEqual(nothing);
  });

  it('401: a person who was disabled, also after they are enabled again', async () => {
    const { id, email } = await newPerson('disabled');
    const tokens = await login(email);
    expect((await world.call('PUT', `/users/${id}`, { as: 'admin', body: { disabled: true } })).statusCode).toBe(200);
    expect(await worth(tokens)).toEqual(nothing);
    expect((await tryLogin(email)).statusCode).toBe(401);
    await world.call('PUT', `/users/${id}`, { as: 'admin', body: { disabled: false } });
    expect(await worth(tokens)).toEqual(nothing);
    expect(await worth(await login(email))).toEqual(everything);
  });

  it('401: a disabled person whose session was left open', async () => {
    const { id, email } = await newPerson('left-open');
    const tokens = await login(email);
    await world.db.updateTable('app_user').set({ disabled_at: noon }).where('id', '=', id).execute();
    expect(await worth(tokens)).toEqual(nothing);
    await world.db.updateTable('app_user').set({ disabled_at: null }).where('id', '=', id).execute();
    expect(await worth(tokens)).toEqual(everything);
  });
});

describe('logout', () => {
  it('204: ends access and refresh token at once, and those of no other session', async () => {
    const [here, elsewhere] = [await loginAs('owner'), await loginAs('owner')];
    const answer = await world.call('POST', '/auth/logout', { token: here.accessToken });
    expect(answer.statusCode).toBe(204);
    expect(answer.body).toBe('');
    expect(await auditOf(world, answer)).toEqual([
      { by: `user ${world.users.owner}`, operation: 'logout', on: `session ${sessionOf(here)}`, after: { revoked: 'logged out' } },
    ]);
    expect(await worth(here)).toEqual(nothing);
    expect(await worth(elsewhere)).toEqual(everything);
  });

  it('204: ends every token that the session ever gave', async () => {
    const first = await loginAs('owner');
    const second = await refresh(first.refreshToken);
    expect((await world.call('POST', '/auth/logout', { token: first.accessToken })).statusCode).toBe(204);
    for (const tokens of [second, first]) expect(await worth(tokens)).toEqual(nothing);
  });

  it('204: while the session is being refreshed, the new tokens are ended too', async () => {
    const first = await loginAs('owner');
    const [refreshed, loggedOut] = await runBehindLock(world, `select from auth_session where id = '${sessionOf(first)}' for update`, [
      () => tryRefresh(first.refreshToken),
      () => world.call('POST', '/auth/logout', { token: first.accessToken }),
    ]);
    expect([refreshed?.statusCode, loggedOut?.statusCode]).toEqual([200, 204]);
    expect(refreshed && (await worth(refreshed.json()))).toEqual(nothing);
  });

  it('401: without a session, and twice', async () => {
    expect((await world.call('POST', '/auth/logout')).json()).toMatchObject({ status: 401, code: 'not_authenticated' });
    const { accessToken } = await loginAs('owner');
    await world.call('POST', '/auth/logout', { token: accessToken });
    const again = await world.call('POST', '/auth/logout', { token: accessToken });
    expect(again.json()).toMatchObject({ status: 401, code: 'invalid_token' });
    expect(await auditOf(world, again)).toEqual([]);
  });
});

describe('changePassword', () => {
  const newPassword = 'another password, as long';
  const change = (token: string, body: object) => world.call('PUT', '/auth/password', { token, body });

  it('204: ends the other sessions, keeps this one, and the old password no longer logs in', async () => {
    const { id, email } = await newPerson('changes');
    const [here, elsewhere] = [await login(email), await login(email)];
    const answer = await change(here.accessToken, { currentPassword: password, newPassword });
    expect(answer.statusCode).toBe(204);
    expect(await auditOf(world, answer)).toEqual([
      { by: `user ${id}`, operation: 'changePassword', on: `user ${id}`, after: { password: 'changed' } },
    ]);
    expect(await worth(elsewhere)).toEqual(nothing);
    expect(await worth(here)).toEqual(everything);
    expect((await tryLogin(email, password)).statusCode).toBe(401);
    expect(await worth(await login(email, newPassword))).toEqual(everything);
  });

  it('204: of two at once exactly one wins', async () => {
    const { id, email } = await newPerson('changes-twice');
    const { accessToken } = await login(email);
    const answers = await runBehindLock(world, `select from app_user where id = ${id} for update`, [
      () => change(accessToken, { currentPassword: password, newPassword }),
      () => change(accessToken, { currentPassword: password, newPassword: 'a third one, as long' }),
    ]);
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([204, 401]);
    expect((await tryLogin(email, newPassword)).statusCode).toBe(200);
  });

  it('204: a log-in with the old password that is under way does not outlive it', async () => {
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

  it('400: a short password, a long one, a missing one, an unknown field', async () => {
    const { accessToken } = await loginAs('stranger');
    const fieldOf = async (body: object) => (await change(accessToken, body)).json().errors?.[0].field;
    expect(await fieldOf({ currentPassword: password, newPassword: 'too short' })).toBe('newPassword');
    expect(await fieldOf({ currentPassword: password, newPassword: 'x'.repeat(201) })).toBe('newPassword');
    expect(await fieldOf({ currentPassword: password })).toBe('newPassword');
    expect(await fieldOf({ newPassword })).toBe('currentPassword');
    expect(await fieldOf({ currentPassword: password, newPassword, userId: world.users.admin })).toBe('userId');
    expect((await change(accessToken, {})).statusCode).toBe(400);
  });

  it('401: a wrong current password changes nothing', async () => {
    const { email } = await newPerson('mistaken');
    const [here, elsewhere] = [await login(email), await login(email)];
    const answer = await change(here.accessToken, { currentPassword: newPassword, newPassword });
    expect(answer.json()).toMatchObject({ status: 401, code: 'invalid_credentials' });
    expect(await auditOf(world, answer)).toEqual([]);
    for (const tokens of [here, elsewhere]) expect(await worth(tokens)).toEqual(everything);
    expect((await tryLogin(email, newPassword)).statusCode).toBe(401);
    expect((await tryLogin(email)).statusCode).toBe(200);
  });

  it('401: nobody in particular', async () => {
    const answer = await world.call('PUT', '/auth/password', { body: { currentPassword: password, newPassword } });
    expect(answer.json()).toMatchObject({ status: 401, code: 'not_authenticated' });
  });
});

describe('the audit log', () => {
  it('has no password, hash or token of any of this', async () => {
    expect(secrets.length).toBeGreaterThan(50);
    expect(await leakedInto(world, secrets)).toEqual([]);
  });
});
