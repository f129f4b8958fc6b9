import { readFileSync } from 'node:fs';
import { Webhook as Signer } from 'standardwebhooks';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import { useReceiver } from '../../test/webhook-receiver.ts';
import { webhooksOf } from '../../test/webhooks.ts';
import { noon } from '../../test/world.ts';
import type { Changes } from './contract.ts';
import { encodePlace } from './feed-cursor.ts';

const world = useWorld({ WEBHOOKS_ALLOW_PRIVATE: 'on' });
const shop = shopOf(world);
const receiver = useReceiver();
const { base, create, work, readChanges } = webhooksOf(world);
const dayMs = 86_400_000;

let itemId = 0;
const buy = () => shop.buy([{ itemId, quantity: 1 }]);

beforeAll(async () => {
  itemId = await shop.newItem();
});
beforeEach(async () => {
  await world.pool.query('delete from webhook');
  await work();
  receiver.received.length = 0;
});

describe('GET /producers/{id}/changes', () => {
  it('returns the changes that webhooks deliver, in pages, and a cursor that reads on', async () => {
    await create(receiver.url);
    const { next } = await readChanges();
    const orders = [await buy(), await buy(), await buy()];
    await work();
    const first = await readChanges(next, 2);
    expect(first.more).toBe(true);
    const second = await readChanges(first.next, 2);
    expect([...first.data, ...second.data].map(({ data }) => data?.id)).toEqual(orders.map(({ id }) => id));
    expect(new Set([...first.data, ...second.data].map(({ id }) => id))).toEqual(new Set(receiver.received.map(({ id }) => id)));
    expect(second.more).toBe(false);
    expect((await readChanges(second.next)).data).toEqual([]);
  });

  it('returns changes in the order of their commits; control: the ids of the outbox have another order', async () => {
    const { next } = await readChanges();
    const slow = await world.pool.connect();
    await slow.query('begin');
    const insert = `insert into change (event_id, type, subject, at) values ($1, 'event.published', $2, $3) returning id`;
    const late = (await slow.query(insert, [world.event, `event/${world.event}`, noon])).rows[0].id;
    const early = (await world.pool.query(insert, [world.siblingEvent, `event/${world.siblingEvent}`, noon])).rows[0].id;
    expect(Number(late)).toBeLessThan(Number(early));
    await work();
    const seen = await readChanges(next);
    await slow.query('commit');
    slow.release();
    await work();
    const rest = await readChanges(seen.next);
    expect([...seen.data, ...rest.data].map(({ data }) => data?.id)).toEqual([world.siblingEvent, world.event]);
  });

  it('returns only the changes of the producer', async () => {
    await buy();
    await work();
    const answer = await world.call('GET', `/producers/${world.otherProducer}/changes?pageSize=100`, { as: 'otherOwner' });
    const { data } = answer.json<Changes>();
    expect(data.filter(({ type }) => type !== 'event.published')).toEqual([]);
  });

  it('returns 410 when changes after the cursor may be deleted', async () => {
    const since = encodePlace({ position: 1, at: new Date(noon.getTime() - 30 * dayMs) });
    const answer = await world.call('GET', `/producers/${world.producer}/changes?since=${since}`, { as: 'owner' });
    expect(answer.json()).toMatchObject({ status: 410, code: 'cursor_expired' });
    const { id } = await create(receiver.url);
    const replay = await world.call('POST', `${base}/${id}/replay`, { as: 'owner', body: { since } });
    expect(replay.json()).toMatchObject({ status: 410, code: 'cursor_expired' });
  });
});

describe('POST …/replay', () => {
  it('returns 400 that names the field of the body when the cursor is not valid', async () => {
    const { id } = await create(receiver.url);
    const answer = await world.call('POST', `${base}/${id}/replay`, { as: 'owner', body: { since: 'bad' } });
    expect(answer.json()).toMatchObject({ status: 400, errors: [{ in: 'body', field: 'since', code: 'cursor' }] });
  });

  it('delivers everything again from a cursor or a time, in order', async () => {
    const { id } = await create(receiver.url);
    const { next } = await readChanges();
    const orders = [await buy(), await buy()];
    await work();
    for (const body of [{ since: next }, { from: noon.toISOString() }]) {
      receiver.received.length = 0;
      const answer = await world.call('POST', `${base}/${id}/replay`, { as: 'owner', body });
      expect(answer.statusCode, answer.body).toBe(200);
      await work();
      expect(receiver.received.map(({ message }) => message.data?.id).slice(-2)).toEqual(orders.map((order) => order.id));
    }
  });
});

describe('a webhook with 10,000 pending deliveries', () => {
  it('gets no more from the feed until some are delivered, and then loses nothing', async () => {
    const { id } = await create(receiver.url);
    await world.pool.query(
      `insert into webhook_delivery (webhook_id, type, subject, changed_at, next_attempt_at, created_at)
       select $1, 'webhook.test', 'test' || n, $2, 'infinity', $2 from generate_series(1, 10000) n`,
      [id, noon],
    );
    const order = await buy();
    receiver.received.length = 0;
    await work();
    const told = () => receiver.received.filter(({ message }) => message.data?.id === order.id).length;
    expect(told()).toBe(0);
    await world.pool.query(`delete from webhook_delivery where webhook_id = $1 and subject = 'test1'`, [id]);
    await work();
    expect(told()).toBe(1);
  });
});

describe('docs/webhooks.md', () => {
  it('has an example that verifies messages; control: it refuses a changed body, another secret and an old message', async () => {
    const page = readFileSync(new URL('../../docs/webhooks.md', import.meta.url), 'utf8');
    const [, source = ''] = /```js\n([^]*?)```/.exec(page) ?? [];
    const { verifyWebhook } = (await import(`data:text/javascript,${encodeURIComponent(source)}`)) as {
      verifyWebhook: (headers: Record<string, string>, body: string, secret: string) => unknown;
    };
    const [secret, other] = ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'];
    const body = '{"type":"webhook.test"}';
    const headersAt = (at: Date) => ({
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': `${new Signer(other).sign('msg_1', at, body)} ${new Signer(secret).sign('msg_1', at, body)}`,
    });
    const now = new Date();
    expect(verifyWebhook(headersAt(now), body, secret)).toEqual({ type: 'webhook.test' });
    expect(() => verifyWebhook(headersAt(now), `${body} `, secret)).toThrow('wrong');
    expect(() => verifyWebhook(headersAt(now), body, 'whsec_AAAA')).toThrow('wrong');
    expect(() => verifyWebhook(headersAt(new Date(now.getTime() - 3_600_000)), body, secret)).toThrow('old');
  });
});
