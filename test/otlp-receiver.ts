import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** A span in the JSON format of OTLP, with its attributes as an object. */
export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  name: string;
  attributes: Record<string, string | number>;
  links: { traceId: string; spanId: string }[];
}

interface OtlpSpan extends Omit<ReceivedSpan, 'attributes' | 'links'> {
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[];
  links?: ReceivedSpan['links'];
}

interface OtlpRequest {
  resourceSpans: { scopeSpans: { spans: OtlpSpan[] }[] }[];
}

const toSpan = ({ attributes, links = [], ...span }: OtlpSpan): ReceivedSpan => ({
  ...span,
  links,
  attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? ''])),
});

/** A collector that keeps the spans that it gets over OTLP/HTTP. */
export async function startOtlpReceiver(): Promise<{ endpoint: string; spans: ReceivedSpan[]; close(): Promise<void> }> {
  const spans: ReceivedSpan[] = [];
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      if (request.url !== '/v1/traces') return response.writeHead(404).end();
      const { resourceSpans } = body as OtlpRequest;
      spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((each) => each.spans.map(toSpan))));
      return response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
