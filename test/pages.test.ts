import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, createApp } from '../src/app.ts';
import { fireDueTriggers } from '../src/catalog/fire-triggers.ts';
import type { Event } from '../src/events/event-schemas.ts';
import { systemAct } from '../src/kernel/act.ts';
import { pageChannel } from '../src/platform/page-changes.ts';
import { type Connections, connect } from '../src/postgres/database.ts';
import { inTransaction } from '../src/postgres/transaction.ts';
import type { TicketGroup } from '../src/storefront/contract.ts';
import { eventually } from './eventually.ts';
import { useWorld } from './harness.ts';

/** Two services on one database, each with its own connections. They listen on ports, because only real requests use the page cache. */
const world = useWorld();
const services: { app: App; connections: Connections; origin: string }[] = [];

async function start(): Promise<void> {
  const connections = connect({ url: world.url, max: 5, secrets: world.db.secrets, onError: () => undefined });
  const app = await createApp(world.config, { ...connections, clock: () => world.now });
  await app.listen({ port: 0, host: '127.0.0.1' });
  services.push({ app, connections, origin: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/v1` });
}

/** The notices that all processes got: ids of events, or `*`. */
const notices: string[] = [];
let listener: pg.Client;

/** Notices arrive in the order of the commits, so when the last one has arrived, no earlier one can follow. */
async function clearNotices(): Promise<void> {
  const last = 'all notices so far have arrived';
  await world.pool.query('select pg_notify($1, $2)', [pageChannel, last]);
  await eventually(last, () => notices.includes(last));
  notices.length = 0;
}

beforeAll(async () => {
  await start();
  await start();
  listener = new pg.Client({ connectionString: world.url });
  await listener.connect();
  listener.on('notification', ({ payload = '' }) => notices.push(payload));
  await listener.query(`listen ${pageChannel}`);
});
afterAll(async () => {
  await listener.end();
  for (const { app, connections } of services) {
    await app.close();
    await connections.close();
  }
});

const origin = (i: number): string => services[i]?.origin ?? '';
const write = async (i: number, method: string, path: string, body: object): Promise<void> => {
  const headers = { authorization: `Bearer ${world.tokens.owner}`, 'content-type': 'application/json' };
  const answer = await fetch(origin(i) + path, { method, headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(await answer.text());
};
/** The number of responses that the first service took from its page cache. */
let served = 0;

/** Repeats a request until the response comes from the cache. On a slow machine a cached page may have expired before the next request. */
async function fetchCached(path: string, init: RequestInit = {}): Promise<Response> {
  for (let tries = 0; tries < 50; tries++) {
    const before = served;
    const answer = await fetch(origin(0) + path, init);
    if (served > before) return answer;
  }
  throw new Error(`${path} never came from the cache`);
}

/** Repeats a request for up to a second until `fits` returns true, because other processes are notified of a change with a delay. */
async function shows(path: string, i: number, fits: (answer: never) => boolean): Promise<boolean> {
  for (let waited = 0; waited < 1_000; waited += 20) {
    if (fits((await (await fetch(origin(i) + path)).json()) as never)) return true;
    await sleep(20);
  }
  return false;
}

const event = () => `/event/${world.event}`;

const buyer = { name: 'Ana', email: 'ana@test.test' };

/** Sells tickets of the item without telling anybody, until `left` tickets are left. */
const leave = (itemId: number, left: number) =>
  world.pool.query('update item set sold = quantity - held - $2 where event_id = $1 and id = $3', [world.event, left, itemId]);

async function buyOne(itemId: number): Promise<void> {
  const { sessions } = (await (await fetch(origin(0) + event())).json()) as Event;
  const items = [{ itemId, quantity: 1 }];
  await write(0, 'POST', '/orders', { eventId: world.event, sessionId: sessions[0]?.id, items, buyer });
}

async function create(path: string, body: object): Promise<number> {
  const answer = await world.call('POST', path, { as: 'owner', body });
  if (answer.statusCode >= 300) throw new Error(answer.body);
  return answer.json<{ id: number }>().id;
}

const period = { appCategoryId: 1, start: '2026-02-01 10:00:00', finish: '2026-06-01 20:00:00', available: 1000 };

/** Creates an item whose sale has started, and a trigger that then closes the item of the test. */
async function closeByTrigger(): Promise<void> {
  const id = await create('/items', { eventId: world.event, name: 'Next' });
  await write(0, 'POST', `/items/${id}/sales-period`, period);
  await write(0, 'PUT', `/items/${id}/triggers`, { triggers: [{ on: 'start', action: 'close', targetItemId: world.item }] });
  await clearNotices();
  await inTransaction(world.db, {}, (tx) => fireDueTriggers(tx, systemAct('fireTriggers', world.now)));
}

const ticketOf = ({ data }: { data: TicketGroup[] }) => data[0]?.tickets[0];

describe('cached pages', () => {
  beforeAll(() => {
    services[0]?.app.onCachedPageServed.push(() => served++);
  });

  it('have the same bytes and headers as pages that are not cached', async () => {
    const path = `${event()}/tickets`;
    const [long, short] = [await fetch(origin(0) + path), await fetchCached(path)];
    expect(await short.text()).toBe(await long.text());
    const comparable = ({ headers }: Response) =>
      Object.fromEntries([...headers].filter(([name]) => !['x-request-id', 'date'].includes(name)));
    expect(comparable(short)).toEqual(comparable(long));
    expect(short.headers.get('x-request-id')).not.toBe(long.headers.get('x-request-id'));
  });

  it('return 304 without a body when If-None-Match has the current version', async () => {
    const etag = (await fetch(origin(0) + event())).headers.get('etag') ?? '';
    const answer = await fetchCached(event(), { headers: { 'if-none-match': etag } });
    expect([answer.status, await answer.text(), answer.headers.get('etag')]).toEqual([304, '', etag]);
  });

  it('are not used for requests with a token, and responses to such requests are not cached', async () => {
    await fetch(origin(0) + event());
    const before = served;
    await fetch(origin(0) + event(), { headers: { authorization: `Bearer ${world.tokens.owner}` } });
    expect((await fetch(origin(0) + event(), { headers: { authorization: 'Bearer nonsense' } })).status).toBe(401);
    expect(served).toBe(before);
  });

  it('are not used for requests with a passkey', async () => {
    const path = `${event()}/tickets?passkey=wrong-one`;
    const before = served;
    for (let i = 0; i < 3; i++) expect((await fetch(origin(0) + path)).status).toBe(403);
    expect(served).toBe(before);
  });

  const changes: [string, string, () => Promise<void>, (answer: never) => boolean][] = [
    [
      'a price',
      '/tickets',
      () => write(0, 'PUT', `/items/${world.item}/values`, { price: 7777 }),
      (answer: never) => ticketOf(answer)?.price === 7777,
    ],
    [
      'a sale period',
      '/tickets',
      () => write(0, 'PUT', `/items/${world.item}/sales-period`, { appCategoryId: 1, finish: '2026-05-05 05:05:05' }),
      (answer: never) => ticketOf(answer)?.finish === '2026-05-05 05:05:05',
    ],
    [
      'a limit per order',
      '/tickets',
      () => write(0, 'PUT', `/items/${world.item}/attributes`, { key: 'maximum', value: 3, type: 'integer' }),
      (answer: never) => ticketOf(answer)?.maximum === 3,
    ],
    [
      'the name of an item',
      '/tickets',
      () => write(0, 'PUT', `/items/${world.item}`, { name: 'Other' }),
      (answer: never) => ticketOf(answer)?.name === 'Other',
    ],
    ['the title', '', () => write(0, 'PUT', event(), { title: 'Renamed' }), (answer: never) => (answer as Event).title === 'Renamed'],
    [
      'an attribute',
      '/attributes',
      () => write(0, 'PUT', `${event()}/attributes`, { dress: 'black' }),
      (answer: never) => (answer as { dress: string }).dress === 'black',
    ],
    [
      'a session',
      '',
      () => write(0, 'POST', `${event()}/session`, { name: 'Extra', start: '2026-06-02 20:00:00', finish: '2026-06-02 22:00:00' }),
      (answer: never) => (answer as Event).sessions.some(({ name }) => name === 'Extra'),
    ],
    [
      'the stock to a few tickets',
      '/tickets',
      async () => {
        await leave(world.item, 21);
        await buyOne(world.item);
      },
      (answer: never) => ticketOf(answer)?.remaining === 20,
    ],
    [
      'the stock to no tickets',
      '/tickets',
      async () => {
        await leave(world.item, 1);
        await buyOne(world.item);
      },
      (answer: never) => ticketOf(answer)?.status === 'soldout',
    ],
    ['an item by a trigger', '/tickets', closeByTrigger, (answer: never) => ticketOf(answer)?.status === 'unavailable'],
    [
      'the producer',
      '',
      () => write(0, 'PUT', `/producers/${world.producer}`, { name: 'Other name' }),
      (answer: never) => (answer as Event).producer.name === 'Other name',
    ],
    ['the status', '', () => write(0, 'POST', `${event()}/cancel`, {}), (answer: never) => (answer as Event).status === 'cancelled'],
  ];
  it.each(changes)(
    'show a change of %s immediately in the process that made it, and within a second in other processes',
    async (_what, page, change, fits) => {
      const path = event() + page;
      for (const i of [0, 1]) await fetch(origin(i) + path);
      await clearNotices();
      await change();
      // A page also expires after a second. The notice proves that the change does not wait for that.
      await eventually('all processes got a notice', () => notices.some((id) => id === '*' || id === String(world.event)));
      expect(await shows(path, 0, fits)).toBe(true);
      expect(await shows(path, 1, fits)).toBe(true);
    },
  );

  describe('after a sale', () => {
    let [group, item] = [0, 0];
    beforeAll(async () => {
      const eventId = world.siblingEvent;
      group = await create('/items', { eventId, name: 'All', type: 'group', quantity: 1000 });
      item = await create('/items', { eventId, name: 'Seat', parentId: group, quantity: 1000 });
      await write(0, 'POST', `/items/${item}/values`, { price: 100, feeSale: 0, feeProducer: 0 });
      await write(0, 'POST', `/items/${item}/sales-period`, period);
    });

    const limits: [string, string, () => number][] = [
      ['the item', 'update item set quantity = sold + held + $2 where id = $1', () => item],
      ['its group', 'update item set quantity = sold + held + $2 where id = $1', () => group],
      ['its sale period', 'update sale_period set available = sold + held + $2 where item_id = $1', () => item],
      ['its session', 'update event_session set capacity = sold + held + $2 where event_id = $1', () => world.siblingEvent],
    ];
    it.each(limits)('are dropped only if %s has at most 20 tickets left, which pages show', async (_limit, set, id) => {
      const sellWith = async (left: number): Promise<void> => {
        await world.pool.query(set, [id(), left]);
        await write(0, 'POST', '/orders', { eventId: world.siblingEvent, items: [{ itemId: item, quantity: 1 }], buyer });
      };
      await clearNotices();
      await sellWith(22);
      // Notices arrive in the order of the commits, so after the notice of the second sale none of the first sale can follow.
      await sellWith(21);
      await eventually('the second sale sends a notice', () => notices.length > 0);
      expect(notices).toEqual([String(world.siblingEvent)]);
      await world.pool.query(set, [id(), 1000]);
    });
  });

  it('control: a page stays in the cache until it expires if the process is not notified of a change', async () => {
    const path = `/event/${world.siblingEvent}`;
    const read = async () => ((await (await fetch(origin(1) + path)).json()) as Event).title;
    // On a slow machine a page may expire before the next request. A page that has not expired shows the old title.
    let stale = false;
    for (let i = 0; i < 50 && !stale; i++) {
      const before = await read();
      await world.pool.query('update event set title = $2 where id = $1', [world.siblingEvent, `Silent ${i}`]);
      stale = (await read()) === before;
    }
    expect(stale).toBe(true);
    expect(await shows(path, 1, ({ title }: Event) => title.startsWith('Silent'))).toBe(true);
  });

  it('show changes again after the LISTEN connection was lost', async () => {
    const listeners = `select pid from pg_stat_activity where datname = current_database() and application_name = 'tessera listener'`;
    const pids = async () => (await world.pool.query<{ pid: number }>(listeners)).rows.map(({ pid }) => pid);
    const before = await pids();
    expect(before).toHaveLength(2);
    await world.pool.query(`select pg_terminate_backend(pid) from (${listeners}) cut`);
    await eventually('both listeners are back', async () => {
      const now = await pids();
      return now.length === 2 && now.every((pid) => !before.includes(pid));
    });
    const path = `/event/${world.siblingEvent}`;
    await fetch(origin(1) + path);
    await write(0, 'PUT', path, { title: 'Heard again' });
    expect(await shows(path, 1, (answer: Event) => answer.title === 'Heard again')).toBe(true);
  });
});
