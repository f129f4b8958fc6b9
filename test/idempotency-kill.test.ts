import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { createDatabase } from './harness.ts';
import { testSecretKey } from './secret-key.ts';
import { password } from './world.ts';

const program = fileURLToPath(new URL('../dist/service/main.js', import.meta.url));
const fault = (name: string): string => `--import=${new URL(`faults/${name}.mjs`, import.meta.url).href}`;

let child: ChildProcess | undefined;

afterEach(async () => {
  if (child && child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
});

/** Starts a service process on the database and returns its base URL. */
async function start(url: string, faults: readonly string[]): Promise<string> {
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: url,
    SECRET_KEY: testSecretKey,
    PORT: '0',
    LOG_LEVEL: 'fatal',
    UNSAFE_DATABASE: 'allow',
    LOAD_SHEDDING: 'off',
  };
  const started = spawn(process.execPath, [...faults, program, 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  child = started;
  for await (const chunk of started.stdout) {
    const address = /API +(\S+)/.exec(String(chunk))?.[1];
    if (address) return address;
  }
  throw new Error('The service did not start');
}

async function logIn(address: string): Promise<string> {
  const body = JSON.stringify({ email: inject('world').emails.owner, password });
  const answer = await fetch(`${address}/auth/login`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return ((await answer.json()) as { accessToken: string }).accessToken;
}

const createToken = (address: string, token: string, name: string, key: string, die?: string) =>
  fetch(`${address}/auth/tokens`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': key,
      ...(die && { 'x-die': die }),
    },
    body: JSON.stringify({ name, permissions: ['crew.read'] }),
  });

async function countTokens(address: string, token: string, name: string): Promise<number> {
  const answer = await fetch(`${address}/auth/tokens?pageSize=200`, { headers: { authorization: `Bearer ${token}` } });
  return ((await answer.json()) as { data: { name: string }[] }).data.filter((known) => known.name === name).length;
}

/** Kills the process in the middle of a write, starts it again and repeats the request. */
async function killAndRetry(
  die: 'commit' | 'answer',
  faults: readonly string[],
): Promise<{ status: number; replayed: boolean; effects: number }> {
  const { url, drop } = await createDatabase();
  const [name, key] = ['once', 'the-same-key'];
  const address = await start(url, [fault('die'), ...faults]);
  const token = await logIn(address);
  await expect(createToken(address, token, name, key, die)).rejects.toThrow('fetch failed');
  const again = await start(url, faults);
  const { status, headers } = await createToken(again, token, name, key);
  const effects = await countTokens(again, token, name);
  child?.kill('SIGKILL');
  await drop();
  return { status, replayed: headers.has('idempotency-replayed'), effects };
}

describe('a service that is killed during a write', () => {
  it('before the commit: nothing is written, and the repeated request takes effect', async () => {
    expect(await killAndRetry('commit', [])).toEqual({ status: 201, replayed: false, effects: 1 });
  });

  it('after the commit: everything is written, and the repeated request returns the stored response', async () => {
    expect(await killAndRetry('answer', [])).toEqual({ status: 201, replayed: true, effects: 1 });
  });

  it('control: the effect happens twice if the key is written outside the transaction', async () => {
    expect(await killAndRetry('answer', [fault('key-outside')])).toEqual({ status: 201, replayed: false, effects: 2 });
  });
});
