import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { connect } from '../src/postgres/database.ts';
import { startEmbedded } from '../src/postgres/embedded/server.ts';
import { migrate } from '../src/postgres/migrate.ts';
import { testSecrets } from './secret-key.ts';
import { buildWorld, type WorldFacts } from './world.ts';

declare module 'vitest' {
  interface ProvidedContext {
    serverUrl: string;
    world: WorldFacts;
  }
}

/** One PostgreSQL for the run, and in it one database with the schema and the people of the tests, of which every test file gets a copy. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tessera-test-'));
  // As root PostgreSQL runs as somebody else, who must be able to enter.
  chmodSync(dataDir, 0o755);
  const server = await startEmbedded({
    dataDir,
    durable: false,
    log: () => undefined,
    onLost: (error) => {
      throw error;
    },
  });
  const admin = new pg.Client({ connectionString: server.url });
  await admin.connect();
  await admin.query('create database template_world');
  const url = server.url.replace('/tessera?', '/template_world?');
  const connections = connect({ url, secrets: testSecrets, onError: () => undefined });
  await migrate(connections.pool);
  const world = await buildWorld(connections.db);
  await connections.close();
  await admin.end();

  project.provide('serverUrl', server.url);
  project.provide('world', world);
  return async () => {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
}
