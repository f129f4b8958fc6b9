import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { testConfig } from '../../test/test-config.ts';
import { password } from '../../test/world.ts';
import { type App, createApp } from '../app.ts';

const world = useWorld();
const lines: string[] = [];
let app: App;

beforeAll(async () => {
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(...chunk.toString().trim().split('\n'));
      done();
    },
  });
  app = await createApp(testConfig({ LOG_LEVEL: 'trace' }), { db: world.db, clock: () => world.now, logTo: stream });
});
afterAll(() => app.close());

describe('the log', () => {
  it('has one line per request with its id, operation, status and user', async () => {
    const answer = await app.inject({ url: '/v1/auth/me', headers: { authorization: `Bearer ${world.tokens.owner}` } });
    const line = lines
      .map((text) => JSON.parse(text) as Record<string, unknown>)
      .find(({ requestId }) => requestId === answer.headers['x-request-id']);
    expect(line).toMatchObject({ operation: 'getMe', method: 'GET', status: 200, user: world.users.owner });
  });

  it('contains no secrets and no personal data of requests', async () => {
    lines.length = 0;
    const login = await app.inject({ method: 'POST', url: '/v1/auth/login', payload: { email: world.emails.owner, password } });
    const { accessToken, refreshToken } = login.json<{ accessToken: string; refreshToken: string }>();
    await app.inject({ method: 'POST', url: '/v1/auth/refresh', payload: { refreshToken } });
    await app.inject({ url: `/v1/users?term=${world.emails.stranger}`, headers: { authorization: `Bearer ${world.tokens.admin}` } });
    await app.inject({ url: `/v1/nowhere/${world.emails.stranger}?password=${encodeURIComponent(password)}` });
    const body = { email: 'someone@private.example', name: 'Someone Private', password: 'a new long password' };
    await app.inject({ method: 'POST', url: '/v1/users', headers: { authorization: `Bearer ${world.tokens.admin}` }, payload: body });
    const everything = lines.join('\n');
    expect(lines.length).toBeGreaterThanOrEqual(5);
    for (const secret of [
      password,
      accessToken,
      refreshToken,
      world.tokens.admin,
      world.emails.owner,
      world.emails.stranger,
      ...Object.values(body),
    ]) {
      expect(everything).not.toContain(secret);
    }
  });
});
