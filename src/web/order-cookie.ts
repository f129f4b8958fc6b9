/** For how long the browser can open the order page without the link in the mail. */
const maxAgeSeconds = 30 * 86_400;

/** The name of the cookie that holds the secret of an order. The prefix binds the cookie to this host; browsers accept it only over HTTPS. */
const nameOf = (orderId: number, isSecure: boolean): string => `${isSecure ? '__Host-' : ''}order-${orderId}`;

/**
 * The value of `Set-Cookie` that gives this browser access to an order. The secret is never in an address, so it is in no history, no log and
 * no referrer. `Lax` lets links in mails open the order page.
 */
export const orderCookie = ({ id, secret }: { id: number; secret: string }, isSecure: boolean): string =>
  `${nameOf(id, isSecure)}=${secret}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
