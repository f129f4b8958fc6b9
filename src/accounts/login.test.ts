import { describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { noon, password } from '../../test/world.ts';

const world = useWorld();

const login = (email: string, secret: string, address = '10.0.0.1') =>
  world.app.inject({ method: 'POST', url: '/v1/auth/login', payload: { email, password: secret }, remoteAddress: address });

describe('login', () => {
  it('200: gives tokens that work, whatever the case of the address', async () => {
    const answer = await login(` ${world.emails.owner.toUpperCase()} `, password);
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({
      expiresIn: 900,
      user: { id: world.users.owner, producers: [{ id: world.producer, role: 'owner' }] },
    });
    const me = await world.call('GET', '/auth/me', { token: answer.json().accessToken });
    expect(me.statusCode).toBe(200);
  });

  it('401: answers a wrong password, an unknown account and an invited one alike', async () => {
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

  it('429: an account takes ten guesses, even all at once, and opens again when the window has passed', async () => {
    const guesses = await Promise.all(Array.from({ length: 25 }, () => login(world.emails.manager, 'guess', '10.0.0.2')));
    const statuses = guesses.map(({ statusCode }) => statusCode);
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(15);
    const refused = await login(world.emails.manager, password);
    expect(refused.statusCode).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    world.now = new Date(noon.getTime() + 15 * 60_000 + 1);
    expect((await login(world.emails.manager, password)).statusCode).toBe(200);
    world.now = noon;
  });

  it('429: an address takes a hundred, over any number of accounts', async () => {
    const from = '10.0.0.3';
    for (let i = 0; i < 100; i++) expect((await login(`guess${i}@test.test`, 'guess', from)).statusCode).toBe(401);
    expect((await login(world.emails.admin, password, from)).statusCode).toBe(429);
    expect((await login(world.emails.admin, password, '10.0.0.4')).statusCode).toBe(200);
  });
});
