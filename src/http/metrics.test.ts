import { readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import { createApp } from '../app.ts';
import { connect } from '../postgres/database.ts';
import { databaseMetrics } from './database-metrics.ts';

const world = useWorld();
const shop = shopOf(world);

beforeAll(async () => {
  const itemId = await shop.newItem();
  await shop.buy([{ itemId, quantity: 1 }]);
  await shop.hold([{ itemId, quantity: 1 }]);
});

/** The values of the metrics, by name and labels. */
const valuesOf = (text: string): Map<string, number> =>
  new Map(
    text
      .split('\n')
      .filter((line) => line.startsWith('tessera_'))
      .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  );

it('GET /metrics has what an alert or an autoscaler needs', async () => {
  const values = valuesOf((await world.app.inject('/metrics')).body);
  expect(values.get('tessera_batch_size_count{lane="createOrder"}')).toBe(2);
  expect(values.get('tessera_batch_wait_seconds_count{lane="payOrder"}')).toBe(1);
  expect(values.get('tessera_batch_waiting{lane="createOrder"}')).toBe(0);
  expect(values.get('tessera_batch_refused_total{lane="createOrder"}')).toBe(0);
  expect(values.get('tessera_recent_orders{status="approved"}')).toBe(1);
  expect(values.get('tessera_recent_orders{status="held"}')).toBe(1);
  expect(values.get('tessera_outbox_age_seconds{outbox="mail"}')).toBeGreaterThanOrEqual(0);
});

it('alerts, dashboard and documentation use only metrics that exist', async () => {
  const { body } = await world.app.inject('/metrics');
  const served = new Set([...body.matchAll(/^# TYPE (tessera_\w+)/gm)].map(([, name]) => name));
  const ofConnections = databaseMetrics({ ...world, readDb: world.db }).map(({ name }) => name);
  // The command `tessera audit --metrics` writes these.
  const known = new Set([...served, ...ofConnections, 'tessera_invariant_violations', 'tessera_audit_time_seconds']);
  for (const file of ['deploy/alerts.yml', 'deploy/grafana.json', 'docs/operations.md']) {
    const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
    const used = [...text.matchAll(/\btessera_[a-z_]+/g)].map(([name]) => name.replace(/_(count|sum|bucket)$/, ''));
    expect(used.length).toBeGreaterThan(15);
    expect(used.filter((name) => !known.has(name))).toEqual([]);
  }
});

it('GET /metrics has the state of the connections and of the servers', async () => {
  const connections = connect({ url: world.url, readUrl: world.url, max: 3, secrets: world.db.secrets, onError: () => undefined });
  const app = await createApp(world.config, { ...connections, clock: () => world.now });
  const values = valuesOf((await app.inject('/metrics')).body);
  await app.close();
  await connections.close();
  expect(values.get('tessera_pool_max{pool="requests"}')).toBe(3);
  expect([...values.keys()].filter((name) => name.startsWith('tessera_pool_waiting'))).toHaveLength(3);
  expect(values.get('tessera_pool_used{pool="long"}')).toBe(0);
  expect(values.get('tessera_listener_connected{channel="page_changed"}') ?? 'no such channel').toBeTypeOf('number');
  expect(values.get('tessera_database_standby{server="primary"}')).toBe(0);
  expect(values.get('tessera_database_standby{server="replica"}')).toBe(0);
  expect(values.get('tessera_replication_lag_seconds{server="replica of this process"}')).toBe(0);
});
