import { buffer } from 'node:stream/consumers';
import type { FastifyInstance } from 'fastify';
import { Problem } from '../kernel/problem.ts';
import { matches } from './etag.ts';
import type { FileStore } from './send-file.ts';

/** Larger than any stored file. */
const maxBytes = 16 * 1024 * 1024;

/**
 * Serves the files of uploaded pictures. The address contains a hash of the content, so browsers and shared caches may keep a file for a year.
 * Pages of other sites may show the pictures.
 */
export function servePictures(app: FastifyInstance, files: FileStore): void {
  app.get<{ Params: { name: string } }>('/pictures/:name', async (request, reply) => {
    const [name, format] = /^[0-9a-f]{32}-\d{1,4}\.(avif|webp)$/.exec(request.params.name) ?? [];
    if (!name) throw new Problem('not_found', 'There is no picture with this address.');
    const etag = `"${name}"`;
    const known = matches(request.headers['if-none-match'] ?? '', etag);
    const file = known ? null : await files.read(`pictures/${name}`, 0, maxBytes);
    if (!known && !file) throw new Problem('not_found', 'There is no picture with this address.');
    reply.headers({ 'cache-control': 'public, max-age=31536000, immutable', 'cross-origin-resource-policy': 'cross-origin', etag });
    if (!file) return reply.code(304).send();
    return reply.header('content-type', `image/${format}`).send(await buffer(file));
  });
}
