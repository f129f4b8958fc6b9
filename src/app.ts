import type { Writable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { createGate } from './accounts/gate.ts';
import { describeKeys } from './accounts/jwks.ts';
import { accounts } from './accounts/routes.ts';
import { findItemScope } from './catalog/item-scope.ts';
import { catalog } from './catalog/routes.ts';
import { codes } from './codes/routes.ts';
import type { Config } from './config.ts';
import { events } from './events/routes.ts';
import type { Capability } from './http/capability.ts';
import { serveHealth } from './http/health.ts';
import { serveMetrics } from './http/metrics.ts';
import { mount } from './http/mount.ts';
import { openapi } from './http/openapi.ts';
import { serveReference } from './http/reference.ts';
import { createServer } from './http/server.ts';
import type { Database } from './postgres/database.ts';
import { tax } from './tax/routes.ts';

/** The API, one line per capability. */
export const capabilities: readonly Capability[] = [accounts, tax, events, catalog, codes];

/** Finds what a permission is asked on, where that is a thing of a capability's own. */
export const scopes = { item: findItemScope };

const apiVersion = '1.0.0';

export const describeApi = () =>
  openapi(
    capabilities.map(({ contract }) => contract),
    apiVersion,
  );

export type App = FastifyInstance;

export interface Surroundings {
  db: Database;
  clock: () => Date;
  /** Where log lines go; standard output when left out. */
  logTo?: Writable;
}

export async function createApp(config: Config, { db, clock, logTo }: Surroundings): Promise<App> {
  const app = await createServer({ ...config, logTo });
  serveHealth(app, db);
  serveMetrics(app, config.metricsToken);
  serveReference(app, describeApi());
  app.get('/.well-known/jwks.json', () => describeKeys(db));
  app.get('/', (_request, reply) => reply.redirect('/docs'));
  mount(app, { db, clock, gate: createGate(db, scopes), serve: config.serve }, capabilities);
  return app;
}
