import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { Problem } from '../kernel/problem.ts';
import type { Route } from '../kernel/route.ts';

/** Parsing and validating 16 KB takes about a millisecond. Also the limit at addresses that do not exist. */
export const anonymousBodyLimit = 16_384;
const signedInBodyLimit = 1_048_576;

/** The largest body that an operation reads. Anyone may send one without an account, so those bodies are small. */
export function bodyLimitOf({ bodyLimit, access }: Pick<Route, 'bodyLimit' | 'access'>): number {
  const isOpen = access.to === 'anyone' || (access.to === 'permitted' && access.orSecret === true);
  return bodyLimit ?? (isOpen ? anonymousBodyLimit : signedInBodyLimit);
}

export interface JsonBody {
  value: unknown;
  /** As it came. */
  text: string;
  bytes: number;
  /** Of the bytes that came, where an idempotency key came with them. */
  hash: string | null;
  /** No NUL and no surrogate is written as `\u…`: its texts hold nothing that UTF-8 and the database cannot. */
  unescaped: boolean;
}

/** JSON is the only body we read; what is not UTF-8 or not JSON is refused rather than mended. */
function readJson(bytes: Buffer, keyed: boolean): JsonBody {
  const known = { bytes: bytes.length, hash: keyed ? hash('sha256', bytes) : null };
  // Many clients name the type on requests without a payload, a DELETE above all.
  if (bytes.length === 0) return { ...known, value: undefined, text: '', unescaped: true };
  if (!isUtf8(bytes)) throw new Problem('malformed_body', 'The body is not UTF-8');
  const text = bytes.toString();
  const value = parse(text.startsWith('\ufeff') ? text.slice(1) : text, !mayHoldPrototypes.test(text));
  return { ...known, text, value, unescaped: !mayHoldUnstorable.test(text) };
}

/** The names themselves, or an escaped letter or underscore of one. Only then every key is checked, because that is slow. */
const mayHoldPrototypes = /__proto__|constructor|\\u00(?:5f|[67])/i;
/** Escaped NUL or half of a surrogate pair. */
const mayHoldUnstorable = /\\u(?:0000|d[89a-f])/i;

/** Whoever copies an object with such a key may copy it into the prototype of all objects. */
function refusePrototypes(key: string, value: unknown): unknown {
  if (key === '__proto__' || (key === 'constructor' && typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype'))) {
    throw new SyntaxError(`${key} is no name for a field`);
  }
  return value;
}

function parse(text: string, plain: boolean): unknown {
  try {
    return plain ? JSON.parse(text) : JSON.parse(text, refusePrototypes);
  } catch (error) {
    throw new Problem('malformed_body', `The body is not JSON that we read: ${(error as Error).message.slice(0, 200)}`);
  }
}

function refuseCompressed(encoding = 'identity'): void {
  if (encoding !== 'identity') throw new Problem('unsupported_media_type', 'Bodies are taken as they are, not compressed');
}

export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    try {
      refuseCompressed(request.headers['content-encoding']);
      request.json = readJson(bytes, request.headers['idempotency-key'] !== undefined);
      done(null, request.json.value);
    } catch (error) {
      done(error as Problem);
    }
  });
}
