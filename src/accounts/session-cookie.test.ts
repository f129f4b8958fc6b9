import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditOf } from '../../test/audit.ts';
import { useWorld } from '../../test/harness.ts';
import { password } from '../../test/world.ts';
import { createApp } from '../app.ts';

const world = useWorld({ PUBLIC_URL: 'https://tickets.test' });

const ownPage = { 'sec-fetch-site': 'same-origin' };
const deleted = '__Host-session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure';

const setCookieOf = ({ headers }: LightMyRequestResponse): string => String(headers['set-cookie'] ?? '');
/** The cookie as the browser sends it. */
const cookieOf = (answer: LightMyRequestResponse): string => setCookieOf(answer).split(';')[0] ?? '';

const login = (headers: Record<string, string> = ownPage, email = world.emails.owner) =>
  world.call('POST', '/auth/login', { body: { email, password, session: 'cookie' }, headers });
const post = (path: string, cookie: string, headers: Record<string, string> = ownPage, token?: string) =>
  world.call('POST', path, { headers: { ...headers, cookie }, ...(token && { token }) });
const refresh = (cookie: string, headers?: Record<string, string>) => post('/auth/refresh', cookie, headers);
const statusOfToken = async (token: string) => (await world.call('GET', '/auth/me', { token })).statusCode;

describe('POST /auth/login with session: "cookie"', () => {
  it('returns the refresh token in a cookie that scripts, other hosts and other sites cannot use', async () => {
    const answer = await login();
    expect(answer.statusCode).toBe(200);
    expect(Object.keys(answer.json())).toEqual(['accessToken', 'expiresIn', 'user']);
    expect(setCookieOf(answer)).toMatch(/^__Host-session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict; Secure$/);
    expect(await statusOfToken(answer.json().accessToken)).toBe(200);
  });

  it('returns 403 to pages of other sites and to programs that are no browser', async () => {
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }, { origin: 'https://evil.test' }, {}]) {
      const answer = await login(headers);
      expect([answer.statusCode, answer.headers['set-cookie']]).toEqual([403, undefined]);
    }
  });

  it('accepts the Origin of the site from browsers without Sec-Fetch-Site', async () => {
    expect((await login({ origin: new URL(world.config.publicUrl).origin })).statusCode).toBe(200);
  });

  it('repeats the cookie when the request is repeated with the same Idempotency-Key', async () => {
    const headers = { ...ownPage, 'idempotency-key': 'cookie-login' };
    const [first, second] = [await login(headers), await login(headers)];
    expect(second.headers['idempotency-replayed']).toBe('true');
    expect(setCookieOf(second)).toBe(setCookieOf(first));
  });
});

describe('POST /auth/login without session', () => {
  it('returns both tokens in the body and sets no cookie', async () => {
    const answer = await world.call('POST', '/auth/login', { body: { email: world.emails.owner, password }, headers: ownPage });
    expect(Object.keys(answer.json())).toEqual(['accessToken', 'refreshToken', 'expiresIn', 'user']);
    expect(answer.headers['set-cookie']).toBeUndefined();
  });
});

describe('POST /auth/refresh with the cookie', () => {
  it('returns a new access token and replaces the cookie', async () => {
    const first = await login();
    const second = await refresh(cookieOf(first));
    expect(second.statusCode).toBe(200);
    expect(Object.keys(second.json())).toEqual(['accessToken', 'expiresIn', 'user']);
    expect(cookieOf(second)).not.toBe(cookieOf(first));
    expect((await refresh(cookieOf(second))).statusCode).toBe(200);
  });

  it('revokes the session if an old cookie is used, and deletes the cookie', async () => {
    const first = await login();
    const second = await refresh(cookieOf(first));
    const reused = await refresh(cookieOf(first));
    expect([reused.statusCode, reused.json().code, setCookieOf(reused)]).toEqual([401, 'invalid_refresh_token', deleted]);
    expect(await statusOfToken(second.json().accessToken)).toBe(401);
    expect((await refresh(cookieOf(second))).statusCode).toBe(401);
  });

  it('ignores the cookie in requests of other sites, so that the session continues', async () => {
    const first = await login();
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }, { 'sec-fetch-site': 'none' }, {}]) {
      const answer = await refresh(cookieOf(first), headers);
      expect([answer.statusCode, answer.headers['set-cookie']]).toEqual([400, undefined]);
    }
    expect((await refresh(cookieOf(first))).statusCode).toBe(200);
  });

  it('returns 401 without a token in body and cookie', async () => {
    const answer = await refresh('other=1');
    expect([answer.statusCode, answer.json().code]).toEqual([401, 'invalid_refresh_token']);
  });

  it('does not give a stored response to a caller with the same Idempotency-Key and another cookie', async () => {
    const [mine, other] = [await login(), await login(ownPage, world.emails.manager)];
    const headers = { ...ownPage, 'idempotency-key': 'cookie-refresh' };
    const renewed = await refresh(cookieOf(mine), headers);
    expect((await refresh(cookieOf(other), headers)).json().code).toBe('idempotency_key_reused');
    expect(setCookieOf(await refresh(cookieOf(mine), headers))).toBe(setCookieOf(renewed));
  });
});

