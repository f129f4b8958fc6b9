import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { drawChart } from './chart.ts';
import { figures } from './figures.ts';
import type { Result } from './measure.ts';

interface StoredResult extends Result {
  measuredAt: string;
  commit: string | null;
  machine: { cpu: string; cores: number; memoryGiB: number; node: string };
  quick: boolean;
}

interface Stored {
  figures: Record<string, StoredResult>;
}

const file = new URL('results.json', import.meta.url);
const chart = new URL('chart.svg', import.meta.url);

/** Writes results.json and the chart. Figures that were not measured in this run keep their previous result. */
export function storeResults(results: Readonly<Record<string, Result>>, quick: boolean): void {
  const machine = {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
  };
  const now = { measuredAt: new Date().toISOString(), commit: commit(), machine, quick };
  const before = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Stored) : { figures: {} };
  const stored: Stored = { figures: { ...before.figures } };
  for (const [id, result] of Object.entries(results)) stored.figures[id] = { ...(rounded(result) as Result), ...now };
  writeFileSync(file, `${JSON.stringify(stored, null, 2)}\n`);
  writeFileSync(chart, drawChart(figures, stored.figures));
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
