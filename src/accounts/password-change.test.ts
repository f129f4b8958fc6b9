import { describe, expect, it } from 'vitest';
import { auditOf } from '../../test/audit.ts';
import { runBehindLock } from '../../test/behind-lock.ts';
import { useWorld } from '../../test/harness.ts';
import { password } from '../../test/world.ts';
import type { IssuedLogin as Login } from './session.ts';

const world = useWorld();

const newPassword = 'another password, as long';

const login = async (email: string): Promise<Login> => (await world.call('POST', '/auth/login', { body: { email, password } })).json();
const createToken = (accessToken: string, name = 'Mine') =>
  world.call('POST', '/auth/tokens', { token: accessToken, body: { name, permissions: ['crew.read'] } });
const change = (accessToken: string, body: object) => world.call('PUT', '/auth/password', { token: accessToken, body });
const statusOf = async (token: string) => (await world.call('GET', '/auth/me', { token })).statusCode;
const refreshStatus = async ({ refreshToken }: Login) => (await world.call('POST', '/auth/refresh', { body: { refreshToken } })).statusCode;

/** Creates a user with two sessions and an API token. */
async function newPerson(name: string) {
  const { id, email } = (await world.call('POST', '/users', { as: 'admin', body: { email: `${name}@test.test`, name, password } })).json();
  const [here, elsewhere] = [await login(email), await login(email)];
  const { id: tokenId, token: api } = (await createToken(here.accessToken)).json();
  return { id, here, elsewhere, tokenId, api };
}

describe('PUT /auth/password', () => {
  it('revokes my API tokens and my other sessions, and my own session continues', async () => {
    const { id, here, elsewhere, tokenId, api } = await newPerson('changes');
    const response = await change(here.accessToken, { currentPassword: password, newPassword });
    expect(response.statusCode).toBe(204);
    expect([await statusOf(api), await statusOf(elsewhere.accessToken), await refreshStatus(elsewhere)]).toEqual([401, 401, 401]);
    expect([await statusOf(here.accessToken), await refreshStatus(here)]).toEqual([200, 200]);
    expect(await auditOf(world, response)).toEqual([
      { by: `user ${id}`, operation: 'changePassword', on: `user ${id}`, after: { password: 'changed', revokedApiTokens: [tokenId] } },
    ]);
  });

  it('keeps my API tokens with keepTokens, and still ends my other sessions', async () => {
    const { here, elsewhere, api } = await newPerson('keeps');
    await change(here.accessToken, { currentPassword: password, newPassword, keepTokens: true });
    expect([await statusOf(api), await statusOf(elsewhere.accessToken), await refreshStatus(elsewhere)]).toEqual([200, 401, 401]);
    expect([await statusOf(here.accessToken), await refreshStatus(here)]).toEqual([200, 200]);
  });

  it('revokes nothing when the current password is wrong', async () => {
    const { here, elsewhere, api } = await newPerson('mistaken');
    expect((await change(here.accessToken, { currentPassword: newPassword, newPassword })).statusCode).toBe(401);
    expect([await statusOf(api), await refreshStatus(elsewhere)]).toEqual([200, 200]);
  });

  it('returns 401 when another session creates an API token while the password changes', async () => {
    const { id, here, elsewhere } = await newPerson('overtaken');
    const [changed, created] = await runBehindLock(world, `select from app_user where id = ${id} for update`, [
      () => change(here.accessToken, { currentPassword: password, newPassword }),
      () => createToken(elsewhere.accessToken, 'Too late'),
    ]);
    expect([changed?.statusCode, created?.statusCode]).toEqual([204, 401]);
    const open = await world.db.selectFrom('api_token').select('name').where('user_id', '=', id).where('revoked_at', 'is', null).execute();
    expect(open).toEqual([]);
  });
});

describe('PUT /users/{id}', () => {
  const update = (id: number, body: object) => world.call('PUT', `/users/${id}`, { as: 'admin', body });

  it('revokes all sessions and API tokens of the user when it sets a password', async () => {
    const { id, here, tokenId, api } = await newPerson('reset');
    const response = await update(id, { password: newPassword });
    expect(response.statusCode).toBe(200);
    expect([await statusOf(api), await statusOf(here.accessToken), await refreshStatus(here)]).toEqual([401, 401, 401]);
    expect(await auditOf(world, response)).toMatchObject([{ after: { password: 'changed', revokedApiTokens: [tokenId] } }]);
  });

  it('keeps the API tokens with keepTokens', async () => {
    const { id, here, api } = await newPerson('reset-keeps');
    expect((await update(id, { password: newPassword, keepTokens: true })).statusCode).toBe(200);
    expect([await statusOf(api), await statusOf(here.accessToken), await refreshStatus(here)]).toEqual([200, 401, 401]);
  });

  it('keeps API tokens and sessions when it changes other fields', async () => {
    const { id, here, api } = await newPerson('renamed');
    expect((await update(id, { name: 'Renamed' })).statusCode).toBe(200);
    expect([await statusOf(api), await refreshStatus(here)]).toEqual([200, 200]);
  });

  it('returns 422 for keepTokens without a password', async () => {
    const { id } = await newPerson('no-password');
    expect((await update(id, { keepTokens: true })).json()).toMatchObject({ status: 422, errors: [{ field: 'keepTokens' }] });
  });
});
