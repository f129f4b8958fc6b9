import { afterEach, describe, expect, it } from 'vitest';
import { auditOf } from '../../test/audit.ts';
import { auditFindings } from '../../test/audit-findings.ts';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import { waitingListOf } from '../../test/waiting-list.ts';
import { minutesAfterNoon, noon } from '../../test/world.ts';
import type { Item } from '../catalog/item-schemas.ts';
import { systemAct } from '../kernel/act.ts';
import { expireOrders } from '../orders/expire-orders.ts';
import type { CrewEntry, Entry, Summary } from './contract.ts';

const world = useWorld();
const shop = shopOf(world);
const list = waitingListOf(world);
afterEach(() => {
  world.now = noon;
});

/** Creates an item and sells all of it, in orders of one ticket. */
async function soldOutItem(tickets: number, more: Parameters<typeof shop.newItem>[0] = {}) {
  const itemId = await shop.newItem({ ...more, item: { quantity: tickets, ...more.item } });
  const orders = [];
  for (let i = 0; i < tickets; i++) orders.push(await shop.buy([{ itemId, quantity: 1 }]));
  return { itemId, orders };
}

const statusOf = async (itemId: number) => (await world.call('GET', `/items/${itemId}`, { as: 'owner' })).json<Item>().status;
const listOf = async (query = '') =>
  (await world.call('GET', `${list.path()}?pageSize=200${query}`, { as: 'owner' })).json<{ data: CrewEntry[] }>().data;

