import type { FastifyInstance } from 'fastify';
import { Problem } from '../kernel/problem.ts';
import { acceptedEncoding, type Encoding, encode, encodings } from './content-encoding.ts';

/** A file for browsers in each encoding. Its name contains a hash of its content, so it never changes. */
export interface Asset {
  mediaType: string;
  content: Readonly<Record<Encoding, Buffer>>;
}

const assetLevel = 9;

/** A worker has the policy of its own file, not that of the page. The decoder of the door app compiles wasm. */
const workerPolicy = "default-src 'none';script-src 'self' 'wasm-unsafe-eval';connect-src 'self'";

export async function createAsset(mediaType: string, content: Buffer): Promise<Asset> {
  const encoded = await Promise.all(encodings.map(async (encoding) => [encoding, await encode(content, encoding, assetLevel)] as const));
  return { mediaType, content: Object.fromEntries(encoded) as Record<Encoding, Buffer> };
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
      .send(asset.content[encoding]);
  });
}
