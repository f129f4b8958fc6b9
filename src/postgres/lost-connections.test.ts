import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { eventually } from '../../test/eventually.ts';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import { type SilentProxy, startSilentProxy } from '../../test/silent-proxy.ts';
import { createApp } from '../app.ts';
import { batchLimits } from '../http/batch-queue.ts';
import { toProblem } from '../http/problems.ts';
import { copyFrom } from './copy.ts';
import { type Connections, connect } from './database.ts';
import { inTransaction } from './transaction.ts';

const world = useWorld();
const shop = shopOf(world);
const usualDeadline = batchLimits.deadlineMs;
let itemId = 0;
let proxy: SilentProxy;
let app: FastifyInstance;
/** The same with a short query timeout. Its requests may fail on a slow machine, so a test repeats those that must succeed. */
let impatient: FastifyInstance;
const closings: (() => Promise<void>)[] = [];

async function openThrough(queryTimeoutMs?: number): Promise<{ connections: Connections; app: FastifyInstance }> {
  const options = { url: proxy.url, max: 4, secrets: world.db.secrets, onError: () => undefined };
  const connections = connect({ ...options, ...(queryTimeoutMs !== undefined && { queryTimeoutMs }) });
  const opened = await createApp(world.config, { ...connections, clock: () => world.now });
  closings.push(async () => {
    await opened.close();
    await connections.close();
  });
  return { connections, app: opened };
}

beforeAll(async () => {
  itemId = await shop.newItem();
  proxy = await startSilentProxy(world.url);
  ({ app } = await openThrough());
  ({ app: impatient } = await openThrough(500));
});

afterEach(() => {
  batchLimits.deadlineMs = usualDeadline;
});

afterAll(async () => {
  await Promise.all(closings.map((close) => close()));
  await proxy.close();
});

const order = (to: FastifyInstance, key: string) =>
  to.inject({
    method: 'POST',
    url: '/v1/orders',
    headers: { 'idempotency-key': key },
    payload: { eventId: world.event, items: [{ itemId, quantity: 1 }], buyer: { name: 'Ana Souza', email: 'ana@test.test' } },
  });

describe('when a connection goes silent', () => {
  it('a COPY into the database ends when the server takes no more bytes', async () => {
    const own = await startSilentProxy(world.url);
    const connections = connect({ url: own.url, max: 1, queryTimeoutMs: 500, secrets: world.db.secrets, onError: () => undefined });
    closings.push(async () => {
      await connections.close();
      await own.close();
    });
    let chunks = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (; ; chunks++) {
        if (chunks === 10) own.silenceOpen();
        yield Buffer.from('a line\n'.repeat(10_000));
      }
    }
    const copied = inTransaction(connections.db, { once: true }, async (tx) => {
      await sql`create temp table copied (line text) on commit drop`.execute(tx);
      return copyFrom(tx, 'copy copied from stdin', endless());
    });
    const error: unknown = await copied.catch((thrown: unknown) => thrown);
    expect(toProblem(error)).toMatchObject({ status: 503, code: 'unavailable' });
    expect(chunks).toBeGreaterThanOrEqual(10);
  });

  it('an order gets 503 at the deadline of its batch, and the next order uses a new connection', async () => {
    // The control has no deadline and no timeout. It shows that nothing else ends the wait.
    const control = await openThrough(3_600_000);
    batchLimits.deadlineMs = 3_600_000;
    expect((await order(control.app, 'warm-control')).statusCode).toBe(201);
    expect((await order(app, 'warm')).statusCode).toBe(201);
    proxy.silenceOpen();
    let controlEnded = false;
    const waiting = order(control.app, 'control').finally(() => {
      controlEnded = true;
    });
    await eventually('the control has begun its batch', () => control.connections.state().pools[0]?.used === 1);
    batchLimits.deadlineMs = 100;
    const refused = await order(app, 'silent');
    expect(refused.statusCode).toBe(503);
    expect(refused.json()).toMatchObject({ code: 'unavailable' });
    expect(refused.headers['retry-after']).toBe('1');
    expect(controlEnded).toBe(false);

    batchLimits.deadlineMs = usualDeadline;
    const repeated = await order(app, 'silent');
    expect(repeated.statusCode).toBe(201);
    await control.connections.close();
    await waiting;
  });

  it('a read gets 503 after the query timeout, and later reads use new connections', async () => {
    const read = () => impatient.inject(`/v1/event/${world.event}/tickets?passkey=none`);
    const succeeds = () => eventually('a read succeeds', async () => (await read()).statusCode === 403);
    await succeeds();
    proxy.silenceOpen();
    const refused = await read();
    expect({ status: refused.statusCode, code: refused.json().code }).toEqual({ status: 503, code: 'unavailable' });
    await succeeds();
  });

  it('the other connections of the pool are replaced too', async () => {
    const { pool } = (await openThrough()).connections;
    const sessions = async (): Promise<unknown[]> => {
      const clients = await Promise.all([1, 2, 3].map(() => pool.connect()));
      const ids = await Promise.all(clients.map(async (client) => (await client.query('select pg_backend_pid() as id')).rows[0]?.id));
      for (const client of clients) client.release();
      return ids;
    };
    const before = await sessions();
    // The control: without a fault, the connections are kept.
    expect(new Set(await sessions())).toEqual(new Set(before));
    pool.replaceConnections();
    const after = await sessions();
    expect(after.filter((id) => before.includes(id))).toEqual([]);
  });
});

