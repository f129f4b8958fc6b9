import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createApp } from '../src/app.ts';
import { demoPassword, people } from '../src/demo/people.ts';
import { connect } from '../src/postgres/database.ts';
import { Secrets } from '../src/postgres/secrets.ts';
import { eventually } from './eventually.ts';
import { type Standby, startStandby } from './standby.ts';
import { testConfig } from './test-config.ts';
import { useProcesses } from './use-processes.ts';

/*
 * Two servers with the demo data. The first is a standby. The second was promoted, so it is the primary.
 */

const { newDataFolder } = useProcesses();
const { dataDir } = inject('demoFolder');
const secrets = new Secrets(readFileSync(join(dataDir, 'secret-key'), 'utf8').trim());
let standby: Standby;
let primary: Standby;
const closings: (() => Promise<void>)[] = [];

beforeAll(async () => {
  [standby, primary] = await Promise.all([startStandby(dataDir), startStandby(dataDir)]);
  await primary.promote();
});

afterAll(async () => {
  for (const close of closings) await close();
  await Promise.all([standby.stop(), primary.stop()]);
});

/** A URL with several hosts. A folder of a socket can be written as host. */
const urlOf = (...servers: Standby[]): string => {
  const folders = servers.map(({ url }) => encodeURIComponent(new URL(url).searchParams.get('host') ?? ''));
  return `postgresql://postgres@${folders.join(',')}/tessera?target_session_attrs=read-write`;
};

async function start(url: string, environment: Record<string, string> = {}): Promise<FastifyInstance> {
  const config = testConfig({ PAYMENTS: 'cash', ...environment });
  const connections = connect({ url, max: 5, standby: config.readOnly, secrets, onError: () => undefined });
  const app = await createApp(config, { ...connections, clock: () => new Date() });
  closings.push(async () => {
    await app.close();
    await connections.close();
  });
  return app;
}

const logIn = (app: FastifyInstance) =>
  app.inject({ method: 'POST', url: '/v1/auth/login', payload: { email: people.admin.email, password: demoPassword } });

describe('READ_ONLY=on', () => {
  it('serves reads from a standby, and refuses writes with 503', async () => {
    const app = await start(urlOf(standby), { READ_ONLY: 'on', DATABASE_URL: urlOf(standby) });
    expect((await app.inject('/v1/home/sections')).statusCode).toBe(200);
    expect((await app.inject('/readyz')).statusCode).toBe(200);
    const refused = await logIn(app);
    expect([refused.statusCode, refused.json().code, refused.headers['retry-after']]).toEqual([503, 'unavailable', '5']);
  });

  it('audit works on a standby, and needs no setting', async () => {
    const folder = newDataFolder({ databaseUrl: standby.url });
    const metrics = join(tmpdir(), `tessera-audit-${process.pid}.prom`);
    const { code, stdout } = await folder.run(['audit', '--metrics', metrics], {
      environment: { SECRET_KEY_FILE: join(dataDir, 'secret-key') },
    });
    expect(stdout).toContain('No differences.');
    expect(code).toBe(0);
    const written = readFileSync(metrics, 'utf8');
    rmSync(metrics);
    expect(written).toMatch(/^tessera_invariant_violations\{check="[^"]+"\} 0$/m);
    expect(written).toMatch(/^tessera_audit_time_seconds \d+$/m);
  });
});

describe('several hosts in DATABASE_URL', () => {
  it('the primary is used, although the standby is the first host; after a failover the new primary is used', async () => {
    // The control: the standby alone is refused.
    await expect(start(urlOf(standby))).rejects.toThrow('The server is a standby.');
    const app = await start(urlOf(standby, primary));
    expect((await logIn(app)).statusCode).toBe(200);
    expect((await app.inject('/readyz')).statusCode).toBe(200);
    await primary.stop();
    expect((await logIn(app)).statusCode).toBe(503);
    expect((await app.inject('/readyz')).statusCode).toBe(503);
    await standby.promote();
    const seen = new Set<number>();
    await eventually('the new primary is used', async () => {
      const { statusCode } = await logIn(app);
      seen.add(statusCode);
      return statusCode === 200;
    });
    expect([...seen].filter((status) => status !== 200 && status !== 503)).toEqual([]);
  });
});
