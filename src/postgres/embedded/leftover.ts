import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { claimCluster, isAlive, ownerLives } from './owner-file.ts';

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
  return pid > 0 && isServerOf(cluster, pid) ? { pid, socketDir: lines[4] ?? '' } : null;
}

/** A pid outlives its process in the file and may be another program's by now, or the server of another folder. */
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
  new Error('Tessera is already running on this data folder; nothing was changed. Set DATA_DIR to use another one');

/** Makes this process the owner of the cluster. Throws when a running Tessera owns it, also while that one still starts. */
export async function takeCluster(cluster: string): Promise<void> {
  // Before the claim: a server whose session holds the lock belongs to a process that this machine may not see, as in a container.
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

/** Ends the server of a Tessera that was killed, and clears what a killed server left. */
export async function retireLeftover(cluster: string, log: (line: string) => void): Promise<void> {
  const file = join(cluster, 'postmaster.pid');
  if (!existsSync(file)) return;
  const socketDir = readFileSync(file, 'utf8').split('\n')[4] ?? '';
  const running = runningServer(cluster);
  if (running) await endOrphan(running.pid, log);
  if (/\/tessera-[A-Za-z0-9]{6}$/.test(socketDir)) rmSync(socketDir, { recursive: true, force: true });
  if (!runningServer(cluster)) rmSync(file, { force: true });
}

async function endOrphan(pid: number, log: (line: string) => void): Promise<void> {
  log(`Ending the database server that an earlier run left behind (process ${pid})`);
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    if (isAlive(pid)) process.kill(pid, signal);
    const deadline = performance.now() + stopLimitMs;
    while (isAlive(pid) && performance.now() < deadline) await sleep(50);
  }
}
