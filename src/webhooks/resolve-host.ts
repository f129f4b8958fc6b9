import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';

/** Returns the addresses of a host name. */
export type ResolveHost = (host: string) => Promise<string[]>;

const timeoutMs = 1_500;
const tries = 2;

/**
 * Asks the DNS servers directly. `dns.lookup` would use a thread of the small pool that passwords and pictures need too, and a DNS server that
 * does not respond would block it.
 */
export const resolveHost: ResolveHost = async (host) => {
  const resolver = new Resolver({ timeout: timeoutMs, tries });
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
};

/** The host of a URL as an address, or null if it is a name. A URL has brackets around an IPv6 address. */
export function addressIn({ hostname }: URL): string | null {
  const text = hostname.replace(/^\[|\]$/g, '');
  return isIP(text) === 0 ? null : text;
}
