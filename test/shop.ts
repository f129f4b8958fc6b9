import type { LightMyRequestResponse } from 'fastify';
import type { PlacedOrder } from '../src/orders/order-schemas.ts';
import type { World } from './harness.ts';

interface NewItem {
  /** Fields of the item other than its name. */
  item?: object;
  values?: { price: number; feeSale: number; feeProducer: number };
  available?: number;
  attributes?: Record<string, number | boolean>;
}

export interface Wanted {
  itemId: number;
  quantity: number;
}

const usual = { price: 5000, feeSale: 500, feeProducer: 0 };

/** Returns functions that create items in the first event and buy them. */
export const shopOf = (world: World) => {
  async function write<T = { id: number }>(method: 'POST' | 'PUT', path: string, body: object): Promise<T> {
    const answer = await world.call(method, path, { as: 'owner', body });
    if (answer.statusCode >= 300) throw new Error(answer.body);
    return answer.json<T>();
  }

  async function newItem({ item = {}, values = usual, available = 1000, attributes = {} }: NewItem = {}): Promise<number> {
    const { id } = await write('POST', '/items', { eventId: world.event, name: 'Seat', ...item });
    await write('POST', `/items/${id}/values`, values);
    const span = { start: '2026-02-01 10:00:00', finish: '2026-06-01 20:00:00' };
    await write('POST', `/items/${id}/sales-period`, { appCategoryId: 1, ...span, available });
    for (const [key, value] of Object.entries(attributes)) {
      await write('POST', `/items/${id}/attributes`, { key, value, type: typeof value === 'number' ? 'integer' : 'boolean' });
    }
    return id;
  }

  const place = (items: readonly Wanted[], more: object = {}): Promise<LightMyRequestResponse> =>
    world.call('POST', '/orders', { body: { eventId: world.event, items, buyer: { name: 'Ana Souza', email: 'ana@test.test' }, ...more } });

  async function hold(items: readonly Wanted[], more: object = {}): Promise<PlacedOrder> {
    const answer = await place(items, more);
    if (answer.statusCode !== 201) throw new Error(answer.body);
    return answer.json();
  }

  const pay = ({ id, secret }: PlacedOrder): Promise<LightMyRequestResponse> =>
    world.call('POST', `/orders/${id}/payment?secret=${secret}`, { body: { method: 'card' } });

  async function buy(items: readonly Wanted[], more: object = {}): Promise<PlacedOrder> {
    const order = await hold(items, more);
    const answer = order.status === 'approved' ? null : await pay(order);
    if (answer && answer.statusCode !== 201) throw new Error(answer.body);
    return order;
  }

  const cancel = ({ id, secret }: PlacedOrder): Promise<LightMyRequestResponse> =>
    world.call('POST', `/orders/${id}/cancel?secret=${secret}`);

  const refund = ({ id }: { id: number }, body: object = {}): Promise<LightMyRequestResponse> =>
    world.call('POST', `/orders/${id}/refund`, { as: 'crew_sales_manager', body });

  async function importCodes(itemId: number, ...codes: string[]): Promise<void> {
    const statement = `insert into external_code (event_id, item_id, code, created_at) select event_id, id, unnest($2::text[]), now() from item where id = $1`;
    await world.pool.query(statement, [itemId, codes]);
  }

  return { write, newItem, place, hold, pay, buy, cancel, refund, importCodes };
};
