import { describe, expect, it } from 'vitest';
import { auditOf } from '../../test/audit.ts';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import type { Message } from '../platform/mail/mailer.ts';
import { sendMail } from '../platform/mail/send-mail.ts';
import { mailRenderersOf } from '../worker/mail-renderers.ts';

const world = useWorld({ PUBLIC_URL: 'https://shop.example' });
const shop = shopOf(world);

/** Sends all due mails and returns them. */
async function mails(): Promise<Message[]> {
  const sent: Message[] = [];
  const mailer = { send: async (message: Message) => void sent.push(message), close: () => undefined };
  await sendMail(world.db, { mailer, renderers: mailRenderersOf(world.config), from: world.config.mailFrom }, world.now);
  return sent;
}

const tokenIn = (mail: Message | undefined): string => /\?token=([\w.~-]+)/.exec(mail?.text ?? '')?.[1] ?? '';
const statusOf = async (id: number, secret: string) =>
  (await world.call('GET', `/orders/${id}`, { headers: { authorization: `Order ${secret}` } })).statusCode;
const change = (id: number, email: string) => world.call('PUT', `/orders/${id}/buyer/email`, { as: 'owner', body: { email } });
const buyer = (email: string) => ({ buyer: { name: 'Ana Souza', email } });

describe('PUT /orders/{id}/buyer/email', () => {
  it('changes the address, revokes earlier links, mails the tickets to the new address and a notice to the earlier one', async () => {
    const order = await shop.buy([{ itemId: await shop.newItem(), quantity: 1 }], buyer('wrong@test.test'));
    const earlier = tokenIn((await mails())[0]);
    expect(await statusOf(order.id, earlier)).toBe(200);

    const answer = await change(order.id, 'right@test.test');
    expect(answer.json()).toMatchObject({ status: 'approved', buyer: { name: 'Ana Souza', email: 'right@test.test' } });
    expect([await statusOf(order.id, earlier), await statusOf(order.id, order.secret)]).toEqual([404, 200]);
    expect(await auditOf(world, answer)).toEqual([
      {
        by: `user ${world.users.owner}`,
        operation: 'changeBuyerEmail',
        on: `order ${order.id}`,
        event: world.event,
        after: { buyerEmail: 'changed' },
      },
    ]);
    const sent = new Map((await mails()).map((mail) => [mail.to.address, mail]));
    expect([...sent.keys()].toSorted()).toEqual(['right@test.test', 'wrong@test.test']);
    expect(await statusOf(order.id, tokenIn(sent.get('right@test.test')))).toBe(200);
    const notice = sent.get('wrong@test.test');
    expect(notice?.subject).toBe(`O e-mail do pedido ${order.id} mudou`);
    expect(JSON.stringify(notice)).not.toMatch(/right@test\.test|token=/);
  });

  it('moves the tickets from the limit of the earlier address to the limit of the new one', async () => {
    const itemId = await shop.newItem({ attributes: { maximumPerBuyer: 2 } });
    const order = await shop.buy([{ itemId, quantity: 2 }], buyer('first@test.test'));
    await shop.buy([{ itemId, quantity: 1 }], buyer('second@test.test'));
    expect((await change(order.id, 'second@test.test')).json()).toMatchObject({ status: 409, code: 'buyer_limit' });
    expect((await change(order.id, 'third@test.test')).statusCode).toBe(200);
    expect((await shop.place([{ itemId, quantity: 1 }], buyer('third@test.test'))).json().code).toBe('buyer_limit');
    expect((await shop.place([{ itemId, quantity: 2 }], buyer('first@test.test'))).statusCode).toBe(201);
  });

  it('returns 409 for orders that are not approved or whose buyer was erased, and 422 for the same address', async () => {
    const itemId = await shop.newItem();
    const held = await shop.hold([{ itemId, quantity: 1 }]);
    expect((await change(held.id, 'new@test.test')).json().code).toBe('wrong_state');
    await shop.cancel(held);
    expect((await change(held.id, 'new@test.test')).json().code).toBe('wrong_state');
    const paid = await shop.buy([{ itemId, quantity: 1 }], buyer('same@test.test'));
    expect((await change(paid.id, 'SAME@test.test')).json()).toMatchObject({ status: 422, errors: [{ code: 'unchanged' }] });
    await world.call('POST', `/orders/${paid.id}/anonymize`, { as: 'admin' });
    expect((await change(paid.id, 'new@test.test')).json().code).toBe('wrong_state');
  });
});

