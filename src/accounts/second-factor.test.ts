import { afterEach, describe, expect, it } from 'vitest';
import { auditOf } from '../../test/audit.ts';
import { Authenticator, totpCode } from '../../test/authenticator.ts';
import { runBehindLock } from '../../test/behind-lock.ts';
import { useWorld } from '../../test/harness.ts';
import { testSecrets } from '../../test/secret-key.ts';
import { noon, password } from '../../test/world.ts';
import { systemAct } from '../kernel/act.ts';
import { Secrets } from '../postgres/secrets.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { resetFactors } from './factors.ts';
import { sealTotpSecrets } from './totp.ts';

const site = 'https://tickets.test';
const world = useWorld({ PUBLIC_URL: site });

let people = 0;
interface Person {
  id: number;
  email: string;
  /** The person's own network, because wrong factors are counted by network too. */
  address: string;
  token: string;
}

async function newPerson(): Promise<Person> {
  const email = `person${++people}@test.test`;
  const { id } = (await world.call('POST', '/users', { as: 'admin', body: { email, name: 'Person', password } })).json();
  const address = `10.9.${people}.1`;
  const token = (await send('/auth/login', { email, password }, address)).json().accessToken;
  return { id, email, address, token };
}

const send = (path: string, payload: object, address: string, headers: Record<string, string> = {}) =>
  world.app.inject({ method: 'POST', url: `/v1${path}`, payload, remoteAddress: address, headers });
const post = ({ token }: Person, path: string, body: object) => world.call('POST', path, { token, body });
const later = (seconds: number) => {
  world.now = new Date(world.now.getTime() + seconds * 1000);
};

async function addTotp(person: Person): Promise<{ id: number; secret: string; recoveryCodes: string[] }> {
  const { id, secret } = (await post(person, '/auth/factors/totp', { password })).json();
  const confirmed = await post(person, '/auth/factors/totp/confirm', { code: totpCode(secret, world.now) });
  expect(confirmed.statusCode).toBe(200);
  later(30);
  return { id, secret, recoveryCodes: confirmed.json().recoveryCodes };
}

async function addPasskey(person: Person, key = new Authenticator(site)): Promise<{ id: number; key: Authenticator }> {
  const started = (await post(person, '/auth/factors/webauthn/options', { password })).json();
  const body = { registrationToken: started.registrationToken, name: 'Key', credential: key.create(started.options) };
  const added = await post(person, '/auth/factors/webauthn', body);
  expect(added.statusCode, added.body).toBe(201);
  return { id: added.json().factor.id, key };
}

const logIn = ({ email, address }: Person) => send('/auth/login', { email, password }, address);
const start = async (person: Person) => (await logIn(person)).json();
const complete = ({ address }: Person, body: object, headers?: Record<string, string>) =>
  send('/auth/login/second-factor', body, address, headers);
const outcomeOf = async (answer: ReturnType<typeof send>) => {
  const { statusCode, json } = await answer;
  return statusCode === 200 ? 200 : json().code;
};

afterEach(() => {
  world.now = noon;
});

