// T12: `npm run failover`, and the same with asynchronous replication, which loses orders.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { findPrograms } from '../test/programs.ts';
import type { Attempt, TryOptions } from './attempt.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

async function succeeds(...options: string[]): Promise<boolean> {
  const child = spawn(process.execPath, ['--import', './test/typescript.js', 'failover/run.ts', ...options], {
    cwd: root,
    stdio: 'inherit',
  });
  const [code] = await once(child, 'exit');
  return code === 0;
}

/** Why the failover cannot run on this machine. */
export function failoverNeeds(): string | undefined {
  const found = findPrograms();
  return 'missing' in found ? `packages are not installed (Debian: apt-get install ${found.missing.join(' ')})` : undefined;
}

export async function tryFailover({ quick }: TryOptions): Promise<Attempt[]> {
  const attempt = async (title: string, ...options: string[]) => ({ title, blocks: [], passed: await succeeds(...options) });
  return [
    await attempt('nothing is lost or doubled, and buyers get no error other than 503', ...(quick ? ['--quick'] : [])),
    await attempt('control: orders are lost when a commit does not wait for a standby', '--control'),
  ];
}
