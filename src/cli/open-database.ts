import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../config/read-setting.ts';
import type { Config } from '../config.ts';
import { systemAct } from '../kernel/act.ts';
import { hostsOf } from '../kernel/database-url.ts';
import type { Tracing } from '../kernel/tracing.ts';
import { type Connections, connect, inspectServer, type ServerFacts } from '../postgres/database.ts';
import { startDatabaseClock } from '../postgres/database-clock.ts';
import { findRunningServer } from '../postgres/embedded/find-running-server.ts';
import { startEmbedded } from '../postgres/embedded/server.ts';
import { migrate } from '../postgres/migrate.ts';
import { requireSchema, SchemaError } from '../postgres/migrations.ts';
import type { Secrets } from '../postgres/secrets.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { poolsTransactions } from '../postgres/transaction-pooling.ts';
import type { CommandContext } from './command.ts';
import { prepareKeys } from './prepare-keys.ts';
import { secretsOf } from './secret-key.ts';
import { onStopSignal } from './stop-limit.ts';

export interface OpenDatabase extends Connections {
  /** Returns the database's time. */
  clock: () => Date;
  facts: ServerFacts;
  /** The names of the migrations that this call applied. */
  applied: string[];
  /** Describes where the data is stored, for the start banner. */
  place: string;
  embedded: boolean;
}

interface Server {
  url: string;
  place: string;
  stop(): Promise<void>;
}

/**
 * `read` changes nothing, not even the schema. `write` migrates the embedded database. It never migrates the database of DATABASE_URL,
 * which other processes may use; that database must already have the schema of this release. `migrate` migrates either database.
 */
type Purpose = 'read' | 'write' | 'migrate';

export interface OpenOptions {
  config: Config;
  log: (line: string) => void;
  /**
   * If true, starts the embedded server, and fails if another process already runs that server. If false, connects to the embedded server
   * of another process if there is one.
   */
  exclusive: boolean;
  purpose?: Purpose;
  tracing?: Tracing | undefined;
  /** The secrets that decrypt the stored keys. Default: the secrets of the configuration. */
  secrets?: Secrets;
  /** Accepts a SECRET_KEY that does not decrypt the stored keys. Only the command that replaces those keys sets this. */
  anySecretKey?: boolean;
}

/**
 * Connects to the configured database and checks that this release can use its schema. Starts the embedded server if the database is
 * embedded and not running yet.
 */
export async function openDatabase(options: OpenOptions): Promise<OpenDatabase> {
  const { config, log, exclusive, purpose = config.readOnly ? 'read' : 'write', anySecretKey = false } = options;
  refuseReadOnly(config, purpose);
  if (purpose === 'read') requireCluster(config);
  const secrets = options.secrets ?? secretsOf(config);
  const server = await openServer(config, log, exclusive);
  const connections = connect({
    url: server.url,
    readUrl: config.databaseReadUrl,
    max: config.databasePool,
    standby: purpose === 'read',
    tracing: options.tracing,
    secrets,
    onError: (error) => log(`Database connection lost: ${error.message}`),
  });
  let stopClock = (): void => undefined;
  const close = async () => {
    stopClock();
    await connections.close();
    await server.stop();
  };
  try {
    const facts = await inspectServer(connections.pool);
    const embedded = config.databaseUrl === null;
    if (!embedded) await refuseTransactionPooling(connections);
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

function refuseReadOnly({ readOnly, databaseUrl }: Config, purpose: Purpose): void {
  if (!readOnly) return;
  if (databaseUrl === null) throw new ConfigError('READ_ONLY=on needs DATABASE_URL. The embedded database is always the primary.');
  if (purpose === 'migrate') throw new ConfigError('READ_ONLY=on does not allow changes to the schema. Run migrate without it.');
}

/** With transaction pooling, session locks stay in sessions of other clients, and notifications and prepared statements are lost. */
async function refuseTransactionPooling({ pool }: Connections): Promise<void> {
  if (!(await poolsTransactions(pool))) return;
  throw new ConfigError(
    'DATABASE_URL leads to a proxy that pools transactions, for example PgBouncer with pool_mode = transaction. Tessera needs its own sessions ' +
      'for LISTEN, session locks and prepared statements. Set pool_mode = session, or connect to PostgreSQL directly.',
  );
}

/** A command that only reads must not create a cluster, which starting the embedded server would do. */
function requireCluster({ databaseUrl, dataDir }: Config): void {
  if (databaseUrl !== null || existsSync(join(dataDir, 'postgres'))) return;
  throw new SchemaError(`There is no database in ${dataDir}. Run \`tessera migrate\` first.`);
}

const doNothing = async (): Promise<void> => undefined;

async function openServer(config: Config, log: (line: string) => void, exclusive: boolean): Promise<Server> {
  if (config.databaseUrl !== null) {
    return {
      url: config.databaseUrl,
      place: `the database of DATABASE_URL (${hostsOf(config.databaseUrl)})`,
      stop: doNothing,
    };
  }
  const place = config.dataDir;
  const running = exclusive ? null : await findRunningServer(config.dataDir);
  if (running) return { url: running, place, stop: doNothing };
  const onLost = (error: unknown) => {
    log(`The embedded database stopped and cannot be restarted: ${String(error)}`);
    process.kill(process.pid, 'SIGTERM');
  };
  const embedded = await startEmbedded({ dataDir: config.dataDir, durable: true, log, onLost });
  return { url: embedded.url, place, stop: () => embedded.stop() };
}

/** Opens the database for a command and closes it afterwards. SIGTERM and SIGINT do not interrupt `work`, so that the database is always closed. */
export async function withDatabase<T>(
  { config }: CommandContext,
  work: (database: OpenDatabase) => Promise<T>,
  options: Pick<OpenOptions, 'purpose' | 'secrets' | 'anySecretKey'> = {},
): Promise<T> {
  const removeHandlers = onStopSignal(() => {
    process.exitCode = 130;
  });
  try {
    const database = await openDatabase({ config, log: (line) => process.stderr.write(`${line}\n`), exclusive: false, ...options });
    try {
      return await work(database);
    } finally {
      await database.close();
    }
  } finally {
    removeHandlers();
  }
}
