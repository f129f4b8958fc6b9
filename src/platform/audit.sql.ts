import { sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';
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

export interface HistoryEntry {
  id: number;
  at: Date;
  operation: string;
  actor_kind: 'anonymous' | 'system' | 'user';
  actor: string | null;
  /** The current name of the user. */
  actor_name: string | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

export interface HistoryOf {
  eventId: number;
  subject: string;
  id: number;
}

export async function selectHistory(tx: Tx, { eventId, subject, id }: HistoryOf, after: number, limit: number): Promise<HistoryEntry[]> {
  const { rows } = await sql<HistoryEntry>`
    select a.id, a.at, a.operation, a.actor_kind, a.actor, u.name as actor_name, a.before, a.after
      from audit_log a left join app_user u on a.actor_kind = 'user' and u.id::text = a.actor
     where a.event_id = ${eventId} and a.subject = ${subject} and a.subject_id = ${String(id)} and a.id > ${after}
     order by a.id limit ${limit}`.execute(tx);
  return rows;
}

export interface ActivityEntry {
  id: number;
  at: Date;
  operation: string;
  actor_kind: 'anonymous' | 'device' | 'system' | 'user';
  actor: string | null;
  /** The current name of the user. */
  actor_name: string | null;
  subject: string;
  subject_id: string;
}

export async function selectActivity(tx: Tx, eventId: number, limit: number): Promise<ActivityEntry[]> {
  const { rows } = await sql<ActivityEntry>`
    select a.*, u.name as actor_name
      from (select id, at, operation, actor_kind, actor, subject, subject_id from audit_log
             where event_id = ${eventId} order by id desc limit ${limit}) a
      left join app_user u on a.actor_kind = 'user' and u.id::text = a.actor
     order by a.id desc`.execute(tx);
  return rows;
}

export async function countHistory(tx: Tx, { eventId, subject, id }: HistoryOf): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from audit_log
     where event_id = ${eventId} and subject = ${subject} and subject_id = ${String(id)}`.execute(tx);
  return rows[0]?.n ?? 0;
}

/** The entries are one JSON parameter, so that the statement text is the same for any number of them. */
export const insertAuditEntries = (entries: readonly AuditEntry[]): Statement => sql`
  insert into audit_log (at, actor_kind, actor, api_token, operation, request_id, producer_id, event_id, subject, subject_id, before, after)
  select * from json_to_recordset(${JSON.stringify(entries)}) as e (
    at timestamptz, actor_kind text, actor text, api_token bigint, operation text, request_id text, producer_id bigint, event_id bigint,
    subject text, subject_id text, before jsonb, after jsonb)`;
