import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { testConfig } from '../../test/test-config.ts';
import { createGate } from '../accounts/gate.ts';
import { createApp, scopes } from '../app.ts';
import { anyone } from '../kernel/access.ts';
import { Problem } from '../kernel/problem.ts';
import { route } from '../kernel/route.ts';
import { closed } from '../kernel/schema.ts';
import { capability } from './capability.ts';
import { mount } from './mount.ts';
import { createServer } from './server.ts';

const world = useWorld();
const own = () => `/producers/${world.producer}`;

describe('the path of every request', () => {
  it('GET returns an ETag and a request id, and ignores unknown query parameters', async () => {
    const answer = await world.call('GET', `${own()}?utm_source=mail&x[]=1`, { as: 'owner' });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers.etag).toMatch(/^"[\w-]+"$/);
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('HEAD returns the response of GET without the body', async () => {
    const answer = await world.call('HEAD', own(), { as: 'owner' });
    expect([answer.statusCode, answer.body]).toEqual([200, '']);
  });

  it('GET returns 304 when If-None-Match contains the current ETag', async () => {
    const { headers } = await world.call('GET', own(), { as: 'owner' });
    const tag = String(headers.etag);
    for (const header of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const answer = await world.call('GET', own(), { as: 'owner', headers: { 'if-none-match': header } });
      expect([answer.statusCode, answer.body]).toEqual([304, '']);
    }
    expect((await world.call('GET', own(), { as: 'owner', headers: { 'if-none-match': '"other"' } })).statusCode).toBe(200);
  });

  it('returns 400 with all invalid fields of body or query', async () => {
    const answer = await world.call('PUT', own(), { as: 'owner', body: { name: '', currency: 'real', colour: 'blue' } });
    expect(answer.statusCode).toBe(400);
    expect(answer.headers['content-type']).toContain('application/problem+json');
    expect(answer.json()).toMatchObject({ code: 'invalid_input', status: 400, requestId: answer.headers['x-request-id'] });
    const fields = answer.json<{ errors: { field: string; code: string }[] }>().errors.map(({ field, code }) => `${field} ${code}`);
    expect(new Set(fields)).toEqual(new Set(['name minLength', 'name pattern', 'currency pattern', 'colour unknown']));
    const query = await world.call('GET', '/producers?pageSize=0&count=maybe', { as: 'owner' });
    expect(query.json()).toMatchObject({
      errors: [
        { in: 'query', field: 'pageSize' },
        { in: 'query', field: 'count' },
      ],
    });
  });

  it.each([
    ['no body', undefined, 'invalid_input'],
    ['an empty object', {}, 'invalid_input'],
    ['a list', [], 'invalid_input'],
    ['text that is not JSON', '{"name":', 'malformed_body'],
    ['a poisoned prototype', '{"__proto__":{"name":"x"}}', 'malformed_body'],
    ['a NUL character', { name: 'a\0b' }, 'invalid_input'],
    ['a lone surrogate', { name: 'a\ud800' }, 'invalid_input'],
    ['a wrong type', { name: 7 }, 'invalid_input'],
  ])('PUT returns 400 for %s', async (_what, body, code) => {
    const answer = await world.call('PUT', own(), { as: 'owner', body, headers: { 'content-type': 'application/json' } });
    expect([answer.statusCode, answer.json().code]).toEqual([400, code]);
  });

  it.each([
    ['the position of a JSON error', '{"name":', /^The body is not valid JSON: .*(JSON|position)/],
    ['a field name that is not allowed', '{"__proto__":{"name":"x"}}', /__proto__ is not allowed as a field name/],
    ['the field with a lone surrogate', { name: 'a\ud800' }, /^name: must not contain/],
    ['the expected type', { name: 7 }, /^name: must be a string$/],
    ['an example of the right format', { currency: 'real' }, /^currency: .*an example is "BRL"$/],
  ])('the detail of a problem names %s', async (_what, body, detail) => {
    const answer = await world.call('PUT', own(), { as: 'owner', body, headers: { 'content-type': 'application/json' } });
    expect(answer.json().detail).toMatch(detail);
  });

  it('PUT returns 400 for a body that is not UTF-8', async () => {
    const answer = await world.app.inject({
      method: 'PUT',
      url: `/v1${own()}`,
      headers: { authorization: `Bearer ${world.tokens.owner}`, 'content-type': 'application/json' },
      payload: Buffer.from([0x22, 0xc3, 0x28, 0x22]),
    });
    expect([answer.statusCode, answer.json().detail]).toEqual([400, 'The body is not valid UTF-8.']);
  });

  it('GET returns 400 for an invalid cursor', async () => {
    for (const cursor of ['x', '%00', 'WyJhIl0', 'WzFlOTld', 'W10']) {
      expect((await world.call('GET', `/producers?cursor=${cursor}`, { as: 'owner' })).statusCode).toBe(400);
    }
  });

  it('checks the token first: returns 401 with WWW-Authenticate, not 404 or 400', async () => {
    const answer = await world.call('PUT', `/producers/${world.missing}`, { body: { nonsense: true } });
    expect(answer.statusCode).toBe(401);
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer/);
  });

  it('checks the permission before the body: returns 403 or 404, not 400', async () => {
    const body = { nonsense: true };
    expect((await world.call('POST', `${own()}/members`, { as: 'manager', body })).statusCode).toBe(403);
    expect((await world.call('POST', `${own()}/members`, { as: 'stranger', body })).statusCode).toBe(404);
    expect((await world.call('POST', `${own()}/members`, { as: 'owner', body })).statusCode).toBe(400);
  });

  it('returns 404 for a malformed id, even to platform admins', async () => {
    for (const id of ['0', '-1', '1.5', '1e3', '0x1', 'abc', '99999999999999999999', '%20', "1'--", world.missing]) {
      expect((await world.call('GET', `/producers/${id}`, { as: 'admin' })).statusCode).toBe(404);
    }
    expect((await world.call('GET', '/no/such/address', { as: 'admin' })).json()).toMatchObject({ code: 'not_found', status: 404 });
  });

  it('returns 405 with the allowed methods', async () => {
    for (const method of ['POST', 'PATCH', 'DELETE'] as const) {
      const answer = await world.call(method, own(), { as: 'owner', body: 'anything' });
      expect([answer.statusCode, answer.headers.allow]).toEqual([405, 'GET, PUT, HEAD, OPTIONS']);
    }
  });

  it('OPTIONS returns 204 with Allow on a known path and 404 on an unknown path, with and without CORS', async () => {
    const cors = await createApp(testConfig({ CORS_ORIGINS: '*' }), { db: world.db, clock: () => world.now });
    for (const app of [world.app, cors]) {
      const options = (url: string) => app.inject({ method: 'OPTIONS', url, headers: { origin: 'https://shop.example' } });
      const known = {
        [`/v1${own()}`]: ['GET', 'HEAD', 'OPTIONS', 'PUT'],
        '/v1/items/7/attributes': ['OPTIONS', 'POST', 'PUT'],
        '/v1/items/7/attributes/maximum': ['DELETE', 'OPTIONS'],
        '/v1/music': ['GET', 'HEAD', 'OPTIONS'],
        '/.well-known/jwks.json': ['GET', 'HEAD', 'OPTIONS'],
      };
      for (const [url, methods] of Object.entries(known)) {
        const answer = await options(url);
        expect([url, answer.statusCode, answer.body]).toEqual([url, 204, '']);
        expect(String(answer.headers.allow).split(', ').toSorted()).toEqual(methods);
      }
      for (const url of ['/v1/no/such/path', '/nothing', '/metrics']) {
        expect((await options(url)).json()).toMatchObject({ status: 404, code: 'not_found' });
      }
    }
    await cors.close();
  });

  it('PUT returns 412 and writes nothing when If-Match is stale', async () => {
    const tag = String((await world.call('GET', own(), { as: 'owner' })).headers.etag);
    const put = (name: string, ifMatch: string) =>
      world.call('PUT', own(), { as: 'owner', body: { name }, headers: { 'if-match': ifMatch } });
    expect((await put('Second name', tag)).statusCode).toBe(200);
    expect((await put('Third name', tag)).statusCode).toBe(412);
    expect((await put('Third name', '*')).statusCode).toBe(200);
    expect((await world.call('GET', own(), { as: 'owner' })).json().name).toBe('Third name');
  });

  it('of 12 concurrent PUT requests with the same If-Match, one succeeds and the others get 412', async () => {
    const tag = String((await world.call('GET', own(), { as: 'owner' })).headers.etag);
    const put = (name: string) => world.call('PUT', own(), { as: 'owner', body: { name }, headers: { 'if-match': tag } });
    const statuses = await Promise.all(Array.from({ length: 12 }, async (_, i) => (await put(`Writer ${i}`)).statusCode));
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, ...Array.from({ length: 11 }, () => 412)]);
  });

  it('PUT returns 413 for a body above the limit', async () => {
    const answer = await world.call('PUT', own(), { as: 'owner', body: { name: 'x'.repeat(1_100_000) } });
    expect([answer.statusCode, answer.json().code]).toEqual([413, 'payload_too_large']);
  });

  it('PUT returns 415 for content types other than JSON', async () => {
    for (const type of ['text/plain', 'application/xml', 'multipart/form-data; boundary=x', 'application/x-www-form-urlencoded']) {
      const answer = await world.call('PUT', own(), { as: 'owner', body: 'name=x', headers: { 'content-type': type } });
      expect([answer.statusCode, answer.json().code]).toEqual([415, 'unsupported_media_type']);
    }
  });

  it('PUT returns 415 for a compressed body', async () => {
    const answer = await world.call('PUT', own(), { as: 'owner', body: { name: 'x' }, headers: { 'content-encoding': 'gzip' } });
    expect(answer.statusCode).toBe(415);
    expect(answer.json().detail).toContain('Compressed bodies are not supported');
  });

  it('every response has security headers and no cookie', async () => {
    for (const answer of [
      await world.call('GET', own(), { as: 'owner' }),
      await world.call('GET', own()),
      await world.call('GET', '/nowhere'),
    ]) {
      expect(answer.headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
      expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
  });
});

