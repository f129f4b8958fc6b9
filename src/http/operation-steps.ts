import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Act, type Anonymous, callerKey, type Device, type User } from '../kernel/act.ts';
import { localeOfHeader } from '../kernel/locale.ts';
import { networkOf } from '../kernel/network.ts';
import { Problem, retryLater } from '../kernel/problem.ts';
import type { Browser, GeneratedFile, Route, SignedBody, StoredFile } from '../kernel/route.ts';
import type { Database } from '../postgres/database.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { RequestBatcher } from './batch-requests.ts';
import { limitConcurrency } from './concurrency-limit.ts';
import { takeEvent } from './event-path.ts';
import { checkCaller, checkPermission } from './gate.ts';
import { findEarlier, isKeyUsed, readKey } from './idempotency.ts';
import type { JsonBody } from './json-body.ts';
import type { ServerContext } from './mount.ts';
import { type OrderCredential, orderCookie, readOrderCredential } from './order-credential.ts';
import { allPagesTag } from './page-cache.ts';
import { type KeptBy, send, sendAndCache } from './respond.ts';
import {
  isReadOnly,
  type Operation,
  type OperationResponse,
  type PendingRequest,
  runOperation,
  runReadOnly,
  toCompletedResponse,
} from './run-operation.ts';
import { type FileStore, sendFile, sendGeneratedFile } from './send-file.ts';
import { pageKey } from './serve-cached-page.ts';
import { createLive } from './server-sent-events.ts';
import { isFromSite, readCookie } from './site-cookies.ts';
import { defaultUploadTimeouts, IncomingFile, type UploadTimeouts } from './upload.ts';

declare module 'fastify' {
  interface FastifyRequest {
    act: Act<User | Device | Anonymous> | null;
    json: JsonBody | null;
    /**
     * The problem to return because the caller lacks permission. Set only if the request may repeat an earlier one, which is checked after
     * the body is read.
     */
    refused: Problem | null;
    /** Null if the operation reads no cookie. */
    browser: Browser | null;
    /** Null if the operation is not about an order, or the request has no credential. */
    orderCredential: OrderCredential | null;
  }
}

/** Who sends requests. */
type Sender = User | Device | Anonymous;

/** The input of an operation that a page runs. */
export interface OperationInput {
  params?: unknown;
  query?: unknown;
  body?: unknown;
}

const noFiles: FileStore = { read: async () => null };

/** The steps of a request, in order: `authenticate`, `authorize`, then `handle` or `stream`. */
export class OperationSteps {
  readonly #app: FastifyInstance;
  readonly #context: ServerContext;
  readonly #operation: Operation;
  readonly #route: Route;
  readonly #batcher: RequestBatcher | null;
  readonly #limit: <T>(keys: readonly string[], work: () => Promise<T>) => Promise<T>;
  readonly #live: ReturnType<typeof createLive> | undefined;
  readonly #uploadTimeouts: UploadTimeouts;
  readonly #files: FileStore;
  readonly #shopUrl: string;
  /** The connections for the operation itself. The caller and stored responses are always read from the primary. */
  readonly #db: Database;

  constructor(app: FastifyInstance, context: ServerContext, operation: Operation) {
    const { route, handler } = operation;
    this.#app = app;
    this.#context = context;
    this.#operation = operation;
    this.#route = route;
    this.#uploadTimeouts = context.uploadTimeouts ?? defaultUploadTimeouts;
    this.#files = context.files ?? noFiles;
    this.#shopUrl = context.shopUrl ?? 'http://127.0.0.1';
    const { db, longDb = db, readDb = db, shedding = true, oneEventPerBatch = false, databasePool = 20, tracing } = context;
    this.#db = route.replica ? readDb : route.upload ? longDb : db;
    const batching = { shedding, oneEventPerBatch, connections: databasePool, tracing };
    this.#batcher =
      typeof handler === 'function'
        ? null
        : new RequestBatcher(db, operation, handler, { ...batching, lane: app.batches.lane(operation.name) });
    this.#limit = route.concurrency ? limitConcurrency(route.concurrency) : (_keys, work) => work();
    this.#live = route.live && createLive(app, route.live.until);
  }

