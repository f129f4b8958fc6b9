// `npm test`: every check of the project, one after the other, the quick ones first. Ends with a line that counts the tests.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const results = join(mkdtempSync(join(tmpdir(), 'tessera-results-')), 'results.json');

const steps = [
  ['format', 'biome', ['check', '--linter-enabled=false', '.']],
  ['lint', 'oxlint', ['--type-aware', '--deny-warnings']],
  ['types', 'tsc', ['-p', 'tsconfig.json']],
  ['dead code', 'knip', []],
  ['build', 'tsc', ['-p', 'tsconfig.build.json']],
  ['tests', 'vitest', ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${results}`]],
];

let failed = false;
for (const [name, program, args] of steps) {
  const started = performance.now();
  process.stdout.write(`\n── ${name}\n`);
  const { status } = spawnSync(join('node_modules', '.bin', program), args, { stdio: ['ignore', 'inherit', 'inherit'] });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(`── ${name}: ${status === 0 ? 'ok' : 'FAILED'} in ${seconds} s\n`);
  if (status !== 0) failed = true;
}

const { numPassedTests = 0, numFailedTests = 0 } = existsSync(results) ? JSON.parse(readFileSync(results, 'utf8')) : {};
rmSync(join(results, '..'), { recursive: true, force: true });
process.stdout.write(`\n${numPassedTests} passed, ${numFailedTests} failed\n`);
process.exit(failed || numPassedTests === 0 ? 1 : 0);
