import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

interface ProcessFacts {
  pid: number;
  parent: number;
  commandLine: string;
}

/**
 * Returns the processes whose command line contains one of these paths. It does not search by pid, because the system may have given the pid
 * to another program. Child processes with the command line of their parent are left out: a new PostgreSQL child has it for a moment.
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

/** Returns the parent process: the second field after the name of the program. The name is in brackets and may contain any character. */
const parentOf = (pid: string): number => Number(readProcess(pid, 'stat').replace(/^.*\)/s, '').trim().split(' ')[1]);

/** Returns the content of a file in /proc. Returns an empty text if the process has ended. */
function readProcess(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/** Stops PostgreSQL servers. It sends SIGQUIT first, because PostgreSQL then releases its shared memory. */
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
