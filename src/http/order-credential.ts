import type { FastifyRequest } from 'fastify';
import type { Route } from '../kernel/route.ts';

/** The secret of an order or the token of a mail link, and how the request carries it. */
export interface OrderCredential {
  secret: string;
  in: 'authorization' | 'header' | 'query' | 'cookie';
}

/** The header for callers who also send an access token, because a request has only one `Authorization` header. */
const secretHeader = 'order-secret';

/**
 * Reads the credential of the order that the request is about. Headers come first. The query is deprecated, because proxies log URLs. The
 * cookie is used only if a page of the shop has sent the request.
 */
export function readOrderCredential(request: FastifyRequest, { orderAccess }: Route, shopUrl: string): OrderCredential | null {
  if (!orderAccess) return null;
  const { headers, query, params } = request;
  const inAuthorization = /^Order ([\w.~-]+)$/i.exec(headers.authorization ?? '')?.[1];
  if (inAuthorization) return { secret: inAuthorization, in: 'authorization' };
  const inHeader = headers[secretHeader];
  if (typeof inHeader === 'string') return { secret: inHeader, in: 'header' };
  const inQuery = (query as { secret?: unknown }).secret;
  if (typeof inQuery === 'string') return { secret: inQuery, in: 'query' };
  const orderId = orderAccess === 'path.id' ? (params as { id?: unknown }).id : (query as { orderId?: unknown }).orderId;
  const inCookie = isFromShop(request, shopUrl) ? readOrderCookie(headers.cookie, String(orderId), shopUrl) : undefined;
  return inCookie === undefined ? null : { secret: inCookie, in: 'cookie' };
}

/**
 * Whether a page of the shop, and not of another site, made the browser send the request. Otherwise any site could make the browser of a
 * buyer cancel or refund an order, because the browser adds the cookie. A read changes nothing, and other sites cannot see its response. So
 * it is enough that a read does not come from another site. Browsers without `Sec-Fetch-Site` send `Origin` with every write.
 */
function isFromShop({ method, headers }: FastifyRequest, shopUrl: string): boolean {
  const site = headers['sec-fetch-site'];
  const isRead = method === 'GET' || method === 'HEAD';
  if (site !== undefined) return site === 'same-origin' || (isRead && site === 'none');
  return isRead || headers.origin === new URL(shopUrl).origin;
}

const isSecure = (shopUrl: string): boolean => shopUrl.startsWith('https:');

/** One cookie per order. `__Host-` makes browsers refuse a cookie that another host or an unencrypted page tries to set. */
const cookieName = (orderId: string, shopUrl: string): string => `${isSecure(shopUrl) ? '__Host-' : ''}order-${orderId}`;

/** Returns the credential of the order from the cookies of a page request. */
export const orderSecretIn = (cookies: Readonly<Record<string, string>>, orderId: number, shopUrl: string): string | undefined =>
  cookies[cookieName(String(orderId), shopUrl)] || undefined;

function readOrderCookie(header: string | undefined, orderId: string, shopUrl: string): string | undefined {
  const start = `${cookieName(orderId, shopUrl)}=`;
  const cookie = header?.split(/; */).find((text) => text.startsWith(start));
  return cookie?.slice(start.length) || undefined;
}

const maxAgeSeconds = 30 * 86_400;

/**
 * Returns the `Set-Cookie` header that opens the pages of the order in this browser. Scripts cannot read the cookie. With null the browser
 * deletes it. The cookie holds the credential itself: if a mail link is revoked, its cookie stops working too, and no write is needed.
 */
export function orderCookie(orderId: number, secret: string | null, shopUrl: string): string {
  const age = secret === null ? 0 : maxAgeSeconds;
  const attributes = `Path=/; Max-Age=${age}; HttpOnly; SameSite=Lax${isSecure(shopUrl) ? '; Secure' : ''}`;
  return `${cookieName(String(orderId), shopUrl)}=${secret ?? ''}; ${attributes}`;
}
