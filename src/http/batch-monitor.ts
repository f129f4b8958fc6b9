import { Counter, Gauge, Histogram, type Metric } from 'prom-client';

/** A batch that is open longer cannot be waiting for a lock, because the lock timeout is 10 s. Its database does not respond. */
const stuckMs = 12_000;

/** What one kind of batches reports. There is a lane for each batched operation. */
export interface Lane {
  /** `read` returns the number of requests that wait now. */
  watchDepth(read: () => number): void;
  refused(count: number): void;
  /** The transaction of a batch starts. Returns the function to call at its end. */
  started(size: number, waitedMs: number): () => void;
}

/** How busy the batches of one operation were since the last reading. */
export interface LaneLoad {
  requests: number;
  /** How long at least one batch was open. */
  busyMs: number;
  /** The longest wait of a request until its batch began. */
  longestWaitMs: number;
}

/** Measures the load of one lane between two readings. */
class LoadMeter {
  #load: LaneLoad = { requests: 0, busyMs: 0, longestWaitMs: 0 };
  #open = 0;
  #busySince = 0;

  started(size: number, waitedMs: number): void {
    if (this.#open++ === 0) this.#busySince = performance.now();
    this.#load.requests += size;
    this.#load.longestWaitMs = Math.max(this.#load.longestWaitMs, waitedMs);
  }

  ended(): void {
    if (--this.#open === 0) this.#load.busyMs += performance.now() - this.#busySince;
  }

  take(): LaneLoad {
    const now = performance.now();
    const load = this.#load;
    if (this.#open > 0) {
      load.busyMs += now - this.#busySince;
      this.#busySince = now;
    }
    this.#load = { requests: 0, busyMs: 0, longestWaitMs: 0 };
    return load;
  }
}

/** Counts the batches of all operations, for the metrics, and notices batches that do not end. */
export class BatchMonitor {
  readonly #depth = new Map<string, () => number>();
  readonly #refused = new Map<string, number>();
  readonly #open = new Set<{ since: number }>();
  readonly #meters = new Map<string, LoadMeter>();
  readonly #sizes = new Histogram({
    name: 'tessera_batch_size',
    help: 'Requests per batch',
    labelNames: ['lane'] as const,
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
    registers: [],
  });
  readonly #waits = new Histogram({
    name: 'tessera_batch_wait_seconds',
    help: 'How long the oldest request of a batch waited until the batch began',
    labelNames: ['lane'] as const,
    buckets: [0.001, 0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2],
    registers: [],
  });

  lane(name: string): Lane {
    const [sizes, waits] = [this.#sizes.labels({ lane: name }), this.#waits.labels({ lane: name })];
    this.#refused.set(name, 0);
    const meter = new LoadMeter();
    this.#meters.set(name, meter);
    return {
      watchDepth: (read) => void this.#depth.set(name, read),
      refused: (count) => void this.#refused.set(name, (this.#refused.get(name) ?? 0) + count),
      started: (size, waitedMs) => {
        sizes.observe(size);
        waits.observe(waitedMs / 1000);
        const batch = { since: performance.now() };
        this.#open.add(batch);
        meter.started(size, waitedMs);
        return () => {
          if (this.#open.delete(batch)) meter.ended();
        };
      },
    };
  }

  /** Returns the load of an operation since the last call. Null if this process does not serve the operation. */
  takeLoad(name: string): LaneLoad | null {
    return this.#meters.get(name)?.take() ?? null;
  }

  hasStuckBatch(): boolean {
    const latest = performance.now() - stuckMs;
    return [...this.#open].some(({ since }) => since < latest);
  }

  metrics(): Metric[] {
    const [depth, refused] = [this.#depth, this.#refused];
    const waiting = new Gauge({
      name: 'tessera_batch_waiting',
      help: 'Requests that wait for a batch',
      labelNames: ['lane'] as const,
      registers: [],
      collect() {
        for (const [lane, read] of depth) this.set({ lane }, read());
      },
    });
    const shed = new Counter({
      name: 'tessera_batch_refused_total',
      help: 'Requests that got 503 because they would have waited too long',
      labelNames: ['lane'] as const,
      registers: [],
      collect() {
        this.reset();
        for (const [lane, n] of refused) this.inc({ lane }, n);
      },
    });
    return [this.#sizes, this.#waits, waiting, shed];
  }
}
