import { beforeAll, describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import { minutesAfterNoon, noon } from '../../test/world.ts';
import type { PlacedOrder } from '../orders/order-schemas.ts';
import type { OrderTicket } from '../orders/ticket-contract.ts';
import type { CheckinResult } from './contract.ts';

const world = useWorld();
const shop = shopOf(world);
let item = 0;

/** Creates a session whose doors are open at noon and that has not started then. */
beforeAll(async () => {
  const session = { name: 'Tonight', start: '2026-03-02 20:00:00', finish: '2026-03-02 23:00:00' };
  const { id } = await shop.write('POST', `/event/${world.event}/session`, session);
  item = await shop.newItem({ item: { name: 'Seat', sessionIds: [id], quantity: 100 } });
});

async function ticketsOf({ id, secret }: PlacedOrder): Promise<OrderTicket[]> {
  return (await world.call('GET', `/orders/${id}/tickets?secret=${secret}`)).json<{ data: OrderTicket[] }>().data;
}

async function buyTwo() {
  const order = await shop.buy([{ itemId: item, quantity: 2 }]);
  const [ticket, other] = (await ticketsOf(order)) as [OrderTicket, OrderTicket];
  return { order, code: ticket.code, ticket, other };
}

async function scan(code: string, nonce: string): Promise<CheckinResult | undefined> {
  const body = { entries: [{ code, at: noon.toISOString(), device: 'phone-1', nonce }] };
  const response = await world.call('POST', `/event/${world.event}/checkins`, { as: 'crew_entrance_operator', body });
  expect(response.statusCode).toBe(200);
  return response.json<{ results: CheckinResult[] }>().results[0];
}

const withdraw = ({ id, secret }: PlacedOrder) => world.call('POST', `/orders/${id}/refund?secret=${secret}`);

describe('POST /orders/{id}/refund by the buyer', () => {
  it('returns 409 after a ticket was used; the crew can still refund the order', async () => {
    const { order, code } = await buyTwo();
    expect(await scan(code, 'in')).toMatchObject({ result: 'admitted' });
    expect((await withdraw(order)).json()).toMatchObject({ status: 409, code: 'withdrawal_closed' });
    expect((await shop.refund(order, { includeUsed: true })).statusCode).toBe(200);
  });

  it('returns 200 after the scan was undone', async () => {
    const { order, code } = await buyTwo();
    await scan(code, 'mistake');
    const undo = { undoes: 'mistake', at: minutesAfterNoon(0.4).toISOString(), device: 'phone-1', nonce: 'taken-back' };
    const body = { entries: [undo] };
    await world.call('POST', `/event/${world.event}/checkins/undo`, { as: 'crew_entrance_operator', body });
    expect((await withdraw(order)).statusCode).toBe(200);
  });

  it('returns 200 or the concurrent check-in returns admitted, never both', async () => {
    for (let round = 0; round < 10; round++) {
      const { order, code } = await buyTwo();
      const [withdrawn, scanned] = await Promise.all([withdraw(order), scan(code, `race-${round}`)]);
      expect([withdrawn.statusCode, scanned?.result]).toBeOneOf([
        [200, 'refunded'],
        [409, 'admitted'],
      ]);
    }
  });
});

describe('POST /orders/{id}/refund of an order with used tickets', () => {
  const statusesOf = async (order: PlacedOrder) => (await ticketsOf(order)).map(({ status }) => status);
  const errorsOf = (response: { json(): unknown }) => (response.json() as { errors: { field: string; code: string }[] }).errors;
  /** Buys two tickets and checks in the newer one. */
  async function newerUsed(name: string) {
    const { order, ticket, other } = await buyTwo();
    expect(await scan(other.code, `${name}-in`)).toMatchObject({ result: 'admitted' });
    return { order, unused: ticket, used: other };
  }

  it('returns 200 and refunds the unused ticket first, which no longer admits', async () => {
    const { order, unused } = await newerUsed('first');
    const response = await shop.refund(order, { lines: [{ itemId: item, quantity: 1 }] });
    expect(response.json()).toMatchObject({ status: 'approved', lines: [{ refunded: 1 }] });
    expect(await statusesOf(order)).toEqual(['refunded', 'valid']);
    expect(await scan(unused.code, 'first-again')).toMatchObject({ result: 'refunded' });
  });

  it('returns 422 if the request is for more tickets than are unused, unless includeUsed is true', async () => {
    const { order } = await newerUsed('more');
    const lines = [{ itemId: item, quantity: 2 }];
    expect(errorsOf(await shop.refund(order, { lines }))).toMatchObject([{ field: 'lines[0].quantity', code: 'used' }]);
    expect(errorsOf(await shop.refund(order))).toMatchObject([{ field: 'includeUsed', code: 'used' }]);
    expect(await statusesOf(order)).toEqual(['valid', 'valid']);
    expect((await shop.refund(order, { lines, includeUsed: true })).json()).toMatchObject({ status: 'refunded' });
    expect(await statusesOf(order)).toEqual(['refunded', 'refunded']);
  });

  it('returns 200 and refunds the tickets that the request names; used tickets need includeUsed', async () => {
    const { order, used } = await newerUsed('named');
    const refused = await shop.refund(order, { ticketIds: [used.id] });
    expect(errorsOf(refused)).toMatchObject([{ field: 'ticketIds[0]', code: 'used' }]);
    expect(await statusesOf(order)).toEqual(['valid', 'valid']);
    const response = await shop.refund(order, { ticketIds: [used.id], includeUsed: true });
    expect(response.json()).toMatchObject({ status: 'approved', refundedTotal: 5500, lines: [{ refunded: 1 }] });
    expect(await statusesOf(order)).toEqual(['valid', 'refunded']);
    expect(await scan(used.code, 'named-again')).toMatchObject({ result: 'refunded' });
  });
});
