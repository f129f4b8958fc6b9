import type pg from 'pg';

const syncEveryMs = 10_000;
/** How far two good clocks drift apart: 0.1 ms in a second. */
const driftPerMs = 0.0001;

/** The database's time at a moment of this process's monotonic clock. The truth is at most `errorMs` away: half of the round trip. */
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
 * Tells the database's time without asking it each time. Holds, sale periods and tokens are judged by one clock this way, however wrong
 * the clock of a machine is and however many processes serve. While the database is away the clock runs on.
 */
export async function startDatabaseClock(pool: pg.Pool): Promise<DatabaseClock> {
  let known = await takeSample(pool);
  const sync = async () => {
    const sample = await takeSample(pool).catch(() => known);
    known = better(known, sample);
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
  try {
    const before = performance.now();
    const { rows } = await client.query<{ ms: string }>(`select extract(epoch from clock_timestamp()) * 1000 as ms`);
    const after = performance.now();
    return { databaseMs: Number(rows[0]?.ms), monotonicMs: (before + after) / 2, errorMs: (after - before) / 2 };
  } finally {
    client.release();
  }
}

const timeAt = ({ databaseMs, monotonicMs }: Sample, at: number): number => databaseMs + at - monotonicMs;

/** The one with the smaller error; or the newer one if both cannot be true, as after a failover to a server with another clock. */
export function better(known: Sample, sample: Sample): Sample {
  const errorMs = known.errorMs + (sample.monotonicMs - known.monotonicMs) * driftPerMs;
  const difference = Math.abs(timeAt(known, sample.monotonicMs) - sample.databaseMs);
  return sample.errorMs <= errorMs || difference > errorMs + sample.errorMs ? sample : known;
}
