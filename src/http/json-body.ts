import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { Problem } from '../kernel/problem.ts';
import type { Route } from '../kernel/route.ts';

/**
 * The maximum body size for callers without an account. Parsing and validating 16 KB takes about a millisecond. The limit also applies to
 * paths that do not exist.
 */
export const anonymousBodyLimit = 16_384;
const signedInBodyLimit = 1_048_576;

/** The maximum body size of an operation. It is small where callers need no account, so that anonymous callers cannot use much CPU time. */
export function bodyLimitOf({ bodyLimit, access }: Pick<Route, 'bodyLimit' | 'access'>): number {
  const isOpen = access.to === 'anyone' || (access.to === 'permitted' && access.orSecret === true);
  return bodyLimit ?? (isOpen ? anonymousBodyLimit : signedInBodyLimit);
}

export interface JsonBody {
  value: unknown;
  /** The raw body. */
  text: string;
  bytes: number;
  /** The hash of the raw body. Null without an idempotency key. */
  hash: string | null;
  /** True when the text has no escaped NUL or surrogate (`\u0000`, `\ud800`), so that PostgreSQL can store all its strings. */
  unescaped: boolean;
}

/** Refuses a body that is not valid UTF-8 or JSON. Nothing is repaired or replaced. */
function readJson(bytes: Buffer, withHash: boolean): JsonBody {
  const known = { bytes: bytes.length, hash: withHash ? hash('sha256', bytes) : null };
  // Many clients send Content-Type without a body, mostly with DELETE.
  if (bytes.length === 0) return { ...known, value: undefined, text: '', unescaped: true };
  if (!isUtf8(bytes)) throw new Problem('malformed_body', 'The body is not valid UTF-8.');
  const text = bytes.toString();
  const value = parse(text.startsWith('\ufeff') ? text.slice(1) : text, !mayHoldPrototypes.test(text));
  return { ...known, text, value, unescaped: !mayHoldUnstorable.test(text) };
}

/**
 * Matches a text that contains one of these names, or an escape sequence that may be part of such a name. Only then is every key checked,
 * because checking is slow.
 */
const mayHoldPrototypes = /__proto__|constructor|\\u00(?:5f|[67])/i;
/** Matches an escaped NUL or surrogate. */
const mayHoldUnstorable = /\\u(?:0000|d[89a-f])/i;

/** Prevents prototype pollution: code that copies an object with such a key may change the prototype of all objects. */
function refusePrototypes(key: string, value: unknown): unknown {
  if (key === '__proto__' || (key === 'constructor' && typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype'))) {
    throw new SyntaxError(`${key} is not allowed as a field name`);
  }
  return value;
}

function parse(text: string, plain: boolean): unknown {
  try {
    return plain ? JSON.parse(text) : JSON.parse(text, refusePrototypes);
  } catch (error) {
    throw new Problem('malformed_body', `The body is not valid JSON: ${(error as Error).message.slice(0, 200)}`);
  }
}

function refuseCompressed(encoding = 'identity'): void {
  if (encoding !== 'identity')
    throw new Problem('unsupported_media_type', 'Compressed bodies are not supported. Send the body without Content-Encoding.');
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
