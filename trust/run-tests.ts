import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Attempt } from './attempt.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The fields of the JSON report of vitest that this file uses. */
interface Report {
  testResults: { assertionResults: { title: string; ancestorTitles: string[]; status: string }[] }[];
}

/** Runs test files with vitest and returns their results. Skipped tests are left out. */
export async function runTests(files: readonly string[], environment: Record<string, string>): Promise<Attempt[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-trust-'));
  const reportFile = join(folder, 'report.json');
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const reporters = ['--reporter=dot', '--reporter=json', `--outputFile.json=${reportFile}`];
  try {
    const child = spawn(process.execPath, [vitest, 'run', ...files, ...reporters], {
      cwd: root,
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    await once(child, 'exit');
    const { testResults } = JSON.parse(readFileSync(reportFile, 'utf8')) as Report;
    return testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .filter(({ status }) => status !== 'skipped' && status !== 'pending')
      .map(({ title, ancestorTitles, status }) => ({ title, blocks: ancestorTitles, passed: status === 'passed' }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
