import { sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';

export interface Partition {
  name: string;
  /** Null: from the beginning. */
  from: Date | null;
  to: Date;
}

/** The partitions of the audit log but for the default one. */
export async function selectPartitions(tx: Tx): Promise<Partition[]> {
  const { rows } = await sql<Partition>`
    select c.relname as name, (regexp_match(b.bound, 'FROM \\(''([^'']+)''\\)'))[1]::timestamptz as "from",
           (regexp_match(b.bound, 'TO \\(''([^'']+)''\\)'))[1]::timestamptz as "to"
      from pg_inherits i join pg_class c on c.oid = i.inhrelid, pg_get_expr(c.relpartbound, c.oid) as b (bound)
     where i.inhparent = 'audit_log'::regclass and b.bound <> 'DEFAULT' order by 3`.execute(tx);
  return rows;
}

/** The newest entry in the default partition; null when there is none. */
export async function selectNewestInDefault(tx: Tx): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`select max(at) as at from audit_log_default`.execute(tx);
  return rows[0]?.at ?? null;
}

/** Whether the default partition has entries of that time, which no other partition can take from it. */
export async function isInDefault(tx: Tx, from: Date, to: Date): Promise<boolean> {
  const { rows } = await sql`select from audit_log_default where at >= ${from} and at < ${to} limit 1`.execute(tx);
  return rows.length > 0;
}

export async function addMonth(tx: Tx, start: Date): Promise<void> {
  await sql`select add_audit_log_month(${start})`.execute(tx);
}

export async function dropPartition(tx: Tx, name: string): Promise<void> {
  await sql`drop table ${sql.table(name)}`.execute(tx);
}

/** Drops the default partition with what it holds, and makes an empty one. */
export async function renewDefault(tx: Tx): Promise<void> {
  await sql`select renew_audit_log_default()`.execute(tx);
}

/** The locks of partitions are wanted for a moment, and everybody who writes queues behind who waits for them. */
export async function waitBriefly(tx: Tx): Promise<void> {
  await sql`select set_config('lock_timeout', '2s', true)`.execute(tx);
}
