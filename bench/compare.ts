import type { Seconds, Throughput } from './measure.ts';

interface Comparison<T, C extends T> {
  rounds: number;
  ours(): Promise<T>;
  control(): Promise<C>;
  ratio(ours: T, control: C): number;
}

/** This is a type and not an interface, because TypeScript assigns only a type to `Result`, which has an index signature. */
type Compared<T, C extends T> = {
  ours: T;
  control: C;
  value: number;
  /** The ratios of all rounds. */
  rounds: number[];
};

/** Our throughput divided by the throughput of the control. */
export const throughputRatio = (ours: Throughput, control: Throughput): number => ours.perSecond / control.perSecond;
/** Our speed divided by the speed of the control. */
export const speedRatio = (ours: Seconds, control: Seconds): number => control.seconds / ours.seconds;
/** Our duration divided by the duration of the control. */
export const costRatio = (ours: Seconds, control: Seconds): number => ours.seconds / control.seconds;

/** Runs the control and our code in turns. The first round is a warm-up and does not count. Returns the round with the median ratio. */
export async function compare<T, C extends T>({ rounds, ours, control, ratio }: Comparison<T, C>): Promise<Compared<T, C>> {
  const results: Omit<Compared<T, C>, 'rounds'>[] = [];
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
