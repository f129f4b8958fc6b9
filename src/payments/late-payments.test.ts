import { createHmac } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { auditFindings } from '../../test/audit-findings.ts';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import { minutesAfterNoon, noon } from '../../test/world.ts';
import { systemAct } from '../kernel/act.ts';
import type { Order, OrderTicket, PlacedOrder } from '../orders/contract.ts';
import { expireOrders } from '../orders/expire-orders.ts';
import type { Tx } from '../postgres/database.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { applyNotices } from './apply-notices.ts';

const world = useWorld();
const shop = shopOf(world);
let secret: string;
beforeAll(async () => {
  secret = (await world.call('GET', '/payments/sandbox', { as: 'admin' })).json<{ secret: string }>().secret;
});
afterEach(async () => {
  world.now = noon;
  const found = await auditFindings(world.db);
  if (found.length > 0) throw new Error(found.join('\n'));
});

const day = 24 * 60;
/** Every hold here is placed at noon and expires ten minutes later. */
const expiry = 10;

const run = (duty: (tx: Tx, act: ReturnType<typeof systemAct>) => Promise<unknown>) =>
  inTransaction(world.db, {}, (tx) => duty(tx, systemAct('test', world.now)));

interface Show {
  eventId: number;
  sessionId: number;
  itemId: number;
  passkeyId: number;
  passkey: string;
}

let shows = 0;
/** An event of its own for each case: one session, one hidden item, and the passkey that unlocks it. */
async function newShow(): Promise<Show> {
  const link = `late-show-${++shows}`;
  const about = { producerId: world.producer, category: 'music', title: link, link, timezone: 'America/Sao_Paulo' };
  const { id: eventId } = await shop.write('POST', '/event', about);
  const session = { name: 'Night', start: '2026-03-02 20:00:00', finish: '2026-03-03 23:00:00' };
  const { id: sessionId } = await shop.write('POST', `/event/${eventId}/session`, session);
  await shop.write('POST', `/event/${eventId}/publish`, {});
  const itemId = await shop.newItem({ item: { eventId, quantity: 3, hidden: true }, attributes: { maximumPerBuyer: 2 } });
  const passkey = `late-${shows}`;
  const { id: passkeyId } = await shop.write('POST', '/passkeys', { eventId, passkey, limit: 3 });
  await shop.write('PUT', `/passkeys/${passkeyId}/items`, { itemIds: [itemId] });
  return { eventId, sessionId, itemId, passkeyId, passkey };
}

const wanted = ({ eventId, passkey }: Show, more: object = {}) => ({ eventId, passkey, ...more });

/** An order at noon with a PIX payment that is pending. */
async function holdWithPix(show: Show): Promise<{ order: PlacedOrder; reference: string }> {
  const order = await shop.hold([{ itemId: show.itemId, quantity: 2 }], wanted(show));
  const body = { method: 'pix', outcome: 'never' };
  const answer = await world.call('POST', `/orders/${order.id}/payment?secret=${order.secret}`, { body });
  return { order, reference: answer.json<Order>().payments[0]?.reference ?? '' };
}

async function confirm(reference: string): Promise<void> {
  const payload = JSON.stringify({ id: `late-${reference}`, reference, event: 'paid', amount: 11_000, at: world.now.toISOString() });
  const signature = createHmac('sha256', secret).update(payload).digest('hex');
  const headers = { 'content-type': 'application/json', 'x-sandbox-signature': signature };
  const answer = await world.app.inject({ method: 'POST', url: '/v1/payments/sandbox/notices', headers, payload });
  expect(answer.statusCode).toBe(202);
}

const read = async ({ id, secret: own }: PlacedOrder) => (await world.call('GET', `/orders/${id}?secret=${own}`)).json<Order>();
const ticketsOf = async ({ id, secret: own }: PlacedOrder) =>
  (await world.call('GET', `/orders/${id}/tickets?secret=${own}`)).json<{ data: OrderTicket[] }>().data;
const valuesOf = async (statement: string, value: unknown) => (await world.pool.query(statement, [value])).rows as object[];
const outcomeOf = (reference: string) => valuesOf('select status, outcome from payment_notice where reference = $1', reference);
const reasonsOf = ({ id }: PlacedOrder) => valuesOf('select distinct reason from ledger_posting where order_id = $1', id);

const put = (path: string, body: object) => shop.write('PUT', path, body);
const period = (itemId: number, change: object) => put(`/items/${itemId}/sales-period`, { appCategoryId: 1, ...change });
const after = (minutes: number) => new Date(noon.getTime() + minutes * 60_000);

interface Case {
  /** What happens between the hold and the confirmation. */
  change?: (show: Show) => Promise<unknown>;
  /** When the confirmation comes, in minutes after the hold expired; 1 unless said otherwise. */
  late?: number;
}

const bought: Record<string, Case> = {
  'nothing changed': {},
  'the price rose': { change: ({ itemId }) => put(`/items/${itemId}/values`, { price: 100_900 }) },
  'it comes exactly 24 hours after the hold expired': { late: day },
};

