import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { auditFindings } from '../../test/audit-findings.ts';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import type { PlacedOrder } from '../orders/order-schemas.ts';
import type { Bordero, Figures } from './contract.ts';

const world = useWorld();
const shop = shopOf(world);

interface Values {
  price: number;
  feeSale: number;
  feeProducer: number;
}

interface TestItem {
  id: number;
  values: Values;
  courtesy: boolean;
  passport: boolean;
  half: boolean;
}

/** An order line as the test remembers it, to compute the expected figures. */
interface Bought extends Values {
  item: TestItem;
  order: PlacedOrder;
  channel: number;
  method: string;
  session: number;
  quantity: number;
  refunded: number;
}

const testItems: TestItem[] = [];
const sessions: number[] = [];
const bought: Bought[] = [];

const channels = [1, 2, 3];
const cents = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 99_999 }));
const anyValues = fc.record({ price: cents, feeSale: cents, feeProducer: cents });

const sale = fc.record({
  kind: fc.constant('sale' as const),
  lines: fc.uniqueArray(fc.record({ item: fc.nat(5), quantity: fc.integer({ min: 1, max: 4 }) }), {
    minLength: 1,
    maxLength: 3,
    selector: ({ item }) => item,
  }),
  session: fc.nat(1),
  channel: fc.constantFrom(...channels),
  method: fc.constantFrom('card', 'cash'),
  end: fc.constantFrom('paid', 'paid', 'paid', 'paid', 'held', 'cancelled', 'declined'),
});
const refund = fc.record({
  kind: fc.constant('refund' as const),
  nth: fc.nat(1000),
  whole: fc.boolean(),
  quantity: fc.integer({ min: 1, max: 3 }),
  restock: fc.boolean(),
});
const reprice = fc.record({ kind: fc.constant('reprice' as const), item: fc.nat(5), values: anyValues });
type Step = typeof sale extends fc.Arbitrary<infer S> ? S | Refund | Reprice : never;
type Refund = typeof refund extends fc.Arbitrary<infer R> ? R : never;
type Reprice = typeof reprice extends fc.Arbitrary<infer R> ? R : never;

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof({ weight: 5, arbitrary: sale }, { weight: 3, arbitrary: refund }, { weight: 1, arbitrary: reprice }),
  { minLength: 4, maxLength: 12 },
);

async function make(name: string, item: object, values: Values, attributes = {}): Promise<void> {
  const id = await shop.newItem({ item: { name, ...item }, values, attributes, available: 100_000 });
  const span = { start: '2026-02-01 10:00:00', finish: '2026-06-01 20:00:00', available: 100_000 };
  for (const appCategoryId of channels.slice(1)) await shop.write('POST', `/items/${id}/sales-period`, { appCategoryId, ...span });
  const { type } = item as { type?: string };
  testItems.push({ id, values, courtesy: type === 'courtesy', passport: type === 'passport', half: 'halfPrice' in attributes });
}

beforeAll(async () => {
  const session = { name: 'Second', start: '2026-06-02 20:00:00', finish: '2026-06-02 23:00:00' };
  await shop.write('POST', `/event/${world.event}/session`, session);
  const { rows } = await world.pool.query<{ id: number }>('select id from event_session where event_id = $1 order by id', [world.event]);
  sessions.push(...rows.map(({ id }) => id));
  await make('Full', {}, { price: 8001, feeSale: 801, feeProducer: 199 });
  await make('Half', {}, { price: 4001, feeSale: 0, feeProducer: 401 }, { halfPrice: true });
  await make('Guest', { type: 'courtesy' }, { price: 0, feeSale: 0, feeProducer: 33 });
  await make('All days', { type: 'passport' }, { price: 15_000, feeSale: 1500, feeProducer: 0 });
  await make('Cheap', {}, { price: 10, feeSale: 1, feeProducer: 500 });
  await make('Open', {}, { price: 0, feeSale: 0, feeProducer: 0 });
});

async function sell({ lines, session, channel, method, end }: Extract<Step, { kind: 'sale' }>): Promise<void> {
  const ordered = lines.map(({ item, quantity }) => ({ item: testItems[item] as TestItem, quantity }));
  const sessionId = sessions[session] ?? 0;
  const items = ordered.map(({ item, quantity }) => ({ itemId: item.id, quantity }));
  const buyer = { name: 'Ana', email: 'ana@test.test' };
  const body = { eventId: world.event, sessionId, items, appCategoryId: channel, buyer };
  const placed = await world.call('POST', '/orders', { as: 'crew_sales_operator', body });
  expect(placed.statusCode, placed.body).toBe(201);
  const order = placed.json<PlacedOrder>();
  if (order.status === 'held' && !(await finishOrder(order, method, end))) return;
  for (const { item, quantity } of ordered) {
    const paidBy = order.status === 'held' ? method : 'free';
    bought.push({ item, order, ...item.values, quantity, refunded: 0, channel, method: paidBy, session: sessionId });
  }
}

/** Pays, cancels or declines the order. Returns whether it was paid. */
async function finishOrder(order: PlacedOrder, method: string, end: string): Promise<boolean> {
  if (end === 'held') return false;
  if (end === 'cancelled') return (await shop.cancel(order)).statusCode !== 200;
  const body = end === 'declined' ? { method: 'card', outcome: 'decline' } : { method };
  const response = await world.call('POST', `/orders/${order.id}/payment?secret=${order.secret}`, { as: 'crew_sales_operator', body });
  expect(response.statusCode, response.body).toBe(end === 'declined' ? 409 : 201);
  return end === 'paid';
}

