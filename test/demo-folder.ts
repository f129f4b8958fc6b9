import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';

interface DemoFolder {
  dataDir: string;
  /** The exit code and the output of the command `tessera demo`. */
  ended: { code: number | null; stdout: string; stderr: string };
}

declare module 'vitest' {
  interface ProvidedContext {
    demoFolder: DemoFolder;
  }
}

/**
 * Makes one data folder with the demo data for all tests that start processes. A test that needs a filled database copies the folder,
 * because creating a database and loading the data takes several seconds.
 */
export default async function setup(project: TestProject): Promise<() => void> {
  const base = mkdtempSync(join(tmpdir(), 'tessera-demo-'));
  // When root runs the tests, PostgreSQL runs as another user, who needs access to this folder.
  chmodSync(base, 0o755);
  const dataDir = join(base, 'data');
  const launcher = fileURLToPath(new URL('../bin/tessera.js', import.meta.url));
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, TMPDIR: base, DATA_DIR: dataDir, LOG_LEVEL: 'warn' };
  const child = spawn(process.execPath, [launcher, 'demo'], { cwd: base, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  project.provide('demoFolder', { dataDir, ended: { code: child.exitCode, stdout, stderr } });
  return () => rmSync(base, { recursive: true, force: true });
}
