import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import Type from 'typebox';
import { afterEach, expect, it } from 'vitest';
import { eventually } from '../../test/eventually.ts';
import { useWorld } from '../../test/harness.ts';
import { createGate } from '../accounts/gate.ts';
import { scopes } from '../app.ts';
import { anyone } from '../kernel/access.ts';
import { route } from '../kernel/route.ts';
import { closed } from '../kernel/schema.ts';
import { batchLimits } from './batch-queue.ts';
import { capability } from './capability.ts';
import { mount } from './mount.ts';
import { createServer } from './server.ts';

const world = useWorld();
const apps: FastifyInstance[] = [];
const usualLimits = { ...batchLimits };
afterEach(async () => {
  Object.assign(batchLimits, usualLimits);
  for (const app of apps.splice(0)) await app.close();
});

const contract = {
  lockEvent: route({
    method: 'POST',
    path: '/lock-event',
    group: 'event',
    summary: 'Lock an event',
    access: anyone,
    body: closed({ event: Type.Integer() }),
    batched: true,
    unaudited: 'Nothing is written',
    answer: { status: 200, body: closed({ done: Type.Boolean() }) },
    examples: {},
  }),
};

/** An operation that locks the event of each request. `seen` records the events of every batch that was started. */
async function lockingOperation() {
  const seen = { arrived: 0, batches: [] as number[][] };
  const handlers = capability(contract, {
    lockEvent: {
      batchKey: ({ body }) => {
        seen.arrived++;
        return body.event;
      },
      run: async (tx, requests) => {
        const events = requests.map(({ input }) => input.body.event);
        seen.batches.push(events);
        for (const event of events) await sql`select pg_advisory_xact_lock(${event}::bigint)`.execute(tx);
        return requests.map(() => ({ done: true }));
      },
    },
  });
  const app = await createServer(world.config);
  apps.push(app);
  mount(app, { db: world.db, gate: createGate(world.db, scopes), clock: () => world.now, serve: world.config.serve }, [handlers]);
  return { seen, ask: (event: number) => app.inject({ method: 'POST', url: '/v1/lock-event', payload: { event } }) };
}

it('when one event of a shared batch is locked, the requests of the other events succeed', async () => {
  const { seen, ask } = await lockingOperation();
  const holder = await world.pool.connect();
  try {
    await holder.query('select pg_advisory_lock(1)');
    // No batch can start until all requests wait, so that all requests share a batch.
    batchLimits.openShare = 0;
    const [delayed, other] = [ask(1), ask(2)];
    await eventually('both requests wait', () => seen.arrived === 2);
    batchLimits.openShare = usualLimits.openShare;
    const last = ask(3);
    expect([(await other).statusCode, (await last).statusCode]).toEqual([200, 200]);
    expect(seen.batches[0]?.toSorted()).toEqual([1, 2, 3]);
    await holder.query('select pg_advisory_unlock(1)');
    expect((await delayed).statusCode).toBe(200);
  } finally {
    holder.release(true);
  }
});

it('requests of one event that arrive while a batch runs form the next batch', async () => {
  const { seen, ask } = await lockingOperation();
  const holder = await world.pool.connect();
  try {
    await holder.query('select pg_advisory_lock(1)');
    batchLimits.inFlight = 1;
    const asked = [ask(1)];
    await eventually('the first batch runs', () => seen.batches.length === 1);
    asked.push(ask(1), ask(1), ask(1));
    await eventually('the others wait', () => seen.arrived === 4);
    await holder.query('select pg_advisory_unlock(1)');
    expect((await Promise.all(asked)).map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
    expect(seen.batches).toEqual([[1], [1, 1, 1]]);
  } finally {
    holder.release(true);
  }
});
