import { readFileSync } from 'node:fs';

/** Returns the resident memory of a process. It works only on Linux. */
function residentMiB(pid: number): number {
  const [, kiB] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kiB) / 1024;
}

export interface Growth<T> {
  result: T;
  /** The peak memory of the process while `work` ran, minus its memory before. */
  grownMiB: number;
}

export async function growthOf<T>(pid: number, work: () => Promise<T>): Promise<Growth<T>> {
  const before = residentMiB(pid);
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, residentMiB(pid));
  }, 20);
  try {
    const result = await work();
    return { result, grownMiB: peak - before };
  } finally {
    clearInterval(watch);
  }
}
