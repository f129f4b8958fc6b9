import Stripe from 'stripe';
import type { ProviderMethod } from '../port.ts';
import { withinTime } from '../within-time.ts';

export interface StripeConfig {
  secretKey: string;
  webhookSecret: string;
  publishableKey: string;
  /** Another address of the API, for example of a stand-in. Null: Stripe's own. */
  apiBase: string | null;
  /** The methods that the account accepts. */
  methods: readonly ProviderMethod['method'][];
  /** The longest time that a request to Stripe may take. */
  timeoutMs: number;
}

/** The version that the types of the package describe. It is pinned, so that upgrading the account does not change the responses. */
export const apiVersion = '2026-10-28.endive';

export interface StripeApi {
  client: Stripe;
  publishableKey: string;
  webhookSecret: string;
  isLive: boolean;
  /** Sends one request. Rejects with ProviderUnavailable if the signal aborts or the time is over. The request may still have an effect. */
  send<T>(signal: AbortSignal, request: (client: Stripe) => Promise<T>): Promise<T>;
}

export function createApi({ secretKey, webhookSecret, publishableKey, apiBase, timeoutMs }: Omit<StripeConfig, 'methods'>): StripeApi {
  const client = new Stripe(secretKey, {
    apiVersion,
    timeout: timeoutMs,
    // The callers of the port decide about retries.
    maxNetworkRetries: 0,
    telemetry: false,
    appInfo: { name: 'Tessera' },
    ...(apiBase !== null && addressOf(apiBase)),
  });
  return {
    client,
    publishableKey,
    webhookSecret,
    isLive: /^[a-z]+_live_/.test(secretKey),
    send: (signal, request) => withinTime('Stripe', signal, timeoutMs, () => request(client)),
  };
}

function addressOf(apiBase: string): { protocol: 'http' | 'https'; host: string; port: number } {
  const { protocol, hostname, port, pathname, search } = new URL(apiBase);
  if (!/^https?:$/.test(protocol) || pathname !== '/' || search) {
    throw new Error('The base address of the Stripe API must be an http or https address without a path.');
  }
  const isSecure = protocol === 'https:';
  return { protocol: isSecure ? 'https' : 'http', host: hostname, port: Number(port) || (isSecure ? 443 : 80) };
}

/** Returns all objects of a list, newest first. Each page is one request. */
export async function* listAll<T extends { id: string }>(
  { send }: StripeApi,
  signal: AbortSignal,
  list: (client: Stripe, page: { limit: number; starting_after?: string }) => Promise<Stripe.ApiList<T>>,
): AsyncGenerator<T> {
  for (let after: string | undefined, hasMore = true; hasMore; ) {
    const page = await send(signal, (client) => list(client, { limit: 100, ...(after !== undefined && { starting_after: after }) }));
    yield* page.data;
    after = page.data.at(-1)?.id;
    hasMore = page.has_more && after !== undefined;
  }
}

/** The API has times in seconds. */
export const seconds = (time: Date): number => Math.floor(time.getTime() / 1000);

/** References to other objects are ids, or objects if the request expands them. */
export const idOf = (reference: string | { id: string } | null | undefined): string | null =>
  typeof reference === 'string' ? reference : (reference?.id ?? null);
