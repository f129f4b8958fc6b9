import { sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';
import type { Queue } from './contract.ts';

interface DatabaseRow {
  version: string;
  in_recovery: boolean;
  bytes: number;
}

export async function selectDatabase(tx: Tx): Promise<DatabaseRow> {
  const { rows } = await sql<DatabaseRow>`
    select split_part(current_setting('server_version'), ' ', 1) as version, pg_is_in_recovery() as in_recovery,
           pg_database_size(current_database()) as bytes`.execute(tx);
  return rows[0] as DatabaseRow;
}

interface ReplicaRow {
  name: string;
  state: string | null;
  lagSeconds: number | null;
}

/** Without the role `pg_monitor`, PostgreSQL shows only the names of the replicas. */
export async function selectReplicas(tx: Tx): Promise<ReplicaRow[]> {
  const { rows } = await sql<ReplicaRow>`
    select coalesce(application_name, '') as name, state, extract(epoch from replay_lag)::float8 as "lagSeconds"
      from pg_stat_replication order by 1`.execute(tx);
  return rows;
}

export interface QueueRow extends Omit<Queue, 'oldest'> {
  oldest: Date | null;
}

/** Every part reads a partial index of open work, except the small table of exports. */
export async function selectQueues(tx: Tx, at: Date): Promise<QueueRow[]> {
  const { rows } = await sql<QueueRow>`
    /* all events */
    select 'holds' as name, count(*) as waiting, min(expires_at) as oldest, 0::bigint as failed
      from ticket_order where status = 'held' and expires_at <= ${at}
    union all
    select 'mails', count(*), min(next_attempt_at) filter (where next_attempt_at <= ${at}),
           (select count(*) from mail where status = 'failed' and payload is not null)
      from mail where status = 'queued'
    union all
    select 'paymentNotices', count(*), min(received_at),
           (select count(*) from payment_notice where status in ('set_aside', 'failed'))
      from payment_notice where status = 'received'
    union all
    select 'payments', count(*), min(created_at), 0 from payment where due_at is not null and status = 'begun'
    union all
    select 'refunds', count(*), min(created_at), (select count(*) from refund where status = 'failed')
      from refund where due_at is not null and status = 'begun'
    union all
    select 'exports', count(*), min(created_at),
           (select count(*) from export where status = 'failed' and created_at > ${at}::timestamptz - interval '7 days')
      from export where status in ('queued', 'running')`.execute(tx);
  return rows;
}

interface HousekeepingRow {
  kind: string;
  removed: number;
  failures: number;
  last_done_at: Date | null;
  last_failed_at: Date | null;
  last_error: string | null;
}

export async function selectHousekeeping(tx: Tx): Promise<HousekeepingRow[]> {
  const { rows } = await sql<HousekeepingRow>`
    select kind, removed, failures, last_done_at, last_failed_at, last_error from retention_status order by kind`.execute(tx);
  return rows;
}
