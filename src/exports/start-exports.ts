import { setTimeout as sleep } from 'node:timers/promises';
import { selectDue, selectStaleFiles, updateCleaned } from './jobs.sql.ts';
import { runExport, type WorkerContext, withExport } from './run-export.ts';

const lookMs = 250;
/** At work at once in one process, so that nobody's files slow down the selling. */
const places = 2;
/** Those that others work on are among them. */
const mostLookedAt = 50;
const cleanMs = 60_000;
const mostCleaned = 100;

/** Makes the files that are asked for. Answers how to stop it; what is under way then is put back. */
export function startExports(surroundings: Omit<WorkerContext, 'stopping'>): () => Promise<void> {
  const stopping = new AbortController();
  const place: WorkerContext = { ...surroundings, stopping: stopping.signal };
  const atWork = new Map<number, Promise<void>>();
  const report = (message: string) => (error: unknown) => place.log.error({ err: error }, message);

  /** Answers whether it is at work here now; or else somebody else has it, or there was little to do. */
  const begin = (id: number) =>
    new Promise<boolean>((resolve) => {
      const work = runExport(place, id, () => resolve(true))
        .catch(report('export failed'))
        .finally(() => {
          atWork.delete(id);
          resolve(false);
        });
      atWork.set(id, work);
    });

  async function look(): Promise<void> {
    if (atWork.size >= places) return;
    for (const id of await selectDue(place.db, place.clock(), mostLookedAt)) {
      if (atWork.size >= places || stopping.signal.aborted) return;
      if (!atWork.has(id)) await begin(id);
    }
  }

  async function repeat(everyMs: number, message: string, work: () => Promise<unknown>): Promise<void> {
    while (!stopping.signal.aborted) {
      await work().catch(report(message));
      await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  const rounds = [
    repeat(lookMs, 'looking for exports failed', look),
    repeat(cleanMs, 'clearing away files of exports failed', () => clearAway(place)),
  ];
  return async () => {
    stopping.abort();
    await Promise.all(rounds);
    await Promise.all(atWork.values());
  };
}

/** Removes the files that nobody may have any more. Answers how many. */
export async function clearAway(place: Pick<WorkerContext, 'db' | 'files' | 'clock'>): Promise<number> {
  const stale = await selectStaleFiles(place.db, place.clock(), mostCleaned);
  for (const { id, fileKey } of stale) {
    await withExport(place, id, async () => {
      await place.files.remove(fileKey);
      await updateCleaned(place.db, id, fileKey);
    });
  }
  return stale.length;
}
