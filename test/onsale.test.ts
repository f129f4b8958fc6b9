import { setImmediate as nextTurn } from 'node:timers/promises';
import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { type CounterMove, moveItemCounters, movePeriodCounters } from '../src/catalog/stock.sql.ts';
import { moveSessionCounters } from '../src/events/sessions.ts';
import { systemAct } from '../src/kernel/act.ts';
import { addTaken } from '../src/orders/buyer-limits.sql.ts';
import { createOrders } from '../src/orders/create-orders.ts';
import type { PlacedOrder } from '../src/orders/order-schemas.ts';
import { changePasskeyCounters } from '../src/passkeys/passkey-counters.ts';
import { executeAll, type Statement } from '../src/postgres/pipeline.ts';
import { inTransaction } from '../src/postgres/transaction.ts';
import { useWorld } from './harness.ts';
import { Dice, testSeed } from './random.ts';
import { stockDifferences } from './stock-differences.ts';
import { noon } from './world.ts';

const world = useWorld();
const clients = 500;
const waves = Number(process.env.ONSALE_WAVES ?? 4);
const perBuyer = 3;
const passkeyText = 'early-birds';

/** An event in which each kind of limit is the tightest limit of at least one item. */
interface Sale {
  eventId: number;
  sessions: [number, number];
  group: number;
  passkey: number;
  /** An item with a stock of 10. */
  scarce: number;
  /** Two items with a stock of 100 each, in a group that is limited to 30. */
  grouped: [number, number];
  /** An item that is valid for both sessions. */
  passport: number;
  /** An item whose sale period for the web has 35 available. */
  byPeriod: number;
  /** An item behind a passkey that can be used 12 times. */
  hidden: number;
  /** An item that each buyer may buy 3 times. */
  rationed: number;
}
let sale: Sale;

async function write<T = { id: number }>(method: 'POST' | 'PUT', path: string, body: object): Promise<T> {
  const answer = await world.call(method, path, { as: 'owner', body });
  if (answer.statusCode >= 300) throw new Error(answer.body);
  return answer.json<T>();
}

async function newItem(eventId: number, fields: object, available = 10_000): Promise<number> {
  const { id } = await write('POST', '/items', { eventId, name: 'Seat', ...fields });
  await write('POST', `/items/${id}/values`, { price: 5000, feeSale: 500, feeProducer: 0 });
  const span = { start: '2026-02-01 10:00:00', finish: '2026-06-01 20:00:00' };
  await write('POST', `/items/${id}/sales-period`, { appCategoryId: 1, ...span, available });
  return id;
}

async function openSale(): Promise<Sale> {
  const { id: eventId } = await write('POST', '/event', {
    producerId: world.producer,
    title: 'On sale',
    category: 'music',
    timezone: 'UTC',
    challenge: 'off',
  });
  const newSession = async (day: number, capacity: number) =>
    (
      await write('POST', `/event/${eventId}/session`, {
        name: String(day),
        start: `2026-06-0${day} 20:00:00`,
        finish: `2026-06-0${day} 23:00:00`,
        capacity,
      })
    ).id;
  const sessions: [number, number] = [await newSession(2, 70), await newSession(3, 60)];
  await write('POST', `/event/${eventId}/publish`, {});
  const group = (await write('POST', '/items', { eventId, name: 'Group', type: 'group', quantity: 30 })).id;
  const hidden = await newItem(eventId, { hidden: true });
  const passkey = (await write('POST', '/passkeys', { eventId, passkey: passkeyText, limit: 12 })).id;
  await write('PUT', `/passkeys/${passkey}/items`, { itemIds: [hidden] });
  const rationed = await newItem(eventId, {});
  await write('POST', `/items/${rationed}/attributes`, { key: 'maximumPerBuyer', value: perBuyer, type: 'integer' });
  return {
    eventId,
    sessions,
    group,
    passkey,
    scarce: await newItem(eventId, { quantity: 10 }),
    grouped: [await newItem(eventId, { parentId: group, quantity: 100 }), await newItem(eventId, { parentId: group, quantity: 100 })],
    passport: await newItem(eventId, { type: 'passport', quantity: 40 }),
    byPeriod: await newItem(eventId, {}, 35),
    hidden,
    rationed,
  };
}

beforeAll(async () => {
  sale = await openSale();
});

