import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Act, Anonymous } from '../kernel/act.ts';
import { type Locale, localeOfHeader } from '../kernel/locale.ts';
import { Problem } from '../kernel/problem.ts';
import { isStorable } from '../kernel/storable-text.ts';
import type { Database, Tx } from '../postgres/database.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { acceptedEncoding, type Encoding, encode } from './content-encoding.ts';
import { etagOf, matches } from './etag.ts';
import type { Perform } from './mount.ts';
import { toProblem } from './problems.ts';
import { sharedHeaders } from './respond.ts';
import { isPageParameter, pageKey } from './serve-cached-page.ts';
import { SharedReads } from './shared-reads.ts';

/** A request for a page. Repeated parameters keep their first value. Parameters that no page reads are left out. */
export interface PageRequest {
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string>>;
  /** The fields of a submitted form. Empty for GET. */
  form: URLSearchParams;
  cookies: Readonly<Record<string, string>>;
  url: string;
  requestId: string;
}

export interface PageResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** What a page may do. Writes go through an operation of the API, with its checks and its batching. */
export interface PageEdge {
  read<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * For what many pages show. It is read at most twice a second, and again when the event with the id `tag` changes, or any event
   * (`allPagesTag`). Not inside another read: both would need a connection.
   */
  readShared<T>(key: string, tag: string, work: (tx: Tx) => Promise<T>): Promise<T>;
  /** For reads that count failed attempts, such as wrong access codes. */
  readAndCount<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  perform: Perform;
}

export interface PageRoute {
  method?: 'POST';
  /** The path as Fastify writes it. */
  path: string;
  /** The name of the page in logs and metrics. */
  operation: string;
  /** Other sites may show the page in a frame. Its policy says which. */
  embeddable?: true;
  /** The page is kept in the page cache until the event with this id changes, or any event (`allPagesTag`). Null: not cached. */
  cacheTag(request: PageRequest): string | null;
  respond(edge: PageEdge, act: Act<Anonymous>, request: PageRequest): Promise<PageResponse>;
}

interface ProblemRequest {
  url: string;
  requestId: string;
  /** The language that the browser prefers, for addresses without a language. */
  locale: Locale | null;
}

export interface PageSetup {
  db: Database;
  clock: () => Date;
  perform: Perform;
  routes: readonly PageRoute[];
  /** The page to show instead of a page that failed. */
  respondToProblem(problem: Problem, request: ProblemRequest): PageResponse;
}

const formType = 'application/x-www-form-urlencoded';
/** How well pages are compressed: those that are sent often, and those that are sent once. */
const cachedLevel = 5;
const onceLevel = 3;

/** Adds the routes of the web apps. They have their own error pages, and they accept forms, which the API does not. */
export function mountPages(app: FastifyInstance, setup: PageSetup): void {
  const sendProblemPage = (request: FastifyRequest, reply: FastifyReply, problem: Problem): Promise<FastifyReply> => {
    const locale = localeOfHeader(request.headers['accept-language']);
    return sendEncoded(request, reply, setup.respondToProblem(problem, { url: request.url, requestId: request.id, locale }));
  };
  app.problemPage.send = sendProblemPage;
  const shared = new SharedReads(app.pageCache);
  void app.register(async (scope) => {
    scope.addContentTypeParser(formType, { parseAs: 'string' }, (_request, body, done) => done(null, body));
    scope.setErrorHandler((error, request, reply) => {
      const problem = toProblem(error);
      if (problem.status === 500) request.log.error({ err: error }, 'request failed');
      reply.headers(problem.details.headers ?? {});
      return sendProblemPage(request, reply, problem);
    });
    for (const route of setup.routes) {
      scope.route({
        method: route.method ?? 'GET',
        url: route.path,
        config: { operation: route.operation, unlisted: true },
        handler: (request, reply) => servePage({ app, setup, shared, route }, request, reply),
      });
    }
  });
}

interface MountedPage {
  app: FastifyInstance;
  setup: PageSetup;
  shared: SharedReads;
  route: PageRoute;
}

/** The edge of one page. `oldestRead` is the time of its oldest shared read. */
function createEdge({ db, perform }: PageSetup, shared: SharedReads): { edge: PageEdge; oldestRead(): number } {
  let oldest = Number.POSITIVE_INFINITY;
  const read: PageEdge['read'] = (work) => inTransaction(db, { readOnly: true }, work);
  const edge: PageEdge = {
    read,
    async readShared(key, tag, work) {
      const { result, readAt } = await shared.read(key, tag, () => read(work));
      oldest = Math.min(oldest, readAt);
      return result;
    },
    readAndCount: (work) => inTransaction(db, {}, work),
    perform,
  };
  return { edge, oldestRead: () => oldest };
}

