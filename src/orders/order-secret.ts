import { hash, randomBytes, randomFillSync } from 'node:crypto';

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

/** A secret never contains a dot. So a request with a secret needs no query for links. */
const linkPrefix = 'l.';
const linkBytes = 24;

export const newLinkToken = (): string => linkPrefix + randomBytes(linkBytes).toString('base64url');

export const isLinkToken = (secret: string): boolean => secret.startsWith(linkPrefix);