const onSale = () => [sale.scarce, ...sale.grouped, sale.passport, sale.byPeriod, sale.hidden, sale.rationed];
/** Picks one of 100 buyers. With this number of buyers some exceed the limit per buyer. */
const somebody = (dice: Dice) => {
  const n = dice.below(100);
  return { name: 'Ana Souza', email: `ana${n}@test.test`, document: String(1000 + (n % 70)) };
};

function cart(itemIds: readonly number[], quantity: () => number, sessionId: number, buyer: object) {
  const items = itemIds.map((itemId) => ({ itemId, quantity: quantity() }));
  return { eventId: sale.eventId, sessionId, items, buyer, ...(itemIds.includes(sale.hidden) && { passkey: passkeyText }) };
}

const place = (body: object) => world.call('POST', '/orders', { body });
const act = ({ id, secret }: PlacedOrder, what: string, body?: object) =>
  world.call('POST', `/orders/${id}/${what}?secret=${secret}`, body ? { body } : {});

type Tally = Record<string, number>;
const count = (tally: Tally, what: string) => {
  tally[what] = (tally[what] ?? 0) + 1;
};

/** Places an order, and then pays it early or late, cancels it, or lets it expire. */
async function client(dice: Dice, tally: Tally, lapsing: PlacedOrder[]): Promise<void> {
  const items = new Set(Array.from({ length: 1 + dice.below(3) }, () => dice.pick(onSale())));
  const answer = await place(cart([...items], () => dice.pick([1, 1, 2, 3]), dice.pick(sale.sessions), somebody(dice)));
  count(tally, `order ${answer.statusCode}`);
  if (answer.statusCode !== 201) return;
  const order = answer.json<PlacedOrder>();
  const next = dice.next();
  if (next < 0.25) count(tally, `payment ${(await act(order, 'payment', { method: 'card' })).statusCode}`);
  else if (next < 0.35) count(tally, `declined ${(await act(order, 'payment', { method: 'card', outcome: 'decline' })).statusCode}`);
  else if (next < 0.5) count(tally, `cancel ${(await act(order, 'cancel')).statusCode}`);
  else lapsing.push(order);
}

/** Compares the counters with the rows again and again until the work ends, and at least once. Returns all differences. */
async function watched(work: Promise<unknown>): Promise<string[]> {
  const wrong: string[] = [];
  let done = false;
  const ended = work.finally(() => {
    done = true;
  });
  do {
    wrong.push(...(await stockDifferences(world.pool)));
    await nextTurn();
  } while (!done);
  await ended;
  return wrong;
}

/** Produces each outcome once, because the random buyers may not produce all of them. Afterwards each item is sold at least once. */
async function eachOutcome(): Promise<void> {
  const [session, other] = sale.sessions;
  const buyer = (n: number) => ({ name: 'First', email: `first${n}@test.test` });
  const one = () => 1;
  const held = async (n: number) => {
    const answer = await place(cart([sale.rationed], one, session, buyer(n)));
    expect(answer.statusCode).toBe(201);
    return answer.json<PlacedOrder>();
  };
  for (const [n, itemId] of onSale().entries()) {
    const answer = await place(cart([itemId], one, n % 2 === 0 ? session : other, buyer(n)));
    expect(answer.statusCode).toBe(201);
    expect((await act(answer.json(), 'payment', { method: 'card' })).statusCode).toBe(201);
  }
  expect((await act(await held(10), 'cancel')).statusCode).toBe(200);
  expect((await act(await held(11), 'payment', { method: 'card', outcome: 'decline' })).statusCode).toBe(409);
  expect((await place(cart([sale.scarce], () => 10, session, buyer(12)))).statusCode).toBe(409);
  expect((await place(cart([sale.rationed], () => perBuyer + 1, session, buyer(13)))).statusCode).toBe(409);
  expect((await place({ ...cart([sale.hidden], one, session, buyer(14)), passkey: 'wrong' })).statusCode).toBe(403);
}

/** Lets many buyers order at the same time, in waves. Returns all differences of all waves. */
async function crowd(tally: Tally): Promise<string[]> {
  const wrong: string[] = [];
  let late: PlacedOrder[] = [];
  for (let wave = 0; wave < waves; wave++) {
    const lapsing: PlacedOrder[] = [];
    const buyers = Array.from({ length: clients }, (_, i) => client(new Dice(testSeed, wave * clients + i), tally, lapsing));
    // While others place orders, some buyers try to pay for an expired hold.
    const payers = late.map(async (order) => count(tally, `late ${(await act(order, 'payment', { method: 'card' })).statusCode}`));
    wrong.push(...(await watched(Promise.all([...buyers, ...payers]))));
    world.now = new Date(world.now.getTime() + 11 * 60_000);
    late = lapsing.filter((_, i) => i % 5 === 0);
  }
  return wrong;
}