  readonly authenticate = async (request: FastifyRequest): Promise<void> => {
    this.#refuseWrites();
    const at = this.#context.clock();
    request.browser = this.#browserOf(request);
    request.orderCredential = readOrderCredential(request, this.#route, this.#shopUrl);
    const ignored = this.#route.access.to === 'anyone' && this.#route.access.tokenIgnored;
    const hasToken = !ignored && request.orderCredential?.in !== 'authorization';
    const actor = await this.#context.gate.authenticate(hasToken ? request.headers.authorization : undefined, at);
    const languages = request.headers['accept-language'];
    const locale = languages === undefined ? null : localeOfHeader(languages);
    const userAgent = request.headers['user-agent'] ?? null;
    request.act = {
      actor,
      operation: this.#operation.name,
      at,
      requestId: request.id,
      address: request.ip,
      userAgent,
      locale,
      recorded: 0,
    };
    if (!this.#hasSecret(request) && !this.#hasCookie(request)) checkCaller(this.#route.access, actor);
  };

  readonly authorize = async (request: FastifyRequest): Promise<void> => {
    if (this.#hasSecret(request)) return;
    try {
      await checkPermission(this.#context.gate, this.#route.access, actOf(request).actor, partsOf(request));
    } catch (error) {
      if (!(error instanceof Problem) || !(await this.#mayBeRepeated(request))) throw error;
      request.refused = error;
    }
  };

  readonly handle = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (request.refused) return this.#repeat(request, reply, request.refused);
    const pending = this.#toPending(request);
    const work = () => (this.#batcher ? this.#batcher.run(pending) : this.#limit(limitKeysOf(request), () => this.#runAlone(pending)));
    const keptBy = this.#keptBy(request);
    const key = keptBy === 'everybody' || keptBy === 'browsers' ? pageKey(request.raw) : null;
    if (key !== null) {
      const shared = await this.#app.pageCache.share(key, this.#cacheTag(request), work);
      return sendAndCache(this.#app, [request, reply], { key, operation: this.#operation.name, keptBy }, shared);
    }
    const response = await this.#complete(pending, await work());
    this.#dropCachedPages(response);
    this.#setOrderCookie(request, reply, response);
    return send(request, reply, response, keptBy);
  };

  async #runAlone(pending: PendingRequest): Promise<OperationResponse> {
    const { eventId, input } = pending;
    if (eventId !== null) {
      const { id } = input.params as { id: number };
      if ((await this.#context.findEventsOfOrders?.([id]))?.get(id) !== eventId) throw new Problem('not_found');
    }
    return runOperation(this.#db, this.#operation, pending);
  }

  /**
   * Runs the operation for a page of the web apps. The permission of the caller is not checked, so the operation must be open to anyone, or to
   * callers with the secret of the order, which the handler checks.
   */
  async perform(act: Act, { params = {}, query = {}, body }: OperationInput): Promise<OperationResponse> {
    const { access } = this.#route;
    const isOpen = access.to === 'anyone' || (access.to === 'permitted' && access.orSecret && (query as { secret?: unknown }).secret);
    if (!isOpen) throw new Error(`${this.#operation.name} is not open to anyone`);
    this.#refuseWrites();
    const input = this.#operation.checkInput({ params, query, body, bodyBytes: JSON.stringify(body ?? '').length, unescaped: false });
    const pending = { act, input, eventId: null, file: null, ifMatch: undefined, idempotency: null };
    const response = await (this.#batcher?.run(pending) ?? runOperation(this.#db, this.#operation, pending));
    return this.#complete(pending, response);
  }

  /** Calls other services after the commit. A repeated request with the same idempotency key gets here too, with the stored response. */
  async #complete(pending: PendingRequest, response: OperationResponse): Promise<OperationResponse> {
    const { handler } = this.#operation;
    if (typeof handler === 'function' || !handler.complete || response.status >= 300 || response.body === null) return response;
    const act = { ...pending.act, at: this.#context.clock() };
    const completed = await handler.complete(this.#context.db, { act, input: pending.input, answer: JSON.parse(response.body) } as never);
    return completed === null ? response : { ...toCompletedResponse(this.#operation, act, completed), replayed: response.replayed };
  }

  /** The last step of operations that return a file or an event stream. */
  readonly stream = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const input = this.#operation.checkInput({ params: request.params, query: queryOf(request), body: undefined });
    const act = actOf(request);
    const db = this.#db;
    if (this.#live) {
      return this.#live(reply, callerOf(act), async () => runReadOnly(db, this.#operation, { act: await this.#actNow(request), input }));
    }
    return this.#limit(limitKeysOf(request), async () => {
      const file = (await runReadOnly(db, this.#operation, { act, input })) as StoredFile | GeneratedFile;
      return 'content' in file ? sendGeneratedFile(request, reply, file) : sendFile(request, reply, this.#files, file);
    });
  };

  #refuseWrites(): void {
    if (this.#context.readOnly && !isReadOnly(this.#route))
      throw retryLater('unavailable', 5, 'This process only reads. Send the request to a process without READ_ONLY.');
  }

  #hasSecret({ orderCredential }: FastifyRequest): boolean {
    const { access } = this.#route;
    return access.to === 'permitted' && access.orSecret === true && orderCredential !== null;
  }

  /** A token takes precedence, because a browser adds the cookie to every request. */
  #hasCookie({ browser, headers }: FastifyRequest): boolean {
    const { access } = this.#route;
    return (
      access.to === 'signedIn' && access.orCookie === true && headers.authorization === undefined && typeof browser?.cookie === 'string'
    );
  }

  #browserOf(request: FastifyRequest): Browser | null {
    const { cookie } = this.#route;
    if (cookie === undefined) return null;
    const ownPage = isFromSite(request, this.#shopUrl);
    return { ownPage, cookie: ownPage ? readCookie(request, cookie, this.#shopUrl) : null };
  }

  /**
   * A request may delete the object that its permission is checked on, or remove the caller's own role. A repetition of that request must
   * still get the stored response. So a caller that has used the idempotency key before is not refused yet. Other callers are refused
   * before their body is read.
   */
  async #mayBeRepeated(request: FastifyRequest): Promise<boolean> {
    if (this.#route.method === 'GET' || this.#route.upload) return false;
    const idempotency = idempotencyOf(request.headers['idempotency-key'], request, null);
    return idempotency !== null && inTransaction(this.#context.db, { readOnly: true }, (tx) => isKeyUsed(tx, actOf(request), idempotency));
  }

  async #repeat(request: FastifyRequest, reply: FastifyReply, refused: Problem): Promise<FastifyReply> {
    const idempotency = idempotencyOf(request.headers['idempotency-key'], request, request.json);
    const earlier =
      idempotency && (await inTransaction(this.#context.db, { readOnly: true }, (tx) => findEarlier(tx, actOf(request), idempotency)));
    if (!earlier) throw refused;
    return send(request, reply, { ...earlier, replayed: true }, 'nobody');
  }

  #toPending(request: FastifyRequest): PendingRequest {
    const { params, json, headers } = request;
    const { method, signed, upload } = this.#route;
    const body = bodyOf(json);
    const isInEvent = request.routeOptions.config.inEvent === true;
    const parts = isInEvent ? takeEvent(this.#route, { params, body: body.body }) : { params, body: body.body, eventId: null };
    const checked = this.#operation.checkInput({ ...body, params: parts.params, query: queryOf(request), body: parts.body });
    const versioned = method === 'PUT' || method === 'DELETE' || (method === 'POST' && this.#operation.versionOf !== null);
    return {
      act: actOf(request),
      input: { ...checked, ...(signed && { signed: signedBy(request, signed) }), ...(request.browser && { browser: request.browser }) },
      eventId: parts.eventId,
      file: upload ? new IncomingFile(request.raw, upload, this.#uploadTimeouts) : null,
      ifMatch: versioned ? headers['if-match'] : undefined,
      idempotency: method === 'GET' ? null : idempotencyOf(headers['idempotency-key'], request, json),
    };
  }

  /** Responses to anonymous callers are the same for everybody, unless the query contains a secret, such as a passkey. */
  #keptBy(request: FastifyRequest): KeptBy {
    const { cached } = this.#route;
    const query = request.query as Record<string, unknown>;
    if (!cached || cached.except?.some((name) => query[name] !== undefined)) return 'nobody';
    if (actOf(request).actor.kind !== 'anonymous') return 'caller';
    return cached.browsers ? 'browsers' : 'everybody';
  }

  #cacheTag({ params }: FastifyRequest): string {
    return this.#route.cached?.tag === 'path.id' ? String(Number((params as { id: string }).id)) : allPagesTag;
  }

  /** After a write, the next read from this process must return the new data. The database notifies the other processes. */
  #dropCachedPages({ status }: OperationResponse): void {
    const { method, group, path } = this.#route;
    const isShown = group === 'event' || group === 'ticket' || path.startsWith('/producers/');
    if (status < 300 && method !== 'GET' && isShown) this.#app.pageCache.drop(allPagesTag);
  }

  #setOrderCookie({ params, orderCredential }: FastifyRequest, reply: FastifyReply, { status }: OperationResponse): void {
    const { orderSession } = this.#route;
    if (!orderSession || status >= 300) return;
    const secret = orderSession === 'open' ? (orderCredential?.secret ?? null) : null;
    reply.header('set-cookie', orderCookie(Number((params as { id: string }).id), secret, this.#shopUrl));
  }

  /** A stream lasts up to 15 minutes. Each time it reads the state, the caller's token and permission are checked again. */
  async #actNow(request: FastifyRequest): Promise<Act<Sender>> {
    const at = this.#context.clock();
    const actor = await this.#context.gate.authenticate(request.headers.authorization, at);
    checkCaller(this.#route.access, actor);
    await checkPermission(this.#context.gate, this.#route.access, actor, partsOf(request));
    return { ...actOf(request), actor, at };
  }
}

/** The key that concurrency limits count by: the user or device, or the network for callers without a token. */
const callerOf = ({ actor, address }: Act<Sender>): string =>
  actor.kind === 'anonymous' ? `network ${networkOf(address ?? '')}` : callerKey(actor);

/** Concurrency limits also count per event, so that several users of one event cannot use all places. */
function limitKeysOf(request: FastifyRequest): string[] {
  const { eventId } = request.params as { eventId?: string };
  return [callerOf(actOf(request)), ...(eventId === undefined ? [] : [`event ${eventId}`])];
}

const bodyOf = (json: JsonBody | null) => ({
  body: json?.value,
  bodyBytes: json?.bytes ?? 0,
  unescaped: json?.unescaped ?? true,
});

function signedBy({ json, headers }: FastifyRequest, names: readonly string[]): SignedBody {
  const values = names.map((name): [string, string | undefined] => {
    const value = headers[name.toLowerCase()];
    return [name.toLowerCase(), typeof value === 'string' ? value : undefined];
  });
  return { text: json?.text ?? '', headers: Object.fromEntries(values) };
}

function idempotencyOf(
  header: string | string[] | undefined,
  { method, url, orderCredential, browser }: Pick<FastifyRequest, 'method' | 'url' | 'orderCredential' | 'browser'>,
  json: JsonBody | null,
) {
  const key = readKey(header);
  const credential = orderCredential === null || orderCredential.in === 'query' ? (browser?.cookie ?? null) : orderCredential.secret;
  return key === null ? null : { key, method, url, bodyHash: json?.hash ?? null, credential };
}

/** Handlers get the credential of an order as `query.secret`, wherever the request has it. */
const queryOf = ({ query, orderCredential }: FastifyRequest): unknown =>
  orderCredential ? { ...(query as object), secret: orderCredential.secret } : query;

const partsOf = (request: FastifyRequest) => ({ path: request.params, query: request.query, body: request.body });

function actOf(request: FastifyRequest): Act<Sender> {
  if (!request.act) throw new Error('The request was not authenticated');
  return request.act;
}
