import { beforeAll, describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { openPdf } from '../../test/pdf.ts';
import { shopOf } from '../../test/shop.ts';
import type { PlacedOrder } from './order-schemas.ts';
import type { OrderTicket } from './ticket-contract.ts';

const world = useWorld({ PUBLIC_URL: 'https://shop.example' });
const shop = shopOf(world);
const hostile = '<script>alert(1)</script> (a) \\) Tj /JS ;,"x" 🎉';
let group: number;
let seat: number;
let order: PlacedOrder;

beforeAll(async () => {
  await shop.write('PUT', `/event/${world.event}`, { title: 'Noite de São João', doorsOpen: 60 });
  group = (await shop.write('POST', '/items', { eventId: world.event, name: 'Pista', type: 'group' })).id;
  seat = await shop.newItem({ item: { name: '2º lote', parentId: group }, attributes: { maximum: 200 } });
  order = await shop.buy([{ itemId: seat, quantity: 3 }], { buyer: { name: 'José Ñandú Łukasz', email: 'jose@test.test' } });
});

const read = ({ id, secret }: PlacedOrder, file: string, headers: Record<string, string> = {}) =>
  world.call('GET', `/orders/${id}/${file}`, { headers: { authorization: `Order ${secret}`, ...headers } });

const codesOf = async ({ id, secret }: PlacedOrder) =>
  (await world.call('GET', `/orders/${id}/tickets?secret=${secret}&pageSize=200`))
    .json<{ data: OrderTicket[] }>()
    .data.map(({ code }) => code);

describe('GET /orders/{id}/tickets.pdf', () => {
  it('returns all tickets with their QR codes, two on a page', async () => {
    const answer = await read(order, 'tickets.pdf');
    expect(answer.headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': `inline; filename="tickets-${order.id}.pdf"`,
      'cache-control': 'no-store',
    });
    const { pages, info } = openPdf(answer.rawPayload);
    expect(pages.map(({ codes }) => codes().length)).toEqual([2, 1]);
    expect(pages.flatMap(({ codes }) => codes())).toEqual(await codesOf(order));
    expect(info).not.toContain('José');
    for (const text of [
      'Ingresso 2 de 3',
      'Noite de São João',
      'Pista · 2º lote',
      'José Ñandú Łukasz',
      `Pedido ${order.id}-2`,
      'Hall',
      '19:00',
    ])
      expect(pages[0]?.text).toContain(text);
    expect(pages[0]?.text).toContain('segunda-feira, 1 de junho de 2026');
  });

  it.each([
    ['en', 'Ticket 3 of 3', 'Monday, June 1, 2026'],
    ['es', 'Entrada 3 de 3', 'lunes, 1 de junio de 2026'],
  ])('is in the language of the parameter locale: %s', async (locale, number, day) => {
    const text = openPdf((await read(order, `tickets.pdf?locale=${locale}`)).rawPayload).pages[1]?.text;
    expect(text).toContain(number);
    expect(text).toContain(day);
  });

  it('has the same bytes and the same ETag for the same tickets, and returns 304 for a known ETag', async () => {
    const [first, second] = [await read(order, 'tickets.pdf'), await read(order, 'tickets.pdf')];
    expect(second.rawPayload.equals(first.rawPayload)).toBe(true);
    const known = { 'if-none-match': String(first.headers.etag) };
    const again = await read(order, 'tickets.pdf', known);
    expect([again.statusCode, again.body]).toEqual([304, '']);
    expect((await read(order, 'tickets.pdf?locale=en', known)).statusCode).toBe(200);
  });

  it('leaves out refunded tickets, has another ETag then, and returns 409 if no ticket is left', async () => {
    const own = await shop.buy([{ itemId: seat, quantity: 2 }]);
    const before = await read(own, 'tickets.pdf');
    const [, kept] = [...(await codesOf(own))].toReversed();
    expect((await shop.refund(own, { lines: [{ itemId: seat, quantity: 1 }] })).statusCode).toBe(200);
    const after = await read(own, 'tickets.pdf');
    expect(after.headers.etag).not.toBe(before.headers.etag);
    expect(openPdf(after.rawPayload).pages.flatMap(({ codes }) => codes())).toEqual([kept]);
    expect((await shop.refund(own)).statusCode).toBe(200);
    for (const file of ['tickets.pdf', 'calendar.ics']) {
      const none = await read(own, file);
      expect([none.statusCode, none.json().code]).toEqual([409, 'wrong_state']);
    }
  });

  it('shortens long texts, and writes letters that the font lacks with Latin letters', async () => {
    const itemId = await shop.newItem({ item: { name: 'Camarote '.repeat(20).trim(), parentId: group } });
    const name = `王 Дмитрий Ψαρράς ${'Albuquerque '.repeat(14)}`.trim();
    const own = await shop.buy([{ itemId, quantity: 1 }], { buyer: { name, email: 'x@test.test' } });
    const [page] = openPdf((await read(own, 'tickets.pdf')).rawPayload).pages;
    expect(page?.text).toMatch(/Wang Дмитрий Ψαρράς .*\n?.*…/);
    expect(page?.text).not.toContain('?');
    expect(page?.codes()).toEqual(await codesOf(own));
  });

  it('prints hostile text as text', async () => {
    const itemId = await shop.newItem({ item: { name: hostile } });
    const own = await shop.buy([{ itemId, quantity: 1 }], { buyer: { name: '<b>(x) Tj</b> /OpenAction', email: 'x@test.test' } });
    const answer = await read(own, 'tickets.pdf');
    expect(answer.statusCode).toBe(200);
    const source = answer.rawPayload.toString('latin1');
    for (const active of ['/JavaScript', '/OpenAction', '/Launch', '/URI', '/AA']) expect(source).not.toContain(active);
    const text = openPdf(answer.rawPayload).pages[0]?.text;
    expect(text).toContain('<script>alert(1)</script>');
    expect(text).toContain('<b>(x) Tj</b> /OpenAction');
  });

  it('has the same bytes, whatever was drawn before', async () => {
    const itemId = await shop.newItem({ item: { name: 'ﬁ ½ ¼ é ñ ( ) * ? Å Ω µ' } });
    const before = await read(order, 'tickets.pdf');
    await read(await shop.buy([{ itemId, quantity: 1 }]), 'tickets.pdf');
    expect((await read(order, 'tickets.pdf')).rawPayload.equals(before.rawPayload)).toBe(true);
  });

  it('has all tickets of a large order', async () => {
    const large = await shop.buy([{ itemId: seat, quantity: 200 }]);
    const { pages } = openPdf((await read(large, 'tickets.pdf')).rawPayload);
    expect(pages).toHaveLength(100);
    expect(pages[99]?.text).toContain('Ingresso 200 de 200');
    const codes = await codesOf(large);
    expect([pages[0]?.codes()[0], pages[99]?.codes()[1]]).toEqual([codes[0], codes[199]]);
  });

  it('returns 404 without the secret of the order, and the file to the crew of its event', async () => {
    for (const file of ['tickets.pdf', 'calendar.ics']) {
      const path = `/orders/${order.id}/${file}`;
      expect((await world.call('GET', path)).statusCode).toBe(404);
      expect((await world.call('GET', path, { as: 'otherOwner' })).statusCode).toBe(404);
      expect((await world.call('GET', path, { as: 'crew_sales_operator' })).statusCode).toBe(200);
      const cookie = { cookie: `__Host-order-${order.id}=${order.secret}`, 'sec-fetch-site': 'same-origin' };
      expect((await world.call('GET', path, { headers: cookie })).statusCode).toBe(200);
    }
  });

  it('returns 409 for an order that is not paid', async () => {
    const held = await shop.hold([{ itemId: seat, quantity: 1 }]);
    expect((await read(held, 'tickets.pdf')).statusCode).toBe(409);
  });
});

