// `npm run trust [-- --only T1,T3] [--quick]`: tries to break what the service promises, each promise beside a control that must be caught.
// Prints a table, writes trust/results.json, and ends with 1 when a promise broke or a control went unnoticed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { figures } from './figures.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values: options } = parseArgs({
  options: { only: { type: 'string' }, quick: { type: 'boolean', default: false }, 'no-write': { type: 'boolean', default: false } },
});
const only = options.only?.toUpperCase().split(',') ?? figures.map(({ id }) => id);
const unknown = only.filter((id) => !figures.some((figure) => figure.id === id));
if (unknown.length > 0) {
  console.error(`There is no figure ${unknown.join(', ')}; there are ${figures.map(({ id }) => id).join(', ')}`);
  process.exit(2);
}

/** Runs the tests of one figure and answers what became of each. */
async function run({ tests, script, full = {} }) {
  if (script) {
    const { tryToBreak } = await import(script);
    const { tests: tried, measured } = await tryToBreak({ quick: options.quick });
    console.error(JSON.stringify(measured));
    return tried;
  }
  const folder = mkdtempSync(join(tmpdir(), 'tessera-trust-'));
  const report = join(folder, 'report.json');
  const env = { ...process.env, ...(options.quick ? {} : full) };
  const args = [
    join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    ...tests,
    '--reporter=dot',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ];
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'] });
  await once(child, 'exit');
  try {
    const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
    return testResults.flatMap(({ assertionResults }) => assertionResults);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const isControl = ({ ancestorTitles, title }) => [...ancestorTitles, title].some((name) => /control|would see|must find/i.test(name));

const results = [];
for (const figure of figures.filter(({ id }) => only.includes(id))) {
  console.error(`\n── ${figure.id} ${figure.title}`);
  const began = performance.now();
  const all = (await run(figure)).filter(({ status }) => status !== 'skipped' && status !== 'pending');
  const [controls, guards] = [all.filter(isControl), all.filter((test) => !isControl(test))];
  const failed = all.filter(({ status }) => status !== 'passed').map(({ fullName }) => fullName);
  // A promise that nothing tries to break, or that no control stands beside, is not kept but only hoped for.
  const kept = failed.length === 0 && guards.length > 0 && controls.length > 0;
  const seconds = Math.round((performance.now() - began) / 1_000);
  results.push({
    id: figure.id,
    title: figure.title,
    must: figure.must,
    kept,
    tests: guards.length,
    controls: controls.length,
    failed,
    seconds,
  });
}

console.log('');
for (const { id, title, must, kept, tests, controls, failed, seconds } of results) {
  const how = `${tests} tests, ${controls} controls caught, ${seconds} s`;
  console.log(`${id.padEnd(4)} ${kept ? 'kept  ' : 'BROKEN'}  ${title}: ${must} (${how})`);
  for (const name of failed) console.log(`       failed: ${name}`);
}
if (!options['no-write']) {
  const before = readOr(new URL('./results.json', import.meta.url));
  const now = { triedAt: new Date().toISOString(), node: process.version, quick: options.quick };
  const tried = Object.fromEntries(results.map(({ id, ...result }) => [id, { ...result, ...now }]));
  writeFileSync(new URL('./results.json', import.meta.url), `${JSON.stringify({ ...before, ...tried }, null, 2)}\n`);
}
process.exit(results.every(({ kept }) => kept) ? 0 : 1);

function readOr(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}
