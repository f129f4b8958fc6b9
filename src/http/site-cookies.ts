import type { FastifyRequest } from 'fastify';

type CookieRequest = Pick<FastifyRequest, 'method' | 'headers'>;

/**
 * Whether a page of this site, and not of another site, made the browser send the request. The browser adds cookies by itself, so without this
 * check a page of another site could use them (cross-site request forgery). `Sec-Fetch-Site` is set by the browser, and pages cannot change
 * it. `same-site` is not enough: another subdomain may belong to somebody else. Browsers without `Sec-Fetch-Site` send `Origin` with every
 * write. A read changes nothing, and other sites cannot see its response. So it is enough that a read does not come from another site.
 */
export function isFromSite({ method, headers }: CookieRequest, siteUrl: string): boolean {
  const site = headers['sec-fetch-site'];
  const isRead = method === 'GET' || method === 'HEAD';
  if (site !== undefined) return site === 'same-origin' || (isRead && site === 'none');
  return isRead || headers.origin === new URL(siteUrl).origin;
}

const isSecure = (siteUrl: string): boolean => siteUrl.startsWith('https:');

/** `__Host-` makes browsers refuse a cookie that another host or an unencrypted page tries to set. It needs HTTPS. */
export const cookieName = (name: string, siteUrl: string): string => `${isSecure(siteUrl) ? '__Host-' : ''}${name}`;

export function readCookie({ headers }: CookieRequest, name: string, siteUrl: string): string | null {
  const start = `${cookieName(name, siteUrl)}=`;
  const cookie = headers.cookie?.split(/; */).find((text) => text.startsWith(start));
  return cookie?.slice(start.length) || null;
}

export interface NewCookie {
  /** Null makes the browser delete the cookie. */
  value: string | null;
  maxAgeSeconds: number;
  /** `Strict`: the browser sends the cookie only with requests of this site's own pages. `Lax`: also when a link opens a page. */
  sameSite: 'Strict' | 'Lax';
}

/** Returns a `Set-Cookie` header. Scripts cannot read the cookie. */
export function setCookie(name: string, { value, maxAgeSeconds, sameSite }: NewCookie, siteUrl: string): string {
  const age = value === null ? 0 : maxAgeSeconds;
  const attributes = `Path=/; Max-Age=${age}; HttpOnly; SameSite=${sameSite}${isSecure(siteUrl) ? '; Secure' : ''}`;
  return `${cookieName(name, siteUrl)}=${value ?? ''}; ${attributes}`;
}
