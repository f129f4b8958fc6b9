// S4: the throughput of event pages from the cache, compared with bare Fastify that sends the same bytes. The slowest of three pages counts.
import { compare, throughputRatio } from './compare.ts';
import { withControlServer } from './control-server.ts';
import { load } from './load.ts';
import type { Measure } from './measure.ts';
import { countEqualResponses } from './response-reader.ts';
import { withService } from './service.ts';

const paths = ['/v1/event/1', '/v1/event/1/tickets', '/v1/event/1/session/1/tickets'];

export const measureEventPages: Measure = ({ rounds, quick, progress }) =>
  withService({}, async (service) => {
    const readPage = (port: number, path: string) => {
      const request = `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`;
      return load({ port, nextRequest: () => request, ms: quick ? 700 : 3_000, newReader: countEqualResponses });
    };
    const pages = [];
    for (const path of paths) {
      progress(`S4: ${path}`);
      const response = await fetch(`${service.origin}${path}`);
      if (response.status !== 200) throw new Error(`GET ${path} returned ${response.status}`);
      const page = await response.text();
      const compared = await withControlServer('page-server.ts', page, (bare) =>
        compare({ rounds, ours: () => readPage(service.port, path), control: () => readPage(bare, '/'), ratio: throughputRatio }),
      );
      pages.push({ path, ...compared });
    }
    const [slowest] = pages.toSorted((a, b) => a.value - b.value);
    if (!slowest) throw new Error('No page was measured');
    return { S4: { ...slowest, pages: pages.map(({ path, value }) => ({ path, value })) } };
  });