describe('notes on an order', () => {
  const note = (id: number, text: string) => world.call('POST', `/orders/${id}/notes`, { as: 'crew_sales_operator', body: { text } });
  const list = async (id: number, query = '') => (await world.call('GET', `/orders/${id}/notes${query}`, { as: 'owner' })).json();

  it('are listed for the crew in order, are not changed, and end with the data of the buyer', async () => {
    const order = await shop.buy([{ itemId: await shop.newItem(), quantity: 1 }]);
    const first = await note(order.id, 'Arrives late.\nCalled twice.');
    await note(order.id, 'Second');
    expect(first.json()).toMatchObject({ text: 'Arrives late.\nCalled twice.', author: { id: world.users.crew_sales_operator } });
    expect(JSON.stringify(await auditOf(world, first))).not.toContain('late');
    const page = await list(order.id, '?pageSize=1&count=true');
    const rest = await list(order.id, `?cursor=${page.nextCursor}`);
    expect([page.total, page.data[0].text, rest.data[0].text]).toEqual([2, 'Arrives late.\nCalled twice.', 'Second']);
    await expect(world.pool.query(`update order_note set text = 'x'`)).rejects.toThrow('append-only');
    expect((await note(order.id, ' ')).statusCode).toBe(400);
    const asBuyer = { headers: { authorization: `Order ${order.secret}` } };
    expect((await world.call('GET', `/orders/${order.id}/notes`, asBuyer)).statusCode).toBe(401);
    await world.call('POST', `/orders/${order.id}/anonymize`, { as: 'admin' });
    expect((await list(order.id)).data).toEqual([]);
  });
});

describe('GET /orders/{id}/timeline', () => {
  it('lists who did what, page by page, and does not name the buyer', async () => {
    const order = await shop.buy([{ itemId: await shop.newItem(), quantity: 2 }], buyer('secretive@test.test'));
    await world.call('POST', `/orders/${order.id}/notes`, { as: 'owner', body: { text: 'A note' } });
    await world.call('POST', `/orders/${order.id}/refund`, { as: 'owner', body: {} });
    const read = async (query = '') => (await world.call('GET', `/orders/${order.id}/timeline${query}`, { as: 'manager' })).json();
    const { data } = await read();
    expect(data[0]).toMatchObject({ operation: 'createOrder', actor: { kind: 'anonymous', id: null, name: null } });
    expect(data.map(({ operation }: { operation: string }) => operation)).toEqual(
      expect.arrayContaining(['createOrder', 'payOrder', 'createOrderNote', 'refundOrder']),
    );
    expect(data.at(-1)).toMatchObject({ operation: 'refundOrder', actor: { kind: 'user', id: world.users.owner, name: 'owner' } });
    expect(JSON.stringify(data)).not.toContain('secretive');
    const [first, rest] = [await read('?pageSize=2&count=true'), await read('?pageSize=200')];
    const second = await read(`?pageSize=200&cursor=${first.nextCursor}`);
    expect([first.total, [...first.data, ...second.data]]).toEqual([data.length, rest.data]);
  });
});

describe('GET /orders/{id}/details', () => {
  it('returns the order with its tickets, notes and timeline, to callers who may read orders', async () => {
    const order = await shop.buy([{ itemId: await shop.newItem(), quantity: 2 }]);
    await world.call('POST', `/orders/${order.id}/notes`, { as: 'owner', body: { text: 'A note' } });
    const details = (await world.call('GET', `/orders/${order.id}/details`, { as: 'crew_sales_operator' })).json();
    const parts = ['', '/tickets', '/notes', '/timeline'].map(async (path) =>
      (await world.call('GET', `/orders/${order.id}${path}`, { as: 'crew_sales_operator' })).json(),
    );
    const [read, tickets, notes, timeline] = await Promise.all(parts);
    expect(details).toEqual({ order: read, tickets, notes, timeline });
    expect(tickets.data).toHaveLength(2);
    expect(tickets.data[0].used).toBe(false);
    expect((await world.call('GET', `/orders/${order.id}/details`, { as: 'stranger' })).statusCode).toBe(404);
  });
});
