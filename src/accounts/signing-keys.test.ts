import type { FastifyInstance } from 'fastify';
import { importJWK, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { noon, password } from '../../test/world.ts';
import { createApp } from '../app.ts';
import { systemAct } from '../kernel/act.ts';
import type { Tx } from '../postgres/database.ts';
import { inTransaction } from '../postgres/transaction.ts';
import type { IssuedLogin as Login } from './session.ts';
import { currentSigningKey, revokeSigningKeys, sealSigningKeys } from './signing-keys.ts';

const world = useWorld();
const inTx = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => inTransaction(world.db, {}, work);
const keyRow = () => world.db.selectFrom('signing_key').selectAll().where('retired_at', 'is', null).executeTakeFirstOrThrow();
const logIn = async (): Promise<Login> =>
  (await world.call('POST', '/auth/login', { body: { email: world.emails.owner, password } })).json();

let other: FastifyInstance;
beforeAll(async () => {
  other = await createApp(world.config, { db: world.db, clock: () => world.now });
});
afterAll(() => other.close());

describe('the private key that signs access tokens', () => {
  it('is not readable in the database', async () => {
    const { privateJwk } = await inTx(currentSigningKey);
    const { sealed_key } = await keyRow();
    for (const form of [privateJwk.d ?? '', Buffer.from(privateJwk.d ?? '', 'base64url')]) expect(sealed_key.includes(form)).toBe(false);
  });

  it('stays the same when it is encrypted again', async () => {
    const before = await inTx(currentSigningKey);
    const { sealed_key } = await keyRow();
    expect(await inTx(sealSigningKeys)).toBe(1);
    expect((await keyRow()).sealed_key.equals(sealed_key)).toBe(false);
    expect(await inTx(currentSigningKey)).toEqual(before);
  });
});

describe('revokeSigningKeys', () => {
  it('revokes access tokens, refresh tokens and API tokens immediately, in every process', async () => {
    const { accessToken, refreshToken } = await logIn();
    const created = await world.call('POST', '/auth/tokens', { token: accessToken, body: { name: 'bot', permissions: ['crew.read'] } });
    const apiToken = created.json<{ token: string }>().token;
    const statuses = async (token: string) =>
      Promise.all(
        [world.app, other].map(async (app) => {
          const answer = await app.inject({ url: `/v1/event/${world.event}/crew`, headers: { authorization: `Bearer ${token}` } });
          return answer.statusCode;
        }),
      );
    const old = await inTx(currentSigningKey);
    for (const token of [accessToken, apiToken]) expect(await statuses(token)).toEqual([200, 200]);

    await inTx((tx) => revokeSigningKeys(tx, systemAct('test', noon)));
    for (const token of [accessToken, apiToken]) expect(await statuses(token)).toEqual([401, 401]);
    const refreshed = await world.call('POST', '/auth/refresh', { body: { refreshToken } });
    expect([refreshed.statusCode, refreshed.json().code]).toEqual([401, 'invalid_refresh_token']);
    expect((await world.app.inject('/.well-known/jwks.json')).json<{ keys: { kid: string }[] }>().keys.map(({ kid }) => kid)).not.toContain(
      old.kid,
    );

    // Both processes still cache the old public key. A thief signs a token for a valid session with the revoked key.
    const fresh = await logIn();
    const claims = JSON.parse(Buffer.from(fresh.accessToken.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;
    const forged = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'EdDSA', kid: old.kid, typ: 'JWT' })
      .sign(await importJWK(old.privateJwk, 'EdDSA'));
    expect(await statuses(forged)).toEqual([401, 401]);
    expect(await statuses(fresh.accessToken)).toEqual([200, 200]);
  });
});
