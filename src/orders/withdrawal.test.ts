import { afterEach, describe, expect, it } from 'vitest';
import { auditOf } from '../../test/audit.ts';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import { noon } from '../../test/world.ts';
import { boxOffice } from '../catalog/item.ts';
import type { PlacedOrder } from './order-schemas.ts';

const world = useWorld();
const shop = shopOf(world);
afterEach(async () => {
  world.now = noon;
  await setDays(7);
});

const daysAfterNoon = (days: number, ms = 0) => new Date(noon.getTime() + days * 24 * 60 * 60_000 + ms);
const setDays = (withdrawalDays: number) => shop.write('PUT', `/event/${world.event}`, { withdrawalDays });
const withdraw = ({ id, secret }: PlacedOrder, body?: object) =>
  world.call('POST', `/orders/${id}/refund?secret=${secret}`, body && { body });
const buyOne = () => shop.buy([{ itemId: world.item, quantity: 1 }]);

describe('POST /orders/{id}/refund by a buyer with the secret', () => {
  it('returns 200 within seven days of the purchase, refunds all tickets and restocks them', async () => {
    const itemId = await shop.newItem({ item: { quantity: 2 } });
    const order = await shop.buy([{ itemId, quantity: 2 }]);
    world.now = daysAfterNoon(7, -1);
    const answer = await withdraw(order, { reason: 'Changed my mind' });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({ status: 'refunded', lines: [{ quantity: 2, refunded: 2 }] });
    expect((await world.pool.query('select sold from item where id = $1', [itemId])).rows).toEqual([{ sold: 0 }]);
    expect(await auditOf(world, answer)).toMatchObject([{ operation: 'refundOrder', after: { reason: 'Changed my mind' } }]);
    expect((await withdraw(order)).json()).toMatchObject({ status: 409, code: 'wrong_state' });
  });

  it('returns 200 within the withdrawal days of the event', async () => {
    await setDays(30);
    expect((await world.call('GET', `/event/${world.event}`)).json()).toMatchObject({ withdrawalDays: 30 });
    const order = await buyOne();
    world.now = daysAfterNoon(29);
    expect((await withdraw(order)).statusCode).toBe(200);
  });

  it('PUT /event/{id} returns 400 for withdrawal days out of range', async () => {
    for (const withdrawalDays of [-1, 366, 1.5, null]) {
      const answer = await world.call('PUT', `/event/${world.event}`, { as: 'owner', body: { withdrawalDays } });
      expect(answer.statusCode).toBe(400);
    }
  });

  it('returns 409 after the withdrawal period, and 200 to the crew', async () => {
    const order = await buyOne();
    await world.pool.query('update ticket_order set approved_at = $2 where id = $1', [order.id, daysAfterNoon(-7)]);
    expect((await withdraw(order)).json()).toMatchObject({ status: 409, code: 'withdrawal_closed', until: noon.toISOString() });
    expect((await shop.refund(order)).statusCode).toBe(200);
  });

  it('returns 409 after the first session has started', async () => {
    await setDays(365);
    const [early, late] = [await buyOne(), await buyOne()];
    world.now = new Date('2026-06-01T22:59:59.999Z');
    expect((await withdraw(early)).statusCode).toBe(200);
    world.now = new Date('2026-06-01T23:00:00Z');
    expect((await withdraw(late)).json()).toMatchObject({ code: 'withdrawal_closed', until: world.now.toISOString() });
  });

  it('returns 409 when the event allows no withdrawal, and for box office orders', async () => {
    const order = await buyOne();
    await setDays(0);
    expect((await withdraw(order)).json()).toMatchObject({ status: 409, code: 'withdrawal_closed' });
    await setDays(7);
    await world.pool.query('update ticket_order set app_category_id = $2 where id = $1', [order.id, boxOffice]);
    expect((await withdraw(order)).json()).toMatchObject({ status: 409, code: 'withdrawal_closed' });
    await world.pool.query('update ticket_order set app_category_id = 1 where id = $1', [order.id]);
  });

  it('returns 409 for an order that is not approved', async () => {
    expect((await withdraw(await shop.hold([{ itemId: world.item, quantity: 1 }]))).json()).toMatchObject({ code: 'wrong_state' });
  });

  it('returns 422 for a partial withdrawal', async () => {
    const order = await buyOne();
    const lines = [{ itemId: world.item, quantity: 1 }];
    expect((await withdraw(order, { lines })).json()).toMatchObject({ status: 422, errors: [{ field: 'lines' }] });
    for (const body of [{ ticketIds: [1] }, { includeUsed: true }]) {
      const errors = [{ field: Object.keys(body)[0], code: 'crew' }];
      expect((await withdraw(order, body)).json()).toMatchObject({ status: 422, errors });
    }
    expect((await withdraw(order, { restock: false })).json()).toMatchObject({ status: 422, errors: [{ field: 'restock' }] });
  });
});
