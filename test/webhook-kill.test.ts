import { describe, expect, it, vi } from 'vitest';
import { people } from '../src/demo/people.ts';
import type { Changes } from '../src/webhooks/contract.ts';
import { eventually } from './eventually.ts';
import type { DataFolder, Service } from './process.ts';
import { Dice, testSeed } from './random.ts';
import { useProcesses } from './use-processes.ts';
import { type ReceivedMessage, useReceiver } from './webhook-receiver.ts';

const { demoDataFolder } = useProcesses();
const receiver = useReceiver();
const dice = new Dice(testSeed, 0);

const kills = Number(process.env.WEBHOOK_KILLS ?? 3);
vi.setConfig({ testTimeout: 240_000 + kills * 20_000 });

/** Starts only the API. The test starts and kills the workers itself. */
const withoutWorker = { SERVE: 'event,ticket,shop,door,account', WEBHOOKS_ALLOW_PRIVATE: 'on' };
const item = 6;

interface Expected {
  type: string;
  subject: number;
}

/** Compares what was received with what was committed. */
function faultsOf(expected: readonly Expected[], received: readonly ReceivedMessage[], feed: Changes['data']): string[] {
  const nameOf = (type: string, subject: unknown) => `${type} ${String(subject)}`;
  const committed = expected.map(({ type, subject }) => nameOf(type, subject));
  const first = [...new Map(received.map((each) => [each.id, each])).values()];
  const told = first.map(({ message }) => nameOf(message.type, message.data?.id));
  const inFeed = feed.map(({ type, data }) => nameOf(type, data?.id));
  const missing = (list: readonly string[], where: string) =>
    committed.filter((name) => !list.includes(name)).map((name) => `${name} is not in ${where}`);
  const isLate = (name: string) => {
    const approved = told.indexOf(name.replace('order.refunded', 'order.approved'));
    return name.startsWith('order.refunded') && approved > told.indexOf(name);
  };
  return [
    ...missing(told, 'the messages'),
    ...missing(inFeed, 'the feed'),
    ...told.filter((name) => !committed.includes(name)).map((name) => `${name} was never committed`),
    ...told.filter(isLate).map((name) => `${name} came before its approval`),
    ...(inFeed.length === committed.length ? [] : ['the feed has a change twice']),
  ];
}

async function readFeed(service: Service, producerId: number, token: string): Promise<Changes['data']> {
  const all: Changes['data'] = [];
  for (let since = ''; ; ) {
    const { body } = await service.call('GET', `/v1/producers/${producerId}/changes?pageSize=7${since}`, { token });
    const { data, next, more } = body as Changes;
    all.push(...data);
    if (!more) return all;
    since = `&since=${next}`;
  }
}

/** Buys a ticket and refunds some. Returns the changes that this commits. */
async function trade(service: Service, token: string): Promise<Expected[]> {
  const buyer = { name: 'Ana Souza', email: 'ana@test.test' };
  const placed = await service.call('POST', '/v1/orders', { body: { eventId: 1, items: [{ itemId: item, quantity: 1 }], buyer } });
  expect(placed.status, JSON.stringify(placed.body)).toBe(201);
  const { id, secret } = placed.body as { id: number; secret: string };
  const paid = await service.call('POST', `/v1/orders/${id}/payment?secret=${secret}`, { body: { method: 'card' } });
  expect(paid.status, JSON.stringify(paid.body)).toBe(201);
  if (dice.chance(0.5)) return [{ type: 'order.approved', subject: id }];
  const refunded = await service.call('POST', `/v1/orders/${id}/refund`, { token, body: {} });
  expect(refunded.status, JSON.stringify(refunded.body)).toBe(200);
  return [
    { type: 'order.approved', subject: id },
    { type: 'order.refunded', subject: id },
  ];
}

async function start(folder: DataFolder) {
  const service = await folder.serve(withoutWorker);
  const { token } = await service.logIn(people.producer.email);
  const [event] = await folder.query<{ producer_id: string }>('select producer_id from event where id = 1');
  const producerId = Number(event?.producer_id);
  await folder.query(`
    update event set challenge = 'off' where id = 1;
    update item set quantity = null where event_id = 1;
    update sale_period set available = 100000 where event_id = 1;
    update event_session set capacity = null where event_id = 1`);
  await folder.query('delete from change');
  const types = ['order.approved', 'order.refunded'];
  const made = await service.call('POST', `/v1/producers/${producerId}/webhooks`, { token, body: { url: receiver.url, types } });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  return { service, token, producerId };
}

describe('a worker that is killed while it delivers webhooks', () => {
  it(`loses no change in ${kills} kills, and keeps the order of each object; control: the checker detects each fault`, async () => {
    const folder = demoDataFolder();
    const { service, token, producerId } = await start(folder);
    const expected: Expected[] = [];
    for (let round = 0; round < kills; round++) {
      const trading = Promise.all(Array.from({ length: 5 }, () => trade(service, token)));
      // The worker is killed while this message waits for its response.
      let untilKill = 1 + dice.below(6);
      let reached = false;
      receiver.respond = (response) => {
        if (--untilKill > 0) response.end('ok');
        else reached = true;
      };
      const worker = folder.start(['worker'], { WEBHOOKS_ALLOW_PRIVATE: 'on' });
      expected.push(...(await trading).flat());
      await eventually('a message waits for its response', () => reached);
      worker.kill('SIGKILL');
      await worker.ended;
    }
    receiver.respond = (response) => response.end('ok');
    const last = folder.start(['worker'], { WEBHOOKS_ALLOW_PRIVATE: 'on' });
    await eventually('everything is delivered', async () => {
      const [left] = await folder.query<{ n: string }>(
        `select (select count(*) from change) + (select count(*) from webhook_delivery where status = 'pending')
              + (select count(*) from feed_entry f where position > (select position from webhook)) as n`,
      );
      return left?.n === '0';
    });
    const feed = await readFeed(service, producerId, token);
    expect(faultsOf(expected, receiver.received, feed)).toEqual([]);
    if (process.env.WEBHOOK_KILLS) console.info({ kills, changes: expected.length, messages: receiver.received.length });

    const without = expected[0] as Expected;
    const others = receiver.received.filter(({ message }) => message.data?.id !== without.subject);
    expect(faultsOf(expected, others, feed)).toContain(`${without.type} ${without.subject} is not in the messages`);
    expect(faultsOf(expected, receiver.received, feed.slice(1))).toContain(
      `${feed[0]?.type} ${String(feed[0]?.data?.id)} is not in the feed`,
    );
    // Control: a change whose outbox row was not written in its transaction.
    last.kill('SIGKILL');
    await last.ended;
    const lost = await trade(service, token);
    await folder.query('delete from change');
    expect(faultsOf([...expected, ...lost], receiver.received, await readFeed(service, producerId, token)).length).toBeGreaterThan(0);
    const refund = expected.find(({ type }) => type === 'order.refunded');
    const late = faultsOf(expected, receiver.received.toReversed(), feed);
    expect(late).toContain(`order.refunded ${refund?.subject} came before its approval`);
  });
});
