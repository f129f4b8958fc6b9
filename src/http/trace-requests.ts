import type { FastifyInstance } from 'fastify';
import type { RequestSpan, Tracing } from '../kernel/tracing.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null without tracing. */
    span: RequestSpan | null;
  }
}

/** Adds a span for each request. Must be called before other hooks are added, so that their work belongs to the span. */
export function traceRequests(app: FastifyInstance, tracing: Tracing): void {
  app.addHook('onRequest', (request, _reply, done) => {
    request.span = tracing.beginRequest({ method: request.method, requestId: request.id, headers: request.headers });
    request.span.run(done);
  });
  // Node calls the listeners of a body outside of the request's context, so it is entered again.
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.span) request.span.run(done);
    else done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const { url: route, config } = request.routeOptions;
    request.span?.end({ route, operation: config.operation, status: reply.statusCode });
    done();
  });
  app.onCachedPageServed.push(({ requestId, operation, status, headers }) => {
    tracing.beginRequest({ method: 'GET', requestId, headers }).end({ route: undefined, operation, status });
  });
}
