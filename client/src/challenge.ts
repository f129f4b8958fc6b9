/** A proof-of-work challenge in the format of ALTCHA. A `challenge_required` problem contains it. */
export interface Challenge {
  parameters: { algorithm: string; nonce: string; salt: string; cost: number; keyLength: number; keyPrefix: string; data?: object };
  signature: string;
}

/** The number of attempts that run at the same time. The platform spreads them over its cores. */
const concurrentAttempts = 16;

/**
 * Solves the challenge and returns the text to send as `challenge` in `orders.create`. Solving takes up to about 20 seconds on a phone. The
 * page stays responsive. This function needs `crypto.subtle`, which browsers offer only on HTTPS pages.
 */
export async function solveChallenge({ parameters, signature }: Challenge, signal?: AbortSignal): Promise<string> {
  const { nonce, salt, cost, keyLength, keyPrefix } = parameters;
  const pbkdf2 = { name: 'PBKDF2', hash: 'SHA-256', salt: toBytes(salt), iterations: cost };
  const derive = async (counter: number): Promise<string> => {
    const password = toBytes(`${nonce}${counter.toString(16).padStart(8, '0')}`);
    const key = await crypto.subtle.importKey('raw', password, 'PBKDF2', false, ['deriveBits']);
    return toHex(await crypto.subtle.deriveBits(pbkdf2, key, keyLength * 8));
  };
  for (let first = 0; ; first += concurrentAttempts) {
    signal?.throwIfAborted();
    const keys = await Promise.all(Array.from({ length: concurrentAttempts }, (_, i) => derive(first + i)));
    const found = keys.findIndex((key) => key.startsWith(keyPrefix));
    if (found >= 0) {
      const solution = { counter: first + found, derivedKey: keys[found] };
      return btoa(JSON.stringify({ challenge: { parameters, signature }, solution }));
    }
  }
}

const toHex = (bytes: ArrayBuffer): string => Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');

const toBytes = (hex: string): Uint8Array<ArrayBuffer> => Uint8Array.from(hex.match(/.{2}/g) ?? [], (pair) => Number.parseInt(pair, 16));
