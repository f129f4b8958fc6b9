import { setTimeout as sleep } from 'node:timers/promises';
import { findCaller } from '../accounts/find-caller.ts';
import { type Act, systemAct } from '../kernel/act.ts';
import type { RowKey } from '../kernel/ids-by-event.ts';
import { record } from '../platform/audit.ts';
import { recordChanges } from '../platform/changes/record-changes.ts';
import { FileStoreError, type Files } from '../platform/files/files.ts';
import { queueMail } from '../platform/mail/outbox.ts';
import type { Database, Tx } from '../postgres/database.ts';
import { executeAll } from '../postgres/pipeline.ts';
import { withSessionLock } from '../postgres/session-lock.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { type ExportRow, selectExport } from './exports.sql.ts';
import { type Attempt, type MadeFile, markFailed, markReady, requeue, startAttempt, updateProgress } from './jobs.sql.ts';
import { linkOf } from './link.ts';
import { countRows } from './lists.sql.ts';
import { makeFile, type Progress } from './make-file.ts';
import { maySeeExport } from './permission.ts';
import { defaultPieceSize } from './pieces.ts';

/** The first key of the advisory locks of exports. The second key is the id of the export. */
const lockSpace = 7_355_774;
const progressMs = 500;
const fileLifetimeMs = 7 * 86_400_000;
/** The export fails if an attempt with this number or a higher number ends with an error. */
const maxFailures = 3;
/** The maximum number of attempts. It also counts attempts that ended without an error because the process died. */
const maxAttempts = 6;

export interface ExportContext {
  db: Database;
  /** The rows of a list are read from here. Null: from the connection that holds the lock of the export. */
  replica?: Database | null;
  files: Files;
  publicUrl: string;
  clock: () => Date;
  /** How many ids are read in one transaction. Tests use a small value. */
  pieceSize?: number;
  /** This signal is aborted when the process shuts down. Unfinished exports are then put back into the queue. */
  stopping: AbortSignal;
  log: { info(facts: object, message: string): void; error(facts: object, message: string): void };
}

/** Runs `work` while it holds the lock of the export. Returns null if another worker holds the lock. */
export const withExport = <T>({ db }: Pick<ExportContext, 'db'>, id: number, work: (session: Database) => Promise<T>) =>
  withSessionLock(db, lockSpace, id, work);

/** Runs one attempt. Does nothing if the export is finished or another worker holds its lock. Calls `onHeld` when it has the lock itself. */
export async function runExport(context: ExportContext, key: RowKey, onHeld: () => void = () => undefined): Promise<void> {
  await withExport(context, key.id, async (session) => {
    onHeld();
    const row = await selectExport(context.db, key);
    if (!row || row.finished_at) return;
    if (row.file_key) await context.files.remove(row.file_key);
    if (row.attempt >= maxAttempts) {
      await fail(context, row, `The export was started ${maxAttempts} times and did not finish. Request it again.`);
      return;
    }
    const requester = await findCaller(context.db, row.user_id);
    if (!requester || !maySeeExport(requester, row)) {
      await fail(context, row, 'The user who requested the export no longer has the permission to see it');
      return;
    }
    const started = await startAttempt(context.db, key);
    if (started) await makeAttempt(context, session, row, { ...key, ...started });
  });
}

interface StartedAttempt extends Attempt {
  fileKey: string;
}

async function makeAttempt(context: ExportContext, session: Database, row: ExportRow, attempt: StartedAttempt): Promise<void> {
  const made = await tryMakeFile(context, session, row, attempt);
  // If `finish` throws, it is unknown whether the commit succeeded, so the file is kept. If the commit failed, the next attempt removes it.
  if (made && !(await finish(context, row, attempt, made))) await context.files.remove(attempt.fileKey);
}

