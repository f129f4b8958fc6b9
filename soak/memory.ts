import type { Service } from '../test/process.ts';

/** The memory of a process at a time, in MiB. The live memory contains what JavaScript keeps: its heap and its buffers. */
export interface Sample {
  seconds: number;
  live: number;
  resident: number;
}

const mebi = 1_048_576;

export async function readMemory({ origin }: Service, seconds: number): Promise<Sample> {
  const text = await (await fetch(`${origin}/metrics`)).text();
  const valueOf = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN) / mebi;
  const live = valueOf('nodejs_heap_size_used_bytes') + valueOf('nodejs_external_memory_bytes');
  return { seconds, live, resident: valueOf('process_resident_memory_bytes') };
}

export interface Trend {
  /** By how much the live memory grows in the judged time, in MiB. */
  growth: number;
  /** How much growth the differences between the windows can explain, in MiB. */
  noise: number;
  flat: boolean;
}

const windows = 24;
/** Growth that no run can tell from noise: caches that fill, statements that are prepared. */
const toleratedMiB = 12;

/**
 * Judges whether the live memory is flat after the warm-up, which is the first sixth of the run. The heap grows until the garbage collector
 * runs, which is every ten seconds, so only the lowest value of each window counts. The trend is the median of the slopes between all pairs
 * of windows, which single outliers do not change.
 */
export function judgeMemory(samples: readonly Sample[]): Trend {
  const end = samples.at(-1)?.seconds ?? 0;
  const start = end / 6;
  const size = (end - start) / windows;
  const lows = Array.from({ length: windows }, (_, i) => {
    const own = samples.filter(({ seconds }) => seconds >= start + i * size && seconds < start + (i + 1) * size).map(({ live }) => live);
    return own.length === 0 ? null : { at: i, live: Math.min(...own) };
  }).filter((low) => low !== null);
  const slopes = lows.flatMap((a, i) => lows.slice(i + 1).map((b) => (b.live - a.live) / (b.at - a.at)));
  const slope = middle(slopes);
  const level = middle(lows.map(({ at, live }) => live - slope * at));
  const noise = 2 * middle(lows.map(({ at, live }) => Math.abs(live - slope * at - level)));
  const growth = slope * windows;
  return { growth, noise, flat: lows.length > windows / 2 && growth <= toleratedMiB + noise };
}

const middle = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
