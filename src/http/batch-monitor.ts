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

/** Counts the batches of all operations, for the metrics, and notices batches that do not end. */
export class BatchMonitor {
  readonly #depth = new Map<string, () => number>();
  readonly #refused = new Map<string, number>();
  readonly #open = new Set<{ since: number }>();
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
    return {
      watchDepth: (read) => void this.#depth.set(name, read),
      refused: (count) => void this.#refused.set(name, (this.#refused.get(name) ?? 0) + count),
      started: (size, waitedMs) => {
        sizes.observe(size);
        waits.observe(waitedMs / 1000);
        const batch = { since: performance.now() };
        this.#open.add(batch);
        return () => void this.#open.delete(batch);
      },
    };
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
