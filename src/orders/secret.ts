import { hash, randomFillSync } from 'node:crypto';

const secretBytes = 16;
const pool = Buffer.alloc(1024 * secretBytes);
let used = pool.length;

/** Known to the buyer and to nobody else. Asked of the system for many at once, as asking costs more than the bytes. */
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