/** Makes the file. Returns null if that fails. The export is then already cancelled, requeued or failed. */
async function tryMakeFile(context: ExportContext, session: Database, row: ExportRow, attempt: StartedAttempt): Promise<MadeFile | null> {
  const stop = new AbortController();
  const progress: Progress = { rows: 0, stop: AbortSignal.any([stop.signal, context.stopping]) };
  const reporting = reportProgress(context, row, attempt, progress, stop);
  try {
    return await makeFile(
      context.replica ?? session,
      context.files,
      row,
      attempt.fileKey,
      context.clock(),
      progress,
      context.pieceSize ?? defaultPieceSize,
    );
  } catch (error) {
    await context.files.remove(attempt.fileKey).catch(() => undefined);
    if (context.stopping.aborted) await requeue(context.db, attempt, context.clock());
    else if (!stop.signal.aborted) await retryOrFail(context, row, attempt, error);
    return null;
  } finally {
    stop.abort();
    await reporting;
  }
}

/** Stores the progress at intervals until `stop` is aborted. Aborts `stop` if the attempt is no longer the current one. */
async function reportProgress(
  { db, clock }: ExportContext,
  row: ExportRow,
  attempt: StartedAttempt,
  progress: Progress,
  stop: AbortController,
): Promise<void> {
  let total: number | null = null;
  const count = async () => {
    total = await countRows(db, row, clock()).catch(() => null);
  };
  // The count is not awaited, because the export may be finished before the rows are counted.
  void count();
  while (!stop.signal.aborted) {
    await sleep(progressMs, undefined, { signal: stop.signal }).catch(() => undefined);
    if (stop.signal.aborted) break;
    const isCurrent = await updateProgress(db, attempt, progress.rows, total).catch(() => true);
    if (!isCurrent) stop.abort();
  }
}

/** Sets the status, queues the mail and writes the audit entry in one transaction. Returns false if the attempt is no longer current. */
function finish({ db, clock, publicUrl }: ExportContext, row: ExportRow, attempt: StartedAttempt, made: MadeFile): Promise<boolean> {
  return inTransaction(db, {}, async (tx) => {
    const act = systemAct('finishExport', clock());
    const expiresAt = new Date(act.at.getTime() + fileLifetimeMs);
    if (!(await markReady(tx, attempt, made, act.at, expiresAt))) return false;
    const { rows, bytes } = made;
    await recordResult(tx, act, row, { status: 'ready', rows, bytes });
    await executeAll(
      tx,
      recordChanges([{ eventId: row.event_id, type: 'export.ready', subject: { kind: 'export', id: row.id }, at: act.at }]),
    );
    await queueMail(tx, {
      eventId: row.event_id,
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

const recordResult = (tx: Tx, act: Act, row: ExportRow, after: object): Promise<void> =>
  record(tx, act, { subject: 'export', id: row.id, producerId: row.producer_id, eventId: row.event_id, after });

/** Requeues the export with a growing delay. From attempt number `maxFailures` on, the export fails. */
async function retryOrFail(context: ExportContext, row: ExportRow, attempt: StartedAttempt, error: unknown): Promise<void> {
  context.log.error({ err: error, export: row.id, attempt: attempt.attempt }, 'export failed');
  const at = context.clock();
  if (attempt.attempt < maxFailures) {
    await requeue(context.db, attempt, new Date(at.getTime() + attempt.attempt ** 2 * 1000));
    return;
  }
  const reason =
    error instanceof FileStoreError ? error.message : `The export failed ${attempt.attempt} times. The server log has the cause.`;
  await fail(context, { ...row, attempt: attempt.attempt }, reason);
}

/** Does nothing if a later attempt than `row.attempt` has started. */
async function fail({ db, clock }: ExportContext, row: ExportRow, reason: string): Promise<void> {
  await inTransaction(db, {}, async (tx) => {
    const act = systemAct('failExport', clock());
    const attempt = { eventId: row.event_id, id: row.id, attempt: row.attempt };
    if (await markFailed(tx, attempt, reason, act.at)) await recordResult(tx, act, row, { status: 'failed', reason });
  });
}
