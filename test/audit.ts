import type { LightMyRequestResponse } from 'fastify';
import { sql } from 'kysely';
import type { World } from './harness.ts';

/** One row of the audit log without its null fields. */
export interface AuditEntry {
  /** The actor, for example `user 7` or `anonymous`. */
  by: string;
  /** The id of the API token, if the user acted with one. */
  token?: number;
  operation: string;
  /** The changed resource, for example `member 7`. */
  on: string;
  producer?: number;
  event?: number;
  before?: unknown;
  after?: unknown;
}

/** Returns the entries that one request wrote to the audit log. */
export async function auditOf({ db }: World, answer: LightMyRequestResponse): Promise<AuditEntry[]> {
  const requestId = String(answer.headers['x-request-id']);
  const rows = await db.selectFrom('audit_log').selectAll().where('request_id', '=', requestId).orderBy('id').execute();
  return rows.map((row) => ({
    by: row.actor === null ? row.actor_kind : `${row.actor_kind} ${row.actor}`,
    ...(row.api_token !== null && { token: row.api_token }),
    operation: row.operation,
    on: `${row.subject} ${row.subject_id}`,
    ...(row.producer_id !== null && { producer: row.producer_id }),
    ...(row.event_id !== 0 && { event: row.event_id }),
    ...(row.before !== null && { before: row.before }),
    ...(row.after !== null && { after: row.after }),
  }));
}

/** Returns the secrets that occur in the audit log. It searches for the given secrets, for every hash in the database, and for any token. */
export async function leakedInto({ db }: World, secrets: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`select audit_log::text as line from audit_log`.execute(db);
  const text = rows.map(({ line }) => line).join('\n');
  const users = await db.selectFrom('app_user').select('password_hash').where('password_hash', 'is not', null).execute();
  const tokens = await db.selectFrom('refresh_token').select('hash').execute();
  const hashes = [
    ...users.map(({ password_hash }) => password_hash ?? ''),
    ...tokens.flatMap(({ hash }) => [hash.toString('hex'), hash.toString('base64'), hash.toString('base64url')]),
  ];
  return ['$argon2', 'eyJ', ...hashes, ...secrets].filter((secret) => text.includes(secret));
}
