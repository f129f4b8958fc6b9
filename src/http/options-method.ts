import type { FastifyInstance, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** If true, OPTIONS does not list the method of this route. */
    unlisted?: boolean;
  }
}

/** Browsers send this header when they ask (CORS preflight) whether they may send a request to another origin. */
export const isPreflight = (request: FastifyRequest): boolean => request.headers['access-control-request-method'] !== undefined;

/** OPTIONS on a known path returns 204 and names the methods of the path in `Allow`. */
export function serveOptions(app: FastifyInstance): void {
  const methodsByUrl = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.unlisted || url === '*') return;
    const methods = methodsByUrl.get(url) ?? new Set();
    for (const each of [method].flat()) methods.add(each);
    if (methodsByUrl.has(url)) return;
    methodsByUrl.set(url, methods);
    app.route({
      method: 'OPTIONS',
      url,
      handler: (_request, reply) =>
        reply
          .code(204)
          .header('allow', [...methods].join(', '))
          .send(),
    });
  });
}
