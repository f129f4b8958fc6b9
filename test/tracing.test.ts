import { expect, inject, it } from 'vitest';
import { openShop } from '../bench/shop.ts';
import { eventually } from './eventually.ts';
import { type ReceivedSpan, startOtlpReceiver } from './otlp-receiver.ts';
import type { Service } from './process.ts';
import { useProcesses } from './use-processes.ts';

const { newDataFolder } = useProcesses();

/** Makes a process print at its end how many files of the OpenTelemetry SDK it has loaded. They are CommonJS, so the cache has them. */
const printLoaded = `import { createRequire } from 'node:module';
const { cache } = createRequire(process.cwd() + '/x.js');
process.on('exit', () => console.log('loaded ' + Object.keys(cache).filter((path) => path.includes('/@opentelemetry/')).length));`;
const folder = () =>
  newDataFolder({ copyOf: inject('demoFolder'), nodeOptions: [`--import=data:text/javascript,${encodeURIComponent(printLoaded)}`] });

const loadedBy = (stdout: string): number => Number(/^loaded (\d+)$/m.exec(stdout)?.[1]);

async function order(service: Service, traceparent: string): Promise<{ status: number; requestId: string }> {
  const { eventId, itemIds } = await openShop(service).createEvent();
  const buyer = { name: 'Ana Souza', email: 'ana@example.com', document: '100000001' };
  const body = JSON.stringify({ eventId, items: [{ itemId: itemIds[0], quantity: 1 }], buyer });
  const headers = { 'content-type': 'application/json', traceparent };
  const response = await fetch(`${service.origin}/v1/orders`, { method: 'POST', headers, body });
  return { status: response.status, requestId: response.headers.get('x-request-id') ?? '' };
}

it('with OTEL_EXPORTER_OTLP_ENDPOINT a request, its batch and its statements are spans in the trace of the caller', async () => {
  const receiver = await startOtlpReceiver();
  try {
    const service = await folder().serve({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint });
    const [trace, caller] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
    const { status, requestId } = await order(service, `00-${trace}-${caller}-01`);
    const inTrace = () => receiver.spans.filter(({ traceId }) => traceId === trace);
    const isRequest = ({ attributes }: ReceivedSpan) => attributes['tessera.request_id'] === requestId;
    const request = await eventually('the span of the request arrives', () => inTrace().find(isRequest));
    expect(request).toMatchObject({ name: 'POST /v1/orders', parentSpanId: caller });
    expect(request.attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.route': '/v1/orders',
      'http.response.status_code': status,
      'tessera.operation': 'createOrder',
    });
    const batch = await eventually('the span of the batch arrives', () => inTrace().find(({ name }) => name === 'batch createOrder'));
    expect(batch).toMatchObject({ parentSpanId: request.spanId, attributes: { 'tessera.batch.size': 1 } });
    const statements = () => inTrace().filter(({ parentSpanId }) => parentSpanId === batch.spanId);
    await eventually('the commit arrives', () => statements().some(({ name }) => name === 'commit'));
    const names = new Set(statements().map(({ name }) => name));
    expect([...names].filter((name) => ['start', 'insert into ticket_order', 'commit'].includes(name))).toHaveLength(3);
    expect(JSON.stringify(receiver.spans)).not.toContain('ana@example.com');
    const { stdout, code } = await service.end('SIGTERM');
    expect(code).toBe(0);
    expect(loadedBy(stdout)).toBeGreaterThan(0);
  } finally {
    await receiver.close();
  }
});

it('a collector that is unreachable neither stops the service nor its end', async () => {
  const receiver = await startOtlpReceiver();
  await receiver.close();
  const service = await folder().serve({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint });
  expect(await service.status('/v1/event/1')).toBe(200);
  expect((await service.end('SIGTERM')).code).toBe(0);
});

it('without OTEL_EXPORTER_OTLP_ENDPOINT the packages of OpenTelemetry are not loaded', async () => {
  const service = await folder().serve();
  expect(await service.status('/v1/event/1')).toBe(200);
  expect(loadedBy((await service.end('SIGTERM')).stdout)).toBe(0);
});