describe('an authenticator app', () => {
  it('is needed at log-in after it was confirmed, and each code works once', async () => {
    const person = await newPerson();
    const created = await post(person, '/auth/factors/totp', { password });
    expect(created.statusCode).toBe(201);
    const { secret, uri, qrSvg } = created.json();
    expect(uri).toBe(
      `otpauth://totp/tickets.test:${encodeURIComponent(person.email)}?issuer=tickets.test&secret=${secret}&algorithm=SHA1&digits=6&period=30`,
    );
    expect(qrSvg).toContain('<svg');
    expect((await logIn(person)).statusCode).toBe(200);

    expect(await outcomeOf(post(person, '/auth/factors/totp/confirm', { code: '000000' }))).toBe('invalid_second_factor');
    const confirmed = await post(person, '/auth/factors/totp/confirm', { code: totpCode(secret, world.now) });
    expect(confirmed.json()).toMatchObject({ factor: { kind: 'totp', name: 'Authenticator' } });
    expect(confirmed.json().recoveryCodes).toHaveLength(10);

    const started = await logIn(person);
    expect(started.statusCode).toBe(401);
    expect(started.json()).toMatchObject({ code: 'second_factor_required', expiresIn: 300, factors: ['totp', 'recovery_code'] });
    const { loginToken } = started.json();
    const used = { loginToken, code: totpCode(secret, world.now) };
    expect(await outcomeOf(complete(person, used))).toBe('invalid_second_factor');
    later(30);
    const answer = await complete(person, { loginToken, code: totpCode(secret, world.now) });
    expect(answer.json()).toMatchObject({ user: { id: person.id } });
    expect(await auditOf(world, answer)).toMatchObject([
      { operation: 'completeLogin', after: { userId: person.id, secondFactor: 'totp' } },
    ]);
    later(30);
    expect(await outcomeOf(complete(person, { loginToken, code: totpCode(secret, world.now) }))).toBe('invalid_one_time_token');
    expect((await post(person, '/auth/factors/totp', { password })).statusCode).toBe(409);
  });

  it('accepts the codes of the step before and after, and no others', async () => {
    const person = await newPerson();
    const { secret } = await addTotp(person);
    later(300);
    const at = (seconds: number) => totpCode(secret, new Date(world.now.getTime() + seconds * 1000));
    const { loginToken } = await start(person);
    expect(await outcomeOf(complete(person, { loginToken, code: at(-60) }))).toBe('invalid_second_factor');
    expect(await outcomeOf(complete(person, { loginToken, code: at(60) }))).toBe('invalid_second_factor');
    expect(await outcomeOf(complete(person, { loginToken, code: at(-30) }))).toBe(200);
    expect(await outcomeOf(complete(person, { loginToken: (await start(person)).loginToken, code: at(30) }))).toBe(200);
  });

  it('has its key encrypted in the database, and `keys reseal` encrypts it again', async () => {
    const person = await newPerson();
    const { secret } = await addTotp(person);
    const { rows } = await world.pool.query('select sealed_secret from auth_factor where user_id = $1', [person.id]);
    expect(rows[0].sealed_secret.length).toBeGreaterThan(20);
    await inTransaction(world.db, {}, sealTotpSecrets);
    const { rows: after } = await world.pool.query('select sealed_secret from auth_factor where user_id = $1', [person.id]);
    expect(after[0].sealed_secret.equals(rows[0].sealed_secret)).toBe(false);
    expect(await outcomeOf(complete(person, { loginToken: (await start(person)).loginToken, code: totpCode(secret, world.now) }))).toBe(
      200,
    );
  });

  it('accepts no code after SECRET_KEY was lost, but recovery codes still work', async () => {
    const person = await newPerson();
    const { secret, recoveryCodes } = await addTotp(person);
    const { loginToken } = await start(person);
    const other = new Secrets('another secret key');
    const sealed = other.seal(Buffer.from('another key'), `auth_factor totp ${person.id}`);
    await world.pool.query('update auth_factor set sealed_secret = $2 where user_id = $1', [person.id, sealed]);
    expect(() => testSecrets.open(sealed, `auth_factor totp ${person.id}`)).toThrow('SECRET_KEY does not decrypt');
    expect(await outcomeOf(complete(person, { loginToken, code: totpCode(secret, world.now) }))).toBe('invalid_second_factor');
    expect(await outcomeOf(complete(person, { loginToken, code: recoveryCodes[0] }))).toBe(200);
  });
});

describe('a recovery code', () => {
  it('works once, with or without dashes, and new codes replace the old ones', async () => {
    const person = await newPerson();
    const { recoveryCodes } = await addTotp(person);
    const [first = '', second = '', third = ''] = recoveryCodes;
    expect(new Set(recoveryCodes).size).toBe(10);
    const { loginToken } = await start(person);
    expect(await outcomeOf(complete(person, { loginToken, code: first.toUpperCase().replaceAll('-', ' ') }))).toBe(200);
    const again = await start(person);
    expect(await outcomeOf(complete(person, { loginToken: again.loginToken, code: first }))).toBe('invalid_second_factor');
    expect(await outcomeOf(complete(person, { loginToken: again.loginToken, code: second }))).toBe(200);
    const list = async () => (await world.call('GET', '/auth/factors', { token: person.token })).json();
    expect((await list()).recoveryCodesLeft).toBe(8);
    const renewed = await post(person, '/auth/factors/recovery-codes', { password });
    expect((await list()).recoveryCodesLeft).toBe(10);
    const last = await start(person);
    expect(await outcomeOf(complete(person, { loginToken: last.loginToken, code: third }))).toBe('invalid_second_factor');
    expect(await outcomeOf(complete(person, { loginToken: last.loginToken, code: renewed.json().recoveryCodes[0] }))).toBe(200);
  });
});

