import type { LightMyRequestResponse } from 'fastify';
import { beforeEach, describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import { minutesAfterNoon, noon } from '../../test/world.ts';
import { locales } from '../kernel/locale.ts';
import { createLink } from '../orders/order-links.ts';
import type { PlacedOrder } from '../orders/order-schemas.ts';
import { inTransaction } from '../postgres/transaction.ts';

const world = useWorld({ PUBLIC_URL: 'https://tickets.example' });
const shop = shopOf(world);

const header = ({ headers }: LightMyRequestResponse, name: string): string => String(headers[name] ?? '');
const cookieOf = ({ id, secret }: PlacedOrder): string => `__Host-order-${id}=${secret}`;
const textOf = ({ body }: LightMyRequestResponse): string => body.replaceAll(/<[^>]+>/g, ' ').replaceAll(/&nbsp;|\s+/g, ' ');

const open = (order: PlacedOrder, { locale = 'en', query = '' } = {}) =>
  world.app.inject({ url: `/${locale}/orders/${order.id}${query}`, headers: { cookie: cookieOf(order) } });

const send = (order: PlacedOrder, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  world.app.inject({
    method: 'POST',
    url: `/en/orders/${order.id}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin', cookie: cookieOf(order), ...headers },
    payload: new URLSearchParams(fields).toString(),
  });

const one = () => [{ itemId: world.item, quantity: 1 }];
const held = () => shop.hold(one(), { buyer: undefined });
const buyer = { do: 'buyer', name: 'Ana Souza', email: 'ana@test.test', document: '123.456.789-09', documentKind: 'cpf' };
const read = async ({ id, secret }: PlacedOrder) => (await world.call('GET', `/orders/${id}?secret=${secret}`)).json();

beforeEach(() => {
  world.now = noon;
});

describe('GET /{locale}/orders/{id}', () => {
  it('a link from a mail sets a cookie and redirects to the address without the token', async () => {
    const order = await shop.buy(one());
    const token = await inTransaction(world.db, {}, (tx) => createLink(tx, { eventId: order.eventId, id: order.id }, world.now));
    const opened = await world.app.inject({ url: `/es/orders/${order.id}?token=${token}` });
    expect([opened.statusCode, opened.headers.location]).toEqual([303, `/es/orders/${order.id}`]);
    expect(header(opened, 'set-cookie')).toBe(`__Host-order-${order.id}=${token}; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure`);
    expect([header(opened, 'cache-control'), header(opened, 'referrer-policy')]).toEqual(['no-store', 'no-referrer']);
    expect((await open({ ...order, secret: token })).statusCode).toBe(200);
  });

  it('is never cached and never listed by search engines', async () => {
    const page = await open(await held());
    expect([header(page, 'cache-control'), header(page, 'referrer-policy')]).toEqual(['no-store', 'same-origin']);
    expect(page.body).toContain('<meta name="robots" content="noindex"');
    expect(header(page, 'content-security-policy')).toContain("script-src 'self';");
  });

  it.each(locales)('/%s: orders of others, unknown orders and wrong tokens return 404 with a page that helps', async (locale) => {
    const [mine, other] = [await held(), await held()];
    const pages = [
      await world.app.inject({ url: `/${locale}/orders/${other.id}`, headers: { cookie: cookieOf(mine) } }),
      await open({ ...other, secret: mine.secret }, { locale }),
      await world.app.inject({ url: `/${locale}/orders/${other.id}?token=l.wrong` }),
      await world.app.inject({ url: `/${locale}/orders/${world.missing}` }),
    ];
    expect(pages.map(({ statusCode }) => statusCode)).toEqual([404, 404, 404, 404]);
    expect(new Set(pages.map(({ body }) => body)).size).toBe(1);
    const texts = { 'pt-BR': 'Não conseguimos abrir este pedido.', en: 'We cannot open this order.', es: 'No podemos abrir este pedido.' };
    expect(pages[0]?.body).toContain(texts[locale]);
  });

  it('an expired order offers the same tickets again', async () => {
    const order = await held();
    world.now = minutesAfterNoon(11);
    const page = await open(order);
    expect(textOf(page)).toContain('Your reservation has ended.');
    expect(page.body).toContain(`name="item-${world.item}" value="1"`);
  });

  it('the script of the page has at most 20 kB, compressed with gzip', async () => {
    const { body } = await open(await held());
    const addresses = [...body.matchAll(/<(?:script type="module" src|link rel="modulepreload" href)="([^"]+)"/g)].map(
      (match) => match[1] ?? '',
    );
    const scripts = await Promise.all(addresses.map((url) => world.app.inject({ url, headers: { 'accept-encoding': 'gzip' } })));
    expect(addresses.length).toBeGreaterThan(0);
    expect(scripts.reduce((sum, { rawPayload }) => sum + rawPayload.length, 0)).toBeLessThan(20_000);
  });
});

describe('the buyer form', () => {
  it('sets the buyer, and the page goes on with the payment', async () => {
    const order = await held();
    const sent = await send(order, buyer);
    expect([sent.statusCode, sent.headers.location]).toEqual([303, `/en/orders/${order.id}`]);
    expect((await read(order)).buyer).toEqual({ name: 'Ana Souza', email: 'ana@test.test', document: '123.456.789-09' });
    expect((await open(order)).body).toContain('value="pay"');
  });

  it.each([
    ['no name', { name: ' ' }, 'name', 'Enter your name.'],
    ['no address', { email: '' }, 'email', 'Enter your e-mail address.'],
    ['an incomplete address', { email: 'ana@' }, 'email', 'This e-mail address is not complete.'],
    ['a CPF with wrong check digits', { document: '123.456.789-00' }, 'document', 'This CPF is not valid.'],
  ])('with %s shows the error at its field and keeps what was typed', async (_case, change, field, text) => {
    const order = await held();
    const refused = await send(order, { ...buyer, ...change });
    expect(refused.statusCode).toBeGreaterThanOrEqual(400);
    expect(refused.body).toMatch(new RegExp(`<input[^>]*name="${field}"[^>]*autofocus[^>]*aria-invalid`));
    expect(textOf(refused)).toContain(text);
    expect(refused.body).toContain('name="documentKind"');
    expect((await read(order)).buyer).toBeNull();
  });

  it('shows the limit per buyer with what is left', async () => {
    const item = await shop.newItem({ item: { name: 'Rare' }, attributes: { maximumPerBuyer: 3 } });
    await shop.buy([{ itemId: item, quantity: 2 }], { buyer: { name: 'Ana', email: buyer.email } });
    const order = await shop.hold([{ itemId: item, quantity: 2 }], { buyer: undefined });
    expect(textOf(await send(order, buyer))).toContain('Rare: this order has 2, and you may still buy 1.');
  });

  it('has the limits of the API', async () => {
    const { body } = await open(await held());
    expect(body).toMatch(/<input[^>]*type="email"[^>]*maxlength="254" required/i);
    expect(body).toMatch(/<input[^>]*name="name"[^>]*maxlength="200" required/i);
  });
});

describe('the payment', () => {
  it('by card shows the tickets', async () => {
    const order = await shop.hold(one());
    expect((await send(order, { do: 'pay', method: 'card', 'outcome-card': 'approve' })).statusCode).toBe(303);
    const page = await open(order);
    expect(textOf(page)).toContain('You are going!');
    expect(page.body).toMatch(/<svg class="pass-qr" role="img" aria-label="QR code of ticket 1"/);
    expect(textOf(page)).toContain('Ticket 1 of 1');
  });

  it('that is declined keeps the hold and says what to do', async () => {
    const order = await shop.hold(one());
    const sent = await send(order, { do: 'pay', method: 'card', 'outcome-card': 'decline' });
    expect(sent.headers.location).toBe(`/en/orders/${order.id}?notice=declined`);
    expect(textOf(await open(order, { query: '?notice=declined' }))).toContain('Nothing was charged, and your tickets are still reserved.');
    expect((await read(order)).status).toBe('held');
  });

  it('by PIX shows the code as text and as a picture', async () => {
    const order = await shop.hold(one());
    await send(order, { do: 'pay', method: 'pix', 'outcome-pix': 'never' });
    const { pixCode } = (await read(order)).payments[0];
    const { body } = await open(order);
    expect(body).toContain(`value="${pixCode}"`);
    expect(body).toContain('src="data:image/svg+xml,');
  });

  it('a free order needs no payment', async () => {
    const item = await shop.newItem({ item: { name: 'Gift' }, values: { price: 0, feeSale: 0, feeProducer: 0 } });
    const order = await shop.hold([{ itemId: item, quantity: 1 }], { buyer: undefined });
    expect((await open(order)).body).not.toContain('How do you want to pay?');
    await send(order, buyer);
    expect(textOf(await open(order))).toContain('You are going!');
  });
});

describe('a paid order', () => {
  it('says until when the buyer can withdraw and what comes back, and needs a confirmation', async () => {
    const order = await shop.buy(one());
    const before = textOf(await open(order));
    expect(before).toContain('You get back R$55.00, the full price with fees. Your ticket stops working at once');
    await send(order, { do: 'withdraw' });
    expect((await read(order)).status).toBe('approved');
    const sent = await send(order, { do: 'withdraw', confirmed: 'yes' });
    expect(sent.headers.location).toBe(`/en/orders/${order.id}?notice=withdrawn`);
    expect(textOf(await open(order, { query: '?notice=withdrawn' }))).toContain('You have withdrawn from the purchase.');
    expect(textOf(await open(order))).toContain('R$55.00 was returned to you.');
  });

  it('names the group of its tickets, and says that the event was cancelled', async () => {
    const { id: parentId } = await shop.write('POST', '/items', { eventId: world.event, name: 'Pista', type: 'group' });
    const order = await shop.buy([{ itemId: await shop.newItem({ item: { name: '2º lote', parentId } }), quantity: 2 }]);
    expect(textOf(await open(order))).toContain('2× Pista · 2º lote');
    await world.pool.query(`update event set status = 'cancelled' where id = $1`, [world.event]);
    const { body } = await open(order);
    await world.pool.query(`update event set status = 'published' where id = $1`, [world.event]);
    expect(body).toContain('<h1>This event was cancelled.</h1>');
  });

  it('offers no withdrawal after the period', async () => {
    const order = await shop.buy(one());
    world.now = minutesAfterNoon(7 * 24 * 60 + 1);
    expect((await open(order)).body).not.toContain('value="withdraw"');
  });

  it('sends the tickets again, and says so if that was too soon', async () => {
    const order = await shop.buy(one());
    world.now = minutesAfterNoon(2);
    expect((await send(order, { do: 'mail' })).headers.location).toBe(`/en/orders/${order.id}?notice=mailed`);
    expect((await send(order, { do: 'mail' })).headers.location).toBe(`/en/orders/${order.id}?notice=mailLimit`);
    expect(textOf(await open(order, { query: '?notice=mailLimit' }))).toContain('We have just sent the tickets.');
  });
});

describe('forms', () => {
  it('from another site and without the cookie change nothing', async () => {
    const order = await shop.buy(one());
    const withdraw = { do: 'withdraw', confirmed: 'yes' };
    expect((await send(order, withdraw, { 'sec-fetch-site': 'cross-site' })).statusCode).toBe(403);
    expect((await send(order, withdraw, { cookie: '' })).statusCode).toBe(404);
    expect((await send(order, withdraw, { cookie: `__Host-order-${order.id}=wrong` })).statusCode).toBe(404);
    expect((await read(order)).status).toBe('approved');
  });

  it('extend the hold once', async () => {
    const order = await shop.hold(one());
    expect((await send(order, { do: 'extend' })).headers.location).toContain('notice=extended');
    expect((await send(order, { do: 'extend' })).headers.location).toContain('notice=notExtended');
    expect((await read(order)).expiresAt).toBe(minutesAfterNoon(20).toISOString());
  });

  it('text of buyers cannot leave its place in the page', async () => {
    const text = '</script><script>alert(1)</script><img src=x onerror=alert(1)>"\'';
    const order = await shop.hold(one(), { buyer: { name: text, email: 'ana@test.test' } });
    for (const page of [
      await open(order),
      await open(order, { query: '?change=buyer' }),
      await send(order, { ...buyer, name: text, email: text }),
    ]) {
      expect(page.body).not.toMatch(/<script>alert|<img src=x/);
    }
  });
});
