import { execFileSync } from 'node:child_process';
import { arch, availableParallelism, cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { postgresPrograms } from '../src/postgres/embedded/binaries.ts';

export interface Machine {
  cpu: string;
  cores: number;
  arch: string;
  memoryGiB: number;
  node: string;
  postgres: string;
}

/** The version of the server of DATABASE_URL, or of the embedded server. */
async function postgresVersion(): Promise<string> {
  if (!process.env.DATABASE_URL) return execFileSync(join(postgresPrograms(null), 'postgres'), ['--version'], { encoding: 'utf8' }).trim();
  const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
  await client.connect();
  try {
    const { rows } = await client.query<{ version: string }>('select version()');
    return rows[0]?.version ?? 'unknown';
  } finally {
    await client.end();
  }
}

export const describeMachine = async (): Promise<Machine> => ({
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  cores: availableParallelism(),
  arch: arch(),
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  node: process.version,
  postgres: await postgresVersion(),
});
