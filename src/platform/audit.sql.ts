import { sql } from 'kysely';
import type { Statement } from '../postgres/pipeline.ts';

export interface AuditEntry {
  at: Date;
  actor_kind: string;
  actor: string | null;
  api_token: number | null;
  operation: string;
  request_id: string;
  producer_id: number | null;
  /** 0 if the change belongs to no event. */
  event_id: number;
  subject: string;
  subject_id: string;
  before: object | null;
  after: object | null;
}

/** The entries are one JSON parameter, so that the statement text is the same for any number of them. */
export const insertAuditEntries = (entries: readonly AuditEntry[]): Statement => sql`
  insert into audit_log (at, actor_kind, actor, api_token, operation, request_id, producer_id, event_id, subject, subject_id, before, after)
  select * from json_to_recordset(${JSON.stringify(entries)}) as e (
    at timestamptz, actor_kind text, actor text, api_token bigint, operation text, request_id text, producer_id bigint, event_id bigint,
    subject text, subject_id text, before jsonb, after jsonb)`;
