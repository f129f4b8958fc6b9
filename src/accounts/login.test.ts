import { afterEach, describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { noon, password } from '../../test/world.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { deleteExpiredLoginData } from './delete-expired.ts';

const world = useWorld();

const login = (email: string, secret: string, address = '10.0.0.1') =>
  world.app.inject({ method: 'POST', url: '/v1/auth/login', payload: { email, password: secret }, remoteAddress: address });

describe('POST /auth/login', () => {
  it('returns tokens that work, ignoring the case of the e-mail', async () => {
    const answer = await login(` ${world.emails.owner.toUpperCase()} `, password);
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({
      expiresIn: 900,
      user: { id: world.users.owner, producers: [{ id: world.producer, role: 'owner' }] },
    });
    const me = await world.call('GET', '/auth/me', { token: answer.json().accessToken });
    expect(me.statusCode).toBe(200);
  });

  it('returns the same 401 for a wrong password, an unknown account and an account without a password', async () => {
    const wrong = await login(world.emails.stranger, 'not the password');
    const unknown = await login('nobody@test.test', password);
    await world.call('POST', `/producers/${world.producer}/members`, {
      as: 'owner',
      body: { email: 'invited@test.test', role: 'manager' },
    });
    const invited = await login('invited@test.test', password);
    for (const answer of [wrong, unknown, invited]) expect(answer.statusCode).toBe(401);
    const withoutId = (body: object) => ({ ...body, requestId: null });
    expect(withoutId(wrong.json())).toEqual(withoutId(unknown.json()));
    expect(withoutId(wrong.json())).toEqual(withoutId(invited.json()));
  });
});

describe('POST /auth/login after wrong passwords', () => {
  /** A new account has no known networks. */
  const newAccount = async (name: string): Promise<string> => {
    const body = { email: `${name}@test.test`, name, password };
    return (await world.call('POST', '/users', { as: 'admin', body })).json().email;
  };
  const later = (minutes: number) => {
    world.now = new Date(world.now.getTime() + minutes * 60_000);
  };
  const statusOf = async (email: string, secret: string, from: string) => (await login(email, secret, from)).statusCode;
  /** Returns the status, and Retry-After with 429. */
  const outcomeOf = async (email: string, secret: string, from: string) => {
    const { statusCode, headers } = await login(email, secret, from);
    return statusCode === 429 ? [429, Number(headers['retry-after'])] : [statusCode];
  };

  /** Checking a password is slow, so the test sends one wrong password and then sets the count to 99. */
  const count99 = async (kind: 'account' | 'network', guess: () => Promise<unknown>) => {
    await world.db.deleteFrom('login_failure').execute();
    await guess();
    const counted = world.db.updateTable('login_failure').set({ failures: 99 }).where('subject', 'like', `${kind}:%`);
    expect(await counted.executeTakeFirst()).toMatchObject({ numUpdatedRows: 1n });
  };

  afterEach(() => {
    world.now = noon;
  });

  it('returns 429 after five wrong passwords from one network, with delays that double up to 15 minutes', async () => {
    const [email, from] = [await newAccount('delayed'), '10.1.0.1'];
    for (let i = 0; i < 5; i++) expect(await outcomeOf(email, 'guess', from)).toEqual([401]);
    for (const minutes of [1, 2, 4, 8, 15, 15]) {
      expect(await outcomeOf(email, password, from)).toEqual([429, minutes * 60]);
      later(minutes - 1 / 60);
      expect(await outcomeOf(email, password, from)).toEqual([429, 1]);
      later(1 / 60);
      expect(await outcomeOf(email, 'guess', from)).toEqual([401]);
    }
    later(15);
    expect(await outcomeOf(email, password, from)).toEqual([200]);
    expect(await outcomeOf(email, 'guess', from)).toEqual([401]);
    expect(await outcomeOf(email, password, from)).toEqual([200]);
  });

  it('resets the count one day after the last wrong password', async () => {
    const [email, from] = [await newAccount('forgotten'), '10.1.0.2'];
    for (let i = 0; i < 5; i++) await login(email, 'guess', from);
    later(24 * 60);
    for (let i = 0; i < 5; i++) expect(await statusOf(email, 'guess', from)).toBe(401);
    expect(await statusOf(email, password, from)).toBe(429);
  });

  it('checks at most five passwords when many requests run concurrently', async () => {
    const email = await newAccount('at-once');
    const guesses = await Promise.all(Array.from({ length: 25 }, () => statusOf(email, 'guess', '10.1.0.3')));
    expect(guesses.filter((status) => status === 401)).toHaveLength(5);
    expect(guesses.filter((status) => status === 429)).toHaveLength(20);
  });

  it('returns 200 for the right password from another network', async () => {
    const email = await newAccount('victim');
    for (let i = 0; i < 30; i++) await login(email, 'guess', '10.1.0.4');
    expect(await statusOf(email, password, '10.1.0.4')).toBe(429);
    expect(await statusOf(email, password, '10.1.0.5')).toBe(200);
  });

  it('counts an IPv6 /64 as one network, and the next /64 as another', async () => {
    const email = await newAccount('six');
    for (let i = 1; i <= 5; i++) expect(await statusOf(email, 'guess', `2001:db8:1:2:${i}::${i}`)).toBe(401);
    expect(await statusOf(email, password, '2001:db8:1:2:ffff::1')).toBe(429);
    expect(await statusOf(email, password, '2001:db8:1:3::1')).toBe(200);
  });

  it('returns the same responses for an account that does not exist', async () => {
    const known = await newAccount('exists');
    const responsesFor = async (email: string, from: string) => {
      const responses = [];
      for (let i = 0; i < 7; i++) {
        const { statusCode, headers, json } = await login(email, 'guess', from);
        responses.push({ statusCode, retryAfter: headers['retry-after'], body: { ...json(), requestId: null } });
      }
      return responses;
    };
    expect(await responsesFor('exists-not@test.test', '10.1.0.6')).toEqual(await responsesFor(known, '10.1.0.7'));
  });

  it('returns 429 to unknown networks after 100 wrong passwords in an hour from many networks, and 200 to a known one', async () => {
    const [email, home] = [await newAccount('spread'), '10.1.0.8'];
    expect(await statusOf(email, password, home)).toBe(200);
    await count99('account', () => login(email, 'guess', '10.2.0.1'));
    expect(await statusOf(email, 'guess', '10.2.0.2')).toBe(401);
    expect(await outcomeOf(email, password, '10.3.0.1')).toEqual([429, 3600]);
    expect(await statusOf(email, password, home)).toBe(200);
    expect(await statusOf(email, 'guess', home)).toBe(401);
    expect(await statusOf(email, password, '10.3.0.1')).toBe(429);
    later(60);
    expect(await statusOf(email, password, '10.3.0.1')).toBe(200);
  });

  it('returns 429 to a network after 100 wrong passwords in 15 minutes over all accounts, and 200 for an account that logged in there', async () => {
    const [resident, visitor, from] = [await newAccount('resident'), await newAccount('visitor'), '10.1.0.9'];
    expect(await statusOf(resident, password, from)).toBe(200);
    await count99('network', () => login('guess1@test.test', 'guess', from));
    expect(await statusOf('guess2@test.test', 'guess', from)).toBe(401);
    expect(await outcomeOf(visitor, password, from)).toEqual([429, 900]);
    expect(await statusOf(visitor, password, '10.1.0.10')).toBe(200);
    expect(await statusOf(resident, password, from)).toBe(200);
    later(15);
    expect(await statusOf(visitor, password, from)).toBe(200);
  });

  it('remembers a network for 90 days, as a hash that housekeeping deletes', async () => {
    const [email, from] = [await newAccount('moved'), '10.1.0.11'];
    await world.db.deleteFrom('known_network').execute();
    expect(await statusOf(email, password, from)).toBe(200);
    const [row, ...others] = await world.db.selectFrom('known_network').selectAll().execute();
    expect(others).toEqual([]);
    expect(row?.expires_at).toEqual(new Date(noon.getTime() + 90 * 86_400_000));
    const forget = (days: number) =>
      inTransaction(world.db, {}, (tx) => deleteExpiredLoginData(tx, 'knownNetworks', new Date(noon.getTime() + days * 86_400_000), 100));
    expect(await forget(89)).toBe(0);
    await count99('network', () => login('guess1@test.test', 'guess', from));
    await login('guess2@test.test', 'guess', from);
    expect(await statusOf(email, password, from)).toBe(200);
    await world.db.updateTable('known_network').set({ expires_at: noon }).execute();
    expect(await statusOf(email, password, from)).toBe(429);
    expect(await forget(0)).toBe(1);
  });

  it('stores neither e-mail nor address', async () => {
    const email = await newAccount('unwritten');
    await login(email, 'guess', '10.1.0.12');
    const { rows } = await world.pool.query<{ line: string }>('select login_failure::text as line from login_failure');
    const text = rows.map(({ line }) => line).join();
    expect([text.includes(email), text.includes('10.1.0.12')]).toEqual([false, false]);
  });
});

describe('PUT /auth/password after wrong passwords', () => {
  it('returns 429 in that session only, not in other sessions or at log-in', async () => {
    const { accessToken: stolen } = (await login(world.emails.manager, password)).json();
    const { accessToken: own } = (await login(world.emails.manager, password)).json();
    const change = (token: string, currentPassword: string) =>
      world.call('PUT', '/auth/password', { token, body: { currentPassword, newPassword: 'another password, as long' } });
    for (let i = 0; i < 5; i++) expect((await change(stolen, 'guess')).statusCode).toBe(401);
    const refused = await change(stolen, password);
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '60']);
    expect((await login(world.emails.manager, password)).statusCode).toBe(200);
    expect((await change(own, password)).statusCode).toBe(204);
  });
});