describe('GET /orders/{id}/calendar.ics', () => {
  /** The lines of the file, unfolded. */
  const linesOf = (text: string): string[] => text.replaceAll('\r\n ', '').split('\r\n');

  it('has an entry for the session, with times in UTC, and no personal data', async () => {
    const answer = await read(order, 'calendar.ics');
    expect(answer.headers).toMatchObject({
      'content-type': 'text/calendar; charset=utf-8',
      'content-disposition': `inline; filename="order-${order.id}.ics"`,
      'cache-control': 'no-store',
    });
    const lines = linesOf(answer.body);
    expect(lines.slice(0, 2)).toEqual(['BEGIN:VCALENDAR', 'VERSION:2.0']);
    expect(lines.filter((line) => line === 'BEGIN:VEVENT')).toHaveLength(1);
    for (const line of [
      'DTSTART:20260601T230000Z',
      'DTEND:20260602T020000Z',
      'SUMMARY:Noite de São João',
      'LOCATION:Hall\\, São Paulo\\, SP',
    ])
      expect(lines).toContain(line);
    expect(lines.find((line) => line.startsWith('DESCRIPTION:'))).toBe(
      `DESCRIPTION:3 × Pista · 2º lote\\nAbertura das portas: 19:00\\nPedido ${order.id}\\nhttps://shop.example/pt-BR/orders/${order.id}`,
    );
    expect(answer.body).not.toMatch(/José|jose@/);
  });

  it('is the same each time, so that calendars update their entry', async () => {
    const [first, second] = [await read(order, 'calendar.ics'), await read(order, 'calendar.ics')];
    expect(second.body).toBe(first.body);
    expect((await read(order, 'calendar.ics', { 'if-none-match': String(first.headers.etag) })).statusCode).toBe(304);
  });

  it('escapes texts and folds lines after 75 octets', async () => {
    const itemId = await shop.newItem({ item: { name: hostile } });
    const own = await shop.buy([{ itemId, quantity: 1 }]);
    await shop.write('PUT', `/event/${world.event}`, { title: `Ação; com, vírgulas \\ e ${'açúcar '.repeat(20)}`.trim() });
    const { body } = await read(own, 'calendar.ics');
    for (const line of body.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
    expect(body).not.toMatch(/[^\r]\n/);
    const lines = linesOf(body);
    expect(lines.find((line) => line.startsWith('SUMMARY:'))).toContain('SUMMARY:Ação\\; com\\, vírgulas \\\\ e açúcar');
    expect(lines.filter((line) => !/^[A-Z-]+(;[^:]*)?:/.test(line))).toEqual(['']);
  });

  it('has one entry per session with its own UID', async () => {
    const second = { name: 'Second night', start: '2026-06-02 20:00:00', finish: '2026-06-02 23:00:00' };
    await shop.write('POST', `/event/${world.event}/session`, second);
    const itemId = await shop.newItem({ item: { type: 'passport', name: 'Pass' } });
    const lines = linesOf((await read(await shop.buy([{ itemId, quantity: 1 }]), 'calendar.ics?locale=en')).body);
    const uids = lines.filter((line) => line.startsWith('UID:'));
    expect(uids).toHaveLength(2);
    expect(new Set(uids).size).toBe(2);
    expect(lines.filter((line) => line.startsWith('SUMMARY:')).map((line) => line.split(': ').at(-1))).toEqual(['Night', 'Second night']);
  });
});

describe('a ticket that was used', () => {
  it('says so in the PDF', async () => {
    const now = { name: 'Morning', start: '2026-03-02 09:00:00', finish: '2026-03-02 10:00:00' };
    const session = await shop.write('POST', `/event/${world.event}/session`, now);
    const itemId = await shop.newItem({ item: { sessionIds: [session.id] } });
    const own = await shop.buy([{ itemId, quantity: 2 }]);
    const [code] = await codesOf(own);
    const entry = { code, nonce: 'used-1', at: world.now.toISOString(), gate: 'Gate A', device: 'phone' };
    const answer = await world.call('POST', `/event/${world.event}/checkins`, { as: 'crew_entrance_operator', body: { entries: [entry] } });
    expect(answer.json()).toMatchObject({ results: [{ result: 'admitted' }] });
    const text = openPdf((await read(own, 'tickets.pdf?locale=en')).rawPayload).pages[0]?.text;
    expect(text).toContain('Ticket 1 of 2 · Used');
    expect(text).not.toContain('Ticket 2 of 2 · Used');
  });
});