describe('a passkey', () => {
  it('can be registered and is needed at log-in, with the challenge of this log-in', async () => {
    const person = await newPerson();
    const { key } = await addPasskey(person);
    const [one, two] = [await start(person), await start(person)];
    expect(one).toMatchObject({ factors: ['webauthn', 'recovery_code'], webauthn: { rpId: 'tickets.test' } });
    const webauthn = key.get(one.webauthn);
    expect(await outcomeOf(complete(person, { loginToken: two.loginToken, webauthn }))).toBe('invalid_second_factor');
    expect(await outcomeOf(complete(person, { loginToken: one.loginToken, webauthn }))).toBe(200);
    const { data } = (await world.call('GET', '/auth/factors', { token: person.token })).json();
    expect(data).toMatchObject([{ kind: 'webauthn', name: 'Key', lastUsedAt: world.now.toISOString() }]);
  });

  it('of another person, of another site, or in a malformed response is refused', async () => {
    const [person, other] = [await newPerson(), await newPerson()];
    const [{ key }, { key: foreign }] = [await addPasskey(person), await addPasskey(other)];
    const { loginToken, webauthn } = await start(person);
    expect(await outcomeOf(complete(person, { loginToken, webauthn: foreign.get(webauthn) }))).toBe('invalid_second_factor');
    expect(await outcomeOf(complete(person, { loginToken, webauthn: { ...key.get(webauthn), response: {} } }))).toBe(
      'invalid_second_factor',
    );
    key.origin = 'https://tickets.test.evil.test';
    expect(await outcomeOf(complete(person, { loginToken, webauthn: key.get(webauthn) }))).toBe('invalid_second_factor');
    key.origin = site;
    expect(await outcomeOf(complete(person, { loginToken, webauthn: key.get(webauthn) }))).toBe(200);
  });

  it('cannot be registered with a token of another person, and not twice', async () => {
    const [person, other] = [await newPerson(), await newPerson()];
    const key = new Authenticator(site);
    const started = (await post(person, '/auth/factors/webauthn/options', { password })).json();
    const body = { registrationToken: started.registrationToken, name: 'Key', credential: key.create(started.options) };
    expect(await outcomeOf(post(other, '/auth/factors/webauthn', body))).toBe('invalid_one_time_token');
    expect(await outcomeOf(post(person, '/auth/factors/webauthn', { ...body, credential: { id: 'x' } }))).toBe('rule_violation');
    expect((await post(person, '/auth/factors/webauthn', body)).statusCode).toBe(201);
    expect(await outcomeOf(post(person, '/auth/factors/webauthn', body))).toBe('invalid_one_time_token');
    const again = (await post(other, '/auth/factors/webauthn/options', { password })).json();
    const taken = { registrationToken: again.registrationToken, name: 'Key', credential: key.create(again.options) };
    expect(await outcomeOf(post(other, '/auth/factors/webauthn', taken))).toBe('already_exists');
  });
});

