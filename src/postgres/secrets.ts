import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const version = 1;
const nonceBytes = 12;
const tagBytes = 16;

/** The sealed value was encrypted with another SECRET_KEY, belongs to another row, or was modified. */
export class DecryptionError extends Error {}

/**
 * Seals (encrypts and authenticates) secrets for the database, with keys derived from SECRET_KEY. A stolen database alone does not reveal
 * the secrets.
 */
export class Secrets {
  readonly #current: string;
  /** The first key seals; all keys can open. While SECRET_KEY is being replaced there are two. */
  readonly #sealingKeys: readonly Buffer[];

  constructor(current: string, old: readonly string[] = []) {
    this.#current = current;
    this.#sealingKeys = [current, ...old].map((secretKey) => derive(secretKey, 'seal'));
  }

  /**
   * Returns a 32-byte key for one purpose. The key changes with SECRET_KEY. So use it only for values that may become invalid when
   * SECRET_KEY is replaced, such as links.
   */
  deriveKey(purpose: string, salt: Buffer = Buffer.alloc(0)): Buffer {
    return derive(this.#current, `derived ${purpose}`, salt);
  }

  /** `row` names the table and the row. This name is authenticated, so a sealed value that is copied to another row cannot be opened. */
  seal(plain: Buffer, row: string): Buffer {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, this.#sealingKeys[0] as Buffer, nonce, { authTagLength: tagBytes }).setAAD(Buffer.from(row));
    return Buffer.concat([Buffer.of(version), nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  }

  open(sealed: Buffer, row: string): Buffer {
    if (sealed[0] === version && sealed.length > 1 + nonceBytes + tagBytes) {
      for (const key of this.#sealingKeys) {
        const plain = tryOpen(key, sealed, row);
        if (plain) return plain;
      }
    }
    throw new DecryptionError(`SECRET_KEY does not decrypt ${row}`);
  }
}

function derive(secretKey: string, info: string, salt: Buffer = Buffer.alloc(0)): Buffer {
  return Buffer.from(hkdfSync('sha256', secretKey, salt, `tessera ${info}`, 32));
}

function tryOpen(key: Buffer, sealed: Buffer, row: string): Buffer | null {
  const nonce = sealed.subarray(1, 1 + nonceBytes);
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes }).setAAD(Buffer.from(row));
  decipher.setAuthTag(sealed.subarray(-tagBytes));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(1 + nonceBytes, -tagBytes)), decipher.final()]);
  } catch {
    return null;
  }
}
