// `npm run soak [-- --minutes 60] [--control] [--chart FILE]` runs two processes for an hour with all kinds of requests, and kills one of them,
// or all database connections, every minute. Then memory must be flat, no client may have got an error other than 503, webhooks must have
// delivered every change in order, and the audit must find no difference. With --control the service leaks memory on purpose, which must be
// found. Otherwise the exit code is 1.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { drawMemory } from './chart.ts';
import { type SoakResult, type SoakState, soak } from './soak.ts';

const { values: given } = parseArgs({
  options: { minutes: { type: 'string', default: '60' }, control: { type: 'boolean', default: false }, chart: { type: 'string' } },
});
const minutes = Number(given.minutes);
if (!(minutes > 0 && minutes <= 1_440)) {
  console.error('Usage: npm run soak [-- --minutes 60] [--control] [--chart FILE]');
  process.exit(2);
}

const listed = (counts: ReadonlyMap<string, number>) => [...counts].map(([name, n]) => `${n} × ${name}`).join(', ');

let nextLineAt = 0;
/** Prints one line that is updated on a terminal, and a new line every ten seconds elsewhere. */
function show({ seconds, counts, faults, samples, kills }: SoakState): void {
  const { live = 0, resident = 0 } = samples.at(-1) ?? {};
  const line =
    `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s  ${Math.round(counts.requests / seconds)} requests/s, ${kills.length} kills, ` +
    `${counts.unavailable + counts.busy} × 503, ${counts.cut} cut, ${faults.size} kinds of faults, memory ${live.toFixed(0)} MiB live, ${resident.toFixed(0)} MiB resident`;
  if (process.stdout.isTTY) process.stdout.write(`\r${line}  `);
  else if (seconds >= nextLineAt) {
    console.log(line);
    nextLineAt = seconds + 10;
  }
}

function judge({ counts, done, faults, kills, trend, difference, deliveries }: SoakResult): boolean {
  const { growth, noise, flat } = trend;
  console.log(
    `\n\n${counts.requests} requests (${listed(done)}), ${kills.length} kills, with ${counts.unavailable} × 503 and ${counts.cut} cut connections, ` +
      `${counts.busy} × 503 at other times, because the machine was busy`,
  );
  const statements = [
    { holds: flat, text: `memory after the warm-up: ${growth.toFixed(1)} MiB growth, ${noise.toFixed(1)} MiB noise` },
    { holds: faults.size === 0, text: `faults: ${listed(faults) || 'none'}` },
    {
      holds: deliveries.changes > 0 && deliveries.faults.length === 0,
      text: `webhooks: ${deliveries.changes} changes in ${deliveries.messages} messages, ${deliveries.faults.slice(0, 5).join(', ') || 'each delivered in order'}`,
    },
    { holds: difference === null, text: `audit: ${difference ?? 'no difference'}` },
  ];
  for (const { holds, text } of statements) console.log(`${holds ? 'ok  ' : 'FAIL'}  ${text}`);
  if (!given.control) return statements.every(({ holds }) => holds);
  console.log(flat ? 'FAIL  the leak was not found' : 'ok    the leak was found');
  return !flat;
}

const result = await soak({ minutes, leak: given.control, onProgress: show });
if (given.chart) writeFileSync(given.chart, drawMemory(result.samples, result.kills));
if (!judge(result)) process.exitCode = 1;
