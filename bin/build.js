// Builds the service with bin/build-service.js and the web apps with web/build.js, at the same time. `npm run build` builds everything.
// `npm ci` and `npm pack` build what has changed (`--changed`), so that the first start is short.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

const timeOf = (path) => statSync(join(root, path)).mtimeMs;
const newestIn = (folder) => Math.max(...readdirSync(join(root, folder), { recursive: true }).map((name) => timeOf(join(folder, name))));

/** Each result with the script that makes it. */
const steps = [
  { result: 'dist/service/main.js', script: 'bin/build-service.js' },
  { result: 'dist/web/server/shop.js', script: 'web/build.js' },
];

/** Returns the steps whose result is missing or old. The web apps use types and a few functions of src/, so a change in either folder makes both old. */
function oldSteps() {
  const newest = Math.max(newestIn('src'), newestIn('web'), timeOf('bin/build-service.js'), timeOf('package-lock.json'));
  return steps.filter(({ result }) => !existsSync(join(root, result)) || newest > timeOf(result));
}

async function run(script) {
  const child = spawn(process.execPath, [script], { cwd: root, stdio: ['ignore', 2, 2] });
  const [code] = await once(child, 'close');
  return code === 0;
}

async function buildAll(these) {
  const results = await Promise.all(these.map(({ script }) => run(script)));
  return results.every(Boolean);
}

/** Builds what has changed since the last time. Returns false if something does not compile. A package without sources needs no build. */
export const buildChanges = async () => !existsSync(join(root, 'src')) || buildAll(oldSteps());

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const built = process.argv.includes('--changed') ? await buildChanges() : await buildAll(steps);
  process.exit(built ? 0 : 1);
}
