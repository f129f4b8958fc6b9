// S4 and S9: the throughput of event pages from the cache, as JSON and as HTML, compared with bare Fastify that sends the same bytes.
import { get, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { compare, throughputRatio } from './compare.ts';
import { withControlServer } from './control-server.ts';
import { load } from './load.ts';
import type { Measure, Options } from './measure.ts';
import { behindProxy, getRequest, type Headers, pageHeaders, requestHeaders } from './requests.ts';
import { countEqualResponses } from './response-reader.ts';
import { withService } from './service.ts';

const apiPaths = ['/v1/event/1', '/v1/event/1/tickets', '/v1/event/1/session/1/tickets'];
const htmlPath = '/en/event/noite-de-samba';

/** Measures the API pages. The slowest of them counts. */
export const measureEventPages: Measure = (options) =>
  withService({ environment: behindProxy }, async ({ port }) => {
    const pages = [];
    for (const path of apiPaths) {
      options.progress(`S4: ${path}`);
      pages.push({ path, ...(await comparePage(port, path, requestHeaders, options)) });
    }
    const [slowest] = pages.toSorted((a, b) => a.value - b.value);
    if (!slowest) throw new Error('No page was measured');
    return { S4: { ...slowest, pages: pages.map(({ path, value }) => ({ path, value })) } };
  });

/** Measures the event page of the shop, compressed with Brotli as browsers get it. */
export const measureShopPage: Measure = (options) =>
  withService({ environment: behindProxy }, async ({ port }) => {
    options.progress(`S9: ${htmlPath}`);
    return { S9: { path: htmlPath, ...(await comparePage(port, htmlPath, pageHeaders, options)) } };
  });

async function comparePage(port: number, path: string, headers: Headers, { rounds, quick }: Options) {
  const page = await readPage(port, path, headers);
  const request = getRequest(path, headers);
  const loadFrom = (server: number) =>
    load({ port: server, nextRequest: () => request, ms: quick ? 700 : 3_000, newReader: countEqualResponses });
  const compared = await withControlServer('page-server.ts', JSON.stringify({ path, ...page }), (bare) =>
    compare({ rounds, ours: () => loadFrom(port), control: () => loadFrom(bare), ratio: throughputRatio }),
  );
  return { ...compared, bytes: Buffer.byteLength(page.body, 'base64') };
}

/** What the control sends. `fetch` would decompress the body. */
async function readPage(port: number, path: string, headers: Headers): Promise<{ headers: IncomingHttpHeaders; body: string }> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, headers }, resolve).on('error', reject);
  });
  if (response.statusCode !== 200) throw new Error(`GET ${path} returned ${response.statusCode}`);
  const { 'content-type': type, 'content-encoding': encoding } = response.headers;
  const body = (await buffer(response)).toString('base64');
  return { headers: { 'content-type': type, ...(encoding && { 'content-encoding': encoding }) }, body };
}
