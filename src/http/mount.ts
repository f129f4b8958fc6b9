import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods, onSendAsyncHookHandler } from 'fastify';
import type { Act, Anonymous, User } from '../kernel/act.ts';
import { localeOfHeader } from '../kernel/locale.ts';
import { networkOf } from '../kernel/network.ts';
import { Problem } from '../kernel/problem.ts';
import type { Group, MadeFile, Route, SignedBody, StoredFile } from '../kernel/route.ts';
import { closed } from '../kernel/schema.ts';
import type { Database } from '../postgres/database.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { limitAtOnce } from './at-once.ts';
import { RequestBatcher } from './batch-requests.ts';
import type { Capability } from './capability.ts';
import { etagOf, matches } from './etag.ts';
import { checkCaller, checkPermission, type Gate } from './gate.ts';
import { findEarlier, isKeyUsed, readKey } from './idempotency.ts';
import { bodyLimitOf, type JsonBody } from './json-body.ts';
import { createLive } from './live.ts';
import { find, type Operation, type Performed, perform } from './perform.ts';
import { pageKey } from './ready-lane.ts';
import { everything, type ReadyPages } from './ready-pages.ts';
import { type FileStore, sendFile, sendMade } from './send-file.ts';
import { defaultPatience, IncomingFile, type Patience, uploadHooks } from './upload.ts';
import { inputChecker, outputChecker } from './validation.ts';

declare module 'fastify' {
  interface FastifyRequest {
    act: Act<User | Anonymous> | null;
    json: JsonBody | null;
    /** Why the caller may not do this, while it is still open whether the request was carried out before. */
    refused: Problem | null;
  }
  interface FastifyContextConfig {
    operation?: string;
    upload?: boolean;
  }
}

export interface Edge {
  db: Database;
  gate: Gate;
  clock: () => Date;
  /** Which groups of operations have an address here. */
  serve: ReadonlySet<string>;
  /** With who sends a file. */
  patience?: Patience;
  /** Whether who would wait too long is told to come back. */
  shedding?: boolean;
  /** Left out where no operation sends one. */
  files?: FileStore;
  /** Headers of every response of a group, also of its errors. */
  groupHeaders?: Partial<Record<Group, Record<string, string>>>;
}

export const basePath = '/v1';

const noFiles: FileStore = { read: async () => null };

/** Gives every operation of the served groups its address. */
export function mount(app: FastifyInstance, edge: Edge, capabilities: readonly Capability[]): void {
  const operations = capabilities.flatMap(prepare).filter(({ route }) => edge.serve.has(route.group));
  for (const operation of operations) mountOperation(app, edge, operation);
  refuseOtherMethods(app, edge, operations);
}

/** As late as possible, so that a request that is refused before its handler gets the headers too. */
function groupHeadersHook(edge: Edge, group: Group): onSendAsyncHookHandler[] {
  const headers = edge.groupHeaders?.[group];
  return headers ? [async (_request, reply) => void reply.headers(headers)] : [];
}

function prepare({ contract, handlers }: Capability): Operation[] {
  const operations = Object.entries(contract).map(([name, route]): Operation => {
    const handler = handlers[name];
    if (!handler) throw new Error(`${name} has a contract and no handler`);
    return {
      name,
      route,
      handler,
      checkInput: inputChecker(withBody(route)),
      checkOutput: outputChecker(route.answer.body),
      versionOf: null,
    };
  });
  const reads = operations.filter(({ route }) => route.method === 'GET');
  for (const operation of operations) {
    const { path, versionOf } = operation.route;
    operation.versionOf = reads.find(({ name, route }) => (versionOf ? name === versionOf : route.path === path)) ?? null;
  }
  return operations;
}

/** Every DELETE may carry a payload. One that names no fields of its own takes none: an ignored filter would delete too much. */
const withBody = (route: Route): Route => (route.method === 'DELETE' && !route.body ? { ...route, body: closed({}) } : route);

const fastifyPath = (path: string): string => basePath + path.replaceAll(/\{(\w+)\}/g, ':$1');

