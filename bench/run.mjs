// `npm run bench [-- --only S1,G2] [--quick] [--rounds 3] [--profile folder]`: measures every figure beside its control in the same
// run, prints a table and writes bench/results.json and the chart. Ends with 1 when a figure misses what it must come to.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { drawChart } from './chart.mjs';
import { figures } from './figures.mjs';

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    profile: { type: 'string' },
    'no-write': { type: 'boolean', default: false },
  },
});
const only = options.only?.toUpperCase().split(',') ?? figures.map(({ id }) => id);
const unknown = only.filter((id) => !figures.some((figure) => figure.id === id));
if (unknown.length > 0) {
  console.error(`There is no figure ${unknown.join(', ')}; there are ${figures.map(({ id }) => id).join(', ')}`);
  process.exit(2);
}
const rounds = Number(options.rounds ?? (options.quick ? 1 : 3));
const chosen = figures.filter(({ id }) => only.includes(id));

const began = performance.now();
const progress = (what) => console.error(`${((performance.now() - began) / 1_000).toFixed(0).padStart(5)} s  ${what}`);

const results = {};
for (const file of new Set(chosen.flatMap((figure) => figure.file))) {
  const ids = chosen.filter((figure) => [figure.file].flat().includes(file)).map(({ id }) => id);
  try {
    const { measure } = await import(`./${file}.mjs`);
    const measured = await measure(ids, { rounds, quick: options.quick, progress, profile: options.profile });
    for (const [id, result] of Object.entries(measured)) results[id] = worseOf(id, results[id], result);
  } catch (error) {
    // The others are worth knowing all the same.
    console.error(`${ids.join(', ')} could not be measured:`, error);
  }
}
const known = chosen.filter(({ id }) => results[id]);

/** Of a figure that several files measure, the worse result counts. */
function worseOf(id, known, result) {
  const { holds } = figures.find((figure) => figure.id === id);
  return known && holds(result.value, known.value) ? known : result;
}

const number = (value) => (value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2));
const told = (side) => {
  if (!side) return '';
  if (side.seconds !== undefined) return `${number(side.seconds)} s`;
  return `${number(side.perSecond)}/s p50 ${number(side.p50)} p99 ${number(side.p99)} ms`;
};

const table = known.map((figure) => {
  const { value, ours, control } = results[figure.id];
  const verdict = !figure.holds(value, figure.must) ? 'MISSED' : figure.holds(value, figure.aim) ? 'aim' : 'must';
  return { ...figure, value, verdict, ours: told(ours), beside: told(control) };
});
for (const { id, title, control, value, unit, sign, must, aim, verdict, ours, beside } of table) {
  console.log(
    `${id}  ${`${number(value)}${unit}`.padStart(10)}  must ${sign} ${must}, aim ${sign} ${aim}  ${verdict.padEnd(6)}  ${title} : ${control}`,
  );
  if (ours) console.log(`      ours     ${ours}\n      control  ${beside}`);
}

if (!options['no-write']) keep();
process.exit(known.length < chosen.length || table.some(({ verdict }) => verdict === 'MISSED') ? 1 : 0);

/** What was measured before and not now stays, with the machine and time it was measured at. */
function keep() {
  const file = new URL('./results.json', import.meta.url);
  const before = readOr(file, { figures: {} });
  const machine = {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
  };
  const now = { measuredAt: new Date().toISOString(), commit: commit(), machine, quick: options.quick };
  const measured = Object.fromEntries(known.map(({ id }) => [id, { ...rounded(results[id]), ...now }]));
  const all = { figures: { ...before.figures, ...measured } };
  writeFileSync(file, `${JSON.stringify(all, null, 2)}\n`);
  writeFileSync(new URL('./chart.svg', import.meta.url), drawChart(figures, all.figures));
}

function readOr(file, fallback) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return fallback;
  }
}

function commit() {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return null;
  }
}

/** Three digits are more than a noisy machine can tell. */
function rounded(value) {
  if (typeof value === 'number') return Number.isInteger(value) ? value : Number(value.toPrecision(3));
  if (Array.isArray(value)) return value.map(rounded);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, rounded(part)]));
  return value;
}
