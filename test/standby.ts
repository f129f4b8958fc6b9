import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { postgresPrograms } from '../src/postgres/embedded/binaries.ts';
import { socketUrl } from '../src/postgres/embedded/server.ts';
import { eventually } from './eventually.ts';

export interface Standby {
  url: string;
  /** Makes the standby the primary. */
  promote(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts a PostgreSQL that is a standby, on a copy of a stopped data folder. It has no primary, so it stays in recovery until it is
 * promoted.
 */
export async function startStandby(dataDir: string): Promise<Standby> {
  const base = mkdtempSync(join(tmpdir(), 'tsr-standby-'));
  chmodSync(base, 0o755);
  const source = realpathSync(join(dataDir, 'postgres'));
  const cluster = join(base, 'cluster');
  execFileSync('cp', ['-a', source, cluster]);
  const { uid, gid } = statSync(cluster);
  const user = process.getuid?.() === 0 ? { uid, gid } : null;
  writeFileSync(join(cluster, 'standby.signal'), '');
  const socketDir = mkdtempSync(join(base, 's-'));
  for (const path of [join(cluster, 'standby.signal'), socketDir]) chownSync(path, uid, gid);
  const settings = { listen_addresses: '', unix_socket_directories: socketDir, max_connections: '120', fsync: 'off' };
  const args = ['-D', cluster, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
  const child = spawn(join(postgresPrograms(user), 'postgres'), args, { cwd: '/', stdio: 'ignore', env: { TZ: 'UTC' }, ...user });
  const url = socketUrl(socketDir);
  const query = async (text: string) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return await client.query(text);
    } finally {
      await client.end();
    }
  };
  await eventually('the standby accepts connections', () => query('select').then(() => true));
  return {
    url,
    async promote() {
      await query('select pg_promote()');
    },
    async stop() {
      if (child.exitCode === null) {
        const exited = once(child, 'exit');
        child.kill('SIGQUIT');
        await exited;
      }
      rmSync(base, { recursive: true, force: true });
    },
  };
}
