import { readFileSync } from 'node:fs';

const residentMiB = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;

/** The most that a process grows while `work` runs, in MiB. */
export async function growthOf(pid, work) {
  const idle = residentMiB(pid);
  let most = idle;
  const watch = setInterval(() => {
    most = Math.max(most, residentMiB(pid));
  }, 20);
  try {
    await work();
  } finally {
    clearInterval(watch);
  }
  return most - idle;
}
