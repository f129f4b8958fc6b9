import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { people } from '../src/demo/people.ts';
import { eventually } from './eventually.ts';
import { type DataFolder, type Service, waitUntilReady } from './process.ts';
import { sendSignal } from './process-table.ts';
import { Dice, testSeed } from './random.ts';
import { stockDifferences } from './stock-differences.ts';
import { useProcesses } from './use-processes.ts';

const { demoDataFolder } = useProcesses();
/** A short run kills each victim once, and has a smaller crowd. Every buyer costs processor time until the last kill. */
const rounds = Number(process.env.KILL_ROUNDS ?? 2);
const clients = process.env.KILL_ROUNDS ? 48 : 16;
vi.setConfig({ testTimeout: 240_000 + rounds * 30_000 });

/** All orders that the service has acknowledged, with the status of the last response. */
type Acknowledged = Map<number, { quantity: number; status: 'held' | 'approved' | 'cancelled' }>;

interface Sale {
  eventId: number;
  itemId: number;
}

async function openSale(service: Service): Promise<Sale> {
  const { token } = await service.logIn(people.producer.email);
  const post = async (path: string, body: object) => {
    const answer = await service.call('POST', `/v1${path}`, { token, body });
    if (answer.status >= 300) throw new Error(JSON.stringify(answer.body));
    return (answer.body as { id: number }).id;
  };
  const quantity = 1_000_000;
  const eventId = await post('/event', { producerId: 1, title: 'On sale', category: 'music', timezone: 'UTC', challenge: 'off' });
  await post(`/event/${eventId}/session`, {
    name: 'Night',
    start: '2098-06-01 20:00:00',
    finish: '2098-06-01 23:00:00',
    capacity: quantity,
  });
  await post(`/event/${eventId}/publish`, {});
  const itemId = await post('/items', { eventId, name: 'Standing', quantity });
  await post(`/items/${itemId}/values`, { price: 8000, feeSale: 800, feeProducer: 200 });
  const span = { start: '2020-01-01 00:00:00', finish: '2098-01-01 00:00:00' };
  await post(`/items/${itemId}/sales-period`, { appCategoryId: 1, ...span, available: quantity });
  await post(`/items/${itemId}/attributes`, { key: 'maximumPerBuyer', value: 4, type: 'integer' });
  return { eventId, itemId };
}

/** Starts buyers who place, pay and cancel orders. They repeat each request with the same idempotency key until they get a response. */
function startCrowd({ eventId, itemId }: Sale, origin: () => string) {
  const acknowledged: Acknowledged = new Map();
  const counts = { requests: 0, retries: 0, replayed: 0, strange: [] as string[] };
  let open = true;
  let names = 0;

  async function sendUntilAnswered(
    dice: Dice,
    path: string,
    body: object,
  ): Promise<{ status: number; body: { id: number; secret: string } }> {
    const headers = { 'content-type': 'application/json', 'idempotency-key': `key-${++names}` };
    for (counts.requests++; ; counts.retries++) {
      try {
        const sent = { method: 'POST', headers, body: JSON.stringify(body), signal: AbortSignal.timeout(10_000) };
        const answer = await fetch(`${origin()}/v1${path}`, sent);
        const json = (await answer.json()) as { id: number; secret: string };
        if (answer.headers.has('idempotency-replayed')) counts.replayed++;
        if (answer.status !== 503) return { status: answer.status, body: json };
      } catch (error) {
        // A lost connection is expected. Any other error is a fault of the test.
        if (!(error instanceof TypeError || error instanceof SyntaxError || (error as Error).name === 'TimeoutError')) throw error;
      }
      await sleep(50 + dice.below(100));
    }
  }

  async function buy(dice: Dice): Promise<void> {
    const quantity = 1 + dice.below(3);
    const buyer = { name: 'Ana Souza', email: `buyer${++names}@test.test` };
    const placed = await sendUntilAnswered(dice, '/orders', { eventId, items: [{ itemId, quantity }], buyer });
    if (placed.status !== 201) return void counts.strange.push(`order ${placed.status}`);
    const { id, secret } = placed.body;
    acknowledged.set(id, { quantity, status: 'held' });
    const next = dice.next();
    if (next < 0.2) return;
    const [what, body, expected, status] =
      next < 0.35 ? (['cancel', {}, 200, 'cancelled'] as const) : (['payment', { method: 'card' }, 201, 'approved'] as const);
    const settled = await sendUntilAnswered(dice, `/orders/${id}/${what}?secret=${secret}`, body);
    if (settled.status === expected) acknowledged.set(id, { quantity, status });
    else counts.strange.push(`${what} ${settled.status}`);
  }

  const running = Promise.all(
    Array.from({ length: clients }, async (_, i) => {
      const dice = new Dice(testSeed, i);
      while (open) await buy(dice);
    }),
  );
  /** Stops the buyers when they have received the responses that they wait for. */
  const close = async () => {
    open = false;
    await running;
  };
  return { acknowledged, counts, close };
}