async function servePage({ app, setup, shared, route }: MountedPage, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  if (route.method === 'POST') refuseOtherSites(request);
  if (route.embeddable) reply.removeHeader('x-frame-options');
  const page = readRequest(request);
  const at = setup.clock();
  const locale = localeOfHeader(request.headers['accept-language']);
  const act: Act<Anonymous> = {
    actor: { kind: 'anonymous' },
    operation: route.operation,
    at,
    requestId: request.id,
    address: request.ip,
    locale,
    recorded: 0,
  };
  const { edge, oldestRead } = createEdge(setup, shared);
  const tag = route.cacheTag(page);
  const key = tag === null ? null : pageKey(request.raw);
  if (tag === null || key === null) return sendEncoded(request, reply, await route.respond(edge, act, page));

  const encoding = acceptedEncoding(request.headers['accept-encoding']);
  const { result, snapshot } = await app.pageCache.share(key, tag, async () => {
    const encoded = await encodePage(await route.respond(edge, act, page), encoding, cachedLevel);
    return { ...encoded, oldestRead: oldestRead() };
  });
  const sent = sendPage(request, reply, result);
  if (result.status === 200) {
    const bodyHeaders = Object.entries(result.bodyHeaders).flat();
    const body = result.body.toString('latin1');
    const made = { ...snapshot, at: Math.min(snapshot.at, result.oldestRead) };
    app.pageCache.keep(key, made, { operation: route.operation, headers: sharedHeaders(reply), bodyHeaders, etag: result.etag, body });
  }
  return sent;
}

interface EncodedPage {
  status: number;
  headers: Readonly<Record<string, string>>;
  bodyHeaders: Readonly<Record<string, string>>;
  etag: string;
  body: Buffer;
}

async function encodePage({ status, headers, body }: PageResponse, encoding: Encoding, level: number): Promise<EncodedPage> {
  const { 'content-type': mediaType = 'text/html; charset=utf-8', ...others } = headers;
  const content = Buffer.from(body);
  const encoded = await encode(content, encoding, level);
  return {
    status,
    headers: { vary: 'accept-encoding', ...others },
    bodyHeaders: {
      'content-type': mediaType,
      'content-length': String(encoded.length),
      ...(encoding !== 'identity' && { 'content-encoding': encoding }),
    },
    // The same page in another encoding is another representation, so it has another tag.
    etag: etagOf(content, encoding),
    body: encoded,
  };
}

async function sendEncoded(request: FastifyRequest, reply: FastifyReply, response: PageResponse): Promise<FastifyReply> {
  return sendPage(request, reply, await encodePage(response, acceptedEncoding(request.headers['accept-encoding']), onceLevel));
}

function sendPage(request: FastifyRequest, reply: FastifyReply, { status, headers, bodyHeaders, etag, body }: EncodedPage): FastifyReply {
  reply.code(status).headers(headers);
  if (status === 200 && request.method !== 'POST') reply.header('etag', etag);
  if (status === 200 && matches(request.headers['if-none-match'] ?? '', etag)) return reply.code(304).send();
  return reply.headers(bodyHeaders).send(body);
}

/** Another site must not submit a form in the name of its reader. Browsers say where a request comes from; scripts on other sites cannot lie about it. */
function refuseOtherSites({ headers }: FastifyRequest): void {
  const site = headers['sec-fetch-site'];
  if (site === 'cross-site' || site === 'same-site') throw new Problem('forbidden', 'This form can be sent only from this site.');
}

function readRequest(request: FastifyRequest): PageRequest {
  const form = new URLSearchParams(typeof request.body === 'string' ? request.body : '');
  const page = {
    params: firstValues(request.params),
    query: readQuery(request.query),
    form,
    cookies: readCookies(request.headers.cookie),
    url: request.url,
    requestId: request.id,
  };
  const texts = [...Object.values(page.params), ...Object.values(page.query), ...form.values(), ...form.keys()];
  if (!texts.every(isStorable)) throw new Problem('invalid_input', 'The address contains characters that are not text.');
  return page;
}

const readQuery = (source: unknown): Record<string, string> =>
  Object.fromEntries(Object.entries(firstValues(source)).filter(([name]) => isPageParameter(name)));

function firstValues(source: unknown): Record<string, string> {
  const entries = Object.entries(source as Record<string, string | string[]>);
  return Object.fromEntries(entries.map(([name, value]) => [name, Array.isArray(value) ? (value[0] ?? '') : value]));
}

function readCookies(header: string | undefined): Record<string, string> {
  const pairs = (header ?? '').split(';').map((part) => {
    const at = part.indexOf('=');
    return [part.slice(0, at).trim(), part.slice(at + 1).trim()] as const;
  });
  return Object.fromEntries(pairs.filter(([name]) => name !== ''));
}
