import { type ReadCode, signedMessage } from '../../src/tickets/read-code.ts';

/** A public key of the event, as the manifest has it. */
export interface ManifestKey {
  kid: number;
  publicKey: string;
}

type Verify = (signature: Uint8Array<ArrayBuffer>, message: Uint8Array<ArrayBuffer>) => Promise<boolean>;

const fromBase64Url = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));

/** Keys by their text. Importing a key takes longer than verifying a signature. */
const verifiers = new Map<string, Promise<Verify>>();

/** Uses the Ed25519 of the browser. Older browsers have none and load an implementation in JavaScript. */
async function createVerifier(publicKey: string): Promise<Verify> {
  const bytes = fromBase64Url(publicKey);
  try {
    const key = await crypto.subtle.importKey('raw', bytes, 'Ed25519', false, ['verify']);
    return (signature, message) => crypto.subtle.verify('Ed25519', key, signature, message);
  } catch {
    return createFallbackVerifier(bytes);
  }
}

export async function createFallbackVerifier(publicKey: Uint8Array<ArrayBuffer>): Promise<Verify> {
  const { verifyAsync } = await import('@noble/ed25519');
  // `zip215: false` accepts the same signatures as RFC 8032, and as the server.
  return (signature, message) => verifyAsync(signature, message, publicKey, { zip215: false });
}

/** Whether one of these keys has signed the code. */
export async function isSignedBy(keys: readonly ManifestKey[], { claim, signed, signature }: ReadCode): Promise<boolean> {
  const key = keys.find(({ kid }) => kid === claim.kid);
  if (!key) return false;
  const verifier = verifiers.get(key.publicKey) ?? createVerifier(key.publicKey);
  verifiers.set(key.publicKey, verifier);
  return (await verifier)(signature, signedMessage(signed));
}