async function refundLine({ nth, whole, quantity, restock }: Refund): Promise<void> {
  const left = bought.filter((line) => line.refunded < line.quantity);
  const line = left[nth % Math.max(1, left.length)];
  if (!line) return;
  const by = Math.min(quantity, line.quantity - line.refunded);
  const response = await shop.refund(line.order, { restock, ...(!whole && { lines: [{ itemId: line.item.id, quantity: by }] }) });
  expect(response.statusCode, response.body).toBe(200);
  if (!whole) line.refunded += by;
  else for (const each of bought) if (each.order.id === line.order.id) each.refunded = each.quantity;
}

async function changePrices({ item: nth, values }: Reprice): Promise<void> {
  const item = testItems[nth] as TestItem;
  const next = item.courtesy ? { ...values, price: 0, feeSale: 0 } : values;
  await shop.write('PUT', `/items/${item.id}/values`, next);
  item.values = next;
}

/** Computes the expected figures from the remembered order lines, independently of the service. */
function figures(lines: readonly Bought[]): Figures {
  const sum = { sold: 0, courtesy: 0, refunded: 0, gross: 0, feeSale: 0, feeProducer: 0, net: 0, paid: 0 };
  for (const { item, method, price, feeSale, feeProducer, quantity, refunded } of lines) {
    const kept = quantity - refunded;
    sum[item.courtesy ? 'courtesy' : 'sold'] += kept;
    sum.refunded += refunded;
    sum.gross += kept * price;
    sum.feeSale += kept * feeSale;
    if (method !== 'free') sum.feeProducer += kept * feeProducer;
  }
  sum.net = sum.gross - sum.feeProducer;
  sum.paid = sum.gross + sum.feeSale;
  return sum;
}

async function bordero(query = ''): Promise<Bordero> {
  const response = await world.call('GET', `/event/${world.event}/bordero${query}`, { as: 'crew_sales_manager' });
  expect(response.statusCode, response.body).toBe(200);
  return response.json();
}

async function expectBordero(): Promise<void> {
  const report = await bordero();
  expect(report.totals).toEqual({ offered: null, ...figures(bought) });
  for (const { appCategoryId, ...own } of report.channels) {
    expect(own).toEqual(figures(bought.filter(({ channel }) => channel === appCategoryId)));
  }
  for (const { method, ...own } of report.payments) expect(own).toEqual(figures(bought.filter((line) => line.method === method)));
  for (const { sessionId, items, totals } of report.sessions) {
    const lines = bought.filter(({ item, session }) => (sessionId === null ? item.passport : !item.passport && session === sessionId));
    expect(totals).toMatchObject(figures(lines));
    for (const { itemId, price, offered: _, name: _name, type: _type, halfPrice: _half, ...own } of items) {
      expect(own).toEqual(figures(lines.filter((line) => line.item.id === itemId && line.price === price)));
      expect(own.gross).toBe(own.sold * price);
    }
  }
  const counted = new Set(report.channels.map(({ appCategoryId }) => appCategoryId));
  expect(bought.filter(({ channel }) => !counted.has(channel))).toEqual([]);
  const half = figures(bought.filter(({ item }) => item.half));
  const share = report.totals.sold === 0 ? 0 : (100 * half.sold) / report.totals.sold;
  expect(report.halfPrice).toMatchObject({ sold: half.sold, gross: half.gross });
  expect(Math.abs(report.halfPrice.percent - share)).toBeLessThan(0.0051);
  for (const sessionId of sessions) {
    const lines = bought.filter(({ item, session }) => !item.passport && session === sessionId);
    expect((await bordero(`?sessionId=${sessionId}`)).totals).toMatchObject(figures(lines));
  }
}

describe('GET /event/{eventId}/bordero after random sales, refunds and price changes', () => {
  it('returns the sums of the orders in every part of the report', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (history) => {
        for (const step of history) {
          if (step.kind === 'sale') await sell(step);
          else if (step.kind === 'refund') await refundLine(step);
          else await changePrices(step);
        }
        await expectBordero();
      }),
      // Each run continues with the data of the previous run, so shrinking would not give a smaller example.
      { numRuns: 12, endOnFailure: true },
    );
    expect(bought.length).toBeGreaterThan(8);
    expect(bought.some(({ refunded }) => refunded > 0)).toBe(true);
  });

  it('does not change when payments are received and returned in full', async () => {
    const before = await bordero();
    const order = bought[0]?.order.id;
    const post = (reason: string, source: string, target: string) =>
      world.pool.query(
        `insert into ledger_posting (event_id, order_id, reason, source, target, amount, quantity, created_at)
         values ($1, $2, $3, $4, $5, 1234, 0, now())`,
        [world.event, order, reason, source, target],
      );
    for (const reason of ['late', 'overpaid']) {
      await post(reason, 'payment:card', 'suspense');
      await post(reason, 'suspense', 'payment:card');
    }
    expect((await bordero()).hash).toBe(before.hash);
  });

  it('equals a recount from the ledger and the order lines', async () => {
    const columns = 'event_id, item_id, session_ids, app_category_id, method, price';
    const sums = ['tickets', 'refunded', 'producer', 'platform', 'fee_sale'].map((name) => `sum(${name})::bigint as ${name}`).join(', ');
    const kept = `select ${columns}, ${sums}, min(first_at) as first_at, max(last_at) as last_at from sales_total group by ${columns}`;
    const counted = await world.pool.query(`select ${columns}, ${sums}, min(first_at) as first_at, max(last_at) as last_at
      from sales_recount group by ${columns} order by ${columns}`);
    expect((await world.pool.query(`${kept} order by ${columns}`)).rows).toEqual(counted.rows);
    const found = await auditFindings(world.db, 'reports show');
    expect(found).toEqual([]);
  });
});
