import type { Seconds, Throughput } from './measure.ts';

interface Comparison<T> {
  rounds: number;
  ours(): Promise<T>;
  control(): Promise<T>;
  ratio(ours: T, control: T): number;
}

/** A type, not an interface, so that it is a `Result`. */
type Compared<T> = {
  ours: T;
  control: T;
  value: number;
  /** The ratio of each round. */
  rounds: number[];
};

/** How many times the control's throughput we reach. */
export const throughputRatio = (ours: Throughput, control: Throughput): number => ours.perSecond / control.perSecond;
/** How many times as fast as the control we are. */
export const speedRatio = (ours: Seconds, control: Seconds): number => control.seconds / ours.seconds;
/** How many times as long as the control we take. */
export const costRatio = (ours: Seconds, control: Seconds): number => ours.seconds / control.seconds;

/** Runs both in turns, after a first round to warm up. Returns the round with the median ratio. */
export async function compare<T>({ rounds, ours, control, ratio }: Comparison<T>): Promise<Compared<T>> {
  const results: Omit<Compared<T>, 'rounds'>[] = [];
  for (let round = 0; round <= rounds; round++) {
    const other = await control();
    const own = await ours();
    if (round > 0) results.push({ ours: own, control: other, value: ratio(own, other) });
  }
  return { ...median(results, ({ value }) => value), rounds: results.map(({ value }) => value) };
}

export function median<T>(list: readonly T[], valueOf: (each: T) => number): T {
  const middle = list.toSorted((a, b) => valueOf(a) - valueOf(b))[Math.floor(list.length / 2)];
  if (middle === undefined) throw new RangeError('At least one round is needed');
  return middle;
}

export async function secondsOf(work: () => Promise<unknown>): Promise<Seconds> {
  const began = performance.now();
  await work();
  return { seconds: (performance.now() - began) / 1_000 };
}
