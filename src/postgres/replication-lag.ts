import { sql } from 'kysely';
import type { Database } from './database.ts';

/** By how many seconds each standby is late. Only roles with `pg_monitor` see the lag of others. */
export async function selectStandbyLags(db: Database): Promise<{ server: string; seconds: number }[]> {
  const { rows } = await sql<{ server: string; seconds: number }>`
    select coalesce(nullif(application_name, ''), host(client_addr), 'standby') as server,
           coalesce(extract(epoch from replay_lag), 0)::float8 as seconds
      from pg_stat_replication where state is not null`.execute(db);
  return rows;
}

/** By how many seconds this standby is late. Without sales there is nothing to apply, so a standby that has applied everything is not late. */
export async function selectOwnLag(db: Database): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select case when pg_is_in_recovery() and pg_last_wal_receive_lsn() is distinct from pg_last_wal_replay_lsn()
                then coalesce(extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp()), 0) else 0 end::float8 as seconds`.execute(
    db,
  );
  return rows[0]?.seconds ?? 0;
}
