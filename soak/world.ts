import type { Sale, Shop } from '../bench/shop.ts';
import type { SoakClient, SoakResponse } from './client.ts';

/** An order that was just placed. */
export interface PlacedOrder {
  id: number;
  secret: string;
}

/** What the activities share. */
export interface SoakWorld {
  client: SoakClient;
  shop: Shop;
  sale: Sale;
  /** An event with a waiting room. */
  queued: Sale;
  /** Paid orders that nobody has refunded or scanned yet. The last ones are taken first. */
  paid: PlacedOrder[];
  /** The number of the next buyer. */
  people: number;
  /** What was done, by activity. */
  done: Map<string, number>;
}

/** Whether the response has this status. Another status is a fault. A missing response is not, because the run may have ended. */
export function expectStatus(
  { client }: SoakWorld,
  response: SoakResponse | null,
  expected: number,
  what: string,
): response is SoakResponse {
  if (response === null) return false;
  if (response.status !== expected && response.status < 500) client.fault(`${what} returned ${response.status}, expected ${expected}`);
  return response.status === expected;
}

/** Orders tickets of an event. Returns null if there is no order. */
export async function placeOrder(
  world: SoakWorld,
  { eventId, itemIds: [itemId] }: Sale,
  { quantity, admission }: { quantity: number; admission?: string },
): Promise<PlacedOrder | null> {
  const n = ++world.people;
  const buyer = { name: 'Ana Souza', email: `ana${n}@example.com`, document: String(100_000_000 + n) };
  const body = { items: [{ itemId, quantity }], buyer, ...(admission && { admission }) };
  const placed = await world.client.send({ method: 'POST', path: `/v1/event/${eventId}/orders`, body });
  return expectStatus(world, placed, 201, 'order') ? (placed.body as PlacedOrder) : null;
}

export async function pay(world: SoakWorld, { eventId }: Sale, { id, secret }: PlacedOrder): Promise<boolean> {
  const path = `/v1/event/${eventId}/orders/${id}/payment?secret=${secret}`;
  return expectStatus(world, await world.client.send({ method: 'POST', path, body: { method: 'card' } }), 201, 'payment');
}
