import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../test/eventually.ts';
import { freePorts } from '../test/free-ports.ts';

const file = new URL('../deploy/haproxy.cfg', import.meta.url);

/** Makes every response show which process sent it. */
const showProcess = '  http-response set-header x-process %s';

/** Returns the configuration of deploy/haproxy.cfg with other addresses, and without retries if these would hide errors. Throws an error if the file has no place for an address. */
function configuration(port: number, servers: readonly number[], retries: boolean): string {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      if (/^ {2}server app1 /.test(line)) return [showProcess, ...servers.map((each, i) => `  server app${i + 1} 127.0.0.1:${each}`)];
      if (/^ {2}server /.test(line)) return [];
      if (!retries && /^ {2}(retry-on|option redispatch) /.test(line)) return [];
      if (!retries && /^ {2}retries /.test(line)) return ['  retries 0'];
      // The load sends the addresses of many buyers. Without them all orders would come from one network, and would need challenges.
      if (line === '  http-request del-header x-forwarded-for') return [];
      return [line.replace(/^ {2}bind :8080$/, `  bind 127.0.0.1:${port}`).replace(/^ {2}option forwardfor$/, '$& if-none')];
    });
  const text = lines.join('\n');
  const found = [...text.matchAll(/server app1/g)].length;
  if (found !== 2 || !text.includes(`bind 127.0.0.1:${port}`)) throw new Error('deploy/haproxy.cfg has no address to replace');
  return text;
}

/** Runs `work` with the port of an HAProxy with deploy/haproxy.cfg in front of the processes on these ports. */
export async function withHaproxy<T>(
  program: string,
  servers: readonly number[],
  work: (port: number) => Promise<T>,
  { retries }: { retries: boolean } = { retries: true },
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'tsr-haproxy-'));
  chmodSync(folder, 0o755);
  const [port = 0] = await freePorts(1);
  writeFileSync(join(folder, 'haproxy.cfg'), configuration(port, servers, retries));
  const child = spawn(program, ['-f', join(folder, 'haproxy.cfg')], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  try {
    await eventually('HAProxy leads to the processes', async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok);
    return await work(port);
  } finally {
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}
