import { setTimeout as sleep } from 'node:timers/promises';
import { waitAndBuy } from './wait-and-buy.ts';
import { expectStatus, pay, placeOrder, type SoakWorld } from './world.ts';

const mixedClients = 16;
const waitingClients = 24;
/** How long a client pauses between two activities, on average. */
const pauseMs = 100;

/** A kind of load. Add an entry to `mixed` to soak another part of the service. */
interface Activity {
  name: string;
  /** How often it is chosen, relative to the others. */
  weight: number;
  /** Returns whether it did something. */
  run(world: SoakWorld): Promise<boolean>;
}

async function browse(world: SoakWorld): Promise<boolean> {
  const { client, sale } = world;
  const paths = [`/v1/event/${sale.eventId}`, `/v1/event/${sale.eventId}/tickets`, '/en/', `/en/?visit=${world.people}`, '/v1/event/1'];
  const path = paths[++world.people % paths.length] ?? '/';
  return expectStatus(world, await client.send({ method: 'GET', path }), 200, 'browse');
}

/** Orders one or two tickets. Two in three buyers pay. The others cancel, or leave the hold until it expires. */
async function order(world: SoakWorld): Promise<boolean> {
  const { client, sale } = world;
  const n = world.people;
  const placed = await placeOrder(world, sale, { quantity: 1 + (n % 2) });
  if (!placed) return false;
  if (n % 6 === 0) return true;
  if (n % 6 === 1) {
    const path = `/v1/event/${sale.eventId}/orders/${placed.id}/cancel?secret=${placed.secret}`;
    return expectStatus(world, await client.send({ method: 'POST', path, body: {} }), 200, 'cancel');
  }
  const isPaid = await pay(world, sale, placed);
  if (isPaid) world.paid.push(placed);
  return isPaid;
}

async function refund(world: SoakWorld): Promise<boolean> {
  const paid = world.paid.pop();
  if (!paid) return false;
  const path = `/v1/orders/${paid.id}/refund`;
  const response = await world.client.send({ method: 'POST', path, body: { reason: 'Soak' }, token: await world.shop.token() });
  return expectStatus(world, response, 200, 'refund');
}

async function scan(world: SoakWorld): Promise<boolean> {
  const paid = world.paid.pop();
  if (!paid) return false;
  const { client, sale, shop } = world;
  const listed = await client.send({ method: 'GET', path: `/v1/orders/${paid.id}/tickets?secret=${paid.secret}` });
  if (!expectStatus(world, listed, 200, 'tickets')) return false;
  const { data } = listed.body as { data: { code: string }[] };
  const entries = data.map(({ code }) => ({
    code,
    at: new Date().toISOString(),
    gate: 'Gate A',
    device: 'phone-1',
    nonce: crypto.randomUUID(),
  }));
  const body = { entries };
  const path = `/v1/event/${sale.eventId}/checkins`;
  return expectStatus(world, await client.send({ method: 'POST', path, body, token: await shop.token() }), 200, 'scan');
}

const exportMs = 120_000;

async function exportOrders(world: SoakWorld): Promise<boolean> {
  const { client, sale, shop } = world;
  // A new filter each time, because the same request would return the existing export.
  const from = new Date(Date.UTC(2001, 0, 1) + ++world.people * 1_000).toISOString().slice(0, 19).replace('T', ' ');
  const path = `/v1/event/${sale.eventId}/export`;
  const body = { filters: [{ name: 'from', value: from }] };
  const made = await client.send({ method: 'POST', path, body, token: await shop.token() });
  // 429: the worker could not keep up with the exports of this user.
  if (made?.status === 429 || !expectStatus(world, made, 202, 'export')) return false;
  const { id } = made.body as { id: number };
  for (const end = performance.now() + exportMs; performance.now() < end && !client.stopped; await sleep(500)) {
    const read = await client.send({ method: 'GET', path: `/v1/exports/${id}`, token: await shop.token() });
    const { status } = (read?.body ?? {}) as { status?: string };
    if (status === 'ready') return true;
    if (status === 'failed') client.fault('an export failed');
  }
  if (!client.stopped) client.fault(`an export was not ready after ${exportMs / 1_000} s`);
  return false;
}

/** The mixed load. */
const mixed: readonly Activity[] = [
  { name: 'browse', weight: 50, run: browse },
  { name: 'order', weight: 30, run: order },
  { name: 'refund', weight: 5, run: refund },
  { name: 'scan', weight: 10, run: scan },
  { name: 'export', weight: 1, run: exportOrders },
];

/** Visitors of the waiting room have their own turns, because they wait most of the time. */
const waiting: readonly Activity[] = [{ name: 'wait', weight: 1, run: waitAndBuy }];

/** Starts all clients. Resolves when the client of the world is stopped and all have ended what they were doing. */
export async function stayActive(world: SoakWorld): Promise<void> {
  await Promise.all([
    ...Array.from({ length: mixedClients }, () => repeat(world, mixed)),
    ...Array.from({ length: waitingClients }, () => repeat(world, waiting)),
  ]);
}

async function repeat(world: SoakWorld, activities: readonly Activity[]): Promise<void> {
  const turns = activities.flatMap((activity) => Array.from({ length: activity.weight }, () => activity));
  while (!world.client.stopped) {
    const activity = turns[Math.floor(Math.random() * turns.length)] as Activity;
    if (await activity.run(world)) world.done.set(activity.name, (world.done.get(activity.name) ?? 0) + 1);
    await sleep(pauseMs * 2 * Math.random());
  }
}
