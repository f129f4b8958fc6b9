import type { FastifyRequest } from 'fastify';
import type { Route } from '../kernel/route.ts';
import { cookieName, isFromSite, readCookie, setCookie } from './site-cookies.ts';

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
  const inCookie = isFromSite(request, shopUrl) ? readCookie(request, nameOf(String(orderId)), shopUrl) : null;
  return inCookie === null ? null : { secret: inCookie, in: 'cookie' };
}

/** One cookie per order. */
const nameOf = (orderId: string): string => `order-${orderId}`;

/** Returns the credential of the order from the cookies of a page request. */
export const orderSecretIn = (cookies: Readonly<Record<string, string>>, orderId: number, shopUrl: string): string | undefined =>
  cookies[cookieName(nameOf(String(orderId)), shopUrl)] || undefined;

const maxAgeSeconds = 30 * 86_400;

/**
 * Returns the `Set-Cookie` header that opens the pages of the order in this browser. With null the browser deletes the cookie. The cookie
 * holds the credential itself: if a mail link is revoked, its cookie stops working too, and no write is needed.
 */
export const orderCookie = (orderId: number, secret: string | null, shopUrl: string): string =>
  setCookie(nameOf(String(orderId)), { value: secret, maxAgeSeconds, sameSite: 'Lax' }, shopUrl);