describe('POST /event/{id}/waiting-list', () => {
  it('mails a link, and the person is in line only after confirming with it', async () => {
    const { itemId } = await soldOutItem(2);
    const answer = await list.join({ itemId, quantity: 2, email: 'Ana@People.test' });
    expect([answer.statusCode, answer.json()]).toEqual([202, { ahead: 0 }]);
    expect(await auditOf(world, answer)).toMatchObject([{ operation: 'joinWaitingList', after: { itemId, quantity: 2 } }]);
    const [mail] = await list.mails();
    expect(mail).toMatchObject({ to: { address: 'ana@people.test' }, subject: 'Confirm your place on the waiting list: first-event' });
    const token = list.tokenIn(mail as never);
    expect(await list.read(token)).toMatchObject({ status: 'unconfirmed', position: null, expiresAt: '2026-03-03T12:00:00.000Z' });
    expect((await list.confirm(token)).json()).toMatchObject({ itemId, quantity: 2, status: 'waiting', position: 1, expiresAt: null });
    const again = await list.confirm(token);
    expect([again.statusCode, again.json<Entry>().position]).toEqual([200, 1]);
    expect((await list.join({ itemId })).json()).toEqual({ ahead: 1 });
  });

  it('gives the same response for an address that is in the list, and mails it the link again', async () => {
    const { itemId } = await soldOutItem(2);
    const email = 'twice@people.test';
    await list.wait({ itemId, email });
    world.now = minutesAfterNoon(61);
    expect((await list.join({ itemId, email, quantity: 2 })).json()).toEqual({ ahead: 1 });
    const [mail] = await list.mails();
    expect(mail?.subject).toBe('You are on the waiting list: first-event');
    expect(await list.read(list.tokenIn(mail as never))).toMatchObject({ status: 'waiting', quantity: 1, position: 1 });
    world.now = noon;
    expect((await listOf(`&itemId=${itemId}`)).length).toBe(1);
  });

  it('sends at most one mail per entry and hour, and none after five requests for an address', async () => {
    const { itemId } = await soldOutItem(1);
    for (let i = 0; i < 3; i++) await list.join({ itemId, email: 'flood@people.test' });
    expect((await list.mails()).length).toBe(1);
    for (let i = 0; i < 6; i++) await list.join({ itemId: (await soldOutItem(1)).itemId, email: 'flood@people.test' });
    expect((await list.mails()).length).toBe(2);
  });

  it('returns 409 while tickets are on sale, before the sale, and if the event has no list', async () => {
    const itemId = await shop.newItem({ item: { quantity: 1 } });
    expect((await list.join({ itemId })).json()).toMatchObject({
      code: 'wrong_state',
      status: 409,
      detail: 'Tickets are still on sale. Order them instead.',
    });
    await shop.write('PUT', `/items/${itemId}`, { salable: false });
    expect((await list.join({ itemId })).statusCode).toBe(409);
    const soldOut = await soldOutItem(1);
    await shop.write('PUT', `/event/${world.event}`, { waitingList: false });
    expect((await list.join({ itemId: soldOut.itemId })).json()).toMatchObject({ status: 409, detail: 'This event has no waiting list.' });
    await shop.write('PUT', `/event/${world.event}`, { waitingList: true });
  });

  it('returns 422 for items that nobody can order, for a wrong session and for too many tickets', async () => {
    const { itemId } = await soldOutItem(5, { attributes: { maximum: 4 } });
    expect((await list.join({ itemId: world.foreignItem })).statusCode).toBe(422);
    expect((await list.join({ itemId, sessionId: world.missing })).json()).toMatchObject({ status: 422, errors: [{ field: 'sessionId' }] });
    expect((await list.join({ itemId, quantity: 5 })).json()).toMatchObject({
      status: 422,
      errors: [{ field: 'quantity', code: 'maximum' }],
    });
    expect((await list.join({ itemId, quantity: 4 })).statusCode).toBe(202);
    // A party that is larger than the item could never be served, and all tickets that come back would be kept for it.
    const small = await soldOutItem(1);
    expect((await list.join({ itemId: small.itemId, quantity: 2 })).json()).toMatchObject({
      status: 422,
      errors: [{ field: 'quantity', code: 'maximum', message: 'Wait for at most 1 tickets.' }],
    });
  });

  it('keeps what the mail says if somebody else joins with the same address, until the entry can no longer be confirmed', async () => {
    const { itemId } = await soldOutItem(3);
    const email = 'victim@people.test';
    await list.join({ itemId, email, quantity: 1 });
    const mailed = async () => list.tokenIn((await list.mails()).find(({ to }) => to.address === email) as never);
    const token = await mailed();
    expect((await list.join({ itemId, email, quantity: 3 })).statusCode).toBe(202);
    expect(await list.read(token)).toMatchObject({ status: 'unconfirmed', quantity: 1 });
    world.now = minutesAfterNoon(24 * 60);
    await list.join({ itemId, email, quantity: 3 });
    expect(await list.read(await mailed())).toMatchObject({ status: 'unconfirmed', quantity: 3 });
  });

  it('returns 429 when too many clients of a network join in an hour, and mails an address at most ten times a day', async () => {
    world.now = minutesAfterNoon(-24 * 60);
    const { itemId } = await soldOutItem(1);
    const mailsTo = async (email: string) => {
      let sent = 0;
      for (let i = 0; i < 12; i++) {
        world.now = minutesAfterNoon((i - 24) * 60);
        expect((await list.join({ itemId, email: email.replace('@', `+${i}@`) })).statusCode).toBe(202);
        sent += (await list.mails()).length;
      }
      return sent;
    };
    expect(await mailsTo('many@people.test')).toBe(10);
    await world.pool.query(`update mail_count set n = 60 where scope like 'waiting list of event % network:%' and period = $1`, [
      world.now,
    ]);
    const answer = await list.join({ itemId });
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([429, '3600']);
    expect(answer.json()).toMatchObject({ code: 'rate_limited' });
    world.now = noon;
    expect((await list.join({ itemId })).statusCode).toBe(202);
  });

  it('returns 409 on confirming after 24 hours, and 404 for an unknown token', async () => {
    const { itemId } = await soldOutItem(1);
    const token = await list.joined({ itemId });
    world.now = minutesAfterNoon(24 * 60);
    expect((await list.confirm(token)).json()).toMatchObject({ status: 409, code: 'wrong_state' });
    expect((await list.confirm('unknown')).statusCode).toBe(404);
  });
});

