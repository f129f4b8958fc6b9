import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { basePath } from './base-path.ts';

/**
 * Serves the API reference as openapi.json and as a page at /docs. The page loads nothing from other hosts. Both files are made by the first
 * request, because most processes end without one and start faster without them.
 */
export function serveReference(app: FastifyInstance, describe: () => object): void {
  let text: string | undefined;
  let program: Buffer | undefined;
  app.get(`${basePath}/openapi.json`, async (_request, reply) => {
    text ??= JSON.stringify(describe());
    return reply.type('application/json; charset=utf-8').send(text);
  });
  app.get('/docs', async (_request, reply) =>
    reply.type('text/html; charset=utf-8').header('content-security-policy', pagePolicy).send(page),
  );
  app.get('/docs/setup.js', async (_request, reply) => reply.type('text/javascript; charset=utf-8').send(setup));
  app.get('/docs/reference.js', async (_request, reply) => {
    program ??= await readFile(join(dirname(fileURLToPath(import.meta.resolve('@scalar/fastify-api-reference'))), 'js/standalone.js'));
    return reply.type('text/javascript; charset=utf-8').header('cache-control', 'public, max-age=3600').send(program);
  });
}

/** Makes the browser refuse anything that the page would load from another host. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
].join(';');

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Tessera API reference</title>
  </head>
  <body>
    <div id="reference"></div>
    <script src="/docs/reference.js"></script>
    <script src="/docs/setup.js"></script>
  </body>
</html>
`;

const setup = `Scalar.createApiReference('#reference', ${JSON.stringify({
  url: `${basePath}/openapi.json`,
  withDefaultFonts: false,
  hideClientButton: true,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  documentDownloadType: 'direct',
})});
`;
