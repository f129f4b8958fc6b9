import { beforeEach, describe, expect, it } from 'vitest';
import { minutesAfterNoon, noon, password } from '../../test/world.ts';
import { type Fetch, outcome, type Tokens } from '../src/index.ts';
import { json, problem, useScriptedServer } from './scripted-server.ts';
import { useService } from './service.ts';

const service = useService();
const server = useScriptedServer();
const { world } = service;
const login = { email: world.emails.owner, password };
const asked = (operation: string): number => service.sent.filter((request) => request.operation === operation).length;
const many = <T>(ask: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: 20 }, ask));
/** Moves the clock by `n` times 16 minutes. Access tokens are valid for 15 minutes, so each step expires them. */
const expireTokens = (n: number): void => {
  world.now = minutesAfterNoon(n * 16);
};

beforeEach(() => {
  world.now = noon;
  service.sent.length = 0;
});

describe('a token from the caller', () => {
  it('is sent unchanged, and is not renewed when the service refuses it', async () => {
    expect((await service.anyone({ token: world.tokens.owner }).auth.me()).email).toBe(login.email);
    const result = await outcome(service.anyone({ token: 'nonsense' }).auth.me());
    expect(result).toMatchObject({ ok: false, problem: { code: 'invalid_token', status: 401 } });
    expect(asked('getMe')).toBe(2);
  });

  it('from a function: the client calls the function for each call, and again when the service refuses the token', async () => {
    const refused: (string | undefined)[] = [];
    const token = async (old?: string) => {
      refused.push(old);
      return old ? world.tokens.owner : 'stale';
    };
    expect((await service.anyone({ token }).auth.me()).email).toBe(login.email);
    expect(refused).toEqual([undefined, 'stale']);
    expect(asked('getMe')).toBe(2);
  });

  it('from a function: the call fails when the service also refuses the second token', async () => {
    server.replyWith(problem(401, 'invalid_token'));
    let fetched = 0;
    const client = server.client({ token: () => `token ${++fetched}` });
    await expect(client.auth.me()).rejects.toMatchObject({ code: 'invalid_token' });
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer token 1', 'Bearer token 2']);
  });
});

describe('login by e-mail and password', () => {
  it('happens once, before the first call, even when many calls start at the same time', async () => {
    const client = service.anyone({ login });
    expect(asked('login')).toBe(0);
    for (const me of await many(() => client.auth.me())) expect(me.email).toBe(login.email);
    expect(asked('login')).toBe(1);
  });

  it('is refreshed once for all calls with an expired token, each time it expires', async () => {
    const kept: (Tokens | null)[] = [];
    const client = service.anyone({ login, onTokens: (tokens) => void kept.push(tokens) });
    await client.auth.me();
    for (const round of [1, 2, 3]) {
      expireTokens(round);
      for (const me of await many(() => client.auth.me())) expect(me.email).toBe(login.email);
      expect(asked('refresh')).toBe(round);
    }
    expect(asked('login')).toBe(1);
    expect(new Set(kept.map((tokens) => tokens?.refreshToken)).size).toBe(4);
  });

  it('control: using a refresh token twice ends the session', async () => {
    const client = service.anyone({ login });
    const { refreshToken = '' } = await client.auth.login(login);
    await client.auth.refresh({ refreshToken });
    expect(await outcome(client.auth.refresh({ refreshToken }))).toMatchObject({ problem: { code: 'invalid_refresh_token' } });
  });

  it('is repeated when the session was ended by another client', async () => {
    const client = service.anyone({ login });
    const { refreshToken = '' } = await client.auth.login(login);
    await service.anyone().auth.refresh({ refreshToken });
    expireTokens(1);
    expect((await client.auth.me()).email).toBe(login.email);
    expect(asked('login')).toBe(2);
  });

  it('with a wrong password fails all waiting calls', async () => {
    const client = service.anyone({ login: { ...login, password: 'a wrong password' } });
    const results = await Promise.allSettled([client.auth.me(), client.auth.me()]);
    expect(results).toMatchObject([{ reason: { code: 'invalid_credentials' } }, { reason: { code: 'invalid_credentials' } }]);
    expect(asked('login')).toBe(1);
  });

  it('is not repeated after a logout', async () => {
    const client = service.anyone({ login });
    await client.auth.logout();
    expect(await outcome(client.auth.me())).toMatchObject({ problem: { code: 'not_authenticated' } });
    expect(asked('login')).toBe(1);
  });
});

describe('tokens of an earlier login', () => {
  const earlier = async (): Promise<Tokens> => service.anyone().auth.login(login);

  it('are used, and renewed before they expire', async () => {
    const client = service.anyone({ tokens: { ...(await earlier()), expiresAt: Date.now() + 5_000 } });
    await many(() => client.auth.me());
    expect([asked('refresh'), asked('getMe')]).toEqual([1, 20]);
  });

  it('that are no longer valid are removed from the client, and the call fails with a problem', async () => {
    const tokens = await earlier();
    await service.anyone().auth.refresh({ refreshToken: tokens.refreshToken ?? '' });
    expireTokens(1);
    const kept: (Tokens | null)[] = [];
    const client = service.anyone({ tokens, onTokens: (next) => void kept.push(next) });
    expect(await outcome(client.auth.me())).toMatchObject({ problem: { code: 'invalid_token' } });
    expect(kept).toEqual([null]);
    expect(await outcome(client.auth.me())).toMatchObject({ problem: { code: 'not_authenticated' } });
  });

  it('are renewed even if the response to a refresh is lost: it is retried with the same idempotency key', async () => {
    let lost = 0;
    const losing: Fetch = async (url, init) => {
      const answer = await fetch(url, init);
      if (url.endsWith('/auth/refresh') && lost++ === 0) throw new TypeError('connection lost');
      return answer;
    };
    const tokens = await earlier();
    expireTokens(1);
    const client = service.anyone({ tokens, fetch: losing });
    expect((await client.auth.me()).email).toBe(login.email);
    expireTokens(2);
    expect((await client.auth.me()).email).toBe(login.email);
    expect(asked('refresh')).toBe(3);
  });

  it('a call that is aborted during the renewal does not affect the other waiting calls', async () => {
    const answer = { accessToken: 'new', refreshToken: 'new', expiresIn: 900 };
    server.replyWith((response, request) => void setTimeout(() => json(200, answer)(response, request), 100), json(200, { id: 1 }));
    const client = server.client({ tokens: { accessToken: 'old', refreshToken: 'old', expiresAt: 0 } });
    const control = new AbortController();
    const [left, stayed] = [client.auth.me({}, { signal: control.signal }), client.auth.me()];
    setTimeout(() => control.abort(), 30);
    await expect(left).rejects.toMatchObject({ name: 'AbortError' });
    expect(await stayed).toEqual({ id: 1 });
    expect(server.requests.map(({ line }) => line)).toEqual(['POST /v1/auth/refresh', 'GET /v1/auth/me']);
  });
});
