import { randomUUID } from 'node:crypto';
import { createServer as createNodeServer, type RequestListener, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import cors, { type FastifyCorsOptionsDelegateCallback } from '@fastify/cors';
import rateLimit from '@fastify/rate-limit';
import underPressure from '@fastify/under-pressure';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, type FastifyServerOptions, LogController } from 'fastify';
import { networkOf } from '../kernel/network.ts';
import { Problem, type ProblemCode, retryLater } from '../kernel/problem.ts';
import type { Tracing } from '../kernel/tracing.ts';
import { basePath } from './base-path.ts';
import { BatchMonitor } from './batch-monitor.ts';
import { prepareDrain } from './drain.ts';
import { anonymousBodyLimit, readJsonBodies } from './json-body.ts';
import { isPreflight, serveOptions } from './options-method.ts';
import { PageCache } from './page-cache.ts';
import { sendProblem, toProblem } from './problems.ts';
import { type CachedPageServed, serveCachedPages } from './serve-cached-page.ts';
import { problemResponse } from './stored-response.ts';
import { traceRequests } from './trace-requests.ts';
import { acceptMultipartUploads, isUploading } from './upload.ts';

declare module 'fastify' {
  interface FastifyInstance {
    pageCache: PageCache;
    /** Sends an error page to a browser. Null until the web apps are mounted. */
    problemPage: { send: ((request: FastifyRequest, reply: FastifyReply, problem: Problem) => Promise<FastifyReply>) | null };
    /** Called for every request that was served from the page cache, which Fastify's own hooks do not see. */
    onCachedPageServed: ((served: CachedPageServed) => void)[];
    batches: BatchMonitor;
  }
}

export interface ServerOptions {
  logLevel: string;
  logTo?: Writable | undefined;
  corsOrigins: readonly string[];
  trustProxy: false | number | string[];
  /** Requests per minute from one network. Null means no limit. */
  rateLimit: number | null;
  loadShedding: boolean;
  tracing?: Tracing | undefined;
}

/** If the event loop is delayed by more than this, new requests get 503. */
const maxLagMs = 1_000;
const requestTimeoutMs = 30_000;

/**
 * Security headers of every response. They are constant, so they cost almost nothing per request. No cache may store a response unless the
 * operation allows it.
 */
const securityHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** Creates a Fastify server with everything that applies to all requests: error responses, logging, CORS and limits. */
export async function createServer(options: ServerOptions): Promise<FastifyInstance> {
  const pageCache = new PageCache();
  const cachedPages = serveCachedPages(pageCache, (served) => {
    for (const notify of app.onCachedPageServed) notify(served);
  });
  const app = Fastify({
    serverFactory: (fastifyListener, timeouts) =>
      createHttpServer(timeouts, (request, response) => {
        if (!cachedPages.serve(request, response)) fastifyListener(request, response);
      }),
    logger:
      options.logLevel === 'silent' ? false : { level: options.logLevel, base: null, ...(options.logTo && { stream: options.logTo }) },
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    bodyLimit: anonymousBodyLimit,
    requestTimeout: requestTimeoutMs,
    connectionTimeout: 2 * requestTimeoutMs,
    keepAliveTimeout: 72_000,
    trustProxy: trustedBy(options.trustProxy),
    forceCloseConnections: 'idle',
    // `prepareDrain` refuses requests instead, with a problem in the usual format.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 500, ignoreTrailingSlash: false, caseSensitive: true },
    frameworkErrors: (error, request, reply) => void sendProblem(request, reply, toProblem(error)),
    clientErrorHandler: respondToInvalidHttp,
  });
  app.decorate('onCachedPageServed', [
    ({ requestId, operation, status }: CachedPageServed) =>
      app.log.info({ requestId, method: 'GET', operation, status, ready: true }, 'request'),
  ]);
  app.decorate('batches', new BatchMonitor());
  app.decorate('pageCache', pageCache);
  app.decorate('problemPage', { send: null });
  app.addHook('preClose', async () => cachedPages.close());
  app.decorateRequest('act', null);
  app.decorateRequest('json', null);
  app.decorateRequest('refused', null);
  app.decorateRequest('browser', null);
  app.decorateRequest('orderCredential', null);
  app.decorateRequest('span', null);
  if (options.tracing) traceRequests(app, options.tracing);
  serveOptions(app);
  readJsonBodies(app);
  acceptMultipartUploads(app);
  registerErrorHandlers(app);
  logRequests(app);
  prepareDrain(app);
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(securityHeaders);
    done();
  });
  if (options.corsOrigins.length > 0) {
    const shared = {
      origin: options.corsOrigins.includes('*') ? true : [...options.corsOrigins],
      exposedHeaders: ['ETag', 'Idempotency-Replayed', 'Location', 'Retry-After', 'Tessera-Test-Money', 'X-Request-Id'],
      maxAge: 600,
    };
    // An OPTIONS request that is not a preflight is an ordinary request.
    const perRequest: FastifyCorsOptionsDelegateCallback = (request, done) => done(null, { ...shared, preflight: isPreflight(request) });
    await app.register(cors, () => perRequest);
  }
  await limitLoad(app, options);
  return app;
}

