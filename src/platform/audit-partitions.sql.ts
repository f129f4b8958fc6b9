import { sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';

export interface Partition {
  name: string;
  /** The lower bound of the partition. Null if there is none. */
  from: Date | null;
  to: Date;
}

/** Returns all partitions of the audit log except the default partition. */
export async function selectPartitions(tx: Tx): Promise<Partition[]> {
  const { rows } = await sql<Partition>`
    select c.relname as name, (regexp_match(b.bound, 'FROM \\(''([^'']+)''\\)'))[1]::timestamptz as "from",
           (regexp_match(b.bound, 'TO \\(''([^'']+)''\\)'))[1]::timestamptz as "to"
      from pg_inherits i join pg_class c on c.oid = i.inhrelid, pg_get_expr(c.relpartbound, c.oid) as b (bound)
     where i.inhparent = 'audit_log'::regclass and b.bound <> 'DEFAULT' order by 3`.execute(tx);
  return rows;
}

/** Returns the time of the newest entry in the default partition, or null if that partition is empty. */
export async function selectNewestInDefault(tx: Tx): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`select max(at) as at from audit_log_default`.execute(tx);
  return rows[0]?.at ?? null;
}

/** If the default partition already has entries in this range, PostgreSQL refuses a new partition for the range. */
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

/** Replaces the default partition by an empty partition. */
export async function renewDefault(tx: Tx): Promise<void> {
  await sql`select renew_audit_log_default()`.execute(tx);
}

/** Changing partitions locks the audit log. Every write would queue behind a transaction that waits for this lock, so the wait is short. */
export async function limitLockWait(tx: Tx): Promise<void> {
  await sql`select set_config('lock_timeout', '2s', true)`.execute(tx);
}
