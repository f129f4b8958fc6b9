import { setTimeout as sleep } from 'node:timers/promises';
import { findCaller } from '../accounts/find-caller.ts';
import { type Act, systemAct } from '../kernel/act.ts';
import { record } from '../platform/audit.ts';
import { FileStoreError, type Files } from '../platform/files/files.ts';
import { queueMail } from '../platform/mail/outbox.ts';
import type { Database, Tx } from '../postgres/database.ts';
import { withSessionLock } from '../postgres/session-lock.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { type ExportRow, selectExport } from './exports.sql.ts';
import { type Attempt, type MadeFile, updateAgain, updateBegun, updateFailed, updateProgress, updateReady } from './jobs.sql.ts';
import { linkOf } from './link.ts';
import { countRows } from './lists.sql.ts';
import { makeFile, type Progress } from './make-file.ts';
import { maySeeExport } from './permission.ts';
import { usualPieceSize } from './pieces.ts';

/** The locks of exports among all others of the database. */
const lockSpace = 7_355_774;
const progressMs = 500;
const keptMs = 7 * 86_400_000;
/** Of an export that fails, and of one whose workers die. */
const mostFailures = 3;
const mostAttempts = 6;

export interface WorkerContext {
  db: Database;
  files: Files;
  publicUrl: string;
  clock: () => Date;
  /** How many ids are read in one transaction; small in tests. */
  pieceSize?: number;
  /** When it is time to go: what is not done then is left to others. */
  stopping: AbortSignal;
  log: { info(facts: object, message: string): void; error(facts: object, message: string): void };
}

/** With the export to itself, or not at all: answers null when somebody else works on it. */
export const withExport = <T>({ db }: Pick<WorkerContext, 'db'>, id: number, work: (session: Database) => Promise<T>) =>
  withSessionLock(db, lockSpace, id, work);

/** Makes the file and tells who asked, whatever became of earlier attempts: of all of them one comes to its end. */
export async function runExport(place: WorkerContext, id: number, onHeld: () => void = () => undefined): Promise<void> {
  await withExport(place, id, async (session) => {
    onHeld();
    const row = await selectExport(place.db, id);
    if (!row || row.finished_at) return;
    if (row.file_key) await place.files.remove(row.file_key);
    if (row.attempt >= mostAttempts) {
      await fail(place, row, row, `It was begun ${mostAttempts} times and never came to its end`);
      return;
    }
    const requester = await findCaller(place.db, row.user_id);
    if (!requester || !maySeeExport(requester, row)) {
      await fail(place, row, row, 'The person who requested it may no longer see it');
      return;
    }
    const begun = await updateBegun(place.db, id);
    if (begun) await attempt(place, session, row, { id, ...begun });
  });
}

interface Begun extends Attempt {
  fileKey: string;
}

async function attempt(place: WorkerContext, session: Database, row: ExportRow, begun: Begun): Promise<void> {
  const made = await tryToMake(place, session, row, begun);
  // Where this fails nobody knows whether it was written down, and the file stays: if it was not, the next attempt removes it.
  if (made && !(await finish(place, row, begun, made))) await place.files.remove(begun.fileKey);
}

/** Nothing when it came to nothing, which is then taken care of. */
async function tryToMake(place: WorkerContext, session: Database, row: ExportRow, begun: Begun): Promise<MadeFile | null> {
  const stop = new AbortController();
  const progress: Progress = { rows: 0, stop: AbortSignal.any([stop.signal, place.stopping]) };
  const told = tellProgress(place, row, begun, progress, stop);
  try {
    return await makeFile(session, place.files, row, begun.fileKey, place.clock(), progress, place.pieceSize ?? usualPieceSize);
  } catch (error) {
    await place.files.remove(begun.fileKey).catch(() => undefined);
    if (place.stopping.aborted) await updateAgain(place.db, begun, place.clock());
    else if (!stop.signal.aborted) await giveUp(place, row, begun, error);
    return null;
  } finally {
    stop.abort();
    await told;
  }
}

/** Now and then, until it is stopped; and stops it when the attempt no longer counts. */
async function tellProgress(
  { db, clock }: WorkerContext,
  row: ExportRow,
  begun: Begun,
  progress: Progress,
  stop: AbortController,
): Promise<void> {
  let total: number | null = null;
  const count = async () => {
    total = await countRows(db, row, clock()).catch(() => null);
  };
  // Nobody waits for it: an export that is done first needs it no more.
  void count();
  while (!stop.signal.aborted) {
    await sleep(progressMs, undefined, { signal: stop.signal }).catch(() => undefined);
    if (stop.signal.aborted) break;
    const counts = await updateProgress(db, begun, progress.rows, total).catch(() => true);
    if (!counts) stop.abort();
  }
}

/** Ready, the mail and the entry in the log, or none of them; and none when the attempt no longer counts. */
function finish({ db, clock, publicUrl }: WorkerContext, row: ExportRow, begun: Begun, made: MadeFile): Promise<boolean> {
  return inTransaction(db, {}, async (tx) => {
    const act = systemAct('finishExport', clock());
    const expiresAt = new Date(act.at.getTime() + keptMs);
    if (!(await updateReady(tx, begun, made, act.at, expiresAt))) return false;
    const { rows, bytes } = made;
    await recordChange(tx, act, row, { status: 'ready', rows, bytes });
    await queueMail(tx, {
      kind: 'export_ready',
      recipient: row.email,
      locale: row.locale,
      payload: {
        eventTitle: row.title,
        type: row.type,
        format: row.format,
        rows,
        link: `${publicUrl}${linkOf({ ...row, expires_at: expiresAt })}`,
        expiresAt: expiresAt.toISOString(),
        timeZone: row.timezone,
      },
      dedupeKey: `export/${row.id}/ready`,
      at: act.at,
    });
    return true;
  });
}

const recordChange = (tx: Tx, act: Act, row: ExportRow, after: object): Promise<void> =>
  record(tx, act, { subject: 'export', id: row.id, producerId: row.producer_id, eventId: row.event_id, after });

/** Tried again a little later, and after some times no more. */
async function giveUp(place: WorkerContext, row: ExportRow, begun: Begun, error: unknown): Promise<void> {
  place.log.error({ err: error, export: row.id, attempt: begun.attempt }, 'export failed');
  const at = place.clock();
  if (begun.attempt < mostFailures) {
    await updateAgain(place.db, begun, new Date(at.getTime() + begun.attempt ** 2 * 1000));
    return;
  }
  const reason = error instanceof FileStoreError ? error.message : `It failed ${begun.attempt} times for a reason that we have logged`;
  await fail(place, row, begun, reason);
}

async function fail({ db, clock }: WorkerContext, row: ExportRow, attempted: Attempt, reason: string): Promise<void> {
  await inTransaction(db, {}, async (tx) => {
    const act = systemAct('failExport', clock());
    if (await updateFailed(tx, attempted, reason, act.at)) await recordChange(tx, act, row, { status: 'failed', reason });
  });
}
