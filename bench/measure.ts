export interface Options {
  rounds: number;
  /** Small data and short loads, to see that everything works. */
  quick: boolean;
  /** Write CPU profiles of the service into this folder. */
  profile?: string | undefined;
  progress(what: string): void;
}

export interface Seconds {
  seconds: number;
}

/** What a load achieved. Latencies are in milliseconds. */
export interface Throughput {
  perSecond: number;
  p50: number;
  p99: number;
}

/** The value of a figure, how it came about, and any details. */
export interface Result {
  value: number;
  ours?: Seconds | Throughput;
  control?: Seconds | Throughput;
  [detail: string]: unknown;
}

/** Measures one figure or several together; returns the results by figure. */
export type Measure = (options: Options) => Promise<Record<string, Result>>;
