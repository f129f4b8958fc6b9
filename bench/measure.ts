export interface Options {
  rounds: number;
  /** Use little data and short loads. This only shows that the measurements work. */
  quick: boolean;
  /** Write CPU profiles of the service into this folder. */
  profile?: string | undefined;
  progress(what: string): void;
}

export interface Seconds {
  seconds: number;
}

/** The throughput and the latencies of a load. Latencies are in milliseconds. */
export interface Throughput {
  perSecond: number;
  p50: number;
  p99: number;
}

/** The value of a figure, the two measurements behind it, and further details. */
export interface Result {
  value: number;
  ours?: Seconds | Throughput;
  control?: Seconds | Throughput;
  [detail: string]: unknown;
}

/** A figure cannot be measured on this machine. The message says what is missing. */
export class Skipped extends Error {}

/** Measures one or several figures. Returns the results by the id of the figure. */
export type Measure = (options: Options) => Promise<Record<string, Result>>;