describe('POST /auth/logout with the cookie', () => {
  it('revokes the session without an access token, writes an audit entry and deletes the cookie', async () => {
    const opened = await login();
    const answer = await post('/auth/logout', cookieOf(opened));
    expect([answer.statusCode, setCookieOf(answer)]).toEqual([204, deleted]);
    expect(await auditOf(world, answer)).toMatchObject([{ by: 'anonymous', operation: 'logout', after: { revoked: 'logged out' } }]);
    expect(await statusOfToken(opened.json().accessToken)).toBe(401);
    const again = await post('/auth/logout', cookieOf(opened));
    expect([again.statusCode, setCookieOf(again)]).toEqual([204, deleted]);
  });

  it('deletes the cookie if the access token belongs to the same session', async () => {
    const opened = await login();
    const answer = await post('/auth/logout', cookieOf(opened), ownPage, opened.json().accessToken);
    expect([answer.statusCode, setCookieOf(answer)]).toEqual([204, deleted]);
  });

  it('keeps the cookie if the access token belongs to another session', async () => {
    const [console, door] = [await login(), await login()];
    const answer = await post('/auth/logout', cookieOf(console), ownPage, door.json().accessToken);
    expect([answer.statusCode, answer.headers['set-cookie']]).toEqual([204, undefined]);
    expect(await statusOfToken(door.json().accessToken)).toBe(401);
    expect((await refresh(cookieOf(console))).statusCode).toBe(200);
  });

  it('returns 401 to requests of other sites, and the session continues', async () => {
    const opened = await login();
    expect((await post('/auth/logout', cookieOf(opened), { 'sec-fetch-site': 'cross-site' })).statusCode).toBe(401);
    expect(await statusOfToken(opened.json().accessToken)).toBe(200);
  });
});

describe('on plain HTTP', () => {
  let app: FastifyInstance;
  beforeAll(async () => {
    app = await createApp({ ...world.config, publicUrl: 'http://127.0.0.1:8080' }, { db: world.db, clock: () => world.now });
  });
  afterAll(() => app.close());

  it('the cookie has neither Secure nor the prefix, which browsers refuse without HTTPS', async () => {
    const body = { email: world.emails.owner, password, session: 'cookie' };
    const opened = await world.call('POST', '/auth/login', { body, headers: ownPage, app });
    expect(setCookieOf(opened)).toMatch(/^session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/);
    const renewed = await world.call('POST', '/auth/refresh', { headers: { ...ownPage, cookie: cookieOf(opened) }, app });
    expect(renewed.statusCode).toBe(200);
  });
});

describe('GET /auth/sessions', () => {
  const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
  const chrome = 'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36';
  const open = async (userAgent: string): Promise<string> =>
    (await login({ ...ownPage, 'user-agent': userAgent }, world.emails.stranger)).json().accessToken;
  const list = async (token: string, query = '') => (await world.call('GET', `/auth/sessions${query}`, { token })).json();

  it('lists the open sessions of the caller page by page, marks the current one, and DELETE revokes one or all others', async () => {
    const laptop = await open(firefox);
    world.now = new Date(world.now.getTime() + 1000);
    const phone = await open(chrome);
    const program = await open('curl/8.5.0');
    const { data } = await list(phone);
    expect(new Set(data.map(({ device }: { device: string }) => device))).toEqual(
      new Set(['Chrome on Android', 'Firefox on Linux', 'curl', null]),
    );
    expect(data).toHaveLength(4);
    expect(data.filter(({ current }: { current: boolean }) => current)).toMatchObject([
      { device: 'Chrome on Android', createdAt: world.now.toISOString(), lastUsedAt: world.now.toISOString() },
    ]);
    const page = await list(phone, '?pageSize=3&count=true');
    const rest = await list(phone, `?pageSize=3&cursor=${page.nextCursor}`);
    expect([page.total, [...page.data, ...rest.data], rest.nextCursor]).toEqual([4, data, null]);

    const { id } = data.find(({ device }: { device: string }) => device === 'Firefox on Linux');
    expect((await world.call('DELETE', `/auth/sessions/${id}`, { as: 'owner' })).statusCode).toBe(404);
    expect((await world.call('DELETE', `/auth/sessions/${id}`, { token: phone })).statusCode).toBe(204);
    expect((await world.call('DELETE', `/auth/sessions/${id}`, { token: phone })).statusCode).toBe(404);
    expect([await statusOfToken(laptop), await statusOfToken(program)]).toEqual([401, 200]);

    const others = await world.call('DELETE', '/auth/sessions', { token: phone });
    expect(others.json()).toEqual({ revoked: 2 });
    expect([await statusOfToken(program), await statusOfToken(phone)]).toEqual([401, 200]);
    expect((await list(phone)).data).toHaveLength(1);
  });
});
