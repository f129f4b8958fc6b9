import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** The database session that holds this lock owns the cluster; it ends with its process, however that ends. */
const ownerLock = 7_355_772;

const stopLimitMs = 20_000;

/** Takes the cluster for this process, as long as the session lasts. */
export async function takeOwnership(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock($1) as held', [ownerLock]);
  return rows[0]?.held === true;
}

export async function tryConnect(socketDir: string): Promise<pg.Client | null> {
  const client = new pg.Client({ host: socketDir, user: 'postgres', database: 'postgres', connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return client;
  } catch {
    return null;
  }
}

/** What `postmaster.pid` says: the server's process, where it listens. Null when no such process runs. */
export function runningServer(cluster: string): { pid: number; socketDir: string } | null {
  const file = join(cluster, 'postmaster.pid');
  if (!existsSync(file)) return null;
  const lines = readFileSync(file, 'utf8').split('\n');
  const pid = Number(lines[0]);
  return pid > 0 && isPostgres(pid) ? { pid, socketDir: lines[4] ?? '' } : null;
}

/** A pid outlives its process in the file and may be another program's by now. */
function isPostgres(pid: number): boolean {
  if (process.platform === 'linux') {
    const commandLine = `/proc/${pid}/cmdline`;
    return existsSync(commandLine) && /postgres/.test(readFileSync(commandLine, 'utf8').split('\0')[0] ?? '');
  }
  return isAlive(pid);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

export async function refuseIfOwned(cluster: string): Promise<void> {
  const running = runningServer(cluster);
  const client = running && (await tryConnect(running.socketDir));
  if (!client) return;
  const free = await takeOwnership(client);
  await client.end();
  if (free) return;
  throw new Error(
    `Tessera is already running on this data folder (PostgreSQL process ${running.pid}); nothing was changed. Set DATA_DIR to use another one`,
  );
}

/** Ends the server of a Tessera that was killed, and clears what a killed server left. */
export async function retireLeftover(cluster: string, log: (line: string) => void): Promise<void> {
  await refuseIfOwned(cluster);
  const running = runningServer(cluster);
  if (running) {
    log(`Ending the database server that an earlier run left behind (process ${running.pid})`);
    process.kill(running.pid, 'SIGINT');
    const deadline = performance.now() + stopLimitMs;
    while (isAlive(running.pid) && performance.now() < deadline) await sleep(50);
    if (isAlive(running.pid)) process.kill(running.pid, 'SIGQUIT');
    while (isAlive(running.pid) && performance.now() < deadline + stopLimitMs) await sleep(50);
  }
  const file = join(cluster, 'postmaster.pid');
  if (!existsSync(file)) return;
  const socketDir = readFileSync(file, 'utf8').split('\n')[4] ?? '';
  if (/\/tessera-[A-Za-z0-9]{6}$/.test(socketDir)) rmSync(socketDir, { recursive: true, force: true });
  if (!runningServer(cluster)) rmSync(file, { force: true });
}
