import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const launcher = fileURLToPath(new URL('../bin/tessera.js', import.meta.url));

/** The service as anyone starts it, with demo data in a folder of its own that is removed in the end. */
export async function startService(environment = {}) {
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
  const child = spawn(process.execPath, [launcher, 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    printed += text;
  });
  let address;
  while (!(address = /^ {2}API +(\S+)$/m.exec(printed)?.[1])) {
    if (child.exitCode !== null) throw new Error(`The service did not start: ${printed}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return {
    api: address,
    port: Number(new URL(address).port),
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
      rmSync(base, { recursive: true, force: true });
    },
  };
}
