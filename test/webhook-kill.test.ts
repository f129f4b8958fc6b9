import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { people } from '../src/demo/people.ts';
import type { Changes } from '../src/webhooks/contract.ts';
import { eventually } from './eventually.ts';
import type { DataFolder, Run, Service } from './process.ts';
import { Dice, testSeed } from './random.ts';
import { useProcesses } from './use-processes.ts';
import { type ReceivedMessage, useReceiver } from './webhook-receiver.ts';

const { demoDataFolder, newDataFolder } = useProcesses();
const receiver = useReceiver();
const dice = new Dice(testSeed, 0);

const kills = Number(process.env.WEBHOOK_KILLS ?? 2);
vi.setConfig({ testTimeout: 240_000 + kills * 20_000 });

/** Starts only the API. The test starts and kills the workers itself. */
const withoutWorker = { SERVE: 'event,ticket,shop,door,account', WEBHOOKS_ALLOW_PRIVATE: 'on' };
const traders = 5;
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

type Acknowledge = (change: Expected) => void;

/** Buys a ticket, and refunds it in half of the cases. Calls `acknowledge` for each change that the service has confirmed. */
async function trade({ service, token }: Api, acknowledge: Acknowledge): Promise<void> {
  const withRefund = dice.chance(0.5);
  const buyer = { name: 'Ana Souza', email: 'ana@test.test' };
  const placed = await service.call('POST', '/v1/orders', { body: { eventId: 1, items: [{ itemId: item, quantity: 1 }], buyer } });
  expect(placed.status, JSON.stringify(placed.body)).toBe(201);
  const { id, secret } = placed.body as { id: number; secret: string };
  const paid = await service.call('POST', `/v1/orders/${id}/payment?secret=${secret}`, { body: { method: 'card' } });
  expect(paid.status, JSON.stringify(paid.body)).toBe(201);
  acknowledge({ type: 'order.approved', subject: id });
  if (!withRefund) return;
  const refunded = await service.call('POST', `/v1/orders/${id}/refund`, { token, body: {} });
  expect(refunded.status, JSON.stringify(refunded.body)).toBe(200);
  acknowledge({ type: 'order.refunded', subject: id });
}

/** Trades until the service is killed. */
async function tradeUntilKilled(api: Api, acknowledge: Acknowledge): Promise<void> {
  while (api.service.running()) {
    await trade(api, acknowledge).catch((error: unknown) => {
      // `fetch` throws a TypeError if the connection breaks.
      if (!(error instanceof TypeError)) throw error;
    });
  }
}

interface Api {
  service: Service;
  token: string;
}

async function startApi(folder: DataFolder): Promise<Api> {
  const service = await folder.serve(withoutWorker);
  const { token } = await service.logIn(people.producer.email);
  return { service, token };
}

/**
 * Starts a database with a service that outlives all kills, and creates a webhook. Returns this service, and the folder whose processes are
 * killed.
 */
async function openShop(): Promise<{ service: Service; folder: DataFolder; producerId: number }> {
  const base = demoDataFolder();
  const { service, token } = await startApi(base);
  const [event] = await base.query<{ producer_id: string }>('select producer_id from event where id = 1');
  const producerId = Number(event?.producer_id);
  await base.query(`
    update event set challenge = 'off' where id = 1;
    update item set quantity = null where event_id = 1;
    update sale_period set available = 100000 where event_id = 1;
    update event_session set capacity = null where event_id = 1;
    delete from change`);
  const types = ['order.approved', 'order.refunded'];
  const made = await service.call('POST', `/v1/producers/${producerId}/webhooks`, { token, body: { url: receiver.url, types } });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  const secretKey = readFileSync(join(base.dataDir, 'secret-key'), 'utf8').trim();
  const environment = { SECRET_KEY: secretKey, PAYMENTS: 'sandbox,cash' };
  return { service, folder: newDataFolder({ databaseUrl: base.databaseUrl(), environment }), producerId };
}

const startWorker = (folder: DataFolder): Run => folder.start(['worker'], { WEBHOOKS_ALLOW_PRIVATE: 'on' });

/** Leaves a message without its response. Returns a function that waits for this message, and one that responds to it. */
function holdMessage() {
  let untilHeld = 1 + dice.below(traders);
  let held: ServerResponse | undefined;
  receiver.respond = (response) => {
    if (--untilHeld === 0) held = response;
    else response.end('ok');
  };
  return { isHeld: () => eventually('a message waits for its response', () => held), release: () => held?.end('ok') };
}

