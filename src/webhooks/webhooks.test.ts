import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import { useReceiver } from '../../test/webhook-receiver.ts';
import { webhooksOf } from '../../test/webhooks.ts';
import { noon } from '../../test/world.ts';
import type { Delivery, DeliveryDetails, WebhookWithSecret } from './contract.ts';

const world = useWorld({ WEBHOOKS_ALLOW_PRIVATE: 'on' });
const shop = shopOf(world);
const receiver = useReceiver();
const other = useReceiver();
const untrusted = useReceiver({ tls: true });

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const pass = (ms: number): void => {
  world.now = new Date(world.now.getTime() + ms);
};

const { base, atNoon, create, work, list, get, readChanges } = webhooksOf(world);

const types = (changes: readonly { type: string }[]) => changes.map(({ type }) => type);

let session = 0;
let itemId = 0;
const buy = () => shop.buy([{ itemId, quantity: 1 }]);

beforeAll(async () => {
  const now = { name: 'Now', start: '2026-03-02 08:00:00', finish: '2026-03-02 14:00:00' };
  session = (await shop.write('POST', `/event/${world.event}/session`, now)).id;
  itemId = await shop.newItem({ item: { sessionIds: [session] } });
});

beforeEach(async () => {
  world.now = noon;
  await world.pool.query('delete from webhook');
  await work();
  for (const each of [receiver, other, untrusted]) {
    each.received.length = 0;
    each.respond = (response) => response.end('ok');
  }
});

