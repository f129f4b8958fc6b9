import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { people } from '../src/demo/people.ts';
import { eventually } from './eventually.ts';
import type { Service } from './process.ts';
import { Dice, testSeed } from './random.ts';
import { stockDifferences } from './stock-differences.ts';
import { useProcesses } from './use-processes.ts';

const { demoDataFolder } = useProcesses();
/** The long form of `npm run trust` has 1,000 people and 500 refunds. */
const waiting = Number(process.env.WAITING_PEOPLE ?? 24);
const refunds = Number(process.env.WAITING_REFUNDS ?? 12);
const kills = Number(process.env.WAITING_KILLS ?? 1);
vi.setConfig({ testTimeout: 240_000 + waiting * 1_000 });

interface Sale {
  eventId: number;
  itemId: number;
  orders: number[];
}

const call = async (service: Service, path: string, body: object, token?: string) => {
  const answer = await service.call('POST', `/v1${path}`, { body, ...(token && { token }) });
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body as { id: number; secret: string };
};

/** Creates an item and sells all of it, in orders of one to three tickets. */
async function sellOut(service: Service, dice: Dice): Promise<Sale> {
  const { token } = await service.logIn(people.producer.email);
  const post = async (path: string, body: object) => (await call(service, path, body, token)).id;
  const eventId = await post('/event', { producerId: 1, title: 'Sold out', category: 'music', timezone: 'UTC', challenge: 'off' });
  await post(`/event/${eventId}/session`, { name: 'Night', start: '2098-06-01 20:00:00', finish: '2098-06-01 23:00:00' });
  await post(`/event/${eventId}/publish`, {});
  const wanted = Array.from({ length: refunds + 8 }, () => 1 + dice.below(3));
  const quantity = wanted.reduce((sum, n) => sum + n, 0);
  const itemId = await post('/items', { eventId, name: 'Standing', quantity });
  await post(`/items/${itemId}/values`, { price: 8000, feeSale: 800, feeProducer: 200 });
  const span = { start: '2020-01-01 00:00:00', finish: '2098-01-01 00:00:00' };
  await post(`/items/${itemId}/sales-period`, { appCategoryId: 1, ...span, available: quantity });
  const orders: number[] = [];
  const buy = async (n: number, i: number): Promise<void> => {
    const buyer = { name: 'Ana Souza', email: `buyer${i}@test.test` };
    const { id, secret } = await call(service, '/orders', { eventId, items: [{ itemId, quantity: n }], buyer });
    await call(service, `/orders/${id}/payment?secret=${secret}`, { method: 'card' });
    orders.push(id);
  };
  for (let from = 0; from < wanted.length; from += 10) await Promise.all(wanted.slice(from, from + 10).map((n, i) => buy(n, from + i)));
  return { eventId, itemId, orders: orders.toSorted((a, b) => a - b) };
}

/** Puts people with parties of one to four into one line. They are confirmed already, because nobody reads mails here. */
async function formLine(db: pg.Client, { eventId, itemId }: Sale, dice: Dice): Promise<void> {
  const parties = Array.from({ length: waiting }, () => 1 + dice.below(4));
  await db.query(
    `with line as (
       insert into waiting_line (event_id, item_id, session_id, waiting)
       select $1, $2, (select id from event_session where event_id = $1), $4 returning id)
     insert into waiting_entry (event_id, line_id, quantity, email, locale, status, place, created_at, confirmed_at)
     select $1, line.id, party, 'waiting' || nth || '@test.test', 'en', 'waiting', nextval('waiting_place'), now(), now()
       from line, unnest($3::int[]) with ordinality as p (party, nth) order by nth`,
    [eventId, itemId, parties, parties.reduce((sum, n) => sum + n, 0)],
  );
}

/** Sends a request until the service answers it. The service may be dead for a while. */
async function insist(send: () => Promise<{ status: number }>): Promise<number> {
  for (;;) {
    try {
      const { status } = await send();
      if (status !== 503) return status;
    } catch {
      // The connection broke, because the service was killed.
    }
    await sleep(50);
  }
}

/** Buyers in the shop who try to snatch what comes back. Returns how many orders they got. */
function startShoppers({ eventId, itemId }: Sale, service: () => Service) {
  let open = true;
  let snatched = 0;
  let tries = 0;
  const shopper = async (): Promise<void> => {
    for (; open; tries++) {
      const body = { eventId, items: [{ itemId, quantity: 1 }] };
      if ((await insist(() => service().call('POST', '/v1/orders', { body }))) === 201) snatched++;
      // Leaves the processor to the refunds.
      await sleep(50);
    }
  };
  const running = Promise.all(Array.from({ length: 4 }, shopper));
  return async () => {
    open = false;
    await running;
    return { snatched, tries };
  };
}

