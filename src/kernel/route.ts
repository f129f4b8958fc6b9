import type { Static, TObject, TSchema } from 'typebox';
import type { Access } from './access.ts';
import type { ProblemCode } from './problem.ts';

/** Groups of operations. The SERVE setting chooses which groups a process serves. */
export const groups = ['event', 'ticket', 'shop', 'door', 'account'] as const;
export type Group = (typeof groups)[number];

/** One file in a multipart form, instead of a JSON body. */
export interface Upload {
  field: 'file';
  /** One or more media types, separated by commas. */
  mediaType: string;
  maxBytes: number;
  /** The handler reads the file before the transaction begins, because decoding and storing the file take long. */
  beforeTransaction?: true;
}

/** The definition of one operation. Validation, handler types, client types and the API reference are all derived from this definition. */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Relative to `/v1`, with parameters in braces: `/event/{id}/crew`. */
  path: `/${string}`;
  group: Group;
  summary: string;
  description?: string;
  access: Access;
  params?: TObject;
  query?: TObject;
  body?: TSchema;
  upload?: Upload;
  /** The headers that carry the signature of the raw body. The handler gets the headers and the body, and verifies the signature. */
  signed?: readonly string[];
  /** The operation returns a file in one of these media types instead of JSON. The handler returns a stored or a generated file. */
  sends?: readonly string[];
  /**
   * The response is a stream of server-sent events, with one event for each change of the handler's result. The stream ends when the field
   * named by `until` is not null.
   */
  live?: { until: string };
  /** The query accepts `dryRun=true`: the request is checked, nothing is written, and the status is 200. */
  dryRun?: true;
  answer: { status: 200 | 201 | 202 | 204; body?: TSchema };
  /** Problems that the handler may return, in addition to `edgeProblems`. */
  problems?: readonly ProblemCode[];
  /** The reason why this write leaves no entry in the audit log. All other writes must leave an entry. */
  unaudited?: string;
  /** The reason why this write may find nothing to change. Only then may it leave no entry in the audit log. */
  mayChangeNothing?: string;
  /** A GET that leaves an entry in the audit log, because it matters who reads the data. Its transaction may write. */
  audited?: true;
  /** A GET that counts failed attempts. Its transaction may write; that of other GETs is read-only. */
  countsFailures?: true;
  /** The maximum body size in bytes. Default: 16 KB for operations that need no account, 1 MB for others. */
  bodyLimit?: number;
  /**
   * The maximum number of requests of this operation that one process runs at the same time. Other requests wait in a bounded queue. When
   * the queue is full, requests get 503.
   */
  concurrency?: number;
  /**
   * The operation also has a path below its event, such as `/event/{eventId}/orders/{id}/cancel`. So a proxy can send all requests of an event
   * to the same process, whose batches are then larger.
   */
  inEvent?: true;
  /** Concurrent requests for the same event run in one transaction. */
  batched?: true;
  /** A GET whose response may be some seconds old. It is read from a replica if there is one. */
  replica?: true;
  /**
   * Where the request has the id of the order that it is about. A buyer proves access with the secret of the order or the token of a mail link,
   * in a header or in the cookie of the order page. The handler gets it as `query.secret`.
   */
  orderAccess?: 'path.id' | 'query.orderId';
  /** The response sets or deletes the cookie of the order in the path. */
  orderSession?: 'open' | 'close';
  /** The name of the cookie that the handler gets as `browser.cookie`. */
  cookie?: string;
  /** The GET operation whose ETag `If-Match` is compared with. Needed only where the path of the write has no GET. */
  versionOf?: string;
  /**
   * Everybody may read the response. Responses to anonymous callers are kept in the page cache, and shared caches may keep them too. With the
   * tag `path.id` they are dropped from the page cache when the event with that id changes, with `all` when any event changes. Requests with
   * one of the query parameters in `except` are not cached. With `browsers`, browsers may keep the response for a second too. Without
   * `cached`, the response has `Cache-Control: no-store`.
   */
  cached?: { tag: 'path.id' | 'all'; except?: readonly string[]; browsers?: true };
  deprecated?: true;
  examples: { params?: unknown; query?: unknown; body?: unknown; answer?: unknown };
}

/** A file in the file store, returned by the handler of a route with `sends`. */
export interface StoredFile {
  key: string;
  /** The file name that the browser suggests. */
  name: string;
  mediaType: string;
  bytes: number;
  /** Used as ETag: the same content has the same tag. */
  tag: string;
}

/** A small file that the handler generates in memory. */
export interface GeneratedFile {
  /** A function is called after the transaction, and only if the client does not have the file yet. */
  content: string | Uint8Array | (() => Promise<Uint8Array>);
  name: string;
  mediaType: string;
  /** Used as ETag: the same content has the same tag. */
  tag: string;
}

export type Contract = Record<string, Route>;

/** Keeps the literal types of the definition, so that the types of handlers and client methods can be inferred. */
export const route = <const R extends Route>(definition: R): R => definition;

type Part<S> = S extends TSchema ? Static<S> : undefined;

/** The raw body and the headers that sign it, by their names in lower case. */
export interface SignedBody {
  text: string;
  headers: Record<string, string | undefined>;
}

/** What the browser itself adds to a request. */
export interface Browser {
  /** Whether a page of this site sent the request. False for programs that are no browser. */
  ownPage: boolean;
  /** Null if there is no cookie, or if the request does not come from a page of this site. */
  cookie: string | null;
}

export interface Input<R extends Route> {
  params: Part<R['params']>;
  query: Part<R['query']>;
  body: Part<R['body']>;
  /** The content of an uploaded file, streamed. */
  file: R['upload'] extends Upload ? AsyncIterable<Uint8Array> : undefined;
  signed: R['signed'] extends readonly string[] ? SignedBody : undefined;
  browser: R['cookie'] extends string ? Browser : undefined;
}

export type Answer<R extends Route> = R['sends'] extends readonly string[]
  ? StoredFile | GeneratedFile
  : R['answer'] extends { body: infer B extends TSchema }
    ? Static<B>
    : void;
