import { describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { noon, password } from '../../test/world.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { forgetOldKeys } from './idempotency.ts';

const world = useWorld();

const createToken = (key: string, name = 'Mine', as: 'owner' | 'manager' = 'owner') =>
  world.call('POST', '/auth/tokens', { as, body: { name, permissions: ['crew.read'] }, headers: { 'idempotency-key': key } });

const countTokens = async (name: string) => {
  const tokens = await world.db.selectFrom('api_token').select('id').where('name', '=', name).execute();
  return tokens.length;
};

describe('Idempotency-Key', () => {
  it('POST /auth/tokens with the same key returns the stored response and creates nothing', async () => {
    const first = await createToken('once', 'Once');
    const second = await createToken('once', 'Once');
    expect([first.statusCode, first.headers['idempotency-replayed']]).toEqual([201, undefined]);
    expect([second.statusCode, second.headers['idempotency-replayed']]).toEqual([201, 'true']);
    expect(second.body).toBe(first.body);
    expect(await countTokens('Once')).toBe(1);
  });

  it('20 concurrent requests with the same key get the same response and create one token', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => createToken('at-once', 'At once')));
    expect(new Set(answers.map(({ statusCode, body }) => `${statusCode} ${body}`)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers['idempotency-replayed'] === 'true')).toHaveLength(19);
    expect(await countTokens('At once')).toBe(1);
  });

  it('two callers can use the same key for different requests', async () => {
    const mine = await createToken('shared', 'Shared', 'owner');
    const theirs = await createToken('shared', 'Shared', 'manager');
    expect([mine.statusCode, theirs.statusCode]).toEqual([201, 201]);
    expect(theirs.json().id).not.toBe(mine.json().id);
  });

  it('replays a stored 409, even if the request would succeed now', async () => {
    const body = { email: 'later@test.test', name: 'Later' };
    await world.call('POST', '/users', { as: 'admin', body });
    const create = () => world.call('POST', '/users', { as: 'admin', body, headers: { 'idempotency-key': 'refused' } });
    expect((await create()).statusCode).toBe(409);
    await world.db.updateTable('app_user').set({ email: 'moved@test.test' }).where('email', '=', 'later@test.test').execute();
    const replay = await create();
    expect([replay.statusCode, replay.headers['idempotency-replayed']]).toEqual([409, 'true']);
    expect(replay.headers['content-type']).toContain('application/problem+json');
  });

  it('a request that fails with 400 before the handler does not use up the key', async () => {
    const headers = { 'idempotency-key': 'free' };
    expect((await world.call('POST', '/users', { as: 'admin', body: { nonsense: 1 }, headers })).statusCode).toBe(400);
    expect((await world.call('POST', '/users', { as: 'admin', body: { email: 'free@test.test', name: 'Free' }, headers })).statusCode).toBe(
      201,
    );
  });

  it('returns 400 for a key that is empty, too long or not ASCII', async () => {
    for (const key of [' ', 'x'.repeat(256), 'ключ'.normalize(), 'a b']) {
      expect((await createToken(key)).statusCode).toBe(400);
    }
  });

  it('returns 422 when the key was used for another request', async () => {
    await createToken('taken', 'One');
    const other = await createToken('taken', 'Two');
    expect([other.statusCode, other.json().code]).toEqual([422, 'idempotency_key_reused']);
    const otherPath = await world.call('POST', '/auth/logout', { as: 'owner', headers: { 'idempotency-key': 'taken' } });
    expect(otherPath.statusCode).toBe(422);
    expect(await countTokens('Two')).toBe(0);
  });

  it('POST /auth/refresh can be retried with the same key without ending the session', async () => {
    const { refreshToken } = (await world.call('POST', '/auth/login', { body: { email: world.emails.stranger, password } })).json();
    const refresh = () => world.call('POST', '/auth/refresh', { body: { refreshToken }, headers: { 'idempotency-key': 'retry' } });
    const [first, second] = [await refresh(), await refresh()];
    expect([first.statusCode, second.statusCode]).toEqual([200, 200]);
    expect(second.json().refreshToken).toBe(first.json().refreshToken);
    expect((await world.call('GET', '/auth/me', { token: second.json().accessToken })).statusCode).toBe(200);
  });

  it('the table contains neither keys nor responses in plain text', async () => {
    const { token } = (await createToken('a-secret-key', 'Sealed')).json();
    const rows = await world.db.selectFrom('idempotency_key').selectAll().execute();
    const everything = rows.map(({ key_hash, answer }) => `${key_hash.toString('latin1')} ${answer?.toString('latin1')}`).join();
    expect(everything).not.toContain('a-secret-key');
    expect(everything).not.toContain(token);
    expect(everything).not.toContain('Sealed');
  });

  it('keys are deleted after seven days', async () => {
    await createToken('old', 'Old');
    const forget = (days: number) =>
      inTransaction(world.db, {}, (tx) => forgetOldKeys(tx, new Date(noon.getTime() + days * 86_400_000 + 1)));
    expect(await forget(6.9)).toBe(0);
    expect(await forget(7)).toBeGreaterThan(0);
    expect((await createToken('old', 'Old')).headers['idempotency-replayed']).toBeUndefined();
  });
});
