import { readFileSync } from 'node:fs';
import type pg from 'pg';
import { createDatabaseOn } from '../test/database.ts';
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
}

/** Options of Node that write a CPU profile into this folder. */
export const profiling = (folder: string | undefined): string[] => (folder ? ['--cpu-prof', `--cpu-prof-dir=${folder}`] : []);

/**
 * Starts a service with demo data in the same way as `npm start`, and runs `work` with it. The service uses the embedded database, or a new
 * database on the server of DATABASE_URL. Afterwards it stops the service and removes the data.
 */
export async function withService<T>(
  { environment = {}, nodeOptions = [] }: ServiceOptions,
  work: (service: MeasuredService) => Promise<T>,
): Promise<T> {
  const serverUrl = process.env.DATABASE_URL;
  const database = serverUrl ? await createDatabaseOn(serverUrl) : null;
  const { folder, remove } = createDataFolder({
    nodeOptions: [...startOptions, ...nodeOptions],
    ...(database && { databaseUrl: database.url }),
  });
  try {
    if (database) await fillDatabase(folder);
    const service = await folder.serve({ ...settings, ...environment });
    const port = Number(new URL(service.origin).port);
    const { connect, query } = folder;
    const result = await work({ ...service, port, databaseUrl: folder.databaseUrl(), connect, query });
    // The service must end by itself, because Node writes no CPU profile when a process is killed.
    await service.end('SIGTERM');
    return result;
  } finally {
    await remove();
    await database?.drop();
  }
}

/** Creates tables and demo data. The service does this by itself only in the embedded database. */
async function fillDatabase(folder: DataFolder): Promise<void> {
  for (const command of ['migrate', 'demo']) {
    const { code, stderr } = await folder.run([command], { environment: settings });
    if (code !== 0) throw new Error(`tessera ${command} failed: ${stderr}`);
  }
}
