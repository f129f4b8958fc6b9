import type { Throughput } from './measure.ts';

/** This is a type and not an interface, because TypeScript assigns only a type to `Result`, which has an index signature. */
export type CombinedLimit = Throughput & { echo: number; writes: number };

/**
 * The throughput of a service that does nothing but receive the requests (echo) and write their rows (writes), one after the other. The
 * latencies are those of the echo.
 */
export const combine = (echo: Throughput, writes: Throughput): CombinedLimit => ({
  perSecond: 1 / (1 / echo.perSecond + 1 / writes.perSecond),
  p50: echo.p50,
  p99: echo.p99,
  echo: echo.perSecond,
  writes: writes.perSecond,
});
