import { afterEach, expect } from 'vitest';
import { systemAct } from '../src/kernel/act.ts';
import { buyerHashes } from '../src/orders/buyer-limits.ts';
import { expireOrders } from '../src/orders/expire-orders.ts';
import type { Order, PlacedOrder } from '../src/orders/order-schemas.ts';
import { auditFindings } from './audit-findings.ts';
import type { World } from './harness.ts';
import { shopOf, type Wanted } from './shop.ts';
import { stockDifferences } from './stock-differences.ts';
import { noon } from './world.ts';

/**
 * Returns functions for orders that are held without a buyer. Call it once at the top of a test file. After each test it sets the time back
 * to noon, runs the audit and compares all counters with the orders.
 */
export function lateBuyersOf(world: World) {
  const shop = shopOf(world);
  let people = 0;
  afterEach(async () => {
    world.now = noon;
    expect(await auditFindings(world.db)).toEqual([]);
    expect(await stockDifferences(world.pool)).toEqual([]);
  });

  /** Returns a new buyer, so that the limits of one test do not affect another test. */
  const newBuyer = (more: object = {}) => ({ name: 'Bia Lima', email: `bia${++people}@test.test`, ...more });
  const newDocument = (): string => `doc${++people}`;

  const at = ({ id, secret }: PlacedOrder, rest = '') => `/orders/${id}${rest}?secret=${secret}`;
  const holdAll = (items: readonly Wanted[], more: object = {}) => shop.hold(items, { buyer: undefined, ...more });
  const holdOne = (itemId: number) => holdAll([{ itemId, quantity: 1 }]);
  const set = (order: PlacedOrder, body: unknown, headers = {}) => world.call('PUT', at(order, '/buyer'), { body, headers });
  const read = async (order: PlacedOrder) => (await world.call('GET', at(order))).json<Order>();
  const payPix = (order: PlacedOrder) => world.call('POST', at(order, '/payment'), { body: { method: 'pix', outcome: 'never' } });
  const expireAll = () => expireOrders(world.db, systemAct('test', world.now));
  const limited = (maximumPerBuyer: number, more: object = {}) => shop.newItem({ attributes: { maximumPerBuyer }, ...more });

  /** Returns the counts of the item. The count of an e-mail address is under the address, other counts are under their hash. */
  async function countsOf(itemId: number, ...buyers: readonly { email: string }[]): Promise<Record<string, number>> {
    const { rows } = await world.pool.query<{ buyer: string; taken: number }>(
      `select encode(buyer, 'hex') as buyer, taken from item_buyer where item_id = $1`,
      [itemId],
    );
    const names = new Map(buyers.map(({ email }) => [buyerHashes({ email })[0], email]));
    return Object.fromEntries(rows.map(({ buyer, taken }) => [names.get(buyer) ?? buyer, taken]));
  }

  return { shop, newBuyer, newDocument, at, holdAll, holdOne, set, read, payPix, expireAll, limited, countsOf };
}