/** The path of every request, in its fixed order; the request id comes before, with the server's own hooks. */
function mountOperation(app: FastifyInstance, edge: Edge, operation: Operation): void {
  const { name, route } = operation;
  const scopeInPath = route.access.to === 'permitted' && route.access.on.every((source) => source.in === 'path');
  const changesPages = route.method !== 'GET' && (route.group === 'event' || route.group === 'ticket');
  const batcher =
    typeof operation.handler === 'function'
      ? null
      : new RequestBatcher(edge.db, operation, operation.handler, { shedding: edge.shedding ?? true });
  const { patience = defaultPatience, files = noFiles } = edge;
  const uploads = route.upload && uploadHooks(route.upload, patience);
  const turn = route.atOnce ? limitAtOnce(route.atOnce) : <T>(_keys: readonly string[], work: () => Promise<T>) => work();

  async function authenticate(request: FastifyRequest): Promise<void> {
    const at = edge.clock();
    const ignored = route.access.to === 'anyone' && route.access.tokenIgnored;
    const actor = await edge.gate.authenticate(ignored ? undefined : request.headers.authorization, at);
    const languages = request.headers['accept-language'];
    const locale = languages === undefined ? null : localeOfHeader(languages);
    request.act = { actor, operation: name, at, requestId: request.id, address: request.ip, locale, recorded: 0 };
    if (!hasSecret(request)) checkCaller(route.access, actor);
  }

  const hasSecret = ({ query }: FastifyRequest): boolean =>
    route.access.to === 'permitted' && route.access.orSecret === true && (query as { secret?: unknown }).secret !== undefined;

  async function authorize(request: FastifyRequest): Promise<void> {
    if (hasSecret(request)) return;
    try {
      await checkPermission(edge.gate, route.access, actOf(request).actor, partsOf(request));
    } catch (error) {
      if (!(error instanceof Problem) || !(await mayBeRepeated(request))) throw error;
      request.refused = error;
    }
  }

  /**
   * A request may delete what its permission is checked on, or end the caller's own role. Its repetition must still get the stored
   * response. Only a caller who has used the key gets this far: for everybody else the body is not even read.
   */
  async function mayBeRepeated(request: FastifyRequest): Promise<boolean> {
    if (route.method === 'GET' || route.upload) return false;
    const keyed = keyedBy(request.headers['idempotency-key'], request, null);
    return keyed !== null && inTransaction(edge.db, { readOnly: true }, (tx) => isKeyUsed(tx, actOf(request), keyed));
  }

  async function repeat(request: FastifyRequest, reply: FastifyReply, refused: Problem): Promise<FastifyReply> {
    const keyed = keyedBy(request.headers['idempotency-key'], request, request.json);
    const earlier = keyed && (await inTransaction(edge.db, { readOnly: true }, (tx) => findEarlier(tx, actOf(request), keyed)));
    if (!earlier) throw refused;
    return send(request, reply, { ...earlier, replayed: true });
  }

  const signedBy = ({ json, headers }: FastifyRequest, { header }: { header: string }): SignedBody => {
    const signature = headers[header.toLowerCase()];
    return { text: json?.text ?? '', signature: typeof signature === 'string' ? signature : undefined };
  };

  async function handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { params, query, json, refused } = request;
    if (refused) return repeat(request, reply, refused);
    const checked = operation.checkInput({ params, query, ...bodyOf(json) });
    const input = route.signed ? { ...checked, signed: signedBy(request, route.signed) } : checked;
    const keyed = route.method === 'GET' ? null : keyedBy(request.headers['idempotency-key'], request, json);
    const versioned = route.method === 'PUT' || route.method === 'DELETE' || (route.method === 'POST' && operation.versionOf !== null);
    const ifMatch = versioned ? request.headers['if-match'] : undefined;
    const file = route.upload ? new IncomingFile(request.raw, route.upload, patience) : null;
    const pending = { act: actOf(request), input, file, ifMatch, keyed };
    const work = () => (batcher ? batcher.perform(pending) : turn(keysOf(request), () => perform(edge.db, operation, pending)));
    const key = readyKey(request);
    if (key !== null) return sendAndKeep(request, reply, key, await app.readyPages.share(key, tagOf(request), work));
    const performed = await work();
    // Who writes reads what they wrote; other processes are told by the database.
    if (changesPages && performed.status < 300) app.readyPages.drop(everything);
    return send(request, reply, performed);
  }

  const live = route.live && createLive(app, route.live.until);

  /** A stream is long: whether the caller is still who they were, and may still see it, is checked whenever it is looked at again. */
  async function actNow(request: FastifyRequest): Promise<Act<User | Anonymous>> {
    const at = edge.clock();
    const actor = await edge.gate.authenticate(request.headers.authorization, at);
    checkCaller(route.access, actor);
    await checkPermission(edge.gate, route.access, actor, partsOf(request));
    return { ...actOf(request), actor, at };
  }

  /** Operations that do not answer JSON. */
  async function stream(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { params, query } = request;
    const input = operation.checkInput({ params, query, body: undefined });
    const act = actOf(request);
    if (live) return live(reply, callerOf(act), async () => find(edge.db, operation, { act: await actNow(request), input }));
    const file = (await find(edge.db, operation, { act, input })) as StoredFile | MadeFile;
    return 'content' in file ? sendMade(request, reply, file) : sendFile(request, reply, files, file);
  }

  /** Under which the answer may be kept and shared: only what anyone gets. */
  function readyKey(request: FastifyRequest): string | null {
    if (!route.ready || actOf(request).actor.kind !== 'anonymous') return null;
    const query = request.query as Record<string, unknown>;
    return route.ready.except?.some((name) => query[name] !== undefined) ? null : pageKey(request.raw);
  }

  const tagOf = ({ params }: FastifyRequest): string =>
    route.ready?.tag === 'path.id' ? String(Number((params as { id: string }).id)) : everything;

  function sendAndKeep(request: FastifyRequest, reply: FastifyReply, key: string, { answer, reading }: Shared): FastifyReply {
    const sent = send(request, reply, answer);
    const etag = reply.getHeader('etag');
    if (typeof etag !== 'string' || answer.body === null) return sent;
    const body = Buffer.from(answer.body).toString('latin1');
    const bodyHeaders = ['content-type', String(answer.headers['content-type']), 'content-length', String(body.length)];
    app.readyPages.keep(key, reading, { operation: name, headers: headersOf(reply), bodyHeaders, etag, body });
    return sent;
  }

  const url = fastifyPath(route.path);
  app.route({
    method: route.method,
    url,
    config: { operation: name, upload: uploads !== undefined },
    bodyLimit: bodyLimitOf(route),
    // Where the path tells what the permission is asked on, nothing of the body is read for who has none.
    onRequest: [authenticate, ...(scopeInPath ? [authorize] : []), ...(uploads ? [uploads.onRequest] : [])],
    preValidation: scopeInPath ? [] : [authorize],
    onSend: groupHeadersHook(edge, route.group),
    onResponse: uploads ? [uploads.onResponse] : [],
    handler: route.sends || route.live ? stream : handle,
  });
}

