import { sql } from 'kysely';
import type { RowKey } from '../kernel/ids-by-event.ts';
import type { Database, Tx } from '../postgres/database.ts';

/** Returns queued exports that are due, and running exports. Only the session lock shows whether the worker of a running export is alive. */
export async function selectDue(db: Database, at: Date, limit: number): Promise<RowKey[]> {
  const { rows } = await sql<RowKey>`
    /* all events */ select event_id as "eventId", id from export
     where status in ('queued', 'running') and next_attempt_at <= ${at} order by id limit ${limit}`.execute(db);
  return rows;
}

/**
 * Starts the next attempt. Stores the file name before the file is written, so that the file can be removed if the worker dies. Returns
 * undefined if the export is finished or cancelled.
 */
export async function startAttempt(db: Database, { eventId, id }: RowKey): Promise<{ attempt: number; fileKey: string } | undefined> {
  const { rows } = await sql<{ attempt: number; fileKey: string }>`
    update export set status = 'running', attempt = attempt + 1, rows = 0, total = null,
           file_key = 'exports/' || id::text || '-' || (attempt + 1)::text || '.' || format
     where event_id = ${eventId} and id = ${id} and status in ('queued', 'running') returning attempt, file_key as "fileKey"`.execute(db);
  return rows[0];
}

/** One attempt to make the file. Its updates are ignored after a later attempt has started or the export was cancelled. */
export interface Attempt extends RowKey {
  attempt: number;
}

/** Stores the progress of an attempt. Returns false if a later attempt has started or the export was cancelled. */
export async function updateProgress(
  db: Database,
  { eventId, id, attempt }: Attempt,
  rows: number,
  total: number | null,
): Promise<boolean> {
  const { rows: found } = await sql`
    update export set rows = ${rows}, total = ${total}
     where event_id = ${eventId} and id = ${id} and attempt = ${attempt} and status = 'running' returning id`.execute(db);
  return found.length === 1;
}

export interface MadeFile {
  rows: number;
  bytes: number;
  sha256: Buffer;
}

/** Stores the result of an attempt. Returns false if a later attempt has started or the export was cancelled. */
export async function markReady(
  tx: Tx,
  { eventId, id, attempt }: Attempt,
  { rows, bytes, sha256 }: MadeFile,
  at: Date,
  expiresAt: Date,
): Promise<boolean> {
  const { rows: found } = await sql`
    update export set status = 'ready', rows = ${rows}, total = ${rows}, bytes = ${bytes}, sha256 = ${sha256}, finished_at = ${at},
           expires_at = ${expiresAt}
     where event_id = ${eventId} and id = ${id} and attempt = ${attempt} and status = 'running' returning id`.execute(tx);
  return found.length === 1;
}

export async function requeue(db: Database, { eventId, id, attempt }: Attempt, nextAttemptAt: Date): Promise<void> {
  await sql`
    update export set status = 'queued', next_attempt_at = ${nextAttemptAt}
     where event_id = ${eventId} and id = ${id} and attempt = ${attempt} and status = 'running'`.execute(db);
}

export async function markFailed(tx: Tx, { eventId, id, attempt }: Attempt, reason: string, at: Date): Promise<boolean> {
  const { rows } = await sql`
    update export set status = 'failed', reason = ${reason}, finished_at = ${at}
     where event_id = ${eventId} and id = ${id} and attempt = ${attempt} and status in ('queued', 'running') returning id`.execute(tx);
  return rows.length === 1;
}

/** Whether the file of an export must be removed, because the export failed, was cancelled or has expired. */
export const isStale = (at: Date) => sql`
  file_key is not null and (status in ('failed', 'cancelled', 'expired') or status = 'ready' and expires_at <= ${at})`;

export interface StaleFile extends RowKey {
  fileKey: string;
}

export async function selectStaleFiles(db: Database, at: Date, limit: number): Promise<StaleFile[]> {
  const { rows } = await sql<StaleFile>`
    /* all events */ select event_id as "eventId", id, file_key as "fileKey" from export where ${isStale(at)} order by id limit ${limit}`.execute(
    db,
  );
  return rows;
}

export async function markFileRemoved(db: Database, { eventId, id, fileKey }: StaleFile): Promise<void> {
  await sql`
    update export set file_key = null, status = case when status = 'ready' then 'expired' else status end
     where event_id = ${eventId} and id = ${id} and file_key = ${fileKey}`.execute(db);
}
