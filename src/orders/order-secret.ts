import { hash, randomFillSync, sign, verify } from 'node:crypto';
import type { TicketKey, TicketPublicKey } from '../tickets/ticket-code.ts';

const secretBytes = 16;
const pool = Buffer.alloc(1024 * secretBytes);
let used = pool.length;

/**
 * The secret of an order. Only the buyer gets it; the database stores a hash. Random bytes are drawn for 1,024 secrets at once, because each
 * draw costs a system call.
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

/** Prefix of the signed text. It keeps a signature made for another purpose from opening an order. */
const purpose = 'tessera order link\0';
const mailPrefix = 'm.';

const toSign = (orderId: number): Buffer => Buffer.from(`${purpose}${orderId}`);

/**
 * The secret in the link of a mail. It is not the buyer's secret, of which only a hash is stored. It is a signature of the order id with the
 * event's key, so it is the same in every mail. It allows reading the order and nothing else.
 */
export const mailSecret = (key: TicketKey, orderId: number): string =>
  mailPrefix + sign(null, toSign(orderId), key.privateKey).toString('base64url');

export const isMailSecret = (secret: string): boolean => secret.startsWith(mailPrefix);

export function isMailSecretOf(orderId: number, secret: string, keys: readonly TicketPublicKey[]): boolean {
  const signature = Buffer.from(secret.slice(mailPrefix.length), 'base64url');
  return keys.some(({ publicKey }) => verify(null, toSign(orderId), publicKey, signature));
}