/** Computes from the rows how many tickets of an item a new buyer can still buy. The caller has let all holds expire. */
async function freeOf(itemId: number, sessionId: number): Promise<number> {
  const sold = async (where: string) => {
    const { rows } = await world.pool.query<{ n: number }>(
      `select coalesce(sum(l.quantity), 0) as n from ticket_order o join order_line l on l.event_id = o.event_id and l.order_id = o.id
         join item i on i.id = l.item_id where o.status = 'approved' and ${where}`,
    );
    return Number(rows[0]?.n);
  };
  const inSession = async (id: number) => (id === sale.sessions[0] ? 70 : 60) - (await sold(`${id} = any(l.session_ids)`));
  const own = await sold(`l.item_id = ${itemId}`);
  const limits = [itemId === sale.passport ? Math.min(...(await Promise.all(sale.sessions.map(inSession)))) : await inSession(sessionId)];
  if (itemId === sale.scarce) limits.push(10 - own);
  if (itemId === sale.passport) limits.push(40 - own);
  if (itemId === sale.byPeriod) limits.push(35 - own);
  if (itemId === sale.hidden) limits.push(12 - own);
  if (sale.grouped.includes(itemId)) limits.push(30 - (await sold(`i.parent_id = ${sale.group}`)));
  return Math.min(...limits);
}

describe('an on-sale', () => {
  it('never exceeds a limit, and all tickets that are available at the end can be bought', async () => {
    await eachOutcome();
    const tally: Tally = {};
    expect(await crowd(tally)).toEqual([]);
    const allowed = /^(order (201|403|409)|payment 201|declined 409|cancel 200|late 409)$/;
    expect(Object.keys(tally).filter((what) => !allowed.test(what))).toEqual([]);

    let bought = 0;
    for (const itemId of onSale()) {
      for (const sessionId of sale.sessions) {
        for (let free = await freeOf(itemId, sessionId); ; free--) {
          const buyer = { name: 'Late', email: `late${bought}@test.test` };
          const answer = await place(cart([itemId], () => 1, sessionId, buyer));
          expect([free, answer.statusCode]).toEqual([
            free,
            free > 0 ? 201 : itemId === sale.hidden && answer.statusCode === 403 ? 403 : 409,
          ]);
          if (answer.statusCode !== 201) break;
          bought++;
          await act(answer.json(), 'payment', { method: 'card' });
        }
      }
    }
    expect(await stockDifferences(world.pool)).toEqual([]);
    const { rows } = await world.pool.query<{ sold: number }>('select sold from event_session where id = any($1) order by id', [
      sale.sessions,
    ]);
    expect(rows.map(({ sold }) => sold)).toEqual([70, 60]);
  });
});

/** Moves a counter beyond every limit. */
const beyond = (id: number): CounterMove => ({ eventId: sale.eventId, id, sold: 0, held: 100_000 });
const pushes: [string, () => Statement[], string][] = [
  ['item', () => [moveItemCounters([beyond(sale.scarce)])], 'item_quantity'],
  ['group', () => [moveItemCounters([beyond(sale.group)])], 'item_quantity'],
  ['session', () => [moveSessionCounters([beyond(sale.sessions[0])])], 'session_capacity'],
  ['period', () => [movePeriodCounters([{ ...beyond(sale.byPeriod), channel: 1 }])], 'sale_period_available'],
  ['passkey', () => changePasskeyCounters([{ eventId: sale.eventId, id: sale.passkey, used: 0, held: 100_000 }]), 'passkey_limit'],
  [
    'buyer',
    () => [addTaken([{ eventId: sale.eventId, itemId: sale.rationed, buyer: '00'.repeat(16), by: perBuyer + 1, limit: perBuyer }])],
    'buyer_limit',
  ],
];

