import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { buildChanges } from '../bin/build.js';
import { connect } from '../src/postgres/database.ts';
import { startEmbedded } from '../src/postgres/embedded/server.ts';
import { migrate } from '../src/postgres/migrate.ts';
import { testSecrets } from './secret-key.ts';
import { buildWorld, type WorldFacts } from './world.ts';

declare module 'vitest' {
  interface ProvidedContext {
    serverUrl: string;
    /** A file with the hashes of the statements that test/watch-event-keys.ts has accepted in this run. */
    acceptedStatements: string;
    world: WorldFacts;
  }
}

/**
 * Starts one PostgreSQL server for the whole run. Its database `template_world` has the schema and the test users, and each test file works
 * on a copy of it. Vitest calls this function once for each project that has tests to run. The first call starts the server for all
 * projects.
 */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if ('serverUrl' in project.getProvidedContext()) return undefined;
  // The pages of the shop are rendered by the built file, also in tests.
  if (!(await buildChanges())) throw new Error('The build failed');
  const dataDir = mkdtempSync(join(tmpdir(), 'tessera-test-'));
  // When root runs the tests, PostgreSQL runs as another user, who needs access to this folder.
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

  for (const user of project.vitest.projects.filter(({ config }) => config.globalSetup.length > 0)) {
    user.provide('serverUrl', server.url);
    user.provide('acceptedStatements', join(dataDir, 'accepted-statements'));
    user.provide('world', world);
  }
  return async () => {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
}