/**
 * Fastify does not accept a number of hops, because a client that connects directly could forge the header. Tessera accepts a number of
 * hops; then the service must be reachable only through the proxies, as docs/operations.md says.
 */
const trustedBy = (proxies: ServerOptions['trustProxy']) =>
  typeof proxies === 'number' ? (_address: string, hop: number) => hop < proxies : proxies;

function createHttpServer(
  { keepAliveTimeout = 0, requestTimeout = 0, connectionTimeout = 0 }: FastifyServerOptions,
  listener: RequestListener,
) {
  const server = createNodeServer(listener);
  server.keepAliveTimeout = keepAliveTimeout;
  server.requestTimeout = requestTimeout;
  server.setTimeout(connectionTimeout);
  return server;
}

function registerErrorHandlers(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    done();
  });
  app.setErrorHandler((error, request, reply) => {
    const problem = toProblem(error);
    if (problem.status === 500) request.log.error({ err: error }, 'request failed');
    return sendProblem(request, reply, problem);
  });
  app.setNotFoundHandler((request, reply) => {
    const problem = new Problem('not_found', 'No operation has this path.');
    return app.problemPage.send !== null && wantsPage(request)
      ? app.problemPage.send(request, reply, problem)
      : sendProblem(request, reply, problem);
  });
}

/** Browsers ask for HTML. Clients of the API do not, and paths of the API always return JSON. */
const wantsPage = ({ method, url, headers }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') && !`${url}/`.startsWith(`${basePath}/`) && (headers.accept ?? '').includes('text/html');

/** Logs one line per request, without query, body and headers, because these may contain secrets and personal data. */
function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', (request, reply, done) => {
    done();
    if (!logsRequests(app)) return;
    const actor = request.act?.actor;
    request.log.info(
      {
        method: request.method,
        route: request.routeOptions.url ?? null,
        operation: request.routeOptions.config.operation,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        user: actor?.kind === 'user' ? actor.id : undefined,
        device: actor?.kind === 'device' ? actor.id : undefined,
      },
      'request',
    );
  });
}

const logsRequests = (app: FastifyInstance): boolean => ['info', 'debug', 'trace'].includes(app.log.level);

/** If busy processes failed their probes, the proxy would take one after the other out of service. */
const isProbe = (url: string): boolean => url === '/readyz' || url === '/healthz';

async function limitLoad(app: FastifyInstance, options: ServerOptions): Promise<void> {
  if (options.loadShedding) {
    await app.register(underPressure, {
      maxEventLoopDelay: maxLagMs,
      pressureHandler: ({ url }) => {
        if (!isProbe(url)) throw retryLater('overloaded', 2);
      },
    });
  }
  if (options.rateLimit === null) return;
  await app.register(rateLimit, {
    global: false,
    cache: 50_000,
    max: options.rateLimit,
    timeWindow: 60_000,
    allowList: ({ url }) => isProbe(url),
    keyGenerator: ({ ip }) => networkOf(ip),
    errorResponseBuilder: (_request, { max, ttl }) =>
      retryLater('rate_limited', ttl / 1000, `At most ${max} requests per minute are allowed.`),
  });
  // A hook of the whole server, so that requests count before authentication, even on paths that do not exist.
  app.addHook('onRequest', app.rateLimit());
}

const parserErrorCodes: Record<string, ProblemCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** Requests that are not valid HTTP get a problem response too, if the socket is still writable. */
function respondToInvalidHttp(error: Error & { code?: string }, socket: Socket & { _httpMessage?: ServerResponse }): void {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && isUploading(socket)) return;
  if (error.code === 'ECONNRESET' || !socket.writable || socket._httpMessage?.headersSent) {
    socket.destroy();
    return;
  }
  const problem = new Problem(parserErrorCodes[error.code ?? ''] ?? 'malformed_request');
  const requestId = randomUUID();
  const { status, headers, body } = problemResponse(problem, requestId);
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `x-request-id: ${requestId}`,
    `content-length: ${Buffer.byteLength(body ?? '')}`,
    'connection: close',
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`);
}