describe('a webhook', () => {
  it('gets approved and refunded orders as the API returns them, signed with its secret', async () => {
    const { id, secret } = await create(receiver.url);
    const order = await buy();
    await work();
    await shop.refund(order);
    await work();
    const current = (await world.call('GET', `/orders/${order.id}`, { as: 'owner' })).json();
    expect(receiver.received.map(({ message }) => message)).toEqual([
      {
        type: 'order.approved',
        timestamp: noon.toISOString(),
        version: 1,
        data: expect.objectContaining({ id: order.id, status: 'approved' }),
      },
      { type: 'order.refunded', timestamp: noon.toISOString(), version: 1, data: current },
    ]);
    for (const message of receiver.received) receiver.verify(message, secret, noon);
    expect(() => receiver.verify(receiver.received[0] as never, 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD', noon)).toThrow('wrong');
    expect(await list(id)).toMatchObject([
      { type: 'order.refunded', status: 'delivered', attempts: 1, responseStatus: 200, response: 'ok', error: null, nextAttemptAt: null },
      { type: 'order.approved', status: 'delivered', subject: `order/${order.id}` },
    ]);
  });

  it('gets free orders, sold-out items, check-ins, published and cancelled events', async () => {
    await create(receiver.url, ['order.approved', 'item.soldout', 'ticket.checked_in', 'event.published', 'event.cancelled']);
    const item = { quantity: 2, sessionIds: [session] };
    const free = await shop.newItem({ item, values: { price: 0, feeSale: 0, feeProducer: 0 } });
    const order = await shop.buy([{ itemId: free, quantity: 1 }]);
    await shop.buy([{ itemId: free, quantity: 1 }]);
    const { data } = (await world.call('GET', `/orders/${order.id}/tickets?secret=${order.secret}`)).json<{
      data: { code: string; id: number }[];
    }>();
    const scan = { code: data[0]?.code, at: world.now.toISOString(), device: 'phone', nonce: 'n1' };
    const path = `/event/${world.event}/checkins`;
    for (const nonce of ['n1', 'n2'])
      expect((await world.call('POST', path, { as: 'crew_admin', body: { entries: [{ ...scan, nonce }] } })).statusCode).toBe(200);
    const copy = (await world.call('POST', `/event/${world.siblingEvent}/duplicate`, { as: 'owner', body: {} })).json<{ id: number }>();
    for (const step of ['publish', 'cancel'])
      expect((await world.call('POST', `/event/${copy.id}/${step}`, { as: 'owner', body: {} })).statusCode).toBeLessThan(300);
    await work();
    const told = receiver.received.map(({ message }) => message);
    expect(types(told).toSorted()).toEqual([
      'event.cancelled',
      'event.published',
      'item.soldout',
      'order.approved',
      'order.approved',
      'ticket.checked_in',
    ]);
    expect(told.find(({ type }) => type === 'item.soldout')?.data).toMatchObject({ id: free, status: 'soldout' });
    expect(told.find(({ type }) => type === 'ticket.checked_in')?.data).toMatchObject({
      ticketId: data[0]?.id,
      nonce: 'n1',
      state: 'inside',
    });
    expect(told.find(({ type }) => type === 'event.published')?.data).toMatchObject({ id: copy.id });
  });

  it('gets nothing of a change that is rolled back; control: without the row in the transaction a change is lost', async () => {
    await create(receiver.url);
    await work();
    const { next } = await readChanges();
    // A trigger fails the transaction after it has written the change.
    await world.pool.query(`
      create function fail() returns trigger language plpgsql as $$ begin raise exception 'fails'; end $$;
      create constraint trigger fails after insert on change deferrable initially deferred for each row execute function fail()`);
    const order = await shop.hold([{ itemId, quantity: 1 }]);
    expect((await shop.pay(order)).statusCode).toBe(500);
    await world.pool.query('drop trigger fails on change');
    await work();
    expect((await readChanges(next)).data).toEqual([]);
    expect((await shop.pay(order)).statusCode).toBe(201);
    // Control: the outbox row is missing, as if it were written outside the transaction by a process that died.
    const lost = await buy();
    await world.pool.query('delete from change where subject = $1', [`order/${lost.id}`]);
    await work();
    expect((await readChanges(next)).data.map(({ data }) => data?.id)).toEqual([order.id]);
    expect(receiver.received.map(({ message }) => message.data?.id)).toEqual([order.id]);
  });

  it('is signed with both secrets for 24 hours after a rotation', async () => {
    const { id, secret: old } = await create(receiver.url);
    const rotated = (await world.call('POST', `${base}/${id}/secret`, { as: 'owner' })).json<WebhookWithSecret>();
    expect(rotated.oldSecretUntil).toBe(new Date(noon.getTime() + dayMs).toISOString());
    await buy();
    await work();
    const [first] = receiver.received;
    for (const secret of [old, rotated.secret]) receiver.verify(first as never, secret, world.now);
    await buy();
    pass(dayMs);
    await work();
    const [, second] = receiver.received;
    receiver.verify(second as never, rotated.secret, world.now);
    expect(() => receiver.verify(second as never, old, world.now)).toThrow('wrong');
  });

  it('can be tested, paused and resumed, and a delivery can be sent again', async () => {
    const { id } = await create(receiver.url);
    const test = await world.call('POST', `${base}/${id}/test`, { as: 'owner' });
    expect(test.statusCode).toBe(202);
    await work();
    expect(receiver.received[0]).toMatchObject({
      id: `test_${test.json<Delivery>().id}`,
      message: { type: 'webhook.test', data: { webhookId: id } },
    });
    const put = (body: object) => world.call('PUT', `${base}/${id}`, { as: 'owner', body });
    await put({ paused: true });
    expect((await world.call('POST', `${base}/${id}/test`, { as: 'owner' })).json()).toMatchObject({ code: 'wrong_state' });
    const order = await buy();
    await work();
    expect(receiver.received).toHaveLength(1);
    await put({ paused: false });
    await work();
    expect(receiver.received[1]?.message.data).toMatchObject({ id: order.id });
    const [delivery] = await list(id);
    const again = await world.call('POST', `${base}/${id}/deliveries/${delivery?.id}/again`, { as: 'owner' });
    expect(again.statusCode, again.body).toBe(202);
    await work();
    expect(receiver.received[2]?.id).toBe(receiver.received[1]?.id);
    const details = (await world.call('GET', `${base}/${id}/deliveries/${delivery?.id}`, { as: 'owner' })).json<DeliveryDetails>();
    expect(JSON.parse(details.body)).toEqual(receiver.received[1]?.message);
  });

  it('is deleted with its log, and the producer can have at most 20', async () => {
    const { id } = await create(receiver.url);
    await world.call('POST', `${base}/${id}/test`, { as: 'owner' });
    expect((await world.call('DELETE', `${base}/${id}`, { as: 'owner' })).statusCode).toBe(204);
    expect((await world.call('GET', `${base}/${id}`, { as: 'owner' })).statusCode).toBe(404);
    for (let i = 0; i < 20; i++) await create(receiver.url);
    const refused = await world.call('POST', base, { as: 'owner', body: { url: receiver.url, types: ['item.soldout'] } });
    expect(refused.json()).toMatchObject({ status: 422, code: 'rule_violation' });
  });
});

describe('an endpoint that fails', () => {
  it('with an error status is tried again with growing delays and parked after 3 days', async () => {
    const { id } = await create(receiver.url);
    receiver.respond = (response) => response.writeHead(500).end('x'.repeat(2_000));
    const first = await buy();
    await work();
    const failed = { status: 'pending', attempts: 1, responseStatus: 500, error: 'The response has status 500.' };
    expect(await list(id)).toMatchObject([{ ...failed, response: 'x'.repeat(1_024) }]);
    // A later change of the same order waits. Other orders do not.
    await shop.refund(first);
    receiver.respond = (response, { message }) => response.writeHead(message.data?.id === first.id ? 500 : 200).end();
    const second = await buy();
    await work();
    expect(receiver.received.map(({ message }) => [message.type, message.data?.id])).toEqual([
      ['order.approved', first.id],
      ['order.approved', second.id],
    ]);
    for (let hours = 0; hours <= 78; hours += 6) {
      pass(6 * hourMs);
      await work();
    }
    const parked = (await list(id)).findLast(({ status }) => status === 'parked');
    expect(parked).toMatchObject({ type: 'order.approved', subject: `order/${first.id}`, nextAttemptAt: null });
    expect(parked?.attempts).toBeGreaterThan(10);
    // The refund of the same order is tried only now.
    expect(receiver.received.at(-1)?.message.type).toBe('order.refunded');
    expect((await world.app.inject('/metrics')).body).toMatch(/tessera_webhook_deliveries\{status="parked"\} 1/);
  });

  it('can be tested again when it is mended: a test does not wait for the tests before it', async () => {
    const { id } = await create(receiver.url);
    const test = async () => {
      await world.call('POST', `${base}/${id}/test`, { as: 'owner' });
      await work();
      return (await list(id)).map(({ status }) => status);
    };
    receiver.respond = (response) => response.writeHead(500).end();
    expect(await test()).toEqual(['pending']);
    receiver.respond = (response) => response.end();
    expect((await test()).toSorted()).toEqual(['delivered', 'pending']);
  });

  it('with a redirect is not followed', async () => {
    const { id } = await create(receiver.url);
    receiver.respond = (response) => response.writeHead(302, { location: other.url }).end();
    await buy();
    await work();
    const error = 'The response is a redirect, and redirects are not followed.';
    expect(await list(id)).toMatchObject([{ status: 'pending', responseStatus: 302, error }]);
    expect(other.received).toEqual([]);
  });

  it('because it is dead gets everything in order when it is back, and does not delay others', async () => {
    const [dead, alive] = [await create(receiver.url), await create(other.url)];
    await receiver.stop();
    const orders = [await buy(), await buy(), await buy()];
    await work();
    expect(other.received).toHaveLength(3);
    expect((await list(dead.id)).map(({ error }) => error)).toContain('The connection was refused.');
    expect((await get(dead.id)).failingSince).toBe(noon.toISOString());
    // While it is down, only one message at a time is tried.
    for (let i = 0; i < 10; i++) {
      pass(minuteMs);
      await work();
    }
    expect((await list(dead.id)).reduce((sum, { attempts }) => sum + attempts, 0)).toBe(3 + 10);
    await receiver.start();
    await atNoon(() => shop.refund(orders[0] as never));
    pass(minuteMs);
    await work();
    await work();
    const told = receiver.received.map(({ message }) => [message.type, message.data?.id]);
    expect(told).toHaveLength(4);
    expect(told.filter(([, id]) => id === orders[0]?.id)).toEqual([
      ['order.approved', orders[0]?.id],
      ['order.refunded', orders[0]?.id],
    ]);
    expect((await get(dead.id)).failingSince).toBeNull();
    expect(await list(alive.id)).toHaveLength(4);
  });

  it('because it is slow is cut off, also in the middle of the response', async () => {
    const { id } = await create(receiver.url);
    receiver.respond = () => undefined;
    await buy();
    await work({ timeoutMs: 100 });
    expect(await list(id)).toMatchObject([{ status: 'pending', attempts: 1, responseStatus: null, error: 'No response arrived in time.' }]);
    // The status decides, even if the body never ends.
    receiver.respond = (response) => response.writeHead(200).write('…');
    pass(minuteMs);
    await work({ timeoutMs: 100 });
    expect(receiver.received).toHaveLength(2);
    expect(await list(id)).toMatchObject([{ status: 'delivered', attempts: 2, responseStatus: 200, response: '…', error: null }]);
  });

  it('because its certificate is not valid gets nothing', async () => {
    const { id } = await create(untrusted.url);
    await buy();
    await work();
    expect(untrusted.received).toEqual([]);
    expect((await list(id))[0]?.error).toMatch(/^The TLS connection failed \(DEPTH_ZERO_SELF_SIGNED_CERT\)/);
  });
});

describe('addresses inside the network', () => {
  const resolve = (addresses: string[]) => ({ allowPrivate: false, resolve: async () => addresses });

  it('are refused when DNS starts to return them, and the connection uses the address that was checked', async () => {
    const url = untrusted.url.replace('127.0.0.1', 'hooks.example.com');
    const { id } = await create(url);
    await buy();
    // The test treats this address as public. The name does not exist, so only the checked address can lead to the server.
    await work({ ...resolve(['127.0.0.1']), isAllowed: (address) => address === '127.0.0.1' });
    expect((await list(id))[0]?.error).toMatch(/SELF_SIGNED/);
    for (const address of ['127.0.0.1', '10.0.0.1', '::ffff:127.0.0.1', '64:ff9b::7f00:1']) {
      pass(hourMs);
      await work(resolve(['93.184.215.14', address]));
      expect((await list(id))[0]?.error, address).toBe('The address is not on the public internet.');
    }
    pass(hourMs);
    await work(resolve([]));
    expect((await list(id))[0]?.error).toBe('The host name was not found in DNS.');
    expect(untrusted.received).toEqual([]);
  });
});

describe('POST /producers/{id}/webhooks', () => {
  it('returns 400 for unknown types and an empty list', async () => {
    for (const body of [
      { url: receiver.url, types: [] },
      { url: receiver.url, types: ['order.held'] },
      { url: 'ftp://a.b', types: ['item.soldout'] },
    ])
      expect((await world.call('POST', base, { as: 'owner', body })).statusCode).toBe(400);
  });
});
