import { mkdtempSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import {
  type CryptoKey,
  decodeJwt,
  decodeProtectedHeader,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWTHeaderParameters,
  SignJWT,
} from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../test/eventually.ts';
import { createDatabase, useWorld } from '../../test/harness.ts';
import { type Caller, noon, password } from '../../test/world.ts';
import { createApp } from '../app.ts';
import { systemAct } from '../kernel/act.ts';
import { connect, type Database } from '../postgres/database.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { rotateSigningKey } from './signing-keys.ts';

const world = useWorld();

type Key = CryptoKey | Uint8Array;
const seconds = (at: Date) => Math.floor(at.getTime() / 1000);
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Decrypts a private key with SECRET_KEY. */
const opened = ({ kid, sealed_key }: { kid: string; sealed_key: Buffer | null }): JWK =>
  JSON.parse(world.db.secrets.open(sealed_key ?? Buffer.alloc(0), `signing_key ${kid}`).toString()) as JWK;

/** The key with which the service signs. */
let ours: { kid: string; privateKey: Key; publicKey: CryptoKey; publicJwk: JWK };
let genuine: string;

beforeAll(async () => {
  const row = await world.db.selectFrom('signing_key').selectAll().executeTakeFirstOrThrow();
  const publicJwk = row.public_jwk as JWK;
  ours = {
    kid: row.kid,
    privateKey: await importJWK(opened(row), 'EdDSA'),
    publicKey: (await importJWK(publicJwk, 'EdDSA')) as CryptoKey,
    publicJwk,
  };
  genuine = world.tokens.owner;
});

afterEach(() => {
  world.now = noon;
});

const extension = 'urn:test:extension';

interface Forgery {
  header?: Partial<JWTHeaderParameters>;
  claims?: Record<string, unknown>;
  key?: Key;
}

/**
 * Signs a copy of the genuine token with changed headers or claims. The value undefined removes a header or claim. Without changes the copy
 * is valid.
 */
async function forge({ header = {}, claims = {}, key = ours.privateKey }: Forgery = {}): Promise<string> {
  const whole = { ...decodeProtectedHeader(genuine), ...header } as JWTHeaderParameters;
  return new SignJWT({ ...decodeJwt(genuine), ...claims }).setProtectedHeader(whole).sign(key, { crit: { [extension]: true } });
}

/** Builds a token from its parts without signing it. */
function splice(header: object, claims: object, signature: string): string {
  return [encode({ ...decodeProtectedHeader(genuine), ...header }), encode({ ...decodeJwt(genuine), ...claims }), signature].join('.');
}

const signatureOf = (token: string): string => token.split('.')[2] ?? '';

interface Verdict {
  status: number;
  code?: string;
  challenge?: unknown;
}

async function verdictOn(authorization: string | undefined, app: FastifyInstance = world.app): Promise<Verdict> {
  const answer = await app.inject({ method: 'GET', url: '/v1/auth/me', headers: authorization === undefined ? {} : { authorization } });
  if (answer.statusCode === 200) return { status: 200 };
  return { status: answer.statusCode, code: answer.json().code, challenge: answer.headers['www-authenticate'] };
}

const verdict = (token: string, app?: FastifyInstance) => verdictOn(`Bearer ${token}`, app);

const accepted: Verdict = { status: 200 };
const refused: Verdict = { status: 401, code: 'invalid_token', challenge: 'Bearer realm="tessera", error="invalid_token"' };

async function login(app: FastifyInstance, email: string): Promise<string> {
  const answer = await app.inject({ method: 'POST', url: '/v1/auth/login', payload: { email, password } });
  return answer.json().accessToken;
}

const rotate = (db: Database) => inTransaction(db, {}, (tx) => rotateSigningKey(tx, systemAct('test', noon)));

describe('a forged token', () => {
  const attacks: Record<string, () => string | Promise<string>> = {
    'alg none, unsigned': () => splice({ alg: 'none' }, {}, ''),
    'alg none in mixed case': () => splice({ alg: 'nOnE' }, {}, ''),
    'alg none with a signature': () => splice({ alg: 'none' }, {}, signatureOf(genuine)),
    'no alg': () => splice({ alg: undefined }, {}, signatureOf(genuine)),
    'HS256 with the bytes of the public key': () =>
      forge({ header: { alg: 'HS256' }, key: new Uint8Array(Buffer.from(ours.publicJwk.x ?? '', 'base64url')) }),
    'HS256 with the public key as PEM': async () =>
      forge({ header: { alg: 'HS256' }, key: new TextEncoder().encode(await exportSPKI(ours.publicKey)) }),
    'HS256 with the public key as JSON': () =>
      forge({ header: { alg: 'HS256' }, key: new TextEncoder().encode(JSON.stringify(ours.publicJwk)) }),
    'another algorithm under our kid': async () => forge({ header: { alg: 'ES256' }, key: (await generateKeyPair('ES256')).privateKey }),
    'another Ed25519 key under our kid': async () => forge({ key: (await generateKeyPair('EdDSA')).privateKey }),
    'another key in the jwk header of the token': async () => {
      const { publicKey, privateKey } = await generateKeyPair('EdDSA', { extractable: true });
      return forge({ header: { jwk: await exportJWK(publicKey) }, key: privateKey });
    },
    'an unknown kid': () => forge({ header: { kid: 'f4b0a8f2-0000-4000-8000-000000000000' } }),
    'a kid that is a JavaScript property name': () => forge({ header: { kid: '__proto__' } }),
    'no kid': () => forge({ header: { kid: undefined as unknown as string } }),
    'an empty signature': () => splice({}, {}, ''),
    'the signature of another token of ours': () => splice({}, {}, signatureOf(world.tokens.manager)),
  };

  it.each(Object.entries(attacks))('returns 401: %s', async (_name, make) => {
    expect(await verdict(await make())).toEqual(refused);
  });
});

describe('a modified token', () => {
  const attacks: Record<string, () => string> = {
    'another sub': () => splice({}, { sub: String(world.users.admin) }, signatureOf(genuine)),
    'a later exp': () => splice({}, { exp: seconds(noon) + 86_400 }, signatureOf(genuine)),
    'one letter of the header': () => genuine.replace(/^e/, 'f'),
    'one letter of the payload': () =>
      genuine.replace(/\.(.{40})(.)/, (_all, kept: string, letter: string) => `.${kept}${letter === 'A' ? 'B' : 'A'}`),
    'one letter of the signature': () =>
      genuine.replace(/\.(.)([^.]*)$/, (_all, letter: string, kept: string) => `.${letter === 'A' ? 'B' : 'A'}${kept}`),
    'without its last letter': () => genuine.slice(0, -1),
    'cut in half': () => genuine.slice(0, genuine.length / 2),
    'without its signature': () => genuine.split('.').slice(0, 2).join('.'),
    'without its header': () => genuine.split('.').slice(1).join('.'),
    'with a fourth part': () => `${genuine}.${signatureOf(genuine)}`,
    twice: () => genuine + genuine,
    backwards: () => genuine.split('.').toReversed().join('.'),
  };

  it.each(Object.entries(attacks))('returns 401: %s', async (_name, make) => {
    // The signature of the genuine token is cached. The modified token must not profit from the cache.
    expect(await verdict(genuine)).toEqual(accepted);
    expect(await verdict(make())).toEqual(refused);
  });
});

describe('a token with a valid signature but invalid claims', () => {
  const attacks: Record<string, () => Forgery> = {
    'for another audience': () => ({ claims: { aud: 'tessera-shop' } }),
    'for no audience': () => ({ claims: { aud: undefined } }),
    'of another issuer': () => ({ claims: { iss: 'https://tessera.example' } }),
    'of no issuer': () => ({ claims: { iss: undefined } }),
    'expired this second': () => ({ claims: { exp: seconds(noon) } }),
    'expired long ago': () => ({ claims: { iat: 0, exp: 1 } }),
    'that never expires': () => ({ claims: { exp: undefined } }),
    'not valid before the next second': () => ({ claims: { nbf: seconds(noon) + 1 } }),
    'issued one minute in the future': () => ({ claims: { iat: seconds(noon) + 60 } }),
    'without the time of issue': () => ({ claims: { iat: undefined } }),
    'without a type': () => ({ header: { typ: undefined as unknown as string } }),
    'of another type': () => ({ header: { typ: 'at+jwt' } }),
    'with an unknown critical extension': () => ({ header: { crit: [extension], [extension]: true } }),
    'without sub': () => ({ claims: { sub: undefined } }),
    'without jti': () => ({ claims: { jti: undefined } }),
    'without a session or API token': () => ({ claims: { sid: undefined } }),
    'with an unknown session': () => ({ claims: { sid: 'f4b0a8f2-0000-4000-8000-000000000000' } }),
    'with the session of another user': () => ({ claims: { sid: decodeJwt(world.tokens.admin)['sid'] } }),
    'with another user in this session': () => ({ claims: { sub: String(world.users.admin) } }),
    'with an unknown API token': () => ({ claims: { sid: undefined, jti: `api:${world.missing}` } }),
    'with an unknown user': () => ({ claims: { sub: String(world.missing) } }),
    'with a sub that is not a number': () => ({ claims: { sub: 'owner' } }),
    'with a sid that is not a UUID': () => ({ claims: { sid: 'session' } }),
    'with an API token id that is not a number': () => ({ claims: { sid: undefined, jti: 'api:one' } }),
    'longer than 4096 characters': () => ({ claims: { name: 'x'.repeat(5000) } }),
  };

  it.each(Object.entries(attacks))('returns 401: %s', async (_name, make) => {
    expect(await verdict(await forge(make()))).toEqual(refused);
  });

  it('returns 401 after expiry, even when its signature is cached', async () => {
    const [seen, unseen] = [await forge(), await forge({ claims: { jti: 'unseen' } })];
    expect(await verdict(seen)).toEqual(accepted);
    world.now = new Date(noon.getTime() + 15 * 60_000 - 1);
    expect(await verdict(seen)).toEqual(accepted);
    world.now = new Date(noon.getTime() + 15 * 60_000);
    expect(await verdict(seen)).toEqual(refused);
    expect(await verdict(unseen)).toEqual(refused);
  });
});

describe('an Authorization header without a valid token', () => {
  const headers: Record<string, () => string> = {
    empty: () => '',
    'the scheme alone': () => 'Bearer',
    'the scheme and a space': () => 'Bearer ',
    'another scheme': () => `Basic ${Buffer.from(`owner@test.test:${password}`).toString('base64')}`,
    'a good token under another scheme': () => `Basic ${genuine}`,
    'a good token without a scheme': () => genuine,
    'a good token and something else': () => `Bearer ${genuine} ${genuine}`,
    'a good token in quotes': () => `Bearer "${genuine}"`,
    garbage: () => '¿?{}\\"\t,;',
    'garbage after the scheme': () => 'Bearer garbage',
    dots: () => 'Bearer ..',
    '5000 letters': () => `Bearer ${'a'.repeat(5000)}`,
  };

  it.each(Object.entries(headers))('returns 401: %s', async (_name, make) => {
    expect(await verdictOn(make())).toEqual(refused);
  });

  it('returns 401 not_authenticated without an Authorization header', async () => {
    expect(await verdictOn(undefined)).toEqual({ status: 401, code: 'not_authenticated', challenge: 'Bearer realm="tessera"' });
  });
});

describe('a token that was valid before', () => {
  async function newPerson(name: string): Promise<{ id: number; token: string }> {
    const email = `${name}@test.test`;
    const { id } = (await world.call('POST', '/users', { as: 'admin', body: { email, name, password } })).json();
    const token = await login(world.app, email);
    expect(await verdict(token)).toEqual(accepted);
    return { id, token };
  }

  it('returns 401 after its session was revoked', async () => {
    const { token } = await newPerson('ended');
    await world.call('POST', '/auth/logout', { token });
    expect(await verdict(token)).toEqual(refused);
  });

  it('returns 401 after its user was disabled', async () => {
    const { id, token } = await newPerson('disabled');
    await world.call('PUT', `/users/${id}`, { as: 'admin', body: { disabled: true } });
    expect(await verdict(token)).toEqual(refused);
  });

  it('returns 401 after its user was deleted', async () => {
    const { id, token } = await newPerson('gone');
    await world.db.deleteFrom('auth_session').where('user_id', '=', id).execute();
    await world.db.deleteFrom('app_user').where('id', '=', id).execute();
    expect(await verdict(token)).toEqual(refused);
  });

  it('has the current roles of its user with the next request', async () => {
    const { token } = await newPerson('member');
    const members = `/producers/${world.producer}/members`;
    const statuses = async () => [
      (await world.call('GET', members, { token })).statusCode,
      (await world.call('POST', members, { token, body: {} })).statusCode,
    ];
    expect(await statuses()).toEqual([404, 404]);
    const invited = await world.call('POST', members, { as: 'owner', body: { email: 'member@test.test', role: 'owner' } });
    const { id } = invited.json<{ user: { id: number } }>().user;
    expect(await statuses()).toEqual([200, 400]);
    await world.call('PUT', `${members}/${id}`, { as: 'owner', body: { role: 'manager' } });
    expect(await statuses()).toEqual([200, 403]);
    await world.call('DELETE', `${members}/${id}`, { as: 'owner' });
    expect(await statuses()).toEqual([404, 404]);
  });

  it('returns 403 for admin operations after its user lost the admin role', async () => {
    const { id, token } = await newPerson('was-admin');
    const statusAs = async (admin: boolean) => {
      await world.call('PUT', `/users/${id}`, { as: 'admin', body: { admin } });
      return (await world.call('GET', '/users', { token })).statusCode;
    };
    expect([await statusAs(true), await statusAs(false)]).toEqual([200, 403]);
  });
});

describe('a token of another installation', () => {
  it('returns 401 when a copy of the database issued it, with the same or a different key', async () => {
    const copy = await createDatabase();
    const { db, close } = connect({ url: copy.url, secrets: world.db.secrets, onError: () => undefined });
    const app = await createApp(world.config, { db, clock: () => noon });
    const sameKey = await login(app, world.emails.owner);
    await rotate(db);
    const otherKey = await login(app, world.emails.owner);
    expect(decodeProtectedHeader(sameKey).kid).toBe(ours.kid);
    expect(decodeProtectedHeader(otherKey).kid).not.toBe(ours.kid);
    for (const token of [sameKey, otherKey]) {
      expect(await verdict(token, app)).toEqual(accepted);
      expect(await verdict(token)).toEqual(refused);
    }
    await app.close();
    await close();
    await copy.drop();
  });
});

describe('while the database is unreachable', () => {
  /** Starts the service with a database connection that the test can cut. */
  async function severable() {
    const folder = mkdtempSync(join(tmpdir(), 'tessera-severed-'));
    const url = new URL(world.url);
    const socket = join(folder, '.s.PGSQL.5432');
    symlinkSync(join(url.searchParams.get('host') ?? '', '.s.PGSQL.5432'), socket);
    url.searchParams.set('host', folder);
    url.searchParams.set('application_name', 'severable');
    const { db, pool, close } = connect({ url: url.href, secrets: world.db.secrets, onError: () => undefined });
    const app = await createApp(world.config, { db, clock: () => noon });
    return {
      app,
      async sever() {
        unlinkSync(socket);
        await endConnections('severable');
        await eventually('every connection is closed', () => pool.totalCount === 0);
      },
      async close() {
        await app.close();
        await close();
        rmSync(folder, { recursive: true });
      },
    };
  }

  const endConnections = (name: string) =>
    world.pool.query('select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [name]);

  it('a valid token gets 503, not 401, in a process that has not loaded the keys', async () => {
    const { app, sever, close } = await severable();
    await sever();
    const { status, code } = await verdict(genuine, app);
    await close();
    expect({ status, code }).toEqual({ status: 503, code: 'unavailable' });
  });

  it('a valid token gets 503, not 500, in a process that has cached its signature', async () => {
    const { app, sever, close } = await severable();
    expect(await verdict(genuine, app)).toEqual(accepted);
    await sever();
    const { status, code } = await verdict(genuine, app);
    await close();
    expect({ status, code }).toEqual({ status: 503, code: 'unavailable' });
  });
});

describe('after a rotation of the signing key', () => {
  const publishedBy = async (app: FastifyInstance): Promise<JWK[]> => (await app.inject('/.well-known/jwks.json')).json().keys;
  let other: FastifyInstance;
  beforeAll(async () => {
    other = await createApp(world.config, { db: world.db, clock: () => world.now });
  });
  afterAll(() => other.close());

  it('old and new tokens are valid in every process, and both keys are published', async () => {
    expect((await publishedBy(world.app)).map(({ kid }) => kid)).toEqual([ours.kid]);
    expect(await verdict(genuine, other)).toEqual(accepted);
    const { kid, retired } = await rotate(world.db);
    expect(retired).toEqual([ours.kid]);
    const fresh = await login(world.app, world.emails.owner);
    expect(decodeProtectedHeader(fresh).kid).toBe(kid);
    const unseen: Caller = 'crew_sales_manager';
    for (const app of [world.app, other]) {
      for (const token of [genuine, world.tokens[unseen], fresh]) expect(await verdict(token, app)).toEqual(accepted);
      expect(new Set((await publishedBy(app)).map((key) => key.kid))).toEqual(new Set([kid, ours.kid]));
    }
  });

  it('GET /.well-known/jwks.json returns the public keys only', async () => {
    const keys = await publishedBy(world.app);
    for (const key of keys) {
      expect(Object.keys(key).toSorted()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x']);
      expect(key).toMatchObject({ kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig' });
    }
    expect(keys.find(({ kid }) => kid === ours.kid)?.x).toBe(ours.publicJwk.x);
  });

  it('a token signed by the new key with the kid of the old key gets 401', async () => {
    const row = await world.db.selectFrom('signing_key').selectAll().where('retired_at', 'is', null).executeTakeFirstOrThrow();
    const key = await importJWK(opened(row), 'EdDSA');
    expect(await verdict(await forge({ header: { kid: ours.kid }, key }))).toEqual(refused);
    expect(await verdict(await forge({ header: { kid: row.kid }, key }))).toEqual(accepted);
  });
});

describe('control: valid tokens are accepted', () => {
  it('returns 200 for the issued token, and for a token that the test signs with the same claims', async () => {
    expect(await verdict(genuine)).toEqual(accepted);
    expect(await verdict(await forge())).toEqual(accepted);
    expect(await verdictOn(`bearer ${genuine}`)).toEqual(accepted);
  });

  it('returns 200 for an iat 20 s ahead, an nbf that is now, and a long name', async () => {
    expect(await verdict(await forge({ claims: { iat: seconds(noon) + 20 } }))).toEqual(accepted);
    expect(await verdict(await forge({ claims: { nbf: seconds(noon) } }))).toEqual(accepted);
    expect(await verdict(await forge({ claims: { exp: seconds(noon) + 1 } }))).toEqual(accepted);
    expect(await verdict(await forge({ claims: { name: 'x'.repeat(2000) } }))).toEqual(accepted);
  });
});
