import { beforeEach, describe, expect, it } from 'vitest';
import { auditOf } from '../../test/audit.ts';
import { eventually } from '../../test/eventually.ts';
import { useWorld } from '../../test/harness.ts';
import { useMailServer } from '../../test/mail-server.ts';
import { shopOf } from '../../test/shop.ts';
import { noon } from '../../test/world.ts';
import { sendMail } from '../platform/mail/send-mail.ts';
import { createSmtpMailer } from '../platform/mail/smtp-mailer.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { mailRenderersOf } from '../worker/mail-renderers.ts';
import { countExpiredLinks, deleteExpiredLinks } from './order-links.ts';
import type { Order, PlacedOrder } from './order-schemas.ts';

const world = useWorld({ PUBLIC_URL: 'https://shop.example' });
const shop = shopOf(world);
const server = useMailServer();

/** The last session of the event ends on 2026-06-02 at 02:00 UTC. Its links expire 30 days later. */
const expiry = new Date('2026-07-02T02:00:00Z');
const justBefore = (date: Date) => new Date(date.getTime() - 1);

/** Buys a ticket and returns the order with the token of the link in its mail. */
async function buyAndGetLink(): Promise<{ order: PlacedOrder; token: string }> {
  const order = await shop.buy([{ itemId: world.item, quantity: 1 }]);
  return { order, token: await lastToken(order) };
}

/** Sends all mails and returns the token in the newest link to the order. Mails may arrive in any order. */
async function lastToken({ id }: PlacedOrder): Promise<string> {
  const mailer = createSmtpMailer(server.url);
  await sendMail(world.db, { mailer, renderers: mailRenderersOf(world.config), from: world.config.mailFrom }, world.now);
  mailer.close();
  const link = new RegExp(`https://shop\\.example/pt-BR/orders/${id}\\?token=(l\\.[\\w-]{32})\\s`);
  const tokens = () => server.received.flatMap(({ email }) => link.exec(email.text ?? '')?.[1] ?? []);
  return eventually('the mail arrives', () => tokens().at(-1));
}

const call = (method: 'GET' | 'POST', path: string, token: string, body?: object) =>
  world.call(method, path, { headers: { authorization: `Order ${token}` }, ...(body && { body }) });
const statusWith = async (token: string, { id }: PlacedOrder) => (await call('GET', `/orders/${id}`, token)).statusCode;

beforeEach(() => {
  world.now = noon;
  server.received.length = 0;
});

describe('the link in a mail about an order', () => {
  it('opens this order for everything that its buyer may do, and no other order', async () => {
    const { order, token } = await buyAndGetLink();
    const other = await shop.buy([{ itemId: world.item, quantity: 1 }]);
    expect(await statusWith(token, order)).toBe(200);
    expect(await statusWith(token, other)).toBe(404);
    expect((await call('GET', `/orders/${order.id}/tickets`, token)).json()).toMatchObject({ data: [{ status: 'valid' }] });
    expect((await call('POST', `/orders/${order.id}/tickets/mail`, token, {})).statusCode).toBe(202);
    const opened = await call('POST', `/orders/${order.id}/session`, token);
    expect(opened.headers['set-cookie']).toContain(`__Host-order-${order.id}=${token};`);
    // The order is paid, so these requests reach the check of its state. Without access they would return 404.
    for (const [path, body] of [['payment', { method: 'card' }], ['cancel'], ['extend']] as const) {
      expect((await call('POST', `/orders/${order.id}/${path}`, token, body)).statusCode).toBe(409);
    }
    expect((await call('POST', `/orders/${order.id}/refund`, token, {})).json<Order>().status).toBe('refunded');
    for (const wrong of [token.slice(2), token.slice(0, -1), `${token}A`, 'l.', `l.${'A'.repeat(32)}`]) {
      expect(await statusWith(wrong, order)).toBe(404);
    }
  });

  it('expires 30 days after the last session of the event ends, even if the session is moved', async () => {
    const { order, token } = await buyAndGetLink();
    world.now = justBefore(expiry);
    expect(await statusWith(token, order)).toBe(200);
    world.now = expiry;
    expect(await statusWith(token, order)).toBe(404);
    expect(await statusWith(order.secret, order)).toBe(200);
    const move = (time: string) =>
      world.pool.query(`update event set finishes_at = finishes_at + $2::interval where id = $1`, [world.event, time]);
    await move('1 day');
    expect(await statusWith(token, order)).toBe(200);
    await move('-1 day');
  });

  it('of a mail that is sent after the event expires 30 days after the mail', async () => {
    const order = await shop.buy([{ itemId: world.item, quantity: 1 }]);
    world.now = expiry;
    const token = await lastToken(order);
    world.now = new Date(expiry.getTime() + 30 * 86_400_000 - 1);
    expect(await statusWith(token, order)).toBe(200);
    world.now = new Date(expiry.getTime() + 30 * 86_400_000);
    expect(await statusWith(token, order)).toBe(404);
  });

  it('is stored as a hash only', async () => {
    const { token } = await buyAndGetLink();
    const { rows } = await world.pool.query<{ text: string }>('select l::text as text from order_link l');
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(JSON.stringify(rows)).not.toContain(Buffer.from(token).toString('hex'));
  });
});

