// `npm run bench [-- --only S1,G2] [--quick] [--rounds 3] [--profile folder] [--no-write]` measures every figure and its control in the
// same run, prints a table, and writes bench/results.json, the chart and the table in docs/performance.md. The exit code is 1 if a figure does not reach its bound `must`.
import { parseArgs } from 'node:util';
import { chooseFigures } from './choose-figures.ts';
import { bound, describeSide, nameOf, number, verdictOf } from './describe.ts';
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

// A short run measures before the services are warm, so it does not replace the result of a full run.
const stores = !given['no-write'] && !given.quick;

/** Runs each measuring function once, even if it measures several figures. Stores after each, because a full run takes long. */
async function measureAll(): Promise<Record<string, Result>> {
  const results: Record<string, Result> = {};
  for (const measure of new Set(chosen.flatMap(({ measuredBy }) => measuredBy))) {
    try {
      for (const [id, result] of Object.entries(await measure(options))) {
        const figure = chosen.find((each) => each.id === id);
        if (figure) results[id] = worseOf(figure, results[id], result);
      }
      if (stores) storeResults(results, machine);
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

function print(figure: Figure, { value, ours, control }: Result): void {
  const { id, title, unit, must, aim } = figure;
  const verdict = verdictOf(figure, value);
  const bounds = `must ${bound(figure, must)}, aim ${bound(figure, aim)}`;
  console.log(`${id}  ${`${number(value)}${unit}`.padStart(10)}  ${bounds}  ${verdict.padEnd(6)}  ${title} : ${figure.control}`);
  if (ours) console.log(`      ours     ${describeSide(ours)}\n      control  ${describeSide(control)}`);
  if (verdict === 'MISSED') process.exitCode = 1;
}

const machine = await describeMachine();
console.log(nameOf(machine));
const results = await measureAll();
for (const figure of chosen) {
  const result = results[figure.id];
  if (result) print(figure, result);
}