/** Kills the service or its database. Returns the service that runs afterwards. */
async function kill(folder: DataFolder, service: Service, victim: Victim): Promise<Service> {
  if (victim === 'service') {
    await service.end('SIGKILL');
    return folder.serve();
  }
  const { pid } = folder.database();
  sendSignal(pid, 'SIGKILL');
  await eventually('PostgreSQL was started again', () => folder.database().pid !== pid);
  await waitUntilReady(service);
  return service;
}

interface OrderFacts {
  id: number;
  status: string;
  quantity: number;
  tickets: number;
  paid: number;
  owed: number;
  posted: number;
}

/** Compares the rows of the database with the acknowledged orders. */
async function findFaults(db: pg.Client, { eventId }: Sale, acknowledged: Acknowledged) {
  const { rows } = await db.query<OrderFacts>(
    `select o.id::int, o.status, (select sum(quantity)::int from order_line l where l.event_id = o.event_id and l.order_id = o.id) as quantity,
            (select count(*)::int from ticket t where t.event_id = o.event_id and t.order_id = o.id) as tickets,
            (select coalesce(sum(amount), 0)::int from payment p where p.event_id = o.event_id and p.order_id = o.id) as paid,
            case when o.status = 'approved' then o.total else 0 end::int as owed,
            (select coalesce(sum(amount), 0)::int from ledger_posting p where p.event_id = o.event_id and p.order_id = o.id) as posted
       from ticket_order o where o.event_id = $1`,
    [eventId],
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  const isAsTold = (id: number, told: { quantity: number; status: string }) => {
    const row = byId.get(id);
    return (
      row?.status === told.status && row.quantity === told.quantity && row.tickets === (told.status === 'approved' ? told.quantity : 0)
    );
  };
  const { rows: keys } = await db.query('select from idempotency_key where answer is null');
  return {
    lost: [...acknowledged].filter(([id, told]) => !isAsTold(id, told)).map(([id]) => id),
    doubled: rows.filter(({ id }) => !acknowledged.has(id)).map(({ id }) => id),
    stuckKeys: keys.length,
    drift: rows.filter(({ paid, owed, posted }) => paid !== owed || posted !== owed).map(({ id }) => id),
    counters: await stockDifferences(db),
  };
}

const noFaults = { lost: [], doubled: [], stuckKeys: 0, drift: [], counters: [] };

type Victim = 'service' | 'database';

/** Sells tickets while it kills the victims (service or database) one after the other. Returns when all buyers have their last response. */
async function sellThroughKills(folder: DataFolder, victims: readonly Victim[], environment: Record<string, string> = {}) {
  let service = await folder.serve(environment);
  const sale = await openSale(service);
  let { origin } = service;
  const crowd = startCrowd(sale, () => origin);
  const dice = new Dice(testSeed, clients);
  for (const victim of victims) {
    const before = crowd.acknowledged.size;
    await eventually('orders are coming in', () => crowd.acknowledged.size > before + clients);
    // The time of the kill is random, because no order may be lost whenever the kill happens.
    await sleep(dice.below(200));
    service = await kill(folder, service, victim);
    ({ origin } = service);
  }
  await crowd.close();
  return { service, sale, ...crowd };
}

describe('an on-sale during which the service and the database are killed', () => {
  it(`neither loses nor duplicates an order in ${rounds} kills; control: the checker detects each fault`, async () => {
    const folder = demoDataFolder();
    const victims = Array.from({ length: rounds }, (_, round) => (round % 2 === 0 ? 'service' : 'database'));
    const { service, sale, acknowledged, counts } = await sellThroughKills(folder, victims);
    const db = await folder.connect();
    try {
      expect(await findFaults(db, sale, acknowledged)).toEqual(noFaults);
      expect(counts.strange).toEqual([]);
      expect(counts.retries).toBeGreaterThan(0);
      await expectFaultsSeen(db, sale, acknowledged);
      if (process.env.KILL_ROUNDS) console.info({ kills: rounds, orders: acknowledged.size, ...counts });
    } finally {
      await db.end();
    }
    expect((await service.end('SIGTERM')).code).toBe(0);
  });

  // A kill loses only orders that the database has not written to disk. In a short run there may be none, so this control needs a long run.
  it.runIf(process.env.KILL_ROUNDS)('control: orders are lost when a commit does not wait for the disk', async () => {
    const folder = demoDataFolder();
    await doNotWaitForDisk(folder);
    const victims: Victim[] = Array.from({ length: 6 }, () => 'database');
    const { sale, acknowledged } = await sellThroughKills(folder, victims, { UNSAFE_DATABASE: 'allow' });
    const db = await folder.connect();
    const { lost } = await findFaults(db, sale, acknowledged);
    await db.end();
    console.info({ control: 'synchronous_commit=off', kills: victims.length, orders: acknowledged.size, lost: lost.length });
    expect(lost).not.toEqual([]);
  });
});

async function doNotWaitForDisk(folder: DataFolder): Promise<void> {
  const service = await folder.serve();
  const db = await folder.connect();
  await db.query('alter database tessera set synchronous_commit = off');
  await db.end();
  await service.end('SIGTERM');
}

/** Controls: creates each fault in the rows or in the list of acknowledged orders, and expects that `findFaults` reports it. */
async function expectFaultsSeen(db: pg.Client, sale: Sale, acknowledged: Acknowledged): Promise<void> {
  const first = [...acknowledged].find(([, { status }]) => status === 'approved')?.[0] ?? 0;
  const others: Acknowledged = new Map([...acknowledged].filter(([id]) => id !== first));
  expect(await findFaults(db, sale, others)).toEqual({ ...noFaults, doubled: [first] });
  expect(await findFaults(db, sale, new Map([...acknowledged, [-1, { quantity: 1, status: 'held' }]]))).toEqual({
    ...noFaults,
    lost: [-1],
  });
  for (const [statement, fault] of [
    [`delete from ticket where order_id = ${first}`, { lost: [first] }],
    [`update payment set amount = amount + 1, received = received + 1 where order_id = ${first}`, { drift: [first] }],
    [`insert into idempotency_key values ('anonymous', sha256('a'), sha256('b'), null, now())`, { stuckKeys: 1 }],
    [`update item set sold = sold + 1 where id = ${sale.itemId}`, { counters: [expect.stringContaining(`item ${sale.itemId}`)] }],
  ] as const) {
    await db.query('begin');
    await db.query(statement);
    expect(await findFaults(db, sale, acknowledged)).toEqual({ ...noFaults, ...fault });
    await db.query('rollback');
  }
}
