import { expect } from 'vitest';
import { numberChanges } from '../src/platform/changes/number-changes.ts';
import type { Changes, Delivery, Webhook, WebhookWithSecret } from '../src/webhooks/contract.ts';
import { deliverTo } from '../src/webhooks/deliver.ts';
import { createPost, type PostOptions } from '../src/webhooks/post.ts';
import { queueDeliveries } from '../src/webhooks/queue-deliveries.ts';
import { selectDueWebhooks } from '../src/webhooks/webhooks.sql.ts';
import type { World } from './harness.ts';
import { noon } from './world.ts';

/** Returns functions that manage the webhooks of the first producer and do the work of the worker. */
export function webhooksOf(world: World) {
  const base = `/producers/${world.producer}/webhooks`;

  /** Access tokens expire after minutes, so requests are made at noon. */
  async function atNoon<T>(request: () => Promise<T>): Promise<T> {
    const { now } = world;
    world.now = noon;
    try {
      return await request();
    } finally {
      world.now = now;
    }
  }

  async function create(url: string, types = ['order.approved', 'order.refunded']): Promise<WebhookWithSecret> {
    const answer = await world.call('POST', base, { as: 'owner', body: { url, types } });
    expect(answer.statusCode, answer.body).toBe(201);
    return answer.json();
  }

  /** What the worker does in one round. */
  async function work(options: Partial<PostOptions> = {}): Promise<void> {
    while ((await numberChanges(world.db)) > 0);
    await queueDeliveries(world.db, world.now);
    const post = createPost({ allowPrivate: true, ...options });
    const context = { db: world.db, clock: () => world.now, post, testMoney: true, signal: new AbortController().signal };
    for (const { id } of await selectDueWebhooks(world.db, world.now)) await deliverTo(context, id);
  }

  const list = async (id: number): Promise<Delivery[]> =>
    (await atNoon(() => world.call('GET', `${base}/${id}/deliveries`, { as: 'owner' }))).json<{ data: Delivery[] }>().data;

  const get = async (id: number): Promise<Webhook> => (await atNoon(() => world.call('GET', `${base}/${id}`, { as: 'owner' }))).json();

  async function readChanges(since?: string, pageSize = 100): Promise<Changes> {
    const query = new URLSearchParams({ pageSize: String(pageSize), ...(since !== undefined && { since }) });
    const answer = await world.call('GET', `/producers/${world.producer}/changes?${query.toString()}`, { as: 'manager' });
    expect(answer.statusCode, answer.body).toBe(200);
    return answer.json();
  }

  return { base, atNoon, create, work, list, get, readChanges };
}
