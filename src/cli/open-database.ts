import type { Config } from '../config.ts';
import { systemAct } from '../kernel/act.ts';
import { type Connections, connect, inspectServer, type ServerFacts } from '../postgres/database.ts';
import { attachEmbedded } from '../postgres/embedded/attach.ts';
import { startEmbedded } from '../postgres/embedded/server.ts';
import { migrate } from '../postgres/migrate.ts';
import type { Secrets } from '../postgres/secrets.ts';
import { inTransaction } from '../postgres/transaction.ts';
import type { Surroundings } from './command.ts';
import { prepareKeys } from './prepare-keys.ts';
import { secretsOf } from './secret-key.ts';

export interface OpenDatabase extends Connections {
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

export interface OpenOptions {
  config: Config;
  clock: () => Date;
  log: (line: string) => void;
  /** A command may use the embedded server of a service that runs; the service itself must have it for its own. */
  own: boolean;
  /** Instead of those of the configuration. */
  secrets?: Secrets;
  /** Whether to go on with a SECRET_KEY that does not open the keys, for the command that replaces them. */
  anySecretKey?: boolean;
}

/** The database that the configuration names, started if it is the embedded one, with the schema of this release. */
export async function openDatabase(options: OpenOptions): Promise<OpenDatabase> {
  const { config, clock, log, own, secrets = secretsOf(config), anySecretKey = false } = options;
  const server = await openServer(config, log, own);
  const connections = connect({ url: server.url, secrets, onError: (error) => log(`database connection lost: ${error.message}`) });
  const close = async () => {
    await connections.close();
    await server.stop();
  };
  try {
    const facts = await inspectServer(connections.pool);
    const applied = await migrate(connections.pool);
    if (!anySecretKey) await inTransaction(connections.db, {}, (tx) => prepareKeys(tx, systemAct('migrate', clock())));
    return { ...connections, close, facts, applied, place: server.place, embedded: config.databaseUrl === null };
  } catch (error) {
    await close();
    throw error;
  }
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
  { config, clock }: Surroundings,
  work: (database: OpenDatabase) => Promise<T>,
  options: Pick<OpenOptions, 'secrets' | 'anySecretKey'> = {},
): Promise<T> {
  const wait = () => {
    process.exitCode = 130;
  };
  for (const signal of endingSignals) process.on(signal, wait);
  try {
    const database = await openDatabase({ config, clock, log: (line) => process.stderr.write(`${line}\n`), own: false, ...options });
    try {
      return await work(database);
    } finally {
      await database.close();
    }
  } finally {
    for (const signal of endingSignals) process.off(signal, wait);
  }
}
