import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { migrate } from './migrate.ts';

const world = useWorld();

describe('migrate', () => {
  it('does nothing the second time, however many ask at once', async () => {
    expect(await Promise.all([migrate(world.pool), migrate(world.pool)])).toEqual([[], []]);
  });

  it('refuses a database from a newer release', async () => {
    await sql`insert into schema_migration (name, hash) values ('9999_future.sql', '')`.execute(world.db);
    await expect(migrate(world.pool)).rejects.toThrow('newer release');
    await sql`delete from schema_migration where name = '9999_future.sql'`.execute(world.db);
  });

  it('refuses a migration that was edited after it landed', async () => {
    await sql`update schema_migration set hash = 'other' where name = '0001_accounts.sql'`.execute(world.db);
    await expect(migrate(world.pool)).rejects.toThrow('0001_accounts.sql was applied with other content');
  });
});

describe('the audit log', () => {
  it.each(['update audit_log set operation = null', 'delete from audit_log', 'truncate audit_log'])('refuses: %s', async (statement) => {
    await expect(world.pool.query(statement)).rejects.toThrow('append-only');
  });
});
