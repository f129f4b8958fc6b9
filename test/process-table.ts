import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

interface ProcessFacts {
  pid: number;
  parent: number;
  commandLine: string;
}

/**
 * The processes whose command line names one of these paths. Looked up by path, because a pid may belong to another program by now.
 * Children with the same command line are left out: PostgreSQL forks have it for a moment.
 */
export function processesNaming(paths: string[]): number[] {
  const naming = allProcesses().filter(({ commandLine }) => paths.some((path) => commandLine.includes(path)));
  const pids = new Set(naming.map(({ pid }) => pid));
  return naming.filter(({ parent }) => !pids.has(parent)).map(({ pid }) => pid);
}

function allProcesses(): ProcessFacts[] {
  if (process.platform === 'linux') {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => ({ pid: Number(name), parent: parentOf(name), commandLine: readProcess(name, 'cmdline') }));
  }
  const list = execFileSync('ps', ['-axo', 'pid=,ppid=,command='], { encoding: 'utf8' }).trim().split('\n');
  return list.map((line) => {
    const [pid, parent, ...command] = line.trim().split(/ +/);
    return { pid: Number(pid), parent: Number(parent), commandLine: command.join(' ') };
  });
}

/** The second field after the program's name. The name is in brackets and may contain anything. */
const parentOf = (pid: string): number => Number(readProcess(pid, 'stat').replace(/^.*\)/s, '').trim().split(' ')[1]);

/** Empty for a process that has just ended. */
function readProcess(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/** Ends PostgreSQL servers. SIGQUIT comes first, because it makes PostgreSQL give back its shared memory. */
export async function endAll(find: () => number[]): Promise<void> {
  for (const signal of ['SIGQUIT', 'SIGKILL'] as const) {
    for (const pid of find()) sendSignal(pid, signal);
    for (let looks = 0; find().length > 0 && looks < 200; looks++) await sleep(50);
  }
}

export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