const refunded: Record<string, Case & { why: RegExp }> = {
  'it comes more than 24 hours after the hold expired': { late: day + 1, why: /more than 24 hours/ },
  'the sale period ended': {
    change: ({ itemId }) => period(itemId, { finish: after(expiry).toISOString() }),
    why: /no longer on sale/,
  },
  'the item was archived': { change: ({ itemId }) => put(`/items/${itemId}`, { archived: true }), why: /no longer on sale/ },
  'the item was taken off sale': { change: ({ itemId }) => put(`/items/${itemId}`, { salable: false }), why: /no longer on sale/ },
  'the sale of the event was switched off': {
    change: ({ eventId }) => put(`/event/${eventId}`, { saleEnabled: false }),
    why: /no longer on sale/,
  },
  'the event is over': {
    change: ({ eventId, sessionId }) =>
      put(`/event/${eventId}/session/${sessionId}`, { start: '2026-03-02 08:00:00', finish: '2026-03-02 09:05:00' }),
    why: /no longer on sale/,
  },
  'the passkey was deleted': {
    change: ({ passkeyId }) => world.call('DELETE', `/passkeys/${passkeyId}`, { as: 'owner' }),
    why: /passkey is no longer valid/,
  },
  'the passkey has finished': {
    change: ({ passkeyId }) => put(`/passkeys/${passkeyId}`, { finish: '2026-03-02 09:05:00' }),
    why: /passkey is no longer valid/,
  },
  'the passkey no longer unlocks the item': {
    change: ({ passkeyId }) => put(`/passkeys/${passkeyId}/items`, { itemIds: [] }),
    why: /no longer on sale/,
  },
};

describe('a PIX payment that was begun during the hold and is confirmed after it expired', () => {
  for (const swept of [true, false]) {
    const state = swept ? 'swept' : 'not swept';

    it.each(Object.entries(bought))(`buys the order at its price when %s (${state})`, async (_name, { change, late = 1 }) => {
      const show = await newShow();
      const { order, reference } = await holdWithPix(show);
      await change?.(show);
      world.now = minutesAfterNoon(expiry + late);
      if (swept) await run(expireOrders);
      await confirm(reference);
      await run(applyNotices);
      expect(await read(order)).toMatchObject({ status: 'approved', total: 11_000, payments: [{ status: 'approved', received: 11_000 }] });
      expect(await ticketsOf(order)).toHaveLength(2);
      expect(await reasonsOf(order)).toEqual([{ reason: 'sale' }]);
    });

    it.each(Object.entries(refunded))(`is refunded when %s (${state})`, async (_name, { change, late = 1, why }) => {
      const show = await newShow();
      const { order, reference } = await holdWithPix(show);
      await change?.(show);
      world.now = minutesAfterNoon(expiry + late);
      if (swept) await run(expireOrders);
      await confirm(reference);
      await run(applyNotices);
      expect(await read(order)).toMatchObject({
        status: 'expired',
        payments: [{ status: 'refunded', received: 11_000, returned: 11_000 }],
      });
      expect(await ticketsOf(order)).toEqual([]);
      expect(await reasonsOf(order)).toEqual([{ reason: 'late' }]);
      expect(await outcomeOf(reference)).toEqual([{ status: 'applied', outcome: expect.stringMatching(why) }]);
    });
  }

  it('is refunded as cancelled when the event was cancelled', async () => {
    const show = await newShow();
    const { order, reference } = await holdWithPix(show);
    await shop.write('POST', `/event/${show.eventId}/cancel`, {});
    world.now = minutesAfterNoon(expiry + 1);
    await confirm(reference);
    await run(applyNotices);
    expect(await read(order)).toMatchObject({ payments: [{ status: 'refunded', returned: 11_000 }] });
    expect(await reasonsOf(order)).toEqual([{ reason: 'cancelled' }]);
  });

  it.each([
    ['the sale period is closed', /no longer on sale/, ({ itemId }: Show) => period(itemId, { available: 0 })],
    ['the sale period is exhausted', /sold out/, ({ itemId }: Show) => period(itemId, { available: 1 })],
    ['the item is sold out', /sold out/, ({ itemId }: Show) => put(`/items/${itemId}`, { quantity: 1 })],
    ['the passkey is used up', /passkey is used up/, ({ passkeyId }: Show) => put(`/passkeys/${passkeyId}`, { limit: 1 })],
  ])('is refunded when %s', async (_name, why, change) => {
    const show = await newShow();
    const { order, reference } = await holdWithPix(show);
    world.now = minutesAfterNoon(expiry + 1);
    await run(expireOrders);
    await change(show);
    await confirm(reference);
    await run(applyNotices);
    expect(await reasonsOf(order)).toEqual([{ reason: 'late' }]);
    expect(await outcomeOf(reference)).toEqual([{ status: 'applied', outcome: expect.stringMatching(why) }]);
  });

  it('is refunded when the buyer has bought up to the limit since', async () => {
    const show = await newShow();
    const { order, reference } = await holdWithPix(show);
    world.now = minutesAfterNoon(expiry + 1);
    await shop.buy([{ itemId: show.itemId, quantity: 1 }], wanted(show));
    await put(`/items/${show.itemId}`, { quantity: 10 });
    await put(`/passkeys/${show.passkeyId}`, { limit: 10 });
    await confirm(reference);
    await run(applyNotices);
    expect(await reasonsOf(order)).toEqual([{ reason: 'late' }]);
    expect(await outcomeOf(reference)).toEqual([{ status: 'applied', outcome: expect.stringMatching(/buyer has reached the limit/) }]);
  });
});

describe('a PIX payment that is confirmed during the hold', () => {
  it('buys the order even if the notice is applied after the hold expired and the sale ended', async () => {
    const show = await newShow();
    const { order, reference } = await holdWithPix(show);
    world.now = minutesAfterNoon(expiry - 1);
    await confirm(reference);
    await period(show.itemId, { finish: after(expiry).toISOString() });
    world.now = minutesAfterNoon(expiry + 60);
    await run(expireOrders);
    await run(applyNotices);
    expect(await read(order)).toMatchObject({ status: 'approved' });
    expect(await ticketsOf(order)).toHaveLength(2);
  });
});
