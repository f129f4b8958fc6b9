import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const version = 1;
const nonceBytes = 12;
const tagBytes = 16;

/** The sealed value was made with another SECRET_KEY, belongs to another row, or was changed. */
export class CannotOpen extends Error {}

/** Seals secrets that are stored in the database, with keys derived from SECRET_KEY. Who has only the database cannot open them. */
export class Secrets {
  readonly #current: string;
  /** The first one seals, all of them open: while SECRET_KEY is being replaced there are two. */
  readonly #sealingKeys: readonly Buffer[];

  constructor(current: string, old: readonly string[] = []) {
    this.#current = current;
    this.#sealingKeys = [current, ...old].map((secretKey) => derive(secretKey, 'seal'));
  }

  /** A key of 32 bytes for one purpose. It changes with SECRET_KEY, so it is for what may end with it, such as links. */
  deriveKey(purpose: string, salt: Buffer = Buffer.alloc(0)): Buffer {
    return derive(this.#current, `derived ${purpose}`, salt);
  }

  /** `row` names the table and the row, and is needed to open: a sealed value is worth nothing in another row. */
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
    throw new CannotOpen(`SECRET_KEY does not open ${row}`);
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