describe('configuration', () => {
  const apps: FastifyInstance[] = [];
  afterAll(() => Promise.all(apps.map((app) => app.close())));
  const start = async (environment: Record<string, string>) => {
    const app = await createApp(testConfig(environment), { db: world.db, clock: () => world.now });
    apps.push(app);
    return app;
  };

  it('with RATE_LIMIT, an address that exceeds the limit gets 429 with Retry-After', async () => {
    const app = await start({ RATE_LIMIT: '5' });
    const from = (remoteAddress: string) => app.inject({ url: '/v1/auth/me', remoteAddress });
    for (let i = 0; i < 5; i++) expect((await from('10.1.0.1')).statusCode).toBe(401);
    const refused = await from('10.1.0.1');
    expect([refused.statusCode, refused.json().code]).toEqual([429, 'rate_limited']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await from('10.1.0.2')).statusCode).toBe(401);
  });

  it('CORS_ORIGINS allows only the listed origins', async () => {
    const app = await start({ CORS_ORIGINS: 'https://shop.example' });
    const preflight = (origin: string) =>
      app.inject({ method: 'OPTIONS', url: '/v1/auth/login', headers: { origin, 'access-control-request-method': 'POST' } });
    expect((await preflight('https://shop.example')).headers['access-control-allow-origin']).toBe('https://shop.example');
    expect((await preflight('https://shop.example')).headers['access-control-allow-methods']).toContain('POST');
    expect((await preflight('https://shop.example')).statusCode).toBe(204);
    expect((await preflight('https://evil.example')).headers['access-control-allow-origin']).toBeUndefined();
  });

  it('with SERVE, operations of other groups return 404', async () => {
    const app = await start({ SERVE: 'event' });
    expect((await app.inject('/v1/auth/me')).statusCode).toBe(404);
    expect((await app.inject(`/v1/event/${world.event}/crew`)).statusCode).toBe(401);
  });

  it('RATE_LIMIT counts the addresses of one IPv6 /64 network together', async () => {
    const app = await start({ RATE_LIMIT: '2' });
    const from = async (remoteAddress: string) => (await app.inject({ url: '/v1/auth/me', remoteAddress })).statusCode;
    expect([await from('2001:db8:1:2::1'), await from('2001:db8:1:2:ffff::2'), await from('2001:db8:1:2:a:b:c:d')]).toEqual([
      401, 401, 429,
    ]);
    expect(await from('2001:db8:1:3::1')).toBe(401);
  });

  describe('TRUST_PROXY', () => {
    /**
     * Sends one request per X-Forwarded-For header, with a limit of one request per address. Returns true if both requests counted as the
     * same address.
     */
    const limitedAfter = async (trust: string, forwarded: [string, string], remoteAddress = '10.0.0.9') => {
      const app = await start({ RATE_LIMIT: '1', TRUST_PROXY: trust });
      const ask = async (chain: string) =>
        (await app.inject({ url: '/v1/auth/me', remoteAddress, headers: { 'x-forwarded-for': chain } })).statusCode;
      await ask(forwarded[0]);
      return (await ask(forwarded[1])) === 429;
    };

    it.each([
      // The client controls the left part of the header. The nearest proxy appends to the right end.
      ['on', ['1.1.1.1, 192.0.2.1', '2.2.2.2, 192.0.2.1']],
      ['1', ['1.1.1.1, 192.0.2.1', '2.2.2.2, 192.0.2.1']],
      ['2', ['1.1.1.1, 192.0.2.1, 10.0.0.2', '2.2.2.2, 192.0.2.1, 10.0.0.3']],
      ['10.0.0.0/8', ['1.1.1.1, 192.0.2.1, 10.0.0.2', '2.2.2.2, 192.0.2.1']],
      ['off', ['192.0.2.1', '192.0.2.2']],
    ] as [string, [string, string]][])('%s: a client cannot avoid its limit with a forged X-Forwarded-For', async (trust, forwarded) => {
      expect(await limitedAfter(trust, forwarded)).toBe(true);
    });

    it.each([
      ['on', ['192.0.2.1', '192.0.2.2']],
      ['2', ['192.0.2.1, 10.0.0.2', '192.0.2.2, 10.0.0.2']],
      ['10.0.0.0/8', ['192.0.2.1, 10.0.0.2', '192.0.2.2, 10.0.0.2']],
    ] as [string, [string, string]][])('%s: each client behind the proxies has its own limit', async (trust, forwarded) => {
      expect(await limitedAfter(trust, forwarded)).toBe(false);
    });

    it('with a list of networks, X-Forwarded-For is ignored if the client is in none of these networks', async () => {
      expect(await limitedAfter('10.0.0.0/8', ['192.0.2.1', '192.0.2.2'], '198.51.100.1')).toBe(true);
    });
  });

  it.each([
    'forwarded',
    'x-forwarded-for',
    'x-forwarded-host',
    'x-forwarded-proto',
    'via',
    'x-real-ip',
    'cf-connecting-ip',
    'true-client-ip',
    'fastly-client-ip',
    'x-envoy-external-address',
  ])('GET /metrics without a token returns 404 for a forwarded request (header %s)', async (name) => {
    const open = await start({});
    const answer = await open.inject({ url: '/metrics', remoteAddress: '127.0.0.1', headers: { [name]: '203.0.113.1' } });
    expect(answer.statusCode).toBe(404);
  });

  it('GET /metrics without a token returns 404 when PUBLIC_URL is set', async () => {
    const open = await start({ PUBLIC_URL: 'http://localhost:3000' });
    expect((await open.inject({ url: '/metrics', remoteAddress: '127.0.0.1' })).statusCode).toBe(404);
  });

  it('GET /metrics is allowed from this machine, or with the token if METRICS_TOKEN is set', async () => {
    const open = await start({});
    expect((await open.inject({ url: '/metrics', remoteAddress: '127.0.0.1' })).body).toContain('tessera_request_seconds');
    expect((await open.inject({ url: '/metrics', remoteAddress: '10.0.0.1' })).statusCode).toBe(404);
    const guarded = await start({ METRICS_TOKEN: 'secret' });
    expect((await guarded.inject({ url: '/metrics', remoteAddress: '127.0.0.1' })).statusCode).toBe(404);
    for (const given of ['Bearer secre', 'Bearer secret2', 'Bearer', ''])
      expect((await guarded.inject({ url: '/metrics', headers: { authorization: given } })).statusCode).toBe(404);
    expect((await guarded.inject({ url: '/metrics', headers: { authorization: 'Bearer secret' } })).statusCode).toBe(200);
  });
});

