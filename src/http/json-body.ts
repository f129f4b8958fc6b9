import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { Problem } from '../kernel/problem.ts';

/** JSON is the only body we read; what is not UTF-8 or not JSON is refused rather than mended. */
export function readJsonBodies(app: FastifyInstance): void {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    if (request.headers['idempotency-key'] !== undefined) request.bodyHash = createHash('sha256').update(bytes).digest('hex');
    request.bodyBytes = bytes.length;
    // Many clients name the type on requests without a payload, a DELETE above all.
    if (bytes.length === 0) return done(null, undefined);
    let text: string;
    try {
      text = decoder.decode(bytes);
    } catch {
      return done(new Problem('malformed_body', 'The body is not UTF-8'));
    }
    if (request.routeOptions.config.signed) request.bodyText = text;
    void parse(request, text, (error, body) => (error ? done(new Problem('malformed_body', 'The body is not JSON')) : done(null, body)));
  });
}
