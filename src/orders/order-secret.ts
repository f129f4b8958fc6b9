import { hash, randomFillSync, sign, verify } from 'node:crypto';
import type { TicketKey, TicketPublicKey } from '../tickets/ticket-code.ts';

const secretBytes = 16;
const pool = Buffer.alloc(1024 * secretBytes);
let used = pool.length;

/**
 * Returns the secret of a new order. Only the buyer gets the secret; the database stores its hash. Random bytes are drawn for 1,024 secrets
 * at once, because each draw is a system call.
 */
export function newSecret(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const secret = pool.toString('base64url', used, used + secretBytes);
  pool.fill(0, used, used + secretBytes);
  used += secretBytes;
  return secret;
}

export const hashOf = (secret: string): Buffer => hash('sha256', secret, 'buffer');

/** Prefix of the signed text. Without it, a signature that the same key made for another purpose could open an order. */
const purpose = 'tessera order link\0';
const mailPrefix = 'm.';

const toSign = (orderId: number): Buffer => Buffer.from(`${purpose}${orderId}`);

/**
 * Returns the secret for the link in a mail, which allows only reading the order. The buyer's own secret cannot be mailed, because only its
 * hash is stored. The mail secret is a signature of the order id with the event's key, so it is the same in every mail.
 */
export const mailSecret = (key: TicketKey, orderId: number): string =>
  mailPrefix + sign(null, toSign(orderId), key.privateKey).toString('base64url');

export const isMailSecret = (secret: string): boolean => secret.startsWith(mailPrefix);

export function isMailSecretOf(orderId: number, secret: string, keys: readonly TicketPublicKey[]): boolean {
  const signature = Buffer.from(secret.slice(mailPrefix.length), 'base64url');
  return keys.some(({ publicKey }) => verify(null, toSign(orderId), publicKey, signature));
}
