import { setTimeout as sleep } from 'node:timers/promises';
import type { RowKey } from '../kernel/ids-by-event.ts';
import { markFileRemoved, selectDue, selectStaleFiles } from './jobs.sql.ts';
import { type ExportContext, runExport, withExport } from './run-export.ts';

const pollMs = 250;
/** The number of exports that one process runs at the same time. More would slow down requests in the same process. */
const maxConcurrent = 2;
/** The number of exports that are polled. It is larger than `maxConcurrent`, because other processes may already run some of them. */
const maxPolled = 50;
const cleanMs = 60_000;
const maxCleaned = 100;

/** Runs queued exports in the background. Returns a function that stops this and puts unfinished exports back into the queue. */
export function startExports(options: Omit<ExportContext, 'stopping'>): () => Promise<void> {
  const stopping = new AbortController();
  const context: ExportContext = { ...options, stopping: stopping.signal };
  const running = new Map<number, Promise<void>>();
  const report = (message: string) => (error: unknown) => context.log.error({ err: error }, message);

  /** Resolves when the export holds its lock or has ended. The caller then starts the next export, so `running` is accurate at that time. */
  const start = (key: RowKey) =>
    new Promise<void>((resolve) => {
      const work = runExport(context, key, resolve)
        .catch(report('export failed'))
        .finally(() => {
          running.delete(key.id);
          resolve();
        });
      running.set(key.id, work);
    });

  async function startDueExports(): Promise<void> {
    if (running.size >= maxConcurrent) return;
    for (const key of await selectDue(context.db, context.clock(), maxPolled)) {
      if (running.size >= maxConcurrent || stopping.signal.aborted) return;
      if (!running.has(key.id)) await start(key);
    }
  }

  async function repeat(everyMs: number, message: string, work: () => Promise<unknown>): Promise<void> {
    while (!stopping.signal.aborted) {
      await work().catch(report(message));
      await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  const loops = [
    repeat(pollMs, 'polling for queued exports failed', startDueExports),
    repeat(cleanMs, 'removing files of old exports failed', () => removeStaleFiles(context)),
  ];
  return async () => {
    stopping.abort();
    await Promise.all(loops);
    await Promise.all(running.values());
  };
}

/** Removes files of expired, failed and cancelled exports. Returns the number of files that it found. */
export async function removeStaleFiles(context: Pick<ExportContext, 'db' | 'files' | 'clock'>): Promise<number> {
  const stale = await selectStaleFiles(context.db, context.clock(), maxCleaned);
  for (const file of stale) {
    await withExport(context, file.id, async () => {
      await context.files.remove(file.fileKey);
      await markFileRemoved(context.db, file);
    });
  }
  return stale.length;
}
