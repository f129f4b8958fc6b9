import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type pg from 'pg';
import { startEmbedded } from '../src/postgres/embedded/server.ts';
import { createDatabaseOn } from '../test/database.ts';
import { freePorts } from '../test/free-ports.ts';
import { createDataFolder, type DataFolder, type Service } from '../test/process.ts';
import { testSecretKey } from '../test/secret-key.ts';

const packageFile = new URL('../package.json', import.meta.url);
/** The command-line options of Node that `npm start` sets. */
const startOptions = (JSON.parse(readFileSync(packageFile, 'utf8')) as { scripts: { start: string } }).scripts.start
  .split(' ')
  .filter((word) => word.startsWith('--'));

const settings = { LOAD_SHEDDING: 'on', PAYMENTS: 'sandbox,cash', SECRET_KEY: testSecretKey };

export interface MeasuredService extends Service {
  port: number;
  databaseUrl: string;
  /** Opens a connection to the database of the service. */
  connect(): Promise<pg.Client>;
  /** Runs a query on a new connection. */
  query: DataFolder['query'];
}

interface ServiceOptions {
  environment?: Record<string, string>;
  nodeOptions?: readonly string[];
  /** Starts on an empty folder, as the first `npm start` does. */
  isFirstStart?: boolean;
}

/** A data folder with the demo data, which every service gets a copy of. Creating a database and loading the data takes several seconds. */
let filledFolder: Promise<DataFolder> | undefined;

async function fillFolder(): Promise<DataFolder> {
  const { folder } = createDataFolder({});
  process.once('exit', () => rmSync(dirname(folder.dataDir), { recursive: true, force: true }));
  await run(folder, 'demo');
  return folder;
}

/** Options of Node that write a CPU profile into this folder. */
export const profiling = (folder: string | undefined): string[] => (folder ? ['--cpu-prof', `--cpu-prof-dir=${folder}`] : []);

/**
 * Starts a service with demo data in the same way as `npm start`, and runs `work` with it. The service uses the embedded database, or a new
 * database on the server of DATABASE_URL. Afterwards it stops the service and removes the data.
 */
export const withService = <T>(
  { environment = {}, nodeOptions = [], isFirstStart = false }: ServiceOptions,
  work: (service: MeasuredService) => Promise<T>,
): Promise<T> =>
  inFolder({ serverUrl: process.env.DATABASE_URL, nodeOptions, isFirstStart }, async (folder) => {
    const service = await startIn(folder, environment);
    const result = await work(service);
    // The service must end by itself, because Node writes no CPU profile when a process is killed.
    await service.end('SIGTERM');
    return result;
  });

/** Several processes on one database. */
export interface Fleet {
  services: readonly MeasuredService[];
  /** Ends a process with SIGTERM and starts it again on the same port. */
  restart(index: number): Promise<void>;
  /** Kills a process with SIGKILL and starts it again on the same port. */
  kill(index: number): Promise<void>;
}

/** Like `withService`, but with several processes. Without DATABASE_URL it starts a database server that none of the processes owns. */
export const withFleet = <T>(
  count: number,
  environment: Record<string, string>,
  work: (fleet: Fleet) => Promise<T>,
  nodeOptions: readonly string[] = [],
): Promise<T> =>
  withDatabaseServer((url) =>
    inFolder({ serverUrl: url, nodeOptions }, async (folder) => {
      const ports = await freePorts(count);
      const start = (port: number) => startIn(folder, { ...environment, PORT: String(port) });
      const services = await Promise.all(ports.map(start));
      const replace = async (index: number, signal: 'SIGTERM' | 'SIGKILL') => {
        await services[index]?.end(signal);
        services[index] = await start(ports[index] as number);
      };
      const result = await work({ services, restart: (index) => replace(index, 'SIGTERM'), kill: (index) => replace(index, 'SIGKILL') });
      await Promise.all(services.map((service) => service.end('SIGTERM')));
      return result;
    }),
  );

async function withDatabaseServer<T>(work: (url: string) => Promise<T>): Promise<T> {
  if (process.env.DATABASE_URL) return work(process.env.DATABASE_URL);
  const base = mkdtempSync(join(tmpdir(), 'tsr-'));
  chmodSync(base, 0o755);
  const onLost = (error: unknown) => {
    throw error;
  };
  const server = await startEmbedded({ dataDir: join(base, 'data'), durable: true, log: () => undefined, onLost });
  try {
    return await work(server.url);
  } finally {
    await server.stop();
    rmSync(base, { recursive: true, force: true });
  }
}

interface FolderOptions {
  serverUrl: string | undefined;
  nodeOptions: readonly string[];
  isFirstStart?: boolean;
}

/** Runs `work` with a new data folder, and with a new database if there is a server for it. */
async function inFolder<T>({ serverUrl, nodeOptions, isFirstStart }: FolderOptions, work: (folder: DataFolder) => Promise<T>): Promise<T> {
  const database = serverUrl ? await createDatabaseOn(serverUrl) : null;
  const copyOf = database || isFirstStart ? undefined : await (filledFolder ??= fillFolder());
  const { folder, remove } = createDataFolder({
    nodeOptions: [...startOptions, ...nodeOptions],
    ...(database && { databaseUrl: database.url }),
    ...(copyOf && { copyOf }),
  });
  try {
    if (database) await fillDatabase(folder);
    return await work(folder);
  } finally {
    await remove();
    await database?.drop();
  }
}

async function startIn(folder: DataFolder, environment: Record<string, string>): Promise<MeasuredService> {
  const service = await folder.serve({ ...settings, ...environment });
  const { connect, query } = folder;
  return { ...service, port: Number(new URL(service.origin).port), databaseUrl: folder.databaseUrl(), connect, query };
}

/** Creates tables and demo data. The service does this by itself only in the embedded database. */
async function fillDatabase(folder: DataFolder): Promise<void> {
  for (const command of ['migrate', 'demo']) await run(folder, command);
}

async function run(folder: DataFolder, command: string): Promise<void> {
  const { code, stderr } = await folder.run([command], { environment: settings });
  if (code !== 0) throw new Error(`tessera ${command} failed: ${stderr}`);
}
