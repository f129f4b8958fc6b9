import { describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { pixPaymentsOf } from '../../test/pix-payments.ts';
import { shopOf } from '../../test/shop.ts';
import { minutesAfterNoon } from '../../test/world.ts';
import { expireOrders } from '../orders/expire-orders.ts';
import type { PlacedOrder } from '../orders/order-schemas.ts';
import { applyNotices } from './apply-notices.ts';

const world = useWorld({ PAYMENT_MINUTES: '10' });
const shop = shopOf(world);
const { run, rowsOf, startPix, read, ticketsOf, noticesOf, sendNotice } = pixPaymentsOf(world);

const day = 24 * 60;
/** Every hold of this file is placed at noon and lasts as long as its payment. */
const expiry = 10;

interface Show {
  eventId: number;
  sessionId: number;
  itemId: number;
  passkeyId: number;
  passkey: string;
}

let shows = 0;
/** Creates an event with one session, one hidden item, and the passkey that unlocks the item. */
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

/** Places an order at noon and starts a PIX payment, which stays pending. */
async function holdWithPix(show: Show): Promise<{ order: PlacedOrder; reference: string }> {
  const order = await shop.hold([{ itemId: show.itemId, quantity: 2 }], wanted(show));
  return { order, reference: (await startPix(order)).reference };
}

async function confirm(reference: string): Promise<void> {
  expect((await sendNotice({ reference, amount: 11_000 })).statusCode).toBe(202);
}

const reasonsOf = ({ id }: PlacedOrder) => rowsOf('select distinct reason from ledger_posting where order_id = $1', id);

const put = (path: string, body: object) => shop.write('PUT', path, body);
const period = (itemId: number, change: object) => put(`/items/${itemId}/sales-period`, { appCategoryId: 1, ...change });

interface Case {
  /** Runs between the hold and the confirmation. */
  change?: (show: Show) => Promise<unknown>;
  /** Minutes between the expiry of the hold and the confirmation. Default: 1. */
  late?: number;
}

const bought: Record<string, Case> = {
  'nothing changed': {},
  'the price rose': { change: ({ itemId }) => put(`/items/${itemId}/values`, { price: 100_900 }) },
  'it is confirmed exactly 24 hours after the hold expired': { late: day },
};

const refunded: Record<string, Case & { why: RegExp }> = {
  'it is confirmed more than 24 hours after the hold expired': { late: day + 1, why: /more than 24 hours/ },
  'the sale period ended': {
    change: ({ itemId }) => period(itemId, { finish: minutesAfterNoon(expiry).toISOString() }),
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

describe('a PIX payment that started during the hold and is confirmed after the hold expired', () => {
  for (const updated of [true, false]) {
    const state = updated ? 'stored as expired' : 'still stored as held';

    it.each(Object.entries(bought))(`buys the order at its original price when %s (${state})`, async (_name, { change, late = 1 }) => {
      const show = await newShow();
      const { order, reference } = await holdWithPix(show);
      await change?.(show);
      world.now = minutesAfterNoon(expiry + late);
      if (updated) await run(expireOrders);
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
      if (updated) await run(expireOrders);
      await confirm(reference);
      await run(applyNotices);
      expect(await read(order)).toMatchObject({
        status: 'expired',
        payments: [{ status: 'refunded', received: 11_000, returned: 11_000 }],
      });
      expect(await ticketsOf(order)).toEqual([]);
      expect(await reasonsOf(order)).toEqual([{ reason: 'late' }]);
      expect(await noticesOf(reference)).toEqual([{ status: 'applied', outcome: expect.stringMatching(why) }]);
    });
  }

  it('is refunded with the reason "cancelled" when the event was cancelled', async () => {
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
    expect(await noticesOf(reference)).toEqual([{ status: 'applied', outcome: expect.stringMatching(why) }]);
  });

  it('is refunded when the buyer has reached the limit with another order', async () => {
    const show = await newShow();
    const { order, reference } = await holdWithPix(show);
    world.now = minutesAfterNoon(expiry + 1);
    await shop.buy([{ itemId: show.itemId, quantity: 1 }], wanted(show));
    await put(`/items/${show.itemId}`, { quantity: 10 });
    await put(`/passkeys/${show.passkeyId}`, { limit: 10 });
    await confirm(reference);
    await run(applyNotices);
    expect(await reasonsOf(order)).toEqual([{ reason: 'late' }]);
    expect(await noticesOf(reference)).toEqual([{ status: 'applied', outcome: expect.stringMatching(/buyer has reached the limit/) }]);
  });
});

describe('a PIX payment that is confirmed during the hold', () => {
  it('buys the order even if the notice is applied after the hold has expired and the sale has ended', async () => {
    const show = await newShow();
    const { order, reference } = await holdWithPix(show);
    world.now = minutesAfterNoon(expiry - 1);
    await confirm(reference);
    await period(show.itemId, { finish: minutesAfterNoon(expiry).toISOString() });
    world.now = minutesAfterNoon(expiry + 60);
    await run(expireOrders);
    await run(applyNotices);
    expect(await read(order)).toMatchObject({ status: 'approved' });
    expect(await ticketsOf(order)).toHaveLength(2);
  });
});
