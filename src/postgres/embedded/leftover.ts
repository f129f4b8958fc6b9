import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

function isAlive(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Throws when a Tessera that lives owns the cluster, whether its server is up, busy or just being started again. */
export async function refuseIfOwned(cluster: string): Promise<void> {
  if (!ownerLives(cluster) && !(await isLocked(cluster))) return;
  throw new Error('Tessera is already running on this data folder; nothing was changed. Set DATA_DIR to use another one');
}

async function isLocked(cluster: string): Promise<boolean> {
  const running = runningServer(cluster);
  const client = running && (await tryConnect(running.socketDir));
  if (!client) return false;
  const free = await takeOwnership(client);
  await client.end();
  return !free;
}

/** The process that owns the cluster, and when it began: a pid alone may be another's by now. */
const ownerFile = (cluster: string): string => `${cluster}.owner`;
const signature = (pid: number): string => `${pid} ${startOf(pid)}`;

export function noteOwner(cluster: string): void {
  writeFileSync(ownerFile(cluster), signature(process.pid));
}

export function forgetOwner(cluster: string): void {
  rmSync(ownerFile(cluster), { force: true });
}

function ownerLives(cluster: string): boolean {
  if (!existsSync(ownerFile(cluster))) return false;
  const noted = readFileSync(ownerFile(cluster), 'utf8');
  const pid = Number.parseInt(noted, 10);
  return pid !== process.pid && isAlive(pid) && signature(pid) === noted;
}

/** On Linux the 22nd field of the process's status, counted behind its name, which may hold anything. */
function startOf(pid: number): string {
  try {
    if (process.platform === 'linux')
      return (
        readFileSync(`/proc/${pid}/stat`, 'utf8')
          .replace(/^.*\) /s, '')
          .split(' ')[19] ?? ''
      );
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch {
    return '';
  }
}

/** Ends the server of a Tessera that was killed, and clears what a killed server left. */
export async function retireLeftover(cluster: string, log: (line: string) => void): Promise<void> {
  await refuseIfOwned(cluster);
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
