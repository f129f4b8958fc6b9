import { sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';

export interface AuditEntry {
  at: Date;
  actor_kind: string;
  actor: string | null;
  api_token: number | null;
  operation: string;
  request_id: string;
  producer_id: number | null;
  event_id: number | null;
  subject: string;
  subject_id: string;
  before: string | null;
  after: string | null;
}

/** One statement for any number: an array a column. */
export async function insertAuditEntries(tx: Tx, entries: readonly AuditEntry[]): Promise<void> {
  const column = <K extends keyof AuditEntry>(name: K) => entries.map((entry) => entry[name]);
  await sql`
    insert into audit_log (at, actor_kind, actor, api_token, operation, request_id, producer_id, event_id, subject, subject_id, before, after)
    select * from unnest(
      ${column('at')}::timestamptz[], ${column('actor_kind')}::text[], ${column('actor')}::text[], ${column('api_token')}::bigint[],
      ${column('operation')}::text[], ${column('request_id')}::text[], ${column('producer_id')}::bigint[], ${column('event_id')}::bigint[],
      ${column('subject')}::text[], ${column('subject_id')}::text[], ${column('before')}::jsonb[], ${column('after')}::jsonb[])`.execute(
    tx,
  );
}
