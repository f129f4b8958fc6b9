import { correction, generate } from 'lean-qr';
import { toSvgSource } from 'lean-qr/extras/svg';
import { Secret, TOTP } from 'otpauth';
import type { Tx } from '../postgres/database.ts';
import { DecryptionError } from '../postgres/secrets.ts';
import { selectSealedSecretsForUpdate, updateSealedSecret } from './factors.sql.ts';

const stepSeconds = 30;
/** The clocks of phones may differ, so the codes of the step before and after are accepted too. */
const window = 1;
/** RFC 4226 recommends 160 bits. */
const secretBytes = 20;

/** Authenticator apps support only these values reliably. */
const standard = { algorithm: 'SHA1', digits: 6, period: stepSeconds };

const rowName = (userId: number): string => `auth_factor totp ${userId}`;

const toSecret = (bytes: Buffer): Secret => new Secret({ buffer: Uint8Array.from(bytes).buffer });

export interface NewTotp {
  sealedSecret: Buffer;
  /** In base32, for people who type it. */
  secret: string;
  uri: string;
  qrSvg: string;
}

/** Creates the key of an authenticator app. The app reads it from the QR code. */
export function createTotp({ secrets }: Tx, user: { id: number; email: string }, issuer: string): NewTotp {
  const secret = new Secret({ size: secretBytes });
  const uri = new TOTP({ ...standard, issuer, label: user.email, secret }).toString();
  return {
    sealedSecret: secrets.seal(Buffer.from(secret.bytes), rowName(user.id)),
    secret: secret.base32,
    uri,
    qrSvg: toSvgSource(generate(uri, { minCorrectionLevel: correction.M }), { on: '#000', off: '#fff', pad: 4, scale: 8 }),
  };
}

/**
 * Returns the time step of a valid code, else null. If SECRET_KEY was lost, no code is valid. Then recovery codes still work, and
 * `tessera user reset-factors` removes the factor.
 */
export function matchTotp({ secrets }: Tx, userId: number, sealedSecret: Buffer, code: string, at: Date): number | null {
  try {
    const secret = toSecret(secrets.open(sealedSecret, rowName(userId)));
    const delta = new TOTP({ ...standard, secret }).validate({ token: code, timestamp: at.getTime(), window });
    return delta === null ? null : Math.floor(at.getTime() / 1000 / stepSeconds) + delta;
  } catch (error) {
    if (error instanceof DecryptionError) return null;
    throw error;
  }
}

/** Encrypts all keys of authenticator apps again, with the current SECRET_KEY. Returns how many it encrypted. */
export async function sealTotpSecrets(tx: Tx): Promise<number> {
  const rows = await selectSealedSecretsForUpdate(tx);
  for (const { id, user_id, sealed_secret } of rows) {
    const secret = tx.secrets.open(sealed_secret, rowName(user_id));
    await updateSealedSecret(tx, id, tx.secrets.seal(secret, rowName(user_id)));
  }
  return rows.length;
}
