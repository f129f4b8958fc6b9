import { hash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { Problem } from '../kernel/problem.ts';

/** A gauge whose values are read when the metrics are requested. */
export interface GaugeSource {
  name: string;
  help: string;
  label: string;
  read(): Promise<readonly (readonly [value: string, n: number])[]>;
}

export interface MetricsAccess {
  /** The bearer token. Null means that only clients on this machine may read metrics. */
  metricsToken: string | null;
  /** If true, a proxy on this machine may forward requests of other machines. So metrics need a token. */
  hasPublicUrl: boolean;
}

/** Serves Prometheus metrics: those of the process, the duration of requests by operation and status, and the given gauges. */
export function serveMetrics(app: FastifyInstance, access: MetricsAccess, readings: readonly GaugeSource[]): void {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const seconds = new Histogram({
    name: 'tessera_request_seconds',
    help: 'Duration of requests in seconds',
    labelNames: ['operation', 'status'] as const,
    buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10],
    registers: [registry],
  });
  // Cached, because looking up a histogram by its labels costs more than the observation.
  const histograms = new Map<string, Histogram.Internal<'operation' | 'status'>>();
  const histogramOf = (operation: string, status: number) => {
    const key = `${operation} ${status}`;
    const histogram = histograms.get(key) ?? seconds.labels({ operation, status: String(status) });
    histograms.set(key, histogram);
    return histogram;
  };
  countCachedPages(app, registry);
  for (const reading of readings) register(reading, registry);
  for (const metric of app.batches.metrics()) registry.registerMetric(metric);
  app.addHook('onResponse', (request, reply, done) => {
    done();
    histogramOf(request.routeOptions.config.operation ?? 'other', reply.statusCode).observe(reply.elapsedTime / 1000);
  });
  app.get('/metrics', { config: { unlisted: true } }, async (request, reply) => {
    if (!mayRead(access, request)) throw new Problem('not_found');
    return reply.header('content-type', registry.contentType).send(await registry.metrics());
  });
  app.addHook('onClose', async () => registry.clear());
}

/** If reading the values fails, only this gauge is missing in the output. */
function register({ name, help, label, read }: GaugeSource, registry: Registry): void {
  const gauge = new Gauge({
    name,
    help,
    labelNames: [label],
    registers: [],
    async collect() {
      this.reset();
      for (const [value, n] of await read().catch(() => [])) this.set({ [label]: value }, n);
    },
  });
  registry.registerMetric(gauge);
}

/**
 * Counts in plain maps and fills the Prometheus counter on request, because looking up a counter by its labels is slower than serving a
 * cached page.
 */
function countCachedPages(app: FastifyInstance, registry: Registry): void {
  const counts = { 200: new Map<string, number>(), 304: new Map<string, number>() };
  app.onCachedPageServed.push(({ operation, status }) => {
    counts[status].set(operation, (counts[status].get(operation) ?? 0) + 1);
  });
  const counter = new Counter({
    name: 'tessera_ready_pages_total',
    help: 'Requests served from the page cache',
    labelNames: ['operation', 'status'] as const,
    registers: [],
    collect() {
      this.reset();
      for (const status of [200, 304] as const) {
        for (const [operation, n] of counts[status]) this.inc({ operation, status: String(status) }, n);
      }
    },
  });
  registry.registerMetric(counter);
}

type MetricsRequest = Pick<FastifyRequest, 'headers' | 'socket'>;

function mayRead({ metricsToken, hasPublicUrl }: MetricsAccess, request: MetricsRequest): boolean {
  if (metricsToken === null) return !hasPublicUrl && isLocal(request.socket.remoteAddress) && !wasForwarded(request);
  return isSame(request.headers.authorization ?? '', `Bearer ${metricsToken}`);
}

/** Hashes both values first, because `timingSafeEqual` needs equal lengths. */
const isSame = (given: string, expected: string): boolean =>
  timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'));

const isLocal = (address = ''): boolean => /^(127\.|::1$|::ffff:127\.)/.test(address);

/** Headers that proxies, load balancers and content delivery networks add. */
const forwardingHeader =
  /^(forwarded|via|x-forwarded.*|x-original-.*|x-envoy-.*|x-real-ip|x-client-ip|x-cluster-client-ip|client-ip|true-client-ip|(cf|fastly|fly)-.*|cdn-loop|x-amzn?-.*|x-azure-.*)$/;

const wasForwarded = ({ headers }: MetricsRequest): boolean => Object.keys(headers).some((name) => forwardingHeader.test(name));
