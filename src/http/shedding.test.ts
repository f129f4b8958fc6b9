import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { eventually } from '../../test/eventually.ts';
import { useWorld } from '../../test/harness.ts';
import { createGate } from '../accounts/gate.ts';
import { scopes } from '../app.ts';
import { anyone } from '../kernel/access.ts';
import { route } from '../kernel/route.ts';
import { closed } from '../kernel/schema.ts';
import { capability } from './capability.ts';
import { mount } from './mount.ts';
import { createServer } from './server.ts';

const world = useWorld();
const apps: FastifyInstance[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const app of apps.splice(0)) await app.close();
});

const contract = {
  queueUp: route({
    method: 'POST',
    path: '/queue-up',
    group: 'event',
    summary: 'Wait in the queue',
    access: anyone,
    body: closed({}),
    batched: true,
    unaudited: 'Nothing is written',
    answer: { status: 200, body: closed({ done: Type.Boolean() }) },
    examples: {},
  }),
};

/** An operation whose batches end when the test calls `release`. `seen` counts its requests and batches. */
async function slowOperation(shedding: boolean) {
  const seen = { arrived: 0, batches: 0 };
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const app = await createServer(world.config);
  apps.push(app);
  const handlers = capability(contract, {
    queueUp: {
      batchKey: () => {
        seen.arrived++;
        return 0;
      },
      run: async (_tx, requests) => {
        seen.batches++;
        await released;
        return requests.map(() => ({ done: true }));
      },
    },
  });
  const gate = createGate(world.db, scopes);
  mount(app, { db: world.db, gate, clock: () => world.now, serve: world.config.serve, shedding }, [handlers]);
  return { seen, release, ask: () => app.inject({ method: 'POST', url: '/v1/queue-up', payload: {} }) };
}

/** Sends two requests one after the other. While the batch of the first runs, the second waits for more than a second. */
async function askWhileBusy(shedding: boolean) {
  const { seen, release, ask } = await slowOperation(shedding);
  const start = performance.now();
  const clock = vi.spyOn(performance, 'now').mockReturnValue(start);
  const first = ask();
  await eventually('the first batch is under way', () => seen.batches === 1);
  const second = ask();
  await eventually('the second request waits', () => seen.arrived === 2);
  clock.mockReturnValue(start + 1_001);
  release();
  return Promise.all([first, second]);
}

describe('load shedding', () => {
  it('returns 503 with Retry-After to a request that has waited for more than a second', async () => {
    const [first, second] = await askWhileBusy(true);
    expect(first.statusCode).toBe(200);
    expect(second.json()).toMatchObject({ status: 503, code: 'overloaded', detail: 'Too many requests are waiting. Try again later.' });
    expect(Number(second.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  });

  it('control: with LOAD_SHEDDING=off the request gets 200, however long it has waited', async () => {
    expect((await askWhileBusy(false)).map(({ statusCode }) => statusCode)).toEqual([200, 200]);
  });
});
