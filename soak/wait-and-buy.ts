import { setTimeout as sleep } from 'node:timers/promises';
import { turnOf } from '../bench/queue-visitors.ts';
import type { Queue, QueueNumber, QueuePlace } from '../src/waiting-room/contract.ts';
import { expectStatus, pay, placeOrder, type SoakWorld } from './world.ts';

/** How many visitors are admitted per minute. There are more visitors than are admitted in some seconds, so each of them waits. */
export const admitPerMinute = 120;
const pollMs = 1_000;
const maxWaitMs = 300_000;

/** Takes a number, polls the public file until its turn has come, and buys a ticket with the admission. */
export async function waitAndBuy(world: SoakWorld): Promise<boolean> {
  const { client, queued } = world;
  const joined = await client.send({ method: 'POST', path: `/v1/queue/${queued.eventId}/numbers` });
  if (!expectStatus(world, joined, 201, 'joining the queue')) return false;
  const { ticket } = joined.body as QueueNumber;
  for (const end = performance.now() + maxWaitMs; performance.now() < end && !client.stopped; await sleep(pollMs)) {
    const claimed = await claim(world, ticket);
    if (claimed?.state === 'admitted' && claimed.admission) return buy(world, claimed.admission);
    if (claimed?.state === 'missed') {
      client.fault('a turn was missed');
      return false;
    }
    if (claimed?.state === 'waiting' && claimed.place !== null) await waitForTurn(world, claimed.place, end);
  }
  if (!client.stopped) client.fault(`no turn in the queue after ${maxWaitMs / 1_000} s`);
  return false;
}

async function claim(world: SoakWorld, ticket: string): Promise<QueuePlace | null> {
  const response = await world.client.send({ method: 'POST', path: `/v1/queue/${world.queued.eventId}/place`, body: { ticket } });
  return expectStatus(world, response, 200, 'asking for the place') ? (response.body as QueuePlace) : null;
}

/** Polls like the page of the waiting room, which computes from the public file when its turn comes. */
async function waitForTurn(world: SoakWorld, place: number, end: number): Promise<void> {
  const { client, queued } = world;
  while (performance.now() < end && !client.stopped) {
    const response = await client.send({ method: 'GET', path: `/v1/queue/${queued.eventId}` });
    if (!expectStatus(world, response, 200, 'polling the queue')) continue;
    const wait = turnOf(response.body as Queue, place) - Date.now();
    if (wait <= 0) return;
    await sleep(Math.min(wait, pollMs));
  }
}

async function buy(world: SoakWorld, admission: string): Promise<boolean> {
  const placed = await placeOrder(world, world.queued, { quantity: 1, admission });
  return placed !== null && pay(world, world.queued, placed);
}
