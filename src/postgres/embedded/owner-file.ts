import { execFileSync } from 'node:child_process';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/**
 * The path of the file that names the process that owns the cluster. The file is created before the server starts and removed after the
 * server has stopped.
 */
const ownerFile = (cluster: string): string => `${cluster}.owner`;

/** Makes this process the owner of the cluster. Returns false when a running process owns it. */
export function claimCluster(cluster: string): boolean {
  const file = ownerFile(cluster);
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, identityOf(process.pid));
  try {
    for (;;) {
      // A link is atomic: it fails when the file exists, and other processes never see an incomplete file.
      if (tryLink(draft, file)) return true;
      if (readOwner(file) === identityOf(process.pid)) return true;
      if (ownerLives(cluster)) return false;
      if (!removeDeadOwner(file)) return false;
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

export function releaseCluster(cluster: string): void {
  if (readOwner(ownerFile(cluster)) === identityOf(process.pid)) rmSync(ownerFile(cluster), { force: true });
}

/** Whether a running process other than this one owns the cluster. */
export function ownerLives(cluster: string): boolean {
  const owner = readOwner(ownerFile(cluster));
  return owner !== null && pidOf(owner) !== process.pid && isRunning(owner);
}

export function isAlive(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

const pidOf = (owner: string): number => Number.parseInt(owner, 10);
const isRunning = (owner: string): boolean => isAlive(pidOf(owner)) && identityOf(pidOf(owner)) === owner;

/** Renames the file before removing it. If two processes start at the same time, only one of the two can rename the file. */
function removeDeadOwner(file: string): boolean {
  const aside = `${file}.dead-${process.pid}`;
  try {
    renameSync(file, aside);
  } catch (error) {
    return isMissing(error);
  }
  const moved = readOwner(aside);
  if (moved === null || !isRunning(moved)) {
    rmSync(aside, { force: true });
    return true;
  }
  // Another process claimed the cluster between our check and our rename. Its claim is restored.
  tryLink(aside, file);
  rmSync(aside, { force: true });
  return false;
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function readOwner(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** The pid and the start time of the process. A pid alone may be reused by another process. */
export const identityOf = (pid: number): string => `${pid} ${startTime(pid)}`;

function startTime(pid: number): string {
  try {
    if (process.platform !== 'linux') return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    // Field 22 of /proc/PID/stat. Field 2 is the program's name, which may contain spaces and parentheses.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '');
    return stat.split(' ')[19] ?? '';
  } catch {
    return '';
  }
}
