import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { Problem, type ProblemCode, type ProblemDetails, problems } from '../kernel/problem.ts';

/** A response as it is sent. */
export interface Sent {
  status: number;
  headers: Record<string, string>;
  body: string | null;
  /** What the response was made of, if it is a problem. */
  refusal?: { problem: Problem; requestId: string };
}

export function problemSent(problem: Problem, requestId: string): Sent {
  return {
    status: problem.status,
    headers: { 'content-type': 'application/problem+json; charset=utf-8', ...problem.details.headers },
    body: JSON.stringify(problem.describe(requestId)),
    refusal: { problem, requestId },
  };
}

/** Compressing less than this saves little. */
const leastToCompress = 256;
/** Anyone can cause refusals, so their size is limited. A larger one is not stored: it had no effect, so a retry may run again. */
const mostForRefusal = 2_000;

/** Which API token made the request; null for a session or an anonymous caller. */
type TokenId = number | null;

interface StoredRefusal extends ProblemDetails {
  code: ProblemCode;
  requestId: string;
  detail?: string;
  token?: TokenId;
}

/** The bytes to store with an idempotency key, or null if they are too many. Of a refusal only what the code does not tell. */
export function encodeResponse({ refusal, ...sent }: Sent, token: TokenId): Buffer | null {
  const by = token === null ? {} : { token };
  if (!refusal) return Buffer.from(JSON.stringify({ ...sent, ...by }));
  const { problem, requestId } = refusal;
  const { code, message: detail, details } = problem;
  const stored: StoredRefusal = { code, requestId, ...(detail !== detailOf(code, details) && { detail }), ...details, ...by };
  const bytes = compress(Buffer.from(JSON.stringify(stored)));
  return bytes.length > mostForRefusal ? null : bytes;
}

export function decodeResponse(bytes: Buffer): { sent: Sent; token: TokenId } {
  const stored = JSON.parse(decompress(bytes).toString()) as (Sent & { token?: TokenId }) | StoredRefusal;
  const { token = null } = stored;
  if (!('code' in stored)) return { sent: { status: stored.status, headers: stored.headers, body: stored.body }, token };
  const { code, requestId, errors, extra, headers } = stored;
  const details = { ...(errors && { errors }), ...(extra && { extra }), ...(headers && { headers }) };
  return { sent: problemSent(new Problem(code, stored.detail ?? detailOf(code, details), details), requestId), token };
}

/** The detail of most problems: the message of the only error, or the title. */
const detailOf = (code: ProblemCode, { errors }: ProblemDetails): string => errors?.[0]?.message ?? problems[code].title;

/** JSON begins with a brace, so a first byte of zero marks compressed bytes. */
const compress = (json: Buffer): Buffer => (json.length < leastToCompress ? json : Buffer.concat([Buffer.from([0]), deflateRawSync(json)]));

const decompress = (bytes: Buffer): Buffer => (bytes[0] === 0 ? inflateRawSync(bytes.subarray(1)) : bytes);
