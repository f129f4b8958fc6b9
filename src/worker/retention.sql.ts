import { sql } from 'kysely';
import type { Database } from '../postgres/database.ts';

export async function saveSuccess(db: Database, kind: string, removed: number, at: Date): Promise<void> {
  await sql`
    insert into retention_status as s (kind, removed, last_done_at) values (${kind}, ${removed}, ${at})
    on conflict (kind) do update set removed = s.removed + excluded.removed, last_done_at = excluded.last_done_at`.execute(db);
}

export async function saveFailure(db: Database, kind: string, error: string, at: Date): Promise<void> {
  await sql`
    insert into retention_status as s (kind, failures, last_failed_at, last_error) values (${kind}, 1, ${at}, ${error})
    on conflict (kind) do update set failures = s.failures + 1, last_failed_at = excluded.last_failed_at, last_error = excluded.last_error`.execute(
    db,
  );
}

export interface RetentionCount {
  kind: string;
  removed: number;
  failures: number;
}

export async function selectRetention(db: Database): Promise<RetentionCount[]> {
  const { rows } = await sql<RetentionCount>`select kind, removed, failures from retention_status order by kind`.execute(db);
  return rows;
}
