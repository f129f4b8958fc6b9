import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { systemAct } from '../kernel/act.ts';
import { type Connections, connect, inspectServer, type ServerFacts } from '../postgres/database.ts';
import { startDatabaseClock } from '../postgres/database-clock.ts';
import { attachEmbedded } from '../postgres/embedded/attach.ts';
import { startEmbedded } from '../postgres/embedded/server.ts';
import { migrate } from '../postgres/migrate.ts';
import { requireSchema, SchemaError } from '../postgres/migrations.ts';
import type { Secrets } from '../postgres/secrets.ts';
import { inTransaction } from '../postgres/transaction.ts';
import type { CommandContext } from './command.ts';
import { prepareKeys } from './prepare-keys.ts';
import { secretsOf } from './secret-key.ts';

export interface OpenDatabase extends Connections {
  /** The database's time: what holds and sale periods are judged by. */
  clock: () => Date;
  facts: ServerFacts;
  /** What this start had to migrate. */
  applied: string[];
  /** Where the data is, for people. */
  place: string;
  embedded: boolean;
}

interface Server {
  url: string;
  place: string;
  stop(): Promise<void>;
}

/**
 * `read`: changes nothing, not even the schema. `write`: migrates the embedded database, and expects the schema of this release in a
 * database of DATABASE_URL, where other processes may be at work. `migrate`: brings either to the schema of this release.
 */
type Purpose = 'read' | 'write' | 'migrate';

export interface OpenOptions {
  config: Config;
  log: (line: string) => void;
  /** A command may use the embedded server of a service that runs; the service itself must have it for its own. */
  own: boolean;
  purpose?: Purpose;
  /** Instead of those of the configuration. */
  secrets?: Secrets;
  /** Whether to go on with a SECRET_KEY that does not open the keys, for the command that replaces them. */
  anySecretKey?: boolean;
}

/** The database that the configuration names, started if it is the embedded one, with a schema that this release can work with. */
export async function openDatabase(options: OpenOptions): Promise<OpenDatabase> {
  const { config, log, own, purpose = 'write', anySecretKey = false } = options;
  if (purpose === 'read') requireCluster(config);
  const secrets = options.secrets ?? secretsOf(config);
  const server = await openServer(config, log, own);
  const connections = connect({ url: server.url, secrets, onError: (error) => log(`database connection lost: ${error.message}`) });
  let stopClock = (): void => undefined;
  const close = async () => {
    stopClock();
    await connections.close();
    await server.stop();
  };
  try {
    const facts = await inspectServer(connections.pool);
    const embedded = config.databaseUrl === null;
    const migrates = purpose === 'migrate' || (purpose === 'write' && embedded);
    const applied = migrates ? await migrate(connections.pool, { log }) : [];
    if (!migrates) await requireSchema(connections.pool);
    const clock = await startDatabaseClock(connections.pool);
    stopClock = clock.stop;
    const checksKeys = purpose !== 'read' && !anySecretKey;
    if (checksKeys) await inTransaction(connections.db, {}, (tx) => prepareKeys(tx, systemAct('migrate', clock.now())));
    return { ...connections, clock: clock.now, close, facts, applied, place: server.place, embedded };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Starting the embedded server would make a cluster where there is none. */
function requireCluster({ databaseUrl, dataDir }: Config): void {
  if (databaseUrl !== null || existsSync(join(dataDir, 'postgres'))) return;
  throw new SchemaError(`There is no database in ${dataDir} yet. Run \`tessera migrate\` first.`);
}

const endingSignals = ['SIGTERM', 'SIGINT'] as const;

const nothing = async (): Promise<void> => undefined;

async function openServer(config: Config, log: (line: string) => void, own: boolean): Promise<Server> {
  if (config.databaseUrl !== null) {
    return {
      url: config.databaseUrl,
      place: `the database of DATABASE_URL (${new URL(config.databaseUrl).host || 'local'})`,
      stop: nothing,
    };
  }
  const place = config.dataDir;
  const running = own ? null : await attachEmbedded(config.dataDir);
  if (running) return { url: running, place, stop: nothing };
  const onLost = (error: unknown) => {
    log(`the database cannot be started again: ${String(error)}`);
    process.kill(process.pid, 'SIGTERM');
  };
  const embedded = await startEmbedded({ dataDir: config.dataDir, durable: true, log, onLost });
  return { url: embedded.url, place, stop: () => embedded.stop() };
}

/** For commands: the database for the length of `work`. Who is told to end in the middle puts the database away first. */
export async function withDatabase<T>(
  { config }: CommandContext,
  work: (database: OpenDatabase) => Promise<T>,
  options: Pick<OpenOptions, 'purpose' | 'secrets' | 'anySecretKey'> = {},
): Promise<T> {
  const wait = () => {
    process.exitCode = 130;
  };
  for (const signal of endingSignals) process.on(signal, wait);
  try {
    const database = await openDatabase({ config, log: (line) => process.stderr.write(`${line}\n`), own: false, ...options });
    try {
      return await work(database);
    } finally {
      await database.close();
    }
  } finally {
    for (const signal of endingSignals) process.off(signal, wait);
  }
}