describe('tickets that come back', () => {
  it('go to the first in line, whose order is held for the hours of the event, and nobody else can order them', async () => {
    const { itemId, orders } = await soldOutItem(2);
    const [first, second] = [await list.wait({ itemId }), await list.wait({ itemId })];
    await shop.refund(orders[0] as never);
    expect(await statusOf(itemId)).toBe('soldout');
    expect((await shop.place([{ itemId, quantity: 1 }])).json()).toMatchObject({ code: 'sold_out', lines: [{ remaining: 0 }] });
    expect(await list.serve()).toBe(1);
    expect(await list.serve()).toBe(0);
    expect((await shop.place([{ itemId, quantity: 1 }])).statusCode).toBe(409);
    expect(await list.read(first)).toMatchObject({ status: 'offered', position: null, expiresAt: '2026-03-03T12:00:00.000Z' });
    expect(await list.read(second)).toMatchObject({ status: 'waiting', position: 1 });

    const [mail] = (await list.mails()).filter(({ subject }) => subject.startsWith('It is your turn'));
    const { id, secret } = list.offerIn(mail as never);
    const buyer = { name: 'Ana Souza', email: 'ana@people.test' };
    expect((await world.call('PUT', `/orders/${id}/buyer?secret=${secret}`, { body: buyer })).statusCode).toBe(200);
    expect((await world.call('POST', `/orders/${id}/payment?secret=${secret}`, { body: { method: 'card' } })).statusCode).toBe(201);
    expect(await list.read(first)).toMatchObject({ status: 'bought' });
    await list.serve();
    expect((await listOf(`&itemId=${itemId}`)).map(({ status, orderId }) => [status, orderId])).toEqual([
      ['bought', id],
      ['waiting', null],
    ]);
  });

  it('go to the next in line when an offer lapses or is given up, until nobody waits', async () => {
    const { itemId, orders } = await soldOutItem(1);
    const tokens = [await list.wait({ itemId }), await list.wait({ itemId })] as const;
    await shop.refund(orders[0] as never);
    expect(await list.serve()).toBe(1);
    world.now = minutesAfterNoon(24 * 60);
    await expireOrders(world.db, systemAct('expireOrders', world.now));
    expect((await shop.place([{ itemId, quantity: 1 }])).statusCode).toBe(409);
    expect(await list.serve()).toBe(1);
    expect([(await list.read(tokens[0])).status, (await list.read(tokens[1])).status]).toEqual(['lapsed', 'offered']);
    expect((await list.leave(tokens[1])).json()).toMatchObject({ status: 'left' });
    expect(await list.serve()).toBe(0);
    expect((await shop.place([{ itemId, quantity: 1 }])).statusCode).toBe(201);
  });

  it('are kept for a party until there are enough, and nobody behind it passes', async () => {
    const { itemId, orders } = await soldOutItem(4);
    const party = await list.wait({ itemId, quantity: 3 });
    const single = await list.wait({ itemId, quantity: 1 });
    for (const order of orders.slice(0, 2)) await shop.refund(order);
    expect(await list.serve()).toBe(0);
    expect(await statusOf(itemId)).toBe('soldout');
    await shop.refund(orders[2] as never);
    expect(await list.serve()).toBe(1);
    expect([(await list.read(party)).status, (await list.read(single)).status]).toEqual(['offered', 'waiting']);
    expect((await list.leave(party)).statusCode).toBe(200);
    expect(await list.serve()).toBe(1);
    expect((await list.read(single)).status).toBe('offered');
    expect(await statusOf(itemId)).toBe('available');
  });

  it('control: can be taken by anybody if the counter of the line is wrong, and the audit finds it', async () => {
    const { itemId, orders } = await soldOutItem(1);
    await list.wait({ itemId });
    await world.pool.query('update waiting_line set waiting = 0 where item_id = $1', [itemId]);
    await shop.refund(orders[0] as never);
    expect((await shop.buy([{ itemId, quantity: 1 }])).id).toBeGreaterThan(0);
    expect(await auditFindings(world.db, 'the waiting list')).toEqual([
      expect.stringContaining('counts 0 tickets, but its people wait for 1'),
    ]);
    await world.pool.query('update waiting_line set waiting = 1 where item_id = $1', [itemId]);
  });

  it('come back through a raised limit, and only as many as people wait for are kept from other buyers', async () => {
    const { itemId } = await soldOutItem(2);
    await list.wait({ itemId, quantity: 2 });
    await shop.write('PUT', `/items/${itemId}`, { quantity: 6 });
    expect((await shop.place([{ itemId, quantity: 3 }])).json()).toMatchObject({ code: 'sold_out', lines: [{ remaining: 2 }] });
    expect((await shop.place([{ itemId, quantity: 2 }])).statusCode).toBe(201);
    expect(await list.serve()).toBe(1);
    expect(await statusOf(itemId)).toBe('soldout');
  });

  it('are kept from buyers of other items that share a limit, if they can be offered', async () => {
    const { id: group } = await shop.write('POST', '/items', { eventId: world.event, name: 'Pista', type: 'group', quantity: 2 });
    await soldOutItem(1, { item: { parentId: group, quantity: 1 } });
    const [a, b] = [await shop.newItem({ item: { parentId: group } }), await shop.newItem({ item: { parentId: group } })];
    const sold = [await shop.buy([{ itemId: a, quantity: 1 }])];
    const first = await list.wait({ itemId: b });
    const second = await list.wait({ itemId: group });
    await shop.refund(sold[0] as never);
    expect([await statusOf(a), await statusOf(b)]).toEqual(['soldout', 'soldout']);
    expect(await list.serve()).toBe(1);
    expect((await list.read(first)).status).toBe('offered');
    await list.leave(first);
    expect(await statusOf(a)).toBe('soldout');
    expect(await list.serve()).toBe(1);
    expect((await list.read(second)).status).toBe('offered');
  });

  it('do not keep other items from being sold if nobody who waits can get them', async () => {
    const { id: group } = await shop.write('POST', '/items', { eventId: world.event, name: 'Hall', type: 'group', quantity: 10 });
    const { itemId } = await soldOutItem(1, { item: { parentId: group } });
    const other = await shop.newItem({ item: { parentId: group } });
    for (let i = 0; i < 3; i++) await list.wait({ itemId });
    expect((await shop.place([{ itemId: other, quantity: 9 }])).statusCode).toBe(201);
  });

  it('are not kept for a party that the item can no longer serve: its wait ends', async () => {
    const { itemId, orders } = await soldOutItem(2);
    const party = await list.wait({ itemId, quantity: 2 });
    const single = await list.wait({ itemId });
    for (const order of orders) await shop.refund(order);
    await shop.write('PUT', `/items/${itemId}`, { quantity: 1 });
    expect(await list.serve()).toBe(1);
    expect([(await list.read(party)).status, (await list.read(single)).status]).toEqual(['removed', 'offered']);
  });

  it('are not offered after the sale, and an offer ends with the sale at the latest', async () => {
    const { itemId, orders } = await soldOutItem(2);
    const [first, second] = [await list.wait({ itemId }), await list.wait({ itemId })];
    await shop.refund(orders[0] as never);
    world.now = new Date('2026-06-01T20:00:00.000Z');
    expect(await list.serve()).toBe(1);
    expect((await list.read(first)).expiresAt).toBe('2026-06-01T23:00:00.000Z');
    world.now = noon;
    await shop.refund(orders[1] as never);
    world.now = new Date('2026-06-01T23:00:00.000Z');
    expect(await list.serve()).toBe(0);
    expect((await list.read(second)).status).toBe('waiting');
  });
});

