import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { drawChart } from './chart.ts';
import { figures } from './figures.ts';
import type { Machine } from './machine.ts';
import type { Result } from './measure.ts';
import { replaceTable } from './table.ts';

interface StoredResult extends Result {
  measuredAt: string;
  commit: string | null;
}

/** The results of one kind of machine. */
interface Kind {
  machine: Machine;
  figures: Record<string, StoredResult>;
}

/** By kind of machine, so that a run on one machine does not replace the results of another. */
type Stored = Record<string, Kind>;

const file = new URL('results.json', import.meta.url);
const chart = new URL('chart.svg', import.meta.url);
const page = new URL('../docs/performance.md', import.meta.url);

const kindOf = ({ cpu, cores, arch }: Machine): string => `${cpu}, ${cores} cores, ${arch}`;

/** Writes results.json, and the chart and the table of this machine. Figures that were not measured in this run keep their previous result. */
export function storeResults(results: Readonly<Record<string, Result>>, machine: Machine): void {
  const stored = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Stored) : {};
  const now = { measuredAt: new Date().toISOString(), commit: commit() };
  const measured = Object.entries(results).map(([id, result]) => [id, { ...(rounded(result) as Result), ...now }]);
  const own = { ...stored[kindOf(machine)]?.figures, ...(Object.fromEntries(measured) as Record<string, StoredResult>) };
  writeFileSync(file, `${JSON.stringify({ ...stored, [kindOf(machine)]: { machine, figures: own } }, null, 2)}\n`);
  writeFileSync(chart, drawChart(figures, own));
  writeFileSync(page, replaceTable(readFileSync(page, 'utf8'), machine, own));
}

function commit(): string | null {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return null;
  }
}

/** Rounds numbers to three digits, because further digits are noise. */
function rounded(value: unknown): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? value : Number(value.toPrecision(3));
  if (Array.isArray(value)) return value.map(rounded);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, rounded(part)]));
  return value;
}