/** Lets a worker do all that is left, and ends it. */
async function deliverRest(folder: DataFolder): Promise<void> {
  receiver.respond = (response) => response.end('ok');
  const isDone = async () => {
    const [left] = await folder.query<{ n: string }>(
      `select (select count(*) from change) + (select count(*) from webhook_delivery where status = 'pending')
            + (select count(*) from feed_entry f where position > (select position from webhook)) as n`,
    );
    return left?.n === '0';
  };
  do {
    const worker = startWorker(folder);
    await eventually('everything is delivered', isDone);
    worker.kill('SIGTERM');
    await worker.ended;
    // The worker can complete a payment whose API process was killed, and end before it delivers the change.
  } while (!(await isDone()));
}

/** Reads the changes that must be told from the orders themselves. */
async function committedChanges(folder: DataFolder, since: number): Promise<Expected[]> {
  const rows = await folder.query<{ id: string; status: string }>(
    'select id, status from ticket_order where event_id = 1 and approved_at is not null and id > $1 order by id',
    [since],
  );
  return rows.flatMap(({ id, status }) => [
    { type: 'order.approved', subject: Number(id) },
    ...(status === 'refunded' ? [{ type: 'order.refunded', subject: Number(id) }] : []),
  ]);
}

/** Kills the worker and the API in turn, each while a message waits for its response. Returns the changes that clients know of. */
async function tradeThroughKills(folder: DataFolder): Promise<Expected[]> {
  const acknowledged: Expected[] = [];
  const acknowledge: Acknowledge = (change) => void acknowledged.push(change);
  let api = await startApi(folder);
  for (let round = 0; round < kills; round++) {
    const { isHeld, release } = holdMessage();
    const worker = startWorker(folder);
    if (round % 2 === 0) {
      const trading = Promise.all(Array.from({ length: traders }, () => trade(api, acknowledge)));
      await isHeld();
      worker.kill('SIGKILL');
      await trading;
    } else {
      const trading = Promise.all(Array.from({ length: traders }, () => tradeUntilKilled(api, acknowledge)));
      await isHeld();
      await api.service.end('SIGKILL');
      await trading;
      release();
      api = await startApi(folder);
      worker.kill('SIGKILL');
    }
    await worker.ended;
  }
  await api.service.end('SIGTERM');
  return acknowledged;
}

describe('an API and a worker that are killed while webhooks are delivered', () => {
  it(`lose no change in ${kills} kills, and keep the order of each object; control: the checker detects each fault`, async () => {
    const { service, folder, producerId } = await openShop();
    const [last] = await folder.query<{ id: string }>('select max(id) as id from ticket_order');
    const since = Number(last?.id);
    const acknowledged = await tradeThroughKills(folder);
    await deliverRest(folder);
    const { token } = await service.logIn(people.producer.email);
    const feed = await readFeed(service, producerId, token);
    const expected = await committedChanges(folder, since);
    expect(expected).toEqual(expect.arrayContaining(acknowledged));
    expect(faultsOf(expected, receiver.received, feed)).toEqual([]);
    if (process.env.WEBHOOK_KILLS) console.info({ kills, changes: expected.length, messages: receiver.received.length });

    const without = expected[0] as Expected;
    const others = receiver.received.filter(({ message }) => message.data?.id !== without.subject);
    expect(faultsOf(expected, others, feed)).toContain(`${without.type} ${without.subject} is not in the messages`);
    expect(faultsOf(expected, receiver.received, feed.slice(1))).toContain(
      `${feed[0]?.type} ${String(feed[0]?.data?.id)} is not in the feed`,
    );
    const refund = expected.find(({ type }) => type === 'order.refunded');
    expect(faultsOf(expected, receiver.received.toReversed(), feed)).toContain(
      `order.refunded ${refund?.subject} came before its approval`,
    );
    // Control: a change whose outbox row was not written in its transaction.
    await trade({ service, token }, () => undefined);
    await folder.query('delete from change');
    await deliverRest(folder);
    const late = await readFeed(service, producerId, token);
    expect(faultsOf(await committedChanges(folder, since), receiver.received, late)).not.toEqual([]);
  });
});
