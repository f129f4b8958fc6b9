import type { Static, TObject, TSchema } from 'typebox';
import type { Access } from './access.ts';
import type { ProblemCode } from './problem.ts';

/** The groups a deployment can serve apart from each other, see SERVE. */
export const groups = ['event', 'ticket', 'shop', 'door', 'account'] as const;
export type Group = (typeof groups)[number];

/** One file in a multipart form, instead of a JSON body. */
export interface Upload {
  field: 'file';
  mediaType: string;
  maxBytes: number;
}

/** One operation as data: validation, handler types, the client's types and the API reference all come from it. */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the base address, parameters in braces: `/event/{id}/crew`. */
  path: `/${string}`;
  group: Group;
  summary: string;
  description?: string;
  access: Access;
  params?: TObject;
  query?: TObject;
  body?: TSchema;
  upload?: Upload;
  /** The body is signed, byte for byte, in this header: the handler gets both and judges. */
  signed?: { header: string };
  /** Returns a file in one of these media types in place of JSON. The handler returns where it is stored, or its bytes. */
  sends?: readonly string[];
  /** Stays open and tells, as server-sent events, every change of what the handler answers, until this field of it is not null. */
  live?: { until: string };
  /** Its query takes `dryRun=true`: everything is checked, nothing is written, and the answer comes with 200. */
  dryRun?: true;
  answer: { status: 200 | 201 | 202 | 204; body?: TSchema };
  /** What the handler may answer beyond the edge's own problems. */
  problems?: readonly ProblemCode[];
  /** Writes are audited; a write that changes nothing anyone would ask about says so here, with the reason. */
  unaudited?: string;
  /** A GET that counts failed attempts. Its transaction may write; that of any other GET is read-only. */
  countsFailures?: true;
  /** The largest body it reads, in bytes. When left out: 16 KB where callers need no account, 1 MB elsewhere. */
  bodyLimit?: number;
  /** How many of these may be at work at once in one process; more wait, too many are told to come back. */
  atOnce?: number;
  /** Concurrent requests for the same event run in one transaction. */
  batched?: true;
  /** For a write at an address that cannot be read: the read whose ETag `If-Match` names. */
  versionOf?: string;
  /**
   * What anyone may read is kept as ready bytes and dropped when the event with this id changes, or anything that a page shows;
   * never with one of these query parameters.
   */
  cached?: { tag: 'path.id' | 'everything'; except?: readonly string[] };
  deprecated?: true;
  examples: { params?: unknown; query?: unknown; body?: unknown; answer?: unknown };
}

/** A file that the handler of a route that `sends` one answers. */
export interface StoredFile {
  key: string;
  /** As who downloads it calls it. */
  name: string;
  mediaType: string;
  bytes: number;
  /** The same for the same bytes. */
  tag: string;
}

/** A small file that the handler itself has made. */
export interface MadeFile {
  content: string | Uint8Array;
  name: string;
  mediaType: string;
  /** The same for the same bytes. */
  tag: string;
}

export type Contract = Record<string, Route>;

/** Keeps the literal types, so that handlers and clients can be inferred from them. */
export const route = <const R extends Route>(definition: R): R => definition;

type Part<S> = S extends TSchema ? Static<S> : undefined;

/** A body as it came, and what the header says of it. */
export interface SignedBody {
  text: string;
  signature: string | undefined;
}

export interface Input<R extends Route> {
  params: Part<R['params']>;
  query: Part<R['query']>;
  body: Part<R['body']>;
  /** The bytes of an upload, as they arrive. */
  file: R['upload'] extends Upload ? AsyncIterable<Uint8Array> : undefined;
  signed: R['signed'] extends { header: string } ? SignedBody : undefined;
}

export type Answer<R extends Route> = R['sends'] extends readonly string[]
  ? StoredFile | MadeFile
  : R['answer'] extends { body: infer B extends TSchema }
    ? Static<B>
    : void;
