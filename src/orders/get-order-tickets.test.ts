import { beforeAll, describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { openPng, scan } from '../../test/qr.ts';
import { shopOf } from '../../test/shop.ts';
import { boxOffice } from '../catalog/item.ts';
import type { Page } from '../kernel/schema.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { verifyTicketCode } from '../tickets/ticket-code.ts';
import { ticketPublicKeys } from '../tickets/ticket-keys.ts';
import { renderConfirmation } from './order-mails.ts';
import type { PlacedOrder } from './order-schemas.ts';
import type { OrderTicket } from './ticket-contract.ts';

const world = useWorld();
const shop = shopOf(world);
let large: PlacedOrder;
let small: PlacedOrder;

/** Places an order of 500 tickets at the box office, because other channels allow fewer. */
beforeAll(async () => {
  const itemId = await shop.newItem({ attributes: { maximum: 500 } });
  const period = { appCategoryId: boxOffice, start: '2026-02-01 10:00:00', finish: '2026-06-01 20:00:00', available: 600 };
  await shop.write('POST', `/items/${itemId}/sales-period`, period);
  const items = [{ itemId, quantity: 500 }];
  const body = { eventId: world.event, items, appCategoryId: boxOffice, buyer: { name: 'Ana Souza', email: 'ana@test.test' } };
  large = (await world.call('POST', '/orders', { as: 'crew_sales_operator', body })).json();
  const paid = await world.call('POST', `/orders/${large.id}/payment`, { as: 'crew_sales_operator', body: { method: 'cash' } });
  if (paid.statusCode !== 201) throw new Error(paid.body);
  small = await shop.buy([{ itemId, quantity: 2 }]);
});

const pageOf = async ({ id, secret }: PlacedOrder, query = '') =>
  (await world.call('GET', `/orders/${id}/tickets?secret=${secret}${query}`)).json<Page<OrderTicket>>();

describe('GET /orders/{id}/tickets', () => {
  it('returns 25 tickets of a large order by default, and up to 200 with pageSize', async () => {
    expect((await pageOf(large)).data).toHaveLength(25);
    expect((await pageOf(large, '&pageSize=200')).data).toHaveLength(200);
    const tooMany = await world.call('GET', `/orders/${large.id}/tickets?secret=${large.secret}&pageSize=201`);
    expect(tooMany.statusCode).toBe(400);
  });

  it('returns every ticket once over its pages, with valid codes', async () => {
    const tickets: OrderTicket[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: Page<OrderTicket> = await pageOf(large, `&pageSize=200&count=true${cursor && `&cursor=${cursor}`}`);
      expect(page.total).toBe(500);
      tickets.push(...page.data);
      cursor = page.nextCursor;
    }
    const ids = tickets.map(({ id }) => id);
    expect(ids).toHaveLength(500);
    expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
    const keys = await inTransaction(world.db, {}, (tx) => ticketPublicKeys(tx, [world.event]));
    const verified = await Promise.all(tickets.map(({ code }) => verifyTicketCode(code, keys)));
    expect(verified.map((claim) => claim?.ticketId)).toEqual(tickets.map(({ id }) => id));
  });

  it('returns codes without pictures, and ignores query parameters that ask for pictures', async () => {
    const { data } = await pageOf(small, '&qr=png');
    expect(Object.keys(data[0] ?? {})).toEqual(['id', 'itemId', 'name', 'sessionIds', 'status', 'code', 'shortCode', 'used']);
  });
});

describe('GET /tickets/{id}/qr.svg and qr.png', () => {
  const pathOf = (id: number, { id: orderId, secret }: PlacedOrder, form = 'png') =>
    `/tickets/${id}/qr.${form}?orderId=${orderId}&secret=${secret}`;

  it('return a QR code with the code of the ticket', async () => {
    const [ticket] = (await pageOf(small)).data as [OrderTicket];
    const png = await world.call('GET', pathOf(ticket.id, small));
    expect(png.headers).toMatchObject({ 'content-type': 'image/png', 'content-disposition': `inline; filename="ticket-${ticket.id}.png"` });
    expect(scan(openPng(png.rawPayload))?.data).toBe(ticket.code);
    const svg = await world.call('GET', pathOf(ticket.id, small, 'svg'));
    expect(svg.headers['content-type']).toBe('image/svg+xml');
    expect(svg.body).toMatch(/^<svg [^<>]*><rect [^<>]*><\/rect><path [^<>]*><\/path><\/svg>$/);
  });

  it('may not be stored by caches, and return 304 for a known ETag', async () => {
    const [ticket] = (await pageOf(small)).data as [OrderTicket];
    for (const form of ['svg', 'png']) {
      const { headers } = await world.call('GET', pathOf(ticket.id, small, form));
      expect(headers['cache-control']).toBe('no-store');
      const again = await world.call('GET', pathOf(ticket.id, small, form), { headers: { 'if-none-match': String(headers.etag) } });
      expect([again.statusCode, again.body]).toEqual([304, '']);
    }
  });

  it('return 404 without the secret of the order and for tickets of other orders', async () => {
    const [ticket] = (await pageOf(small)).data as [OrderTicket];
    for (const path of [
      `/tickets/${ticket.id}/qr.png?orderId=${small.id}`,
      `/tickets/${ticket.id}/qr.png?orderId=${small.id}&secret=${large.secret}`,
      pathOf(ticket.id, large),
      pathOf(ticket.id + 1_000_000, small),
    ]) {
      expect((await world.call('GET', path)).statusCode).toBe(404);
    }
    expect((await world.call('GET', `/tickets/${ticket.id}/qr.png`)).statusCode).toBe(400);
    const asCrew = (as: 'crew_sales_operator' | 'otherOwner') =>
      world.call('GET', `/tickets/${ticket.id}/qr.png?orderId=${small.id}`, { as });
    expect([(await asCrew('crew_sales_operator')).statusCode, (await asCrew('otherOwner')).statusCode]).toEqual([200, 404]);
  });

  it('return 409 for a refunded ticket', async () => {
    const order = await shop.buy([{ itemId: small.lines[0]?.itemId ?? 0, quantity: 1 }]);
    const [ticket] = (await pageOf(order)).data as [OrderTicket];
    expect((await shop.refund(order)).statusCode).toBe(200);
    const answer = await world.call('GET', pathOf(ticket.id, order));
    expect([answer.statusCode, answer.json().code]).toEqual([409, 'wrong_state']);
  });
});

describe('the mail of a large order', () => {
  it('shows 20 tickets and how many more the order has', async () => {
    const render = renderConfirmation('https://shop.example');
    const mail = { payload: { eventId: world.event, orderId: large.id }, locale: 'en', recipient: null, at: world.now } as const;
    const rendered = await inTransaction(world.db, {}, (tx) => render(tx, mail));
    const blocks = rendered?.letter.blocks ?? [];
    const shown = blocks.flatMap((block) => ('ticket' in block ? [block.ticket.code] : []));
    expect(shown).toEqual((await pageOf(large, '&pageSize=20')).data.map(({ code }) => code));
    expect(blocks).toContainEqual({ paragraph: '480 more tickets are in your order.' });
  });
});
