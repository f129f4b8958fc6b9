import { describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import { minutesAfterNoon, noon } from '../../test/world.ts';
import type { SystemHealth } from './contract.ts';

const world = useWorld();
const shop = shopOf(world);
const read = async (): Promise<SystemHealth> => (await world.call('GET', '/system/health', { as: 'admin' })).json();

describe('GET /system/health', () => {
  it('returns release, database and payment methods', async () => {
    const { database, payments, release } = await read();
    expect(release).toMatch(/^\d+\.\d+\.\d+/);
    expect(database).toMatchObject({ role: 'primary', replicas: [] });
    expect(database.bytes).toBeGreaterThan(0);
    expect(payments.testMoney).toBe(true);
    expect(payments.methods.map(({ method, provider }) => `${method} ${provider}`)).toEqual(['card sandbox', 'pix sandbox', 'cash cash']);
  });

  it('returns how many jobs wait, and since when the oldest is due', async () => {
    const itemId = await shop.newItem();
    await shop.hold([{ itemId, quantity: 1 }]);
    await shop.buy([{ itemId, quantity: 1 }]);
    world.now = minutesAfterNoon(10);
    await world.pool.query(`insert into retention_status (kind, failures, last_failed_at, last_error) values ('test', 1, $1, 'no disk')`, [
      noon,
    ]);
    const { queues, housekeeping } = await read();
    world.now = noon;
    expect(queues.map(({ name, failed }) => [name, failed])).toEqual(
      ['holds', 'mails', 'paymentNotices', 'payments', 'refunds', 'exports'].map((name) => [name, 0]),
    );
    expect(queues.find(({ name }) => name === 'holds')).toMatchObject({ waiting: 1, oldest: minutesAfterNoon(10).toISOString() });
    expect(queues.find(({ name }) => name === 'mails')).toMatchObject({ waiting: 1, oldest: noon.toISOString() });
    expect(housekeeping).toContainEqual({
      kind: 'test',
      removed: 0,
      failures: 1,
      lastDoneAt: null,
      lastFailedAt: noon.toISOString(),
      lastError: 'no disk',
    });
  });

  it('returns 403 for owners of a producer', async () => {
    expect((await world.call('GET', '/system/health', { as: 'owner' })).statusCode).toBe(403);
  });
});
