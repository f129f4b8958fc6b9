import { expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { monthOf } from './audit-partitions.ts';

const world = useWorld();

const partitionNameOf = (month: Date): string => `audit_log_${month.toISOString().slice(0, 7).replace('-', '')}`;

it('a new database has partitions for the month in which it was migrated and the next three, so that no entry is in the default partition', async () => {
  const { rows } = await world.pool.query<{ at: Date }>(`select applied_at as at from schema_migration where name = '0002_platform.sql'`);
  const migratedAt = rows[0]?.at as Date;
  const partitions = await world.pool.query(
    `select relid::regclass::text as name from pg_partition_tree('audit_log') where isleaf order by 1`,
  );
  expect(partitions.rows.map(({ name }) => name)).toEqual([
    ...[0, 1, 2, 3].map((later) => partitionNameOf(monthOf(migratedAt, later))),
    'audit_log_default',
  ]);

  const at = [migratedAt, monthOf(migratedAt), new Date(monthOf(migratedAt, 4).getTime() - 1), monthOf(migratedAt, 4)];
  const entries = await world.pool.query(
    `insert into audit_log (event_id, at, actor_kind, operation, request_id, subject, subject_id)
     select 0, at, 'system', 'test', 'r', 'test', 'x' from unnest($1::timestamptz[]) as at returning tableoid::regclass::text as partition`,
    [at],
  );
  expect(entries.rows.map(({ partition }) => partition)).toEqual([
    partitionNameOf(migratedAt),
    partitionNameOf(migratedAt),
    partitionNameOf(monthOf(migratedAt, 3)),
    'audit_log_default',
  ]);
});
