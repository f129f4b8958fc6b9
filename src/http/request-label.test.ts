import { beforeAll, expect, it } from 'vitest';
import { eventually } from '../../test/eventually.ts';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';

const world = useWorld();
const shop = shopOf(world);
let itemId = 0;

beforeAll(async () => {
  itemId = await shop.newItem();
});

it('while a request runs, its id is the name of its database session; afterwards the session has the usual name', async () => {
  const holder = await world.pool.connect();
  try {
    await holder.query('begin');
    await holder.query('lock table item in access exclusive mode');
    const placing = shop.place([{ itemId, quantity: 1 }]);
    const names = async () => {
      // Not in the transaction of the holder, which would always see the same state.
      const { rows } = await world.pool.query<{ name: string }>(
        `select application_name as name from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows.map(({ name }) => name);
    };
    const waiting = await eventually('the order waits for the lock', async () => (await names())[0]);
    await holder.query('rollback');
    const placed = await placing;
    expect(placed.statusCode).toBe(201);
    expect(waiting).toBe(`tessera ${String(placed.headers['x-request-id'])}`);
    const { rows } = await holder.query<{ name: string }>(
      `select distinct application_name as name from pg_stat_activity where datname = current_database() and application_name like 'tessera%'`,
    );
    expect(rows).toEqual([{ name: 'tessera' }]);
  } finally {
    holder.release();
  }
});
