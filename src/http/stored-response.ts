import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { Problem, type ProblemCode, type ProblemDetails, problems } from '../kernel/problem.ts';

export interface HttpResponse {
  status: number;
  headers: Record<string, string>;
  body: string | null;
  /** Set if the response is a problem. */
  refusal?: { problem: Problem; requestId: string };
}

export function problemResponse(problem: Problem, requestId: string): HttpResponse {
  return {
    status: problem.status,
    headers: { 'content-type': 'application/problem+json; charset=utf-8', ...problem.details.headers },
    body: JSON.stringify(problem.describe(requestId)),
    refusal: { problem, requestId },
  };
}

/** Compressing fewer bytes saves little. */
const minBytesToCompress = 256;
/**
 * Anonymous callers can cause stored problems too, so their size is limited. A larger problem is not stored. Its request changed nothing,
 * so a retry is safe.
 */
const maxRefusalBytes = 2_000;

/** The API token that made the request. Null for a session or an anonymous caller. */
type TokenId = number | null;

interface StoredRefusal extends ProblemDetails {
  code: ProblemCode;
  requestId: string;
  detail?: string;
  token?: TokenId;
}

/**
 * Encodes a response to store it with an idempotency key. Returns null if the response is too large. A problem is stored without the texts
 * that its code implies.
 */
export function encodeResponse({ refusal, ...sent }: HttpResponse, token: TokenId): Buffer | null {
  const by = token === null ? {} : { token };
  if (!refusal) return Buffer.from(JSON.stringify({ ...sent, ...by }));
  const { problem, requestId } = refusal;
  const { code, message: detail, details } = problem;
  const stored: StoredRefusal = { code, requestId, ...(detail !== detailOf(code, details) && { detail }), ...details, ...by };
  const bytes = compress(Buffer.from(JSON.stringify(stored)));
  return bytes.length > maxRefusalBytes ? null : bytes;
}

export function decodeResponse(bytes: Buffer): { sent: HttpResponse; token: TokenId } {
  const stored = JSON.parse(decompress(bytes).toString()) as (HttpResponse & { token?: TokenId }) | StoredRefusal;
  const { token = null } = stored;
  if (!('code' in stored)) return { sent: { status: stored.status, headers: stored.headers, body: stored.body }, token };
  const { code, requestId, errors, extra, headers } = stored;
  const details = { ...(errors && { errors }), ...(extra && { extra }), ...(headers && { headers }) };
  return { sent: problemResponse(new Problem(code, stored.detail ?? detailOf(code, details), details), requestId), token };
}

/** The default detail of a problem: the message of its first error, or the title of its code. */
const detailOf = (code: ProblemCode, { errors }: ProblemDetails): string => errors?.[0]?.message ?? problems[code].title;

/** JSON begins with a brace, so a first byte of zero marks compressed bytes. */
const compress = (json: Buffer): Buffer =>
  json.length < minBytesToCompress ? json : Buffer.concat([Buffer.from([0]), deflateRawSync(json)]);

const decompress = (bytes: Buffer): Buffer => (bytes[0] === 0 ? inflateRawSync(bytes.subarray(1)) : bytes);
