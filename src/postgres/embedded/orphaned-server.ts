import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { claimCluster, isAlive, ownerLives } from './owner-file.ts';

/** The database session that holds this lock owns the cluster. When the process dies, its session ends and the lock is released. */
const ownerLock = 7_355_772;

const stopLimitMs = 20_000;

/** Takes the owner lock until the session ends. Returns false if another session holds the lock. */
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

/** The running server of the cluster, according to `postmaster.pid`. Null when that process is not running. */
export function runningServer(cluster: string): { pid: number; socketDir: string } | null {
  const file = join(cluster, 'postmaster.pid');
  if (!existsSync(file)) return null;
  const lines = readFileSync(file, 'utf8').split('\n');
  const pid = Number(lines[0]);
  return pid > 0 && isServerOf(cluster, pid) ? { pid, socketDir: lines[4] ?? '' } : null;
}

/** Whether the process is the server of this cluster. A pid in a stale file may now belong to another program or to the server of another cluster. */
function isServerOf(cluster: string, pid: number): boolean {
  return isAlive(pid) && commandLine(pid).includes(cluster);
}

function commandLine(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return '';
  }
}

const alreadyRunning = () =>
  new Error('Tessera is already running on this data folder. Nothing was changed. Set DATA_DIR to use another folder.');

/** Makes this process the owner of the cluster. Throws when another Tessera process owns it, even if that process is still starting. */
export async function takeCluster(cluster: string): Promise<void> {
  // The lock is checked before the claim: its owner may run in another container, where this process cannot see it.
  if (ownerLives(cluster) || (await isLocked(cluster)) || !claimCluster(cluster)) throw alreadyRunning();
}

/** Throws when another process has become the owner of the cluster. */
export function refuseIfOwned(cluster: string): void {
  if (ownerLives(cluster)) throw alreadyRunning();
}

async function isLocked(cluster: string): Promise<boolean> {
  const running = runningServer(cluster);
  const client = running && (await tryConnect(running.socketDir));
  if (!client) return false;
  const free = await takeOwnership(client);
  await client.end();
  return !free;
}

/** Stops the server that a killed Tessera process left running, and removes the files of a killed server. */
export async function stopOrphanedServer(cluster: string, log: (line: string) => void): Promise<void> {
  const file = join(cluster, 'postmaster.pid');
  if (!existsSync(file)) return;
  const socketDir = readFileSync(file, 'utf8').split('\n')[4] ?? '';
  const running = runningServer(cluster);
  if (running) await stopOrphan(running.pid, log);
  if (/\/tessera-[A-Za-z0-9]{6}$/.test(socketDir)) rmSync(socketDir, { recursive: true, force: true });
  if (!runningServer(cluster)) rmSync(file, { force: true });
}

async function stopOrphan(pid: number, log: (line: string) => void): Promise<void> {
  log(`Stopping the database server that an earlier run left running (process ${pid})`);
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    if (isAlive(pid)) process.kill(pid, signal);
    const deadline = performance.now() + stopLimitMs;
    while (isAlive(pid) && performance.now() < deadline) await sleep(50);
  }
}