describe('GET /readyz', () => {
  it('returns 503 while the connections of orders are silent, and 200 with new ones', async () => {
    const isReady = () => eventually('the process is ready', async () => (await impatient.inject('/readyz')).statusCode === 200);
    await isReady();
    proxy.silenceOpen();
    const refused = await impatient.inject('/readyz');
    expect([refused.statusCode, refused.json().detail]).toEqual([503, 'The database does not respond.']);
    await isReady();
  });

  it('returns 503 while a batch is stuck, although the database responds', async () => {
    const [lane, clock] = [world.app.batches.lane('stuck'), vi.spyOn(performance, 'now')];
    const ended = lane.started(1, 0);
    expect((await world.app.inject('/readyz')).statusCode).toBe(200);
    const later = performance.now() + 12_001;
    clock.mockImplementation(() => later);
    const { statusCode, detail } = await world.app
      .inject('/readyz')
      .then((refused) => ({ ...refused.json(), statusCode: refused.statusCode }));
    clock.mockRestore();
    expect([statusCode, detail]).toEqual([503, 'A batch of requests gets no response from the database.']);
    ended();
    expect((await world.app.inject('/readyz')).statusCode).toBe(200);
  });
});

describe('errors that mean the same for the client', () => {
  const databaseError = (code: string, message = 'refused') => Object.assign(new pg.DatabaseError(message, 0, 'error'), { code });
  const networkError = (code: string) => Object.assign(new Error(code), { code });
  const networkCodes = ['EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'ECONNRESET', 'ECONNREFUSED'];
  const failures: [string, Error][] = [
    ['a write on a standby', databaseError('25006', 'cannot execute INSERT in a read-only transaction')],
    ['a transaction on a standby', databaseError('0A000', 'cannot set transaction read-write mode during recovery')],
    ...networkCodes.map((code): [string, Error] => [code, networkError(code)]),
    ['several addresses', new AggregateError([networkError('ECONNREFUSED'), networkError('EHOSTUNREACH')])],
  ];
  it.each(failures)('%s returns 503 unavailable with Retry-After', (_name, error) => {
    const problem = toProblem(error);
    expect([problem.status, problem.code, problem.details.headers]).toEqual([503, 'unavailable', { 'retry-after': '1' }]);
  });

  it('another unsupported feature, or a GET that writes, is a bug and returns 500', async () => {
    expect(toProblem(databaseError('0A000', 'cannot use column reference')).status).toBe(500);
    const bug = await inTransaction(world.db, { readOnly: true }, (tx) => tx.deleteFrom('mail').execute()).catch((error: unknown) => error);
    expect(toProblem(bug).status).toBe(500);
  });
});

describe('session settings', () => {
  let connections: Connections;
  beforeAll(async () => {
    ({ connections } = await openThrough());
  });

  it('every session has the timeouts, although they are not parameters of the connection', async () => {
    const { rows } = await connections.pool.query<{ name: string; setting: string; source: string }>(
      `select name, setting, source from pg_settings
        where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout') order by name`,
    );
    expect(rows.map(({ setting, source }) => `${setting} ${source}`)).toEqual(['60000 session', '10000 session', '30000 session']);
  });

  it('work that waits long has connections of its own', async () => {
    await inTransaction(connections.longDb, {}, async () => {
      const used = connections.state().pools.map(({ name, used: inUse }) => [name, inUse]);
      expect(used).toEqual([
        ['requests', 0],
        ['long', 1],
      ]);
    });
    await eventually('the connection is free', () => connections.state().pools.every(({ used }) => used === 0));
  });
});
