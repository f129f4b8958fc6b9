import { beforeAll, describe, expect, it } from 'vitest';
import { auditFindings } from '../../test/audit-findings.ts';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import { minutesAfterNoon, noon } from '../../test/world.ts';
import type { Dashboard } from './dashboard-contract.ts';

const world = useWorld();
const shop = shopOf(world);
let lot = 0;
let last = 0;

async function dashboard(query = ''): Promise<Dashboard> {
  const response = await world.call('GET', `/event/${world.event}/dashboard${query}`, { as: 'owner' });
  expect(response.statusCode, response.body).toBe(200);
  return response.json();
}

beforeAll(async () => {
  const group = (await shop.write('POST', '/items', { eventId: world.event, name: 'Floor', type: 'group', quantity: 12 })).id;
  lot = await shop.newItem({
    item: { name: 'Lot', quantity: 50, parentId: group },
    values: { price: 5000, feeSale: 500, feeProducer: 100 },
  });
  last = await shop.newItem({ item: { name: 'Last' }, values: { price: 0, feeSale: 0, feeProducer: 0 } });
});

describe('GET /event/{id}/dashboard', () => {
  it('returns 200 with zeros and no conversion before anything is ordered', async () => {
    const before = await dashboard();
    expect(before).toMatchObject({
      totals: { sold: 0, held: 0, paid: 0, left: null },
      channels: [],
      sales: { by: 'hour', since: '2026-02-23 09:00:00', buckets: [] },
      conversion: { ordered: 0, paid: 0, percent: null },
      entries: { tickets: 0, checked: 0, percent: 0, inside: 0 },
    });
    expect(before.activity[0]).toMatchObject({
      operation: 'createSalesPeriod',
      actor: { kind: 'user', name: 'owner' },
      subject: 'sale_period',
    });
  });

  it('returns 200 with sales by item, channel and local hour, and counts unpaid orders in the conversion only', async () => {
    world.now = minutesAfterNoon(-3);
    const order = await shop.buy([{ itemId: lot, quantity: 3 }]);
    world.now = noon;
    await shop.buy([
      { itemId: lot, quantity: 1 },
      { itemId: last, quantity: 2 },
    ]);
    await shop.cancel(await shop.hold([{ itemId: lot, quantity: 2 }]));
    await shop.hold([{ itemId: lot, quantity: 1 }]);
    await shop.refund(order, { lines: [{ itemId: lot, quantity: 1 }] });
    const now = await dashboard();
    expect(now.totals).toMatchObject({ sold: 5, refunded: 1, held: 1, gross: 15_000, paid: 16_500 });
    expect(now.items.find(({ itemId }) => itemId === lot)).toMatchObject({ quantity: 50, sold: 3, held: 1, left: 8, gross: 15_000 });
    expect(now.channels).toMatchObject([{ appCategoryId: 1, sold: 5 }]);
    expect(now.sales.buckets).toEqual([
      { start: '2026-03-02 08:00:00', tickets: 3, paid: 16_500 },
      { start: '2026-03-02 09:00:00', tickets: 3, paid: 5500 },
    ]);
    expect(now.conversion).toEqual({ ordered: 9, paid: 6, percent: 75 });
    expect(now.entries).toMatchObject({ tickets: 5 });
    expect(now.activity).toHaveLength(20);
    expect(now.activity[0]).toMatchObject({ operation: 'refundOrder', subject: 'order', subjectId: String(order.id) });
    expect(await auditFindings(world.db, 'reports show')).toEqual([]);
  });

  it('returns 200 with sales by local day for by=day', async () => {
    expect((await dashboard('?by=day')).sales).toEqual({
      by: 'day',
      since: '2025-12-02 00:00:00',
      buckets: [{ start: '2026-03-02 00:00:00', tickets: 6, paid: 22_000 }],
    });
  });

  it('returns 304 while nothing has changed', async () => {
    const path = `/event/${world.event}/dashboard`;
    const { headers } = await world.call('GET', path, { as: 'owner' });
    const poll = () => world.call('GET', path, { as: 'owner', headers: { 'if-none-match': String(headers['etag']) } });
    expect((await poll()).statusCode).toBe(304);
    await shop.hold([{ itemId: lot, quantity: 1 }]);
    expect((await poll()).statusCode).toBe(200);
  });

  it('returns 400 for an unknown period', async () => {
    expect((await world.call('GET', `/event/${world.event}/dashboard?by=minute`, { as: 'owner' })).statusCode).toBe(400);
  });
});
