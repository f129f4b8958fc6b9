import { beforeEach, describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { useMailServer } from '../../test/mail-server.ts';
import { openPng, scan } from '../../test/qr.ts';
import { shopOf } from '../../test/shop.ts';
import { minutesAfterNoon, noon } from '../../test/world.ts';
import { systemAct } from '../kernel/act.ts';
import { payOrders } from '../payments/pay-orders.ts';
import { sendMail } from '../platform/mail/send-mail.ts';
import { createSmtpMailer } from '../platform/mail/smtp-mailer.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { mailRenderersOf } from '../worker/mail-renderers.ts';
import type { PlacedOrder } from './order-schemas.ts';
import type { OrderTicket } from './ticket-contract.ts';

const world = useWorld({ PUBLIC_URL: 'https://shop.example' });
const shop = shopOf(world);
const server = useMailServer();

async function send(at = world.now) {
  const mailer = createSmtpMailer(server.url);
  try {
    return await sendMail(world.db, { mailer, renderers: mailRenderersOf(world.config), from: world.config.mailFrom }, at);
  } finally {
    mailer.close();
  }
}

const mails = async () =>
  (await world.pool.query('select kind, recipient, locale, payload, status, last_error from mail order by id')).rows;

const ticketsOf = async ({ id, secret }: PlacedOrder) =>
  (await world.call('GET', `/orders/${id}/tickets?secret=${secret}`)).json<{ data: OrderTicket[] }>().data;

const resend = ({ id, secret }: PlacedOrder, body: object = {}) =>
  world.call('POST', `/orders/${id}/tickets/mail?secret=${secret}`, { body });

let seat = 0;
beforeEach(async () => {
  world.now = noon;
  seat ||= await shop.newItem({ item: { name: 'Pista <Premium>' } });
  await world.pool.query('delete from mail');
});

describe('the confirmation mail of an approved order', () => {
  it('contains the tickets with their QR codes', async () => {
    const order = await shop.buy([{ itemId: seat, quantity: 3 }], { buyer: { name: 'Ana Souza', email: 'ana@test.test' } });
    expect(await mails()).toMatchObject([{ kind: 'order_confirmation', recipient: null, locale: 'pt-BR', status: 'queued' }]);
    expect(await send()).toEqual({ sent: 1, tried: 0, failed: 0 });
    const [mail] = server.received;
    expect(mail).toMatchObject({ from: 'tickets@shop.example', to: ['ana@test.test'] });
    expect(mail?.email).toMatchObject({ to: [{ name: 'Ana Souza', address: 'ana@test.test' }], subject: 'Seus ingressos: first-event' });
    const { text = '', html = '', attachments = [] } = mail?.email ?? {};
    expect(text).toContain('Olá, Ana Souza!');
    expect(text).toContain('3 × Pista <Premium>: R$\u00a0165,00');
    expect(html).toContain('3 × Pista &lt;Premium&gt;');
    expect(text).toContain(`https://shop.example/pt-BR/orders/${order.id}?token=`);
    const codes = (await ticketsOf(order)).map(({ code }) => code);
    expect(codes).toHaveLength(3);
    expect(attachments.map(({ content }) => scan(openPng(Buffer.from(content as ArrayBuffer)))?.data)).toEqual(codes);
    for (const code of codes) {
      expect(text).toContain(code);
      expect(html).toContain(code);
    }
    const shown = [...html.matchAll(/src="cid:([^"]+)"/g)].map(([, cid]) => `<${cid}>`);
    expect(shown).toEqual(attachments.map(({ contentId }) => contentId));
    expect(attachments.every(({ disposition, related }) => disposition === 'inline' && related)).toBe(true);
  });

  it('has the language in which the buyer ordered, and so has the refund mail', async () => {
    const headers = { 'accept-language': 'es-AR,es;q=0.9' };
    const place = { eventId: world.event, items: [{ itemId: seat, quantity: 1 }], buyer: { name: 'Ana', email: 'ana@test.test' } };
    const order = (await world.call('POST', '/orders', { body: place, headers })).json<PlacedOrder>();
    await shop.pay(order);
    await shop.refund(order);
    expect((await mails()).map(({ kind, locale }) => [kind, locale])).toEqual([
      ['order_confirmation', 'es'],
      ['order_refunded', 'es'],
    ]);
    // The buyer may change the language before the order is paid.
    const held = await shop.hold([{ itemId: seat, quantity: 1 }]);
    await world.call('PUT', `/orders/${held.id}/buyer?secret=${held.secret}`, { body: place.buyer, headers: { 'accept-language': 'en' } });
    await shop.pay(held);
    expect((await mails()).at(-1)).toMatchObject({ kind: 'order_confirmation', locale: 'en' });
  });

  it('shows the session time in the time zone of the event', async () => {
    const { rows } = await world.pool.query<{ starts_at: Date; timezone: string }>(
      'select s.starts_at, e.timezone from event_session s join event e on e.id = s.event_id where e.id = $1 order by s.id',
      [world.event],
    );
    await shop.buy([{ itemId: seat, quantity: 1 }]);
    await send();
    const [first] = rows;
    const format = new Intl.DateTimeFormat('pt-BR', { dateStyle: 'full', timeStyle: 'short', timeZone: first?.timezone ?? '' });
    expect(server.received[0]?.email.text).toContain(format.format(first?.starts_at));
  });

  it('is queued once, even when the payment request is sent twice', async () => {
    const order = await shop.hold([{ itemId: seat, quantity: 1 }]);
    expect((await shop.pay(order)).statusCode).toBe(201);
    expect((await shop.pay(order)).statusCode).toBe(409);
    expect(await mails()).toHaveLength(1);
  });

  it('is not queued when the transaction of the payment is rolled back', async () => {
    const order = await shop.hold([{ itemId: seat, quantity: 1 }]);
    const rolledBack = inTransaction(world.db, {}, async (tx) => {
      const { eventId, id, secret } = order;
      const payment = { act: systemAct('test', noon), eventId, id, secret, body: { method: 'card' as const } };
      await payOrders(tx, [payment], { providers: world.providers, paymentMs: world.config.paymentMs });
      throw new Error('rolled back');
    });
    await expect(rolledBack).rejects.toThrow('rolled back');
    expect(await mails()).toEqual([]);
  });

  it('shows the first 20 tickets of a large order and the number of the others', async () => {
    const { id: parentId } = await shop.write('POST', '/items', { eventId: world.event, name: 'Pista', type: 'group' });
    const many = await shop.newItem({ item: { name: '2º lote', parentId }, attributes: { maximum: 150 } });
    await shop.buy([{ itemId: many, quantity: 130 }]);
    await send();
    const { text = '', attachments = [] } = server.received[0]?.email ?? {};
    expect(attachments).toHaveLength(20);
    expect(text).toContain('Mais 110 ingressos estão no seu pedido.');
    expect(text).toContain('130 × Pista · 2º lote');
    // The link to the order comes before the tickets.
    expect(text.indexOf('?token=')).toBeLessThan(text.indexOf('\nPista · 2º lote\n'));
  });
});

describe('the refund mail', () => {
  it('is sent once for each refund of an order', async () => {
    const order = await shop.buy([{ itemId: seat, quantity: 3 }]);
    await shop.refund(order, { lines: [{ itemId: seat, quantity: 1 }] });
    await shop.refund(order);
    expect((await mails()).map(({ kind }) => kind)).toEqual(['order_confirmation', 'order_refunded', 'order_refunded']);
    expect(await send()).toEqual({ sent: 2, tried: 0, failed: 1 });
    const texts = server.received.map(({ email }) => email.text ?? '').toSorted((a, b) => a.length - b.length);
    expect(texts[0]).toContain('Valor: R$\u00a055,00');
    expect(texts[1]).toContain('Valor: R$\u00a0110,00');
    // No confirmation was sent, because all tickets were refunded before the worker sent mails.
    expect((await mails())[0]).toMatchObject({ status: 'failed', last_error: 'The recipient no longer exists' });
  });

  it('says that the event was cancelled when its orders are refunded because of that', async () => {
    const order = await shop.buy([{ itemId: seat, quantity: 1 }]);
    await shop.refund(order);
    await world.pool.query(`update event set status = 'cancelled' where id = $1`, [world.event]);
    await send();
    await world.pool.query(`update event set status = 'published' where id = $1`, [world.event]);
    expect(server.received.map(({ email }) => email.text)).toEqual([expect.stringContaining('O evento foi cancelado.')]);
  });
});

describe('POST /orders/{id}/anonymize', () => {
  const anonymize = ({ id }: PlacedOrder) => world.call('POST', `/orders/${id}/anonymize`, { as: 'admin' });

  it('deletes unsent mails and leaves no buyer data in the outbox', async () => {
    const order = await shop.buy([{ itemId: seat, quantity: 2 }]);
    const other = await shop.buy([{ itemId: seat, quantity: 1 }], { buyer: { name: 'Bea', email: 'bea@test.test' } });
    await shop.refund(order, { lines: [{ itemId: seat, quantity: 1 }] });
    server.recipientReplies.push({ code: 550, text: 'ana@test.test is unknown' });
    await send();
    expect(JSON.stringify(await mails())).toContain('ana@test.test');
    await world.pool.query(`update mail set status = 'queued', sent_at = null where dedupe_key = $1`, [`order/${order.id}/confirmation`]);
    expect((await anonymize(order)).statusCode).toBe(200);
    expect(JSON.stringify(await mails())).not.toContain('ana@test.test');
    server.received.length = 0;
    await send(minutesAfterNoon(60));
    expect(server.received).toEqual([]);
    const untouched = await world.pool.query(`select from mail where dedupe_key = $1 and payload is not null`, [
      `order/${other.id}/confirmation`,
    ]);
    expect(untouched.rowCount).toBe(1);
  });
});

describe('POST /orders/{id}/tickets/mail', () => {
  it('returns 202 and mails the tickets again in the requested language', async () => {
    const order = await shop.buy([{ itemId: seat, quantity: 1 }]);
    await world.pool.query('delete from mail');
    expect((await resend(order, { locale: 'es' })).statusCode).toBe(202);
    await send();
    expect(server.received[0]?.email.subject).toBe('Tus entradas: first-event');
    expect(server.received[0]?.email.attachments).toHaveLength(1);
  });

  it('returns 202 for the crew without the secret', async () => {
    const { id } = await shop.buy([{ itemId: seat, quantity: 1 }]);
    expect((await world.call('POST', `/orders/${id}/tickets/mail`, { as: 'crew_sales_operator' })).statusCode).toBe(202);
  });

  it('returns 400 for an unknown locale', async () => {
    const order = await shop.buy([{ itemId: seat, quantity: 1 }]);
    expect((await resend(order, { locale: 'tlh' })).statusCode).toBe(400);
  });

  it('returns 404 without the secret and without a role in the event', async () => {
    const { id } = await shop.buy([{ itemId: seat, quantity: 1 }]);
    const path = `/orders/${id}/tickets/mail`;
    for (const asked of [path, `${path}?secret=wrong`]) expect((await world.call('POST', asked)).statusCode).toBe(404);
    expect((await world.call('POST', path, { as: 'otherOwner' })).statusCode).toBe(404);
    expect((await world.call('POST', '/orders/999999/tickets/mail')).statusCode).toBe(404);
  });

  it('returns 409 when the order is not approved or its buyer was erased', async () => {
    const held = await shop.hold([{ itemId: seat, quantity: 1 }]);
    expect((await resend(held)).json()).toMatchObject({ code: 'wrong_state', detail: expect.stringContaining('The order is held.') });
    const erased = await shop.buy([{ itemId: seat, quantity: 1 }]);
    await world.call('POST', `/orders/${erased.id}/anonymize`, { as: 'admin' });
    expect((await resend(erased)).json()).toMatchObject({
      code: 'wrong_state',
      detail: expect.stringContaining('buyer data of this order was erased'),
    });
  });

  it('returns 429 with Retry-After within a minute, and after five mails in a day', async () => {
    const order = await shop.buy([{ itemId: seat, quantity: 1 }]);
    for (let n = 0; n < 5; n++) {
      world.now = minutesAfterNoon(n);
      const both = await Promise.all([resend(order), resend(order)]);
      expect(both.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([202, 429]);
      const wait = n < 4 ? 60 : (24 * 60 - 4) * 60;
      expect(both.find(({ statusCode }) => statusCode === 429)?.headers['retry-after']).toBe(String(wait));
    }
    world.now = minutesAfterNoon(10);
    const answer = await resend(order);
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([429, String((24 * 60 - 10) * 60)]);
    world.now = minutesAfterNoon(24 * 60);
    expect((await resend(order)).statusCode).toBe(202);
  });
});
