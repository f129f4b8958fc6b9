// `npm run bench [-- --only S1,G2] [--quick] [--rounds 3] [--profile folder] [--no-write]` measures every figure and its control in the
// same run, prints a table, and writes bench/results.json and the chart. The exit code is 1 if a figure does not reach its bound `must`.
import { parseArgs } from 'node:util';
import { chooseFigures } from './choose-figures.ts';
import { type Figure, figures, reaches } from './figures.ts';
import { describeMachine } from './machine.ts';
import { type Options, type Result, Skipped } from './measure.ts';
import { storeResults } from './results.ts';

const { values: given } = parseArgs({
  options: {
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    profile: { type: 'string' },
    'no-write': { type: 'boolean', default: false },
  },
});
const chosen = chooseFigures(figures, given.only);
const began = performance.now();
const options: Options = {
  rounds: Number(given.rounds ?? (given.quick ? 1 : 3)),
  quick: given.quick,
  profile: given.profile,
  progress: (what) => console.error(`${((performance.now() - began) / 1_000).toFixed(0).padStart(5)} s  ${what}`),
};

/** Runs each measuring function once, even if it measures several figures. */
async function measureAll(): Promise<Record<string, Result>> {
  const results: Record<string, Result> = {};
  for (const measure of new Set(chosen.flatMap(({ measuredBy }) => measuredBy))) {
    try {
      for (const [id, result] of Object.entries(await measure(options))) {
        const figure = chosen.find((each) => each.id === id);
        if (figure) results[id] = worseOf(figure, results[id], result);
      }
    } catch (error) {
      // The run continues with the other figures.
      const ids = chosen.filter(({ measuredBy }) => measuredBy.includes(measure)).map(({ id }) => id);
      if (error instanceof Skipped) {
        console.log(`${ids.join(', ')}  SKIPPED: ${error.message}`);
        continue;
      }
      console.error(`Could not measure ${ids.join(', ')}:`, error);
      process.exitCode = 1;
    }
  }
  return results;
}

const worseOf = (figure: Figure, known: Result | undefined, result: Result): Result =>
  known && reaches(figure, result.value, known.value) ? known : result;

const number = (value: number) => (value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2));

function describe(side: Result['ours']): string {
  if (!side) return '';
  if ('seconds' in side) return `${number(side.seconds)} s`;
  return `${number(side.perSecond)}/s, p50 ${number(side.p50)} ms, p99 ${number(side.p99)} ms`;
}

function print(figure: Figure, { value, ours, control }: Result): void {
  const { id, title, unit, sign, must, aim } = figure;
  const verdict = !reaches(figure, value, must) ? 'MISSED' : reaches(figure, value, aim) ? 'aim' : 'must';
  const bounds = `must ${sign} ${must}, aim ${sign} ${aim}`;
  console.log(`${id}  ${`${number(value)}${unit}`.padStart(10)}  ${bounds}  ${verdict.padEnd(6)}  ${title} : ${figure.control}`);
  if (ours) console.log(`      ours     ${describe(ours)}\n      control  ${describe(control)}`);
  if (verdict === 'MISSED') process.exitCode = 1;
}

const machine = await describeMachine();
const { cpu, cores, arch, memoryGiB, node, postgres } = machine;
console.log(`${cpu}, ${cores} cores, ${arch}, ${memoryGiB} GiB, Node.js ${node}, ${postgres}`);
const results = await measureAll();
for (const figure of chosen) {
  const result = results[figure.id];
  if (result) print(figure, result);
}
// A short run measures before the services are warm, so it does not replace the result of a full run.
if (!given['no-write'] && !given.quick) storeResults(results, machine);