/** Who limits are counted by: the user, or the network of a caller without an account. */
const callerOf = ({ actor, address }: Act<User | Anonymous>): string =>
  actor.kind === 'user' ? `user ${actor.id}` : `network ${networkOf(address ?? '')}`;

/** An event counts beside the caller: several users of one producer must not take every place either. */
function keysOf(request: FastifyRequest): string[] {
  const { eventId } = request.params as { eventId?: string };
  return [callerOf(actOf(request)), ...(eventId === undefined ? [] : [`event ${eventId}`])];
}

const bodyOf = (json: JsonBody | null) => ({
  body: json?.value,
  bodyBytes: json?.bytes ?? 0,
  unescaped: json?.unescaped ?? true,
});

function keyedBy(header: string | string[] | undefined, { method, url }: { method: string; url: string }, json: JsonBody | null) {
  const key = readKey(header);
  return key === null ? null : { key, method, url, bodyHash: json?.hash ?? null };
}

const partsOf = (request: FastifyRequest) => ({ path: request.params, query: request.query, body: request.body });

function actOf(request: FastifyRequest): Act<User | Anonymous> {
  if (!request.act) throw new Error('The request was not authenticated');
  return request.act;
}

type Shared = Awaited<ReturnType<typeof ReadyPages.prototype.share<Performed>>>;

/** What any request for the same page would get: nothing about this request, and nothing that goes with the body only. */
function headersOf(reply: FastifyReply): string[] {
  const shared = Object.entries(reply.getHeaders()).filter(
    ([name]) => !/^(x-request-id|x-ratelimit-.*|content-type|content-length)$/.test(name),
  );
  return shared.flatMap(([name, value]) => (value === undefined ? [] : [name, String(value)]));
}

function send(request: FastifyRequest, reply: FastifyReply, { status, headers, body, replayed }: Performed): FastifyReply {
  reply.code(status).headers(headers);
  if (replayed) reply.header('idempotency-replayed', 'true');
  if (request.method === 'GET' || request.method === 'HEAD') {
    reply.header('cache-control', 'private, no-cache');
    if (status === 200 && body !== null) {
      const etag = etagOf(body);
      reply.header('etag', etag);
      if (matches(request.headers['if-none-match'] ?? '', etag)) return reply.code(304).removeHeader('content-type').send();
    }
  } else {
    reply.header('cache-control', 'no-store');
  }
  return reply.send(body ?? undefined);
}

/** 405 with `Allow` on every known address. */
function refuseOtherMethods(app: FastifyInstance, edge: Edge, operations: readonly Operation[]): void {
  const methods: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
  for (const path of new Set(operations.map(({ route }) => route.path))) {
    const here = operations.filter(({ route }) => route.path === path);
    const known = new Set<HTTPMethods>(here.map(({ route }) => route.method));
    if (known.has('GET')) known.add('HEAD');
    const allow = [...known, 'OPTIONS'].join(', ');
    app.route({
      method: methods.filter((method) => !known.has(method)),
      url: fastifyPath(path),
      exposeHeadRoute: false,
      onSend: here.flatMap(({ route }) => groupHeadersHook(edge, route.group)),
      config: { unlisted: true },
      onRequest: async () => {
        throw new Problem('method_not_allowed', `This address takes ${allow}`, { headers: { allow } });
      },
      handler: async () => undefined,
    });
  }
}
