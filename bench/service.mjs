import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

const launcher = fileURLToPath(new URL('../bin/tessera.js', import.meta.url));
const patienceMs = 60_000;

/** The service as anyone starts it, with demo data in a folder of its own that is removed in the end. */
export async function startService(environment = {}, nodeOptions = []) {
  const base = mkdtempSync(join(tmpdir(), 'tsr-bench-'));
  chmodSync(base, 0o755);
  const env = {
    ...process.env,
    TMPDIR: base,
    DATA_DIR: join(base, 'data'),
    PORT: '0',
    LOG_LEVEL: 'warn',
    RATE_LIMIT: 'off',
    ...environment,
  };
  // Profiles are written where it is started.
  const child = spawn(process.execPath, [...nodeOptions, launcher, 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      printed = (printed + text).slice(-20_000);
    });
  }
  const running = () => child.exitCode === null && child.signalCode === null;
  const stop = async () => {
    const cut = setTimeout(() => child.kill('SIGKILL'), 30_000);
    if (running()) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    clearTimeout(cut);
    rmSync(base, { recursive: true, force: true });
  };
  const deadline = Date.now() + patienceMs;
  let address;
  while (!(address = /^ {2}API +(\S+)$/m.exec(printed)?.[1])) {
    if (!running() || Date.now() > deadline) {
      await stop();
      throw new Error(`The service did not start: ${printed}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return {
    api: address,
    port: Number(new URL(address).port),
    pid: child.pid,
    printed: () => printed,
    /** A connection to the database that the service works on. */
    async connect() {
      const socketDir = readFileSync(join(base, 'data/postgres/postmaster.pid'), 'utf8').split('\n')[4];
      const client = new pg.Client({ host: socketDir, user: 'postgres', database: 'tessera' });
      await client.connect();
      return client;
    },
    stop,
  };
}
