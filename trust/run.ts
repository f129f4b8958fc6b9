// `npm run trust [-- --only T1,T3] [--quick] [--no-write]` tries to break every promise of docs/guarantees.md. Each promise has controls:
// tests that create a fault on purpose and must detect it. Prints a table and writes trust/results.json. The exit code is 1 if a promise is
// broken or a fault was not detected.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { chooseFigures } from '../bench/choose-figures.ts';
import { type Figure, figures } from './figures.ts';
import { judge, type Verdict } from './judge.ts';
import { runTests } from './run-tests.ts';

interface Tried extends Verdict {
  seconds: number;
}

interface Stored extends Tried {
  triedAt: string;
  node: string;
  quick: boolean;
}

const file = new URL('results.json', import.meta.url);
const { values: given } = parseArgs({
  options: { only: { type: 'string' }, quick: { type: 'boolean', default: false }, 'no-write': { type: 'boolean', default: false } },
});
const { quick } = given;

async function tryToBreak(figure: Figure): Promise<Tried> {
  console.error(`\n── ${figure.id} ${figure.title}`);
  const began = performance.now();
  const attempts = 'run' in figure ? await figure.run({ quick }) : await runTests(figure.files, quick ? {} : (figure.full ?? {}));
  return { ...judge(figure, attempts, { quick }), seconds: Math.round((performance.now() - began) / 1_000) };
}

function print({ id, controls }: Figure, { title, must, kept, tests, controls: ran, failed, seconds }: Tried): void {
  console.log(`${id.padEnd(4)} ${kept ? 'kept  ' : 'BROKEN'}  ${title}: ${must} (${tests} tests, ${ran} controls, ${seconds} s)`);
  for (const { fault, finds } of controls) console.log(`       control: ${fault} → finds ${finds}`);
  for (const name of failed) console.log(`       failed: ${name}`);
}

/** Stores the result of a promise at once, because a full run takes long. */
function store({ id }: Figure, tried: Tried): void {
  const stored = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, Stored>) : {};
  stored[id] = { ...tried, triedAt: new Date().toISOString(), node: process.version, quick };
  writeFileSync(file, `${JSON.stringify(stored, null, 2)}\n`);
}

const results = new Map<Figure, Tried>();
for (const figure of chooseFigures(figures, given.only)) {
  const lacking = figure.lacks?.();
  if (lacking) {
    console.error(`\n── ${figure.id} SKIPPED: ${lacking}`);
    continue;
  }
  const tried = await tryToBreak(figure);
  results.set(figure, tried);
  if (!given['no-write']) store(figure, tried);
}
console.log('');
for (const [figure, tried] of results) print(figure, tried);
if ([...results.values()].some(({ kept }) => !kept)) process.exitCode = 1;