/** Compares the entries with the orders and with the stock. Returns what is wrong. */
async function findFaults(db: pg.Client, { eventId, itemId }: Sale) {
  const query = async (text: string) => (await db.query<{ n: number }>(text, [eventId, itemId])).rows.map(({ n }) => n);
  const ofLine = `from waiting_entry e where e.event_id = $1 and $2 = $2`;
  return {
    counters: await stockDifferences(db),
    // A party got another number of tickets than it waits for.
    wrongQuantity: await query(
      `select e.id::int as n from waiting_entry e join order_line l on l.event_id = e.event_id and l.order_id = e.order_id
        where e.event_id = $1 and (l.item_id <> $2 or l.quantity <> e.quantity)`,
    ),
    // Somebody got an offer before a person with an earlier place.
    outOfOrder: await query(
      `select e.id::int as n ${ofLine} and e.order_id is not null
          and e.place > (select min(place) from waiting_entry w where w.event_id = $1 and w.status = 'waiting')`,
    ),
    // Orders of the event that are neither the first sales nor offers: two offers for one person, or a lost offer.
    strayOrders: await query(
      `select o.id::int as n from ticket_order o where o.event_id = $1 and $2 = $2 and o.buyer_email is null and o.status <> 'cancelled'
          and not exists (select from waiting_entry e where e.event_id = o.event_id and e.order_id = o.id)`,
    ),
    // Tickets are free, and the first in line could get them.
    notOffered: await query(
      `select (i.quantity - i.sold - i.held) as n from item i where i.event_id = $1 and i.id = $2
          and i.quantity - i.sold - i.held >= (select quantity from waiting_entry w where w.event_id = $1 and w.status = 'waiting' order by place limit 1)`,
    ),
    wrongCount: await query(
      `select l.id::int as n from waiting_line l where l.event_id = $1 and l.item_id = $2 and l.waiting <>
              (select coalesce(sum(quantity), 0) from waiting_entry e where e.event_id = l.event_id and e.line_id = l.id and e.status = 'waiting')`,
    ),
  };
}

const noFaults = { counters: [], wrongQuantity: [], outOfOrder: [], strayOrders: [], notOffered: [], wrongCount: [] };

describe('a waiting list whose service is killed while orders are refunded', () => {
  it(`offers what ${refunds} refunds return to ${waiting} people, in order and once; control: each fault is detected`, async () => {
    const dice = new Dice(testSeed, 0);
    const folder = demoDataFolder();
    let service = await folder.serve({ RATE_LIMIT: 'off' });
    const sale = await sellOut(service, dice);
    let db = await folder.connect();
    await formLine(db, sale, dice);
    const endShoppers = startShoppers(sale, () => service);

    const chosen = sale.orders.toSorted(() => dice.next() - 0.5).slice(0, refunds);
    let { token } = await service.logIn(people.producer.email);
    for (const [i, id] of chosen.entries()) {
      const status = await insist(() => service.call('POST', `/v1/orders/${id}/refund`, { body: {}, token }));
      // A refund whose response was lost is not repeated.
      expect([200, 409]).toContain(status);
      // Some people let their offer lapse.
      if (dice.chance(0.2)) {
        await db.query(
          `update ticket_order set expires_at = now() where event_id = $1 and id = (
             select min(order_id) from waiting_entry where event_id = $1 and status = 'offered') and status = 'held'`,
          [sale.eventId],
        );
      }
      if ((i + 1) % Math.ceil(refunds / (kills + 1)) === 0 && i + 1 < refunds) {
        await sleep(dice.below(300));
        // The embedded database ends with the service.
        await db.end();
        await service.end('SIGKILL');
        service = await folder.serve({ RATE_LIMIT: 'off' });
        db = await folder.connect();
        ({ token } = await service.logIn(people.producer.email));
      }
    }
    await eventually('all tickets are offered', async () => {
      const { rows } = await db.query(
        `select from waiting_entry e join ticket_order o on o.event_id = e.event_id and o.id = e.order_id
          where e.event_id = $1 and e.status = 'offered' and (o.status <> 'held' or o.expires_at <= now())`,
        [sale.eventId],
      );
      return rows.length === 0 && (await findFaults(db, sale)).notOffered.length === 0;
    });
    const { snatched, tries } = await endShoppers();
    expect(snatched).toBe(0);
    expect(tries).toBeGreaterThan(0);
    expect(await findFaults(db, sale)).toEqual(noFaults);
    await expectFaultsSeen(db, sale);
    const { rows } = await db.query<{ status: string; n: number }>(
      `select status, count(*)::int as n from waiting_entry where event_id = $1 group by 1 order by 1`,
      [sale.eventId],
    );
    expect(rows.find(({ status }) => status === 'offered')?.n).toBeGreaterThan(0);
    if (process.env.WAITING_PEOPLE) console.info({ waiting, refunds, kills, tries, entries: rows });
    await db.end();
    expect((await service.end('SIGTERM')).code).toBe(0);
  });
});

/** Controls: creates each fault in the rows, and expects that `findFaults` reports it. */
async function expectFaultsSeen(db: pg.Client, sale: Sale): Promise<void> {
  const last = `(select max(place) from waiting_entry where event_id = ${sale.eventId} and status = 'waiting')`;
  const offer = `(select max(order_id) from waiting_entry where event_id = ${sale.eventId} and status = 'offered')`;
  for (const [statement, fault] of [
    [`update order_line set quantity = quantity + 1 where order_id = ${offer}`, 'wrongQuantity'],
    [`update waiting_entry set status = 'offered', order_id = ${sale.orders[0]} where place = ${last}`, 'outOfOrder'],
    [`update waiting_entry set status = 'waiting', order_id = null where order_id = ${offer}`, 'strayOrders'],
    [`update item set held = held - 4, sold = sold - 4 where id = ${sale.itemId}`, 'notOffered'],
    [`update waiting_line set waiting = waiting + 1 where event_id = ${sale.eventId}`, 'wrongCount'],
    [`update item set sold = sold - 1 where id = ${sale.itemId}`, 'counters'],
  ] as const) {
    await db.query('begin');
    await db.query(statement);
    expect((await findFaults(db, sale))[fault], statement).not.toEqual([]);
    await db.query('rollback');
  }
}
