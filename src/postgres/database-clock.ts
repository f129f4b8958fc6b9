import type pg from 'pg';

const syncEveryMs = 10_000;
const sampleTimeoutMs = 5_000;
/** The assumed drift between two clocks: 0.1 ms per second. */
const driftPerMs = 0.0001;

/** The database's time at one moment of this process's monotonic clock. `errorMs` is the maximum error: half a round trip. */
interface Sample {
  databaseMs: number;
  monotonicMs: number;
  errorMs: number;
}

export interface DatabaseClock {
  now(): Date;
  stop(): void;
}

/**
 * A clock that shows the database's time without a query per call. All processes use the same time for holds, sale periods and tokens, even
 * if the clock of a machine is wrong. The clock keeps running while the database is not reachable.
 */
export async function startDatabaseClock(pool: pg.Pool): Promise<DatabaseClock> {
  let known = await takeSample(pool);
  const sync = async () => {
    const sample = await takeSample(pool).catch(() => known);
    known = moreAccurate(known, sample);
  };
  const timer = setInterval(() => void sync(), syncEveryMs);
  timer.unref();
  return {
    now: () => new Date(timeAt(known, performance.now())),
    stop: () => clearInterval(timer),
  };
}

async function takeSample(pool: pg.Pool): Promise<Sample> {
  const client = await pool.connect();
  let failed = true;
  try {
    const before = performance.now();
    const query = { text: `select extract(epoch from clock_timestamp()) * 1000 as ms`, query_timeout: sampleTimeoutMs };
    const { rows } = await client.query<{ ms: string }>(query);
    const after = performance.now();
    failed = false;
    return { databaseMs: Number(rows[0]?.ms), monotonicMs: (before + after) / 2, errorMs: (after - before) / 2 };
  } finally {
    client.release(failed);
  }
}

const timeAt = ({ databaseMs, monotonicMs }: Sample, at: number): number => databaseMs + at - monotonicMs;

/**
 * Returns the sample with the smaller error. If the samples contradict each other, returns the newer sample, because a failover may have
 * changed the clock.
 */
export function moreAccurate(known: Sample, sample: Sample): Sample {
  const errorMs = known.errorMs + (sample.monotonicMs - known.monotonicMs) * driftPerMs;
  const difference = Math.abs(timeAt(known, sample.monotonicMs) - sample.databaseMs);
  return sample.errorMs <= errorMs || difference > errorMs + sample.errorMs ? sample : known;
}