describe('the crew', () => {
  it('sees who waits and the numbers by item, and removes entries, whose address is erased', async () => {
    const { itemId, orders } = await soldOutItem(3);
    for (const quantity of [1, 2, 3]) await list.wait({ itemId, quantity, email: `party${quantity}@people.test` });
    await shop.refund(orders[0] as never);
    await list.serve();
    const entries = await listOf(`&itemId=${itemId}`);
    expect(entries.map(({ email, status, position }) => [email, status, position])).toEqual([
      ['party1@people.test', 'offered', null],
      ['party2@people.test', 'waiting', 1],
      ['party3@people.test', 'waiting', 2],
    ]);
    expect((await listOf('&term=Party3')).map(({ quantity }) => quantity)).toEqual([3]);
    const lineOf = async () =>
      (await world.call('GET', `${list.path()}/summary`, { as: 'owner' })).json<Summary>().lines.find((line) => line.itemId === itemId);
    expect(await lineOf()).toMatchObject({ waiting: 2, waitingTickets: 5, offered: 1, offeredTickets: 1, bought: 0, lapsed: 0, left: 0 });
    for (const { id } of entries.slice(0, 2))
      expect((await world.call('DELETE', `${list.path()}/${id}`, { as: 'crew_sales_manager' })).statusCode).toBe(204);
    expect(await lineOf()).toMatchObject({ waiting: 1, waitingTickets: 3, offered: 0, left: 2 });
    expect((await listOf(`&itemId=${itemId}&status=removed`)).map(({ email }) => email)).toEqual([null, null]);
    expect((await world.call('DELETE', `${list.path()}/${entries[0]?.id}`, { as: 'crew_sales_operator' })).statusCode).toBe(403);
  });
});

// Last, because the other items of this file would be valid for the new sessions too.
describe('an item with several sessions', () => {
  it('has one line per session, and people of one line do not keep tickets of another session', async () => {
    const session = { name: 'Late', start: '2026-06-02 20:00:00', finish: '2026-06-02 23:00:00', capacity: 1 };
    const { id: late } = await shop.write('POST', `/event/${world.event}/session`, session);
    const { id: later } = await shop.write('POST', `/event/${world.event}/session`, { ...session, name: 'Later' });
    const itemId = await shop.newItem({ item: { sessionIds: [late, later] } });
    const order = await shop.buy([{ itemId, quantity: 1 }], { sessionId: late });
    expect((await list.join({ itemId })).json()).toMatchObject({ status: 422, errors: [{ field: 'sessionId', code: 'required' }] });
    expect((await list.join({ itemId, sessionId: later })).statusCode).toBe(409);
    const token = await list.wait({ itemId, sessionId: late });
    await shop.refund(order);
    expect((await shop.place([{ itemId, quantity: 1 }], { sessionId: late })).statusCode).toBe(409);
    expect((await shop.place([{ itemId, quantity: 1 }], { sessionId: later })).statusCode).toBe(201);
    expect(await list.serve()).toBe(1);
    expect((await list.read(token)).status).toBe('offered');
  });

  it('and all lines above leave nothing for the audit to find', async () => {
    expect(await auditFindings(world.db)).toEqual([]);
  });
});
