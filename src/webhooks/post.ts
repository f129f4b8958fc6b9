import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIPv6, type LookupFunction } from 'node:net';
import { performance } from 'node:perf_hooks';
import { isPublicAddress } from './public-address.ts';
import { addressIn, type ResolveHost, resolveHost } from './resolve-host.ts';

/** What came back. The error is a sentence for the owner of the webhook. */
export interface PostResult {
  /** Null if no response arrived. */
  status: number | null;
  /** The start of the response body. */
  response: string | null;
  /** Null if the request succeeded. */
  error: string | null;
  durationMs: number;
}

export interface PostOptions {
  /** Whether private addresses and plain HTTP are allowed. */
  allowPrivate: boolean;
  /** Only tests replace the next three. */
  resolve?: ResolveHost;
  isAllowed?: (address: string) => boolean;
  timeoutMs?: number;
}

interface OutgoingMessage {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** Sends a POST request. Returns null if the signal was aborted. Never throws. */
export type Post = (message: OutgoingMessage, signal: AbortSignal) => Promise<PostResult | null>;

const maxResponseBytes = 1_024;
const defaultTimeoutMs = 5_000;

/**
 * Creates the function that sends messages to the addresses that customers have chosen. A request must not reach services inside the network
 * of this server. So the host is resolved first, every address is checked, and the connection uses exactly the checked addresses: a second DNS
 * answer cannot lead elsewhere. Redirects are not followed.
 */
export function createPost({
  allowPrivate,
  resolve = resolveHost,
  isAllowed = (address) => allowPrivate || isPublicAddress(address),
  timeoutMs = defaultTimeoutMs,
}: PostOptions): Post {
  return async (message, stop) => {
    const began = performance.now();
    const timeout = AbortSignal.timeout(timeoutMs);
    const outcome = await attempt(message, AbortSignal.any([stop, timeout])).catch((error: unknown) => failure(error, timeout.aborted));
    if (stop.aborted) return null;
    return { ...outcome, durationMs: Math.round(performance.now() - began) };
  };

  async function attempt({ url, headers, body }: OutgoingMessage, signal: AbortSignal): Promise<Omit<PostResult, 'durationMs'>> {
    const target = new URL(url);
    if (target.protocol !== 'https:' && !allowPrivate) throw new Refused('The address must use HTTPS.');
    const addresses = await checkedAddresses(target, signal);
    const response = await send(target, { method: 'POST', headers, lookup: pinned(addresses), signal, agent: false }, body);
    const { statusCode: status = 0 } = response;
    return { status, response: await startOf(response), error: errorOf(status) };
  }

  async function checkedAddresses(target: URL, signal: AbortSignal): Promise<string[]> {
    const literal = addressIn(target);
    const addresses = literal === null ? await Promise.race([resolve(target.hostname), aborted(signal)]) : [literal];
    if (addresses.length === 0) throw new Refused('The host name was not found in DNS.');
    if (!addresses.every(isAllowed)) throw new Refused('The address is not on the public internet.');
    return addresses;
  }
}

/** The message may be shown to the owner of the webhook. */
class Refused extends Error {}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true }));

/** A lookup that returns only the checked addresses. */
function pinned(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return (_host, options, callback) => {
    if (options.all) callback(null, found);
    else callback(null, found[0]?.address ?? '', found[0]?.family);
  };
}

const send = (target: URL, options: RequestOptions, body: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const request = (target.protocol === 'https:' ? httpsRequest : httpRequest)(target, options, resolve);
    request.on('error', reject);
    request.end(body);
  });

/** Reads at most 1 kB and closes the connection. */
async function startOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= maxResponseBytes) break;
    }
  } catch {
    // The status has arrived, and it decides. It does not matter if the body breaks off or does not end in time.
  }
  response.destroy();
  // PostgreSQL stores no NUL.
  return Buffer.concat(chunks).subarray(0, maxResponseBytes).toString('utf8').replaceAll('\0', '');
}

function errorOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400
    ? 'The response is a redirect, and redirects are not followed.'
    : `The response has status ${status}.`;
}

const knownErrors: Record<string, string> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was closed before a response arrived.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The network cannot be reached.',
  ETIMEDOUT: 'The connection timed out.',
};

function failure(error: unknown, isTimeout: boolean): Omit<PostResult, 'durationMs'> {
  return { status: null, response: null, error: isTimeout ? 'No response arrived in time.' : sentenceFor(error) };
}

function sentenceFor(error: unknown): string {
  if (error instanceof Refused) return error.message;
  const code = causeCode(error);
  if (/CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code)) return `The TLS connection failed (${code}). Check the certificate.`;
  return knownErrors[code] ?? `The request failed (${code || 'unknown error'}).`;
}

/** With several addresses, Node reports one error that contains the errors of all attempts. */
const causeCode = (error: unknown): string => {
  const { code, errors } = error as { code?: string; errors?: { code?: string }[] };
  return code ?? errors?.[0]?.code ?? '';
};
