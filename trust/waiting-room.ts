// T17: `npm run waiting-room`. Each line that it prints for a check is an attempt.
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Attempt, TryOptions } from './attempt.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

export async function tryWaitingRoom({ quick }: TryOptions): Promise<Attempt[]> {
  const [visitors, perMinute, pollSeconds] = quick ? ['2000', '600', '10'] : ['20000', '1200', '30'];
  const child = spawn(
    process.execPath,
    ['--import', './test/typescript.js', 'bench/waiting-room.ts', visitors ?? '', perMinute ?? '', pollSeconds ?? ''],
    { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const printed = await text(child.stdout);
  console.error(printed);
  return [...printed.matchAll(/^(ok|FAIL) +(.*)$/gm)].map(([, result, title = '']) => ({ title, blocks: [], passed: result === 'ok' }));
}
