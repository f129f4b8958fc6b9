// `npm test`: runs all checks of the project, the fast ones first. The last line counts the passed and failed tests.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const results = join(mkdtempSync(join(tmpdir(), 'tessera-results-')), 'results.json');

const steps = [
  ['format', 'check:format'],
  ['lint', 'check:lint'],
  ['types', 'check:types'],
  ['dead code', 'check:dead-code'],
  ['build', 'build'],
  ['tests', 'check:tests', '--reporter=default', '--reporter=json', `--outputFile.json=${results}`],
];

let failed = false;
for (const [name, script, ...args] of steps) {
  const started = performance.now();
  process.stdout.write(`\n── ${name}\n`);
  const { status } = spawnSync('npm', ['run', '--silent', script, '--', ...args], { stdio: ['ignore', 'inherit', 'inherit'] });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(`── ${name}: ${status === 0 ? 'ok' : 'FAILED'} in ${seconds} s\n`);
  if (status !== 0) failed = true;
}

const { numPassedTests = 0, numFailedTests = 0, testResults = [] } = existsSync(results) ? JSON.parse(readFileSync(results, 'utf8')) : {};
const skippedInBrowser = testResults
  .filter(({ name }) => name.includes('/test/browser/'))
  .flatMap(({ assertionResults }) => assertionResults)
  .filter(({ status }) => status === 'skipped' || status === 'pending').length;
rmSync(join(results, '..'), { recursive: true, force: true });
if (skippedInBrowser > 0)
  process.stdout.write(`\n${skippedInBrowser} browser tests SKIPPED: no Chromium (Debian: apt-get install chromium)\n`);
process.stdout.write(`\n${numPassedTests} passed, ${numFailedTests} failed\n`);
process.exit(failed || numPassedTests === 0 ? 1 : 0);