describe('POST /orders/{id}/revoke-links', () => {
  const revoke = ({ id }: PlacedOrder) => world.call('POST', `/orders/${id}/revoke-links`, { as: 'crew_sales_operator' });

  it('revokes all links and cookies of the order, and keeps its secret and the links of other orders', async () => {
    const { order, token } = await buyAndGetLink();
    const other = await buyAndGetLink();
    world.now = new Date(noon.getTime() + 60_000);
    await call('POST', `/orders/${order.id}/tickets/mail`, token, {});
    const second = await lastToken(order);
    expect(await Promise.all([token, second].map((each) => statusWith(each, order)))).toEqual([200, 200]);
    const revoked = await revoke(order);
    expect(revoked.json()).toEqual({ revoked: 2 });
    expect(await Promise.all([token, second].map((each) => statusWith(each, order)))).toEqual([404, 404]);
    const cookie = { cookie: `__Host-order-${order.id}=${token}`, 'sec-fetch-site': 'same-origin' };
    expect((await world.call('GET', `/orders/${order.id}`, { headers: cookie })).statusCode).toBe(404);
    expect([await statusWith(order.secret, order), await statusWith(other.token, other.order)]).toEqual([200, 200]);
    expect(await auditOf(world, revoked)).toMatchObject([
      { operation: 'revokeOrderLinks', on: `order ${order.id}`, after: { linksRevoked: 2 } },
    ]);
    expect((await revoke(order)).json()).toEqual({ revoked: 0 });
  });

  it('is done too when the data of the buyer is erased', async () => {
    const { order, token } = await buyAndGetLink();
    expect((await world.call('POST', `/orders/${order.id}/anonymize`, { as: 'admin' })).statusCode).toBe(200);
    expect(await statusWith(token, order)).toBe(404);
  });
});

describe('the chore orderLinks', () => {
  it('deletes only links that no longer work', async () => {
    const { order, token } = await buyAndGetLink();
    const count = (at: Date) => inTransaction(world.db, {}, (tx) => countExpiredLinks(tx, at));
    const remove = (at: Date) => inTransaction(world.db, {}, (tx) => deleteExpiredLinks(tx, at, 1_000));
    expect([await count(justBefore(expiry)), await remove(justBefore(expiry))]).toEqual([0, 0]);
    expect(await statusWith(token, order)).toBe(200);
    const expired = await count(expiry);
    expect(expired).toBeGreaterThan(0);
    expect([await remove(expiry), await count(expiry)]).toEqual([expired, 0]);
    expect(await statusWith(token, order)).toBe(404);
  });
});
