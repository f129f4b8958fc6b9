import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { TOTP } from 'otpauth';

/** The code that an authenticator app shows at this time. */
export const totpCode = (secret: string, at: Date): string => new TOTP({ secret }).generate({ timestamp: at.getTime() });

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();
const userPresent = 0x01;
const hasCredential = 0x40;

let made = 0;

/** A security key in software. It makes the JSON that a browser returns for WebAuthn. */
export class Authenticator {
  readonly #id = Buffer.from(`security key ${++made}`);
  readonly #privateKey: KeyObject;
  readonly #publicKey: KeyObject;
  #counter = 0;
  /** The page that asks the security key. */
  origin: string;

  constructor(origin: string) {
    this.origin = origin;
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#privateKey = privateKey;
    this.#publicKey = publicKey;
  }

  create({ challenge, rp }: { challenge: string; rp: { id: string } }): Record<string, unknown> {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.#id.length);
    const attested = Buffer.concat([Buffer.alloc(16), length, this.#id, this.#coseKey()]);
    const data = Buffer.concat([this.#authenticatorData(rp.id, userPresent | hasCredential), attested]);
    // A CBOR map with the three fields of an attestation without a signature.
    const attestation = Buffer.concat([
      Buffer.from([0xa3, 0x63]),
      Buffer.from('fmt'),
      Buffer.from([0x64]),
      Buffer.from('none'),
      Buffer.from([0x67]),
      Buffer.from('attStmt'),
      Buffer.from([0xa0, 0x68]),
      Buffer.from('authData'),
      Buffer.from([0x58, data.length]),
      data,
    ]);
    const client = this.#clientData('webauthn.create', challenge);
    return this.#credential({ clientDataJSON: client.toString('base64url'), attestationObject: attestation.toString('base64url') });
  }

  get({ challenge, rpId }: { challenge: string; rpId: string }): Record<string, unknown> {
    this.#counter++;
    const data = this.#authenticatorData(rpId, userPresent);
    const client = this.#clientData('webauthn.get', challenge);
    const signature = sign('sha256', Buffer.concat([data, sha256(client)]), this.#privateKey);
    return this.#credential({
      clientDataJSON: client.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: signature.toString('base64url'),
    });
  }

  #credential(response: object): Record<string, unknown> {
    const id = this.#id.toString('base64url');
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response };
  }

  #authenticatorData(rpId: string, flags: number): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.#counter);
    return Buffer.concat([sha256(rpId), Buffer.of(flags), counter]);
  }

  #clientData(type: string, challenge: string): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.origin, crossOrigin: false }));
  }

  /** The public key as a CBOR map: an EC key for ES256 on P-256, with its two coordinates. */
  #coseKey(): Buffer {
    const { x = '', y = '' } = this.#publicKey.export({ format: 'jwk' });
    const [head, beforeX, beforeY] = [
      [0xa5, 1, 2, 3, 0x26, 0x20, 1],
      [0x21, 0x58, 32],
      [0x22, 0x58, 32],
    ];
    return Buffer.concat([
      Buffer.from(head ?? []),
      Buffer.from(beforeX ?? []),
      Buffer.from(x, 'base64url'),
      Buffer.from(beforeY ?? []),
      Buffer.from(y, 'base64url'),
    ]);
  }
}