describe('controls', () => {
  it.each(pushes)('a constraint of the database refuses to exceed the limit of the %s', async (_name, statements, constraint) => {
    const push = inTransaction(world.db, {}, (tx) => executeAll(tx, statements()));
    await expect(push).rejects.toMatchObject({ code: '23514', constraint });
  });

  it.each([
    ['item', () => `update item set quantity = sold - 1 where id = ${sale.scarce}`, 'item_quantity', 'item'],
    ['group', () => `update item set quantity = sold - 1 where id = ${sale.group}`, 'item_quantity', 'item'],
    ['session', () => `update event_session set capacity = sold - 1 where id = ${sale.sessions[0]}`, 'session_capacity', 'event_session'],
    [
      'period',
      () => `update sale_period set available = sold - 1 where item_id = ${sale.byPeriod}`,
      'sale_period_available',
      'sale_period',
    ],
    ['passkey', () => `update passkey set use_limit = used - 1 where id = ${sale.passkey}`, 'passkey_limit', 'passkey'],
    ['buyer', () => 'update item_buyer set most = taken - 1 where taken > 0', 'buyer_limit', 'item_buyer'],
  ])(
    'the checker detects sales above the limit of the %s, and a counter that is off by one',
    async (name, statement, constraint, table) => {
      const holder = await world.pool.connect();
      try {
        await holder.query('begin');
        await holder.query(`alter table ${table} drop constraint ${constraint}`);
        await holder.query(statement());
        expect((await stockDifferences(holder)).every((line) => line.startsWith(name))).toBe(true);
        expect(await stockDifferences(holder)).not.toEqual([]);
        await holder.query('rollback');
        await holder.query('begin');
        const [counter, where] =
          name === 'buyer' ? ['taken', 'taken > 0'] : name === 'passkey' ? ['used', 'used > 0'] : ['sold', 'sold > 0'];
        await holder.query(`update ${table} set ${counter} = ${counter} - 1 where ${where}`);
        expect(await stockDifferences(holder)).not.toEqual([]);
      } finally {
        await holder.query('rollback');
        holder.release();
      }
    },
  );

  /** Two orders for the last ticket. Without locks both are decided on the same counters. */
  async function raceWithoutLocks(itemId: number): Promise<PromiseSettledResult<unknown>[]> {
    const request = (n: number) => ({
      act: systemAct('createOrder', world.now),
      order: cart([itemId], () => 1, sale.sessions[1], { name: 'Racer', email: `racer${n}@test.test` }) as never,
    });
    const original = pg.Client.prototype.query as (...args: unknown[]) => unknown;
    let writes = 0;
    let bothWrite = (): void => undefined;
    const both = new Promise<void>((resolve) => {
      bothWrite = resolve;
    });
    pg.Client.prototype.query = function (this: pg.Client, { text, values }: pg.QueryConfig, ...rest: unknown[]) {
      const sent = original.call(this, { text: text.replaceAll(/for no key update( of \w+)?/g, ''), values }, ...rest);
      if (text.includes('insert into ticket_order ') && ++writes === 2) bothWrite();
      return sent;
    } as typeof pg.Client.prototype.query;
    try {
      return await Promise.allSettled(
        [1, 2].map((n) =>
          inTransaction(world.db, { once: true }, async (tx) => {
            const [outcome] = await createOrders(tx, [request(n)]);
            await both;
            return outcome;
          }),
        ),
      );
    } finally {
      pg.Client.prototype.query = original as typeof pg.Client.prototype.query;
    }
  }

  async function lastOne(): Promise<number> {
    const { id } = await write('POST', `/event/${sale.eventId}/session`, {
      name: 'More room',
      start: '2026-06-05 20:00:00',
      finish: '2026-06-05 23:00:00',
    });
    sale.sessions[1] = id;
    return newItem(sale.eventId, { quantity: 1, sessionIds: [id] });
  }

  it('without locks both orders for the last ticket are accepted, and the database refuses the second', async () => {
    world.now = noon;
    const itemId = await lastOne();
    const outcomes = await raceWithoutLocks(itemId);
    expect(outcomes.map(({ status }) => status).toSorted((a, b) => a.localeCompare(b))).toEqual(['fulfilled', 'rejected']);
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { constraint: 'item_quantity' } });
    expect(await stockDifferences(world.pool)).toEqual([]);
  });

  it('without locks and without the constraint the last ticket is sold twice, and the checker detects it', async () => {
    const itemId = await lastOne();
    await world.pool.query('alter table item drop constraint item_quantity');
    const outcomes = await raceWithoutLocks(itemId);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    expect(await stockDifferences(world.pool)).toEqual([`item ${itemId}: 0 sold and 2 held, by rows 0 and 2, of 1`]);
  });
});