describe('a handler that violates its contract', () => {
  let app: FastifyInstance;
  beforeAll(async () => {
    const contract = {
      wrongAnswer: route({ ...ours('/wrong-answer'), answer: { status: 200, body: closed({ n: Type.Integer() }) } }),
      extraField: route({ ...ours('/extra-field'), answer: { status: 200, body: closed({ n: Type.Integer() }) } }),
      unlisted: route({ ...ours('/unlisted'), answer: { status: 200, body: closed({ n: Type.Integer() }) } }),
      unaudited: route({ ...ours('/unaudited'), method: 'POST', answer: { status: 204 } }),
      crash: route({ ...ours('/crash'), answer: { status: 204 } }),
    };
    app = await createServer(world.config);
    const handlers = capability(contract, {
      wrongAnswer: async () => ({ n: 1.5 }),
      extraField: async () => ({ n: 1, password: 'leaked' }),
      unlisted: async () => new Problem('last_owner'),
      unaudited: async () => undefined,
      crash: async () => {
        throw new TypeError('with internal details');
      },
    });
    mount(app, { db: world.db, gate: createGate(world.db, scopes), clock: () => world.now, serve: world.config.serve }, [handlers]);
  });
  afterAll(() => app.close());

  it.each(['wrong-answer', 'extra-field', 'unlisted', 'crash'])('returns 500 without details: %s', async (path) => {
    const answer = await app.inject(`/v1/${path}`);
    expect([answer.statusCode, answer.json().code]).toEqual([500, 'internal_error']);
    expect(answer.body).not.toMatch(/leaked|details|TypeError|contract/);
  });

  it('returns 500 for a write without an audit entry', async () => {
    expect((await app.inject({ method: 'POST', url: '/v1/unaudited' })).statusCode).toBe(500);
  });
});

const ours = <const P extends `/${string}`>(path: P) =>
  ({ method: 'GET', path, group: 'account', summary: 'A test', access: anyone, examples: {} }) as const;