describe('POST /auth/login/second-factor', () => {
  it('counts wrong factors with wrong passwords, and a correct password does not reset the count', async () => {
    const person = await newPerson();
    const { secret } = await addTotp(person);
    const { loginToken } = await start(person);
    for (let i = 0; i < 3; i++) expect(await outcomeOf(complete(person, { loginToken, code: '000000' }))).toBe('invalid_second_factor');
    expect(await outcomeOf(logIn(person))).toBe('second_factor_required');
    const refused = await complete(person, { loginToken, code: totpCode(secret, world.now) });
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '60']);
    expect((await logIn(person)).statusCode).toBe(429);
    later(60);
    expect(await outcomeOf(complete(person, { loginToken, code: totpCode(secret, world.now) }))).toBe(200);
    expect(await outcomeOf(logIn(person))).toBe('second_factor_required');
  });

  it('refuses the token after 5 minutes, after a new password, and for a disabled user', async () => {
    const person = await newPerson();
    const { recoveryCodes } = await addTotp(person);
    const code = recoveryCodes[0];
    const first = await start(person);
    later(300);
    expect(await outcomeOf(complete(person, { loginToken: first.loginToken, code }))).toBe('invalid_one_time_token');
    const second = await start(person);
    await world.call('PUT', `/users/${person.id}`, { as: 'admin', body: { password } });
    expect(await outcomeOf(complete(person, { loginToken: second.loginToken, code }))).toBe('invalid_one_time_token');
    const third = await start(person);
    await world.call('PUT', `/users/${person.id}`, { as: 'admin', body: { disabled: true } });
    expect(await outcomeOf(complete(person, { loginToken: third.loginToken, code }))).toBe('invalid_one_time_token');
  });

  it('returns 401 if the password changes at the same time, so that no session survives the change', async () => {
    const person = await newPerson();
    const { recoveryCodes } = await addTotp(person);
    const { loginToken } = await start(person);
    const [changed, completed] = await runBehindLock(world, `select from app_user where id = ${person.id} for update`, [
      () => world.call('PUT', `/users/${person.id}`, { as: 'admin', body: { password } }),
      () => complete(person, { loginToken, code: recoveryCodes[0] }),
    ]);
    expect([changed?.statusCode, completed?.json().code]).toEqual([200, 'invalid_one_time_token']);
  });

  it('can put the refresh token into a cookie, only for pages of this site', async () => {
    const person = await newPerson();
    const { recoveryCodes } = await addTotp(person);
    const { loginToken } = await start(person);
    const body = { loginToken, code: recoveryCodes[0], session: 'cookie' };
    expect((await complete(person, body, { 'sec-fetch-site': 'cross-site' })).statusCode).toBe(403);
    const answer = await complete(person, body, { 'sec-fetch-site': 'same-origin' });
    expect(answer.json().refreshToken).toBeUndefined();
    expect(answer.headers['set-cookie']).toMatch(/^__Host-session=/);
  });
});

describe('adding and removing factors', () => {
  const remove = ({ token }: Person, id: number, body: object) => world.call('POST', `/auth/factors/${id}/remove`, { token, body });

  it('needs the password or a code, and wrong ones are counted in the session', async () => {
    const person = await newPerson();
    for (const body of [{ password: 'wrong' }, { code: '000000' }])
      expect((await post(person, '/auth/factors/totp', body)).statusCode).toBe(401);
    expect((await post(person, '/auth/factors/totp', {})).statusCode).toBe(400);
    for (let i = 0; i < 3; i++) await post(person, '/auth/factors/webauthn/options', { password: 'wrong' });
    expect((await post(person, '/auth/factors/totp', { password })).statusCode).toBe(429);
  });

  it('a factor is removed with the password or another factor, but not with its own code', async () => {
    const person = await newPerson();
    const totp = await addTotp(person);
    const passkey = await addPasskey(person);
    expect((await remove(person, totp.id, { code: totpCode(totp.secret, world.now) })).statusCode).toBe(401);
    expect((await remove(await newPerson(), totp.id, { password })).statusCode).toBe(404);
    expect((await remove(person, passkey.id, { code: totpCode(totp.secret, world.now) })).statusCode).toBe(204);
    expect((await remove(person, totp.id, { code: totp.recoveryCodes[0] })).statusCode).toBe(204);
    expect((await logIn(person)).statusCode).toBe(200);
    const { rows } = await world.pool.query('select 1 from recovery_code where user_id = $1', [person.id]);
    expect(rows).toEqual([]);
  });

  it('`tessera user reset-factors` removes all factors, so that the password is enough', async () => {
    const person = await newPerson();
    await addTotp(person);
    await addPasskey(person);
    const { loginToken } = await start(person);
    const reset = inTransaction(world.db, {}, (tx) => resetFactors(tx, systemAct('user reset-factors', world.now), person.id));
    expect(await reset).toBe(2);
    expect(await outcomeOf(complete(person, { loginToken, code: '000000' }))).toBe('invalid_one_time_token');
    expect((await logIn(person)).statusCode).toBe(200);
  });
});
