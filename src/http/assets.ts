import type { FastifyInstance } from 'fastify';
import { Problem } from '../kernel/problem.ts';
import { acceptedEncoding, type Encoding, encode } from './content-encoding.ts';

/** A file for browsers. Its name contains a hash of its content, so it never changes. */
export interface Asset {
  mediaType: string;
  /** Returns the content in this encoding. The first call compresses it. */
  encoded(encoding: Encoding): Promise<Buffer>;
}

const assetLevel = 9;

/** A worker has the policy of its own file, not that of the page. The decoder of the door app compiles wasm. */
const workerPolicy = "default-src 'none';script-src 'self' 'wasm-unsafe-eval';connect-src 'self'";

/** The content is compressed by the first request for it. Compressing all files was a quarter of the time that the service took to start. */
export function createAsset(mediaType: string, content: Buffer): Asset {
  const known = new Map<Encoding, Promise<Buffer>>();
  return {
    mediaType,
    encoded: (encoding) => {
      const result = known.get(encoding) ?? encode(content, encoding, assetLevel);
      known.set(encoding, result);
      return result;
    },
  };
}

/** Serves the assets by name below a folder, such as `/assets/`. */
export function serveAssets(app: FastifyInstance, folder: string, assets: ReadonlyMap<string, Asset>): void {
  app.get<{ Params: { name: string } }>(`${folder}:name`, { config: { operation: 'getAsset', unlisted: true } }, async (request, reply) => {
    const asset = assets.get(request.params.name);
    if (!asset) throw new Problem('not_found');
    const encoding = acceptedEncoding(request.headers['accept-encoding']);
    if (encoding !== 'identity') reply.header('content-encoding', encoding);
    if (asset.mediaType.startsWith('text/javascript')) reply.header('content-security-policy', workerPolicy);
    return reply
      .headers({ 'content-type': asset.mediaType, 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' })
      .send(await asset.encoded(encoding));
  });
}
