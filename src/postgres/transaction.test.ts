import { sql } from 'kysely';
import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { inSavepoint, inTransaction, tryLock } from './transaction.ts';
import { isUnavailable } from './unavailable.ts';

const world = useWorld();

beforeAll(async () => {
  await sql`create table counter (id int primary key, n bigint not null)`.execute(world.db);
  await sql`insert into counter values (1, 0), (2, 0)`.execute(world.db);
});

const read = async (id: number) => (await sql<{ n: number }>`select n from counter where id = ${id}`.execute(world.db)).rows[0]?.n;

describe('inTransaction', () => {
  it('retries after a serialization failure, so that no increment is lost', async () => {
    const increment = () =>
      inTransaction(world.db, { isolation: 'repeatable read' }, async (tx) => {
        const { rows } = await sql<{ n: number }>`select n from counter where id = 1`.execute(tx);
        await sql`update counter set n = ${(rows[0]?.n ?? 0) + 1} where id = 1`.execute(tx);
      });
    await Promise.all([increment(), increment(), increment()]);
    expect(await read(1)).toBe(3);
  });

  it('retries after a deadlock', async () => {
    let arrived = 0;
    let open = (): void => undefined;
    const bothHaveOne = new Promise<void>((resolve) => {
      open = resolve;
    });
    const both = (first: number, second: number) =>
      inTransaction(world.db, {}, async (tx) => {
        await sql`update counter set n = n + 1 where id = ${first}`.execute(tx);
        arrived++;
        if (arrived === 2) open();
        await bothHaveOne;
        await sql`update counter set n = n + 1 where id = ${second}`.execute(tx);
      });
    const before = (await read(2)) ?? 0;
    await Promise.all([both(1, 2), both(2, 1)]);
    expect(await read(2)).toBe(before + 2);
    expect(arrived).toBe(3);
  });

  it('throws overloaded after five attempts', async () => {
    let tries = 0;
    const losing = inTransaction(world.db, {}, async (tx) => {
      tries++;
      await sql`do $$ begin raise exception 'lost' using errcode = '40001'; end $$`.execute(tx);
    });
    await expect(losing).rejects.toMatchObject({ code: 'overloaded' });
    expect(tries).toBe(5);
  });

  it('throws overloaded after the first attempt with the option once', async () => {
    let tries = 0;
    const losing = inTransaction(world.db, { once: true }, async (tx) => {
      tries++;
      await sql`do $$ begin raise exception 'lost' using errcode = '40001'; end $$`.execute(tx);
    });
    await expect(losing).rejects.toMatchObject({ code: 'overloaded' });
    expect(tries).toBe(1);
  });

  it('refuses writes with the option readOnly', async () => {
    await expect(inTransaction(world.db, { readOnly: true }, (tx) => sql`update counter set n = 9`.execute(tx))).rejects.toThrow(
      'read-only',
    );
  });

  it('keeps earlier changes when a savepoint is rolled back', async () => {
    const before = (await read(1)) ?? 0;
    await inTransaction(world.db, {}, async (tx) => {
      await sql`update counter set n = n + 1 where id = 1`.execute(tx);
      await inSavepoint(tx, async () => {
        await sql`update counter set n = n + 100 where id = 1`.execute(tx);
        throw new Error('on purpose');
      }).catch(() => undefined);
    });
    expect(await read(1)).toBe(before + 1);
  });

  it('tryLock returns false while another transaction holds the lock', async () => {
    await inTransaction(world.db, {}, async (tx) => {
      expect(await tryLock(tx, 42)).toBe(true);
      expect(await inTransaction(world.db, {}, (other) => tryLock(other, 42))).toBe(false);
    });
  });
});

describe('bigint columns', () => {
  it('throw for numbers above 2^53, which would be rounded', async () => {
    await expect(sql`select 9007199254740993::bigint as n`.execute(world.db)).rejects.toThrow('safe integers');
    const { rows } = await sql<{ n: number; list: number[] }>`select 9007199254740991::bigint as n, array[1, 2]::bigint[] as list`.execute(
      world.db,
    );
    expect(rows[0]).toEqual({ n: 9007199254740991, list: [1, 2] });
  });
});

describe('isUnavailable', () => {
  it('returns true for a database that cannot be reached, and false for other errors', async () => {
    const client = new pg.Client({ host: '/nowhere', connectionTimeoutMillis: 1_000 });
    const error = await client.connect().catch((failure: unknown) => failure);
    expect(isUnavailable(error)).toBe(true);
    expect(isUnavailable(new TypeError('ours'))).toBe(false);
  });
});
