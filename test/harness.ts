import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, inject } from 'vitest';
import { createApp } from '../src/app.ts';
import type { Config } from '../src/config.ts';
import { openProviders, type Providers } from '../src/payments/providers/open-providers.ts';
import { type Connections, connect } from '../src/postgres/database.ts';
import { createDatabaseOn } from './database.ts';
import { testSecrets } from './secret-key.ts';
import { testConfig } from './test-config.ts';
import { type Caller, noon, type WorldFacts } from './world.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD' | 'PATCH';

interface CallOptions {
  as?: Caller;
  /** A token to send instead of the token of the caller. */
  token?: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** The app that gets the request. Another app on the same database acts like another process. */
  app?: FastifyInstance;
}

/** The whole service in the process of the test, on a database with the users and events of world.ts. */
export interface World extends WorldFacts, Connections {
  app: FastifyInstance;
  config: Config;
  /** The payment providers of the configuration. */
  providers: Providers;
  url: string;
  /** The current time of all requests. A test may change it. */
  now: Date;
  call(method: Method, path: string, options?: CallOptions): Promise<LightMyRequestResponse>;
  /** Creates another app on the same database. Limits per process count in each app separately. */
  newApp(): Promise<FastifyInstance>;
}

/** Creates a database for one test file, with the users and events of world.ts. */
export const createDatabase = (): ReturnType<typeof createDatabaseOn> => createDatabaseOn(inject('serverUrl'), 'template_world');

interface WorldDatabase extends Awaited<ReturnType<typeof createDatabase>> {
  /** The users and events of a database that is no copy of `template_world`. */
  facts?: WorldFacts;
}

/** Starts the whole service on its own database; requests are injected without a network. Call it once at the top of a test file. */
export function useWorld(environment: Record<string, string> = {}, open: () => Promise<WorldDatabase> = createDatabase): World {
  const world = { ...inject('world'), now: noon } as World;
  let drop = async (): Promise<void> => undefined;
  const apps: FastifyInstance[] = [];
  let dataDir = '';
  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'tessera-world-'));
    const database = await open();
    drop = database.drop;
    const config = testConfig({ DATA_DIR: dataDir, ...environment });
    const connections = connect({ url: database.url, max: 10, secrets: testSecrets, onError: () => undefined });
    const providers = await openProviders(config, connections.db, () => world.now);
    Object.assign(world, database.facts, { url: database.url, config, providers, ...connections });
    world.app = await world.newApp();
  });
  afterAll(async () => {
    for (const app of apps) await app.close();
    await world.close();
    await drop();
    rmSync(dataDir, { recursive: true, force: true });
  });
  world.newApp = async () => {
    const app = await createApp(world.config, { db: world.db, clock: () => world.now });
    apps.push(app);
    return app;
  };
  world.call = (method, path, options = {}) => (options.app ?? world.app).inject(toInject(world, method, path, options));
  return world;
}

function toInject(world: World, method: Method, path: string, { as, token, body, headers = {} }: CallOptions): InjectOptions {
  const bearer = token ?? (as && world.tokens[as]);
  return {
    method,
    url: path.startsWith('/v1') || !path.startsWith('/') ? path : `/v1${path}`,
    headers: { ...(bearer && { authorization: `Bearer ${bearer}` }), ...headers },
    ...(body !== undefined && { payload: body as object }),
  };
}
