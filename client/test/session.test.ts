import { beforeEach, describe, expect, it } from 'vitest';
import { minutesAfterNoon, noon, password } from '../../test/world.ts';
import { type Fetch, outcome, type Tokens } from '../src/index.ts';
import { json, problem, useScript } from './script.ts';
import { useService } from './service.ts';

const service = useService();
const script = useScript();
const { world } = service;
const login = { email: world.emails.owner, password };
const asked = (operation: string): number => service.sent.filter((request) => request.operation === operation).length;
const many = <T>(ask: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: 20 }, ask));
/** Access tokens are good for 15 minutes. */
const later = (n: number): void => {
  world.now = minutesAfterNoon(n * 16);
};

beforeEach(() => {
  world.now = noon;
  service.sent.length = 0;
});

describe('a token of the caller’s own', () => {
  it('is sent as it is; one that is refused is the caller’s to renew', async () => {
    expect((await service.anyone({ token: world.tokens.owner }).auth.me()).email).toBe(login.email);
    const result = await outcome(service.anyone({ token: 'nonsense' }).auth.me());
    expect(result).toMatchObject({ ok: false, problem: { code: 'invalid_token', status: 401 } });
    expect(asked('getMe')).toBe(2);
  });

  it('is fetched for each call, and again when it was refused', async () => {
    const refused: (string | undefined)[] = [];
    const token = async (old?: string) => {
      refused.push(old);
      return old ? world.tokens.owner : 'stale';
    };
    expect((await service.anyone({ token }).auth.me()).email).toBe(login.email);
    expect(refused).toEqual([undefined, 'stale']);
    expect(asked('getMe')).toBe(2);
  });

  it('a second refusal is final', async () => {
    script.plays(problem(401, 'invalid_token'));
    let fetched = 0;
    const client = script.client({ token: () => `token ${++fetched}` });
    await expect(client.auth.me()).rejects.toMatchObject({ code: 'invalid_token' });
    expect(script.seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer token 1', 'Bearer token 2']);
  });
});

describe('log-in by e-mail and password', () => {
  it('is made once, when it is first needed, however many calls wait for it', async () => {
    const client = service.anyone({ login });
    expect(asked('login')).toBe(0);
    for (const me of await many(() => client.auth.me())) expect(me.email).toBe(login.email);
    expect(asked('login')).toBe(1);
  });

  it('is refreshed once for all calls that were refused, again and again', async () => {
    const kept: (Tokens | null)[] = [];
    const client = service.anyone({ login, onTokens: (tokens) => void kept.push(tokens) });
    await client.auth.me();
    for (const round of [1, 2, 3]) {
      later(round);
      for (const me of await many(() => client.auth.me())) expect(me.email).toBe(login.email);
      expect(asked('refresh')).toBe(round);
    }
    expect(asked('login')).toBe(1);
    expect(new Set(kept.map((tokens) => tokens?.refreshToken)).size).toBe(4);
  });

  it('control: a refresh token that is used twice ends the session', async () => {
    const client = service.anyone({ login });
    const { refreshToken } = await client.auth.login(login);
    await client.auth.refresh({ refreshToken });
    expect(await outcome(client.auth.refresh({ refreshToken }))).toMatchObject({ problem: { code: 'invalid_refresh_token' } });
  });

  it('is made anew when the session has ended elsewhere', async () => {
    const client = service.anyone({ login });
    const { refreshToken } = await client.auth.login(login);
    await service.anyone().auth.refresh({ refreshToken });
    later(1);
    expect((await client.auth.me()).email).toBe(login.email);
    expect(asked('login')).toBe(2);
  });

  it('with a wrong password fails every call that waits, and nothing hangs', async () => {
    const client = service.anyone({ login: { ...login, password: 'a wrong password' } });
    const results = await Promise.allSettled([client.auth.me(), client.auth.me()]);
    expect(results).toMatchObject([{ reason: { code: 'invalid_credentials' } }, { reason: { code: 'invalid_credentials' } }]);
    expect(asked('login')).toBe(1);
  });

  it('is not repeated behind the back of who has logged out', async () => {
    const client = service.anyone({ login });
    await client.auth.logout();
    expect(await outcome(client.auth.me())).toMatchObject({ problem: { code: 'not_authenticated' } });
    expect(asked('login')).toBe(1);
  });
});

describe('tokens of an earlier log-in', () => {
  const earlier = async (): Promise<Tokens> => service.anyone().auth.login(login);

  it('are used, and renewed before they run out', async () => {
    const client = service.anyone({ tokens: { ...(await earlier()), expiresAt: Date.now() + 5_000 } });
    await many(() => client.auth.me());
    expect([asked('refresh'), asked('getMe')]).toEqual([1, 20]);
  });

  it('that are of no use any more are given up, and the call says so', async () => {
    const tokens = await earlier();
    await service.anyone().auth.refresh({ refreshToken: tokens.refreshToken });
    later(1);
    const kept: (Tokens | null)[] = [];
    const client = service.anyone({ tokens, onTokens: (next) => void kept.push(next) });
    expect(await outcome(client.auth.me())).toMatchObject({ problem: { code: 'invalid_token' } });
    expect(kept).toEqual([null]);
    expect(await outcome(client.auth.me())).toMatchObject({ problem: { code: 'not_authenticated' } });
  });

  it('survive a refresh whose answer was lost: it is asked for again with the same key', async () => {
    let lost = 0;
    const losing: Fetch = async (url, init) => {
      const answer = await fetch(url, init);
      if (url.endsWith('/auth/refresh') && lost++ === 0) throw new TypeError('connection lost');
      return answer;
    };
    const tokens = await earlier();
    later(1);
    const client = service.anyone({ tokens, fetch: losing });
    expect((await client.auth.me()).email).toBe(login.email);
    later(2);
    expect((await client.auth.me()).email).toBe(login.email);
    expect(asked('refresh')).toBe(3);
  });

  it('who gives up while they are renewed leaves alone', async () => {
    const answer = { accessToken: 'new', refreshToken: 'new', expiresIn: 900 };
    script.plays((response, request) => void setTimeout(() => json(200, answer)(response, request), 100), json(200, { id: 1 }));
    const client = script.client({ tokens: { accessToken: 'old', refreshToken: 'old', expiresAt: 0 } });
    const control = new AbortController();
    const [left, stayed] = [client.auth.me({}, { signal: control.signal }), client.auth.me()];
    setTimeout(() => control.abort(), 30);
    await expect(left).rejects.toMatchObject({ name: 'AbortError' });
    expect(await stayed).toEqual({ id: 1 });
    expect(script.seen.map(({ line }) => line)).toEqual(['POST /v1/auth/refresh', 'GET /v1/auth/me']);
  });
});
