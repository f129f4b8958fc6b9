import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { FactorRow } from './factors.sql.ts';

/** Loaded with the first passkey, because it would make every start a tenth slower. */
const loadLibrary = () => import('@simplewebauthn/server');

/** The passkey is a second factor after the password, so the device need not ask for a PIN too. */
const userVerification = 'preferred';

/** A passkey belongs to the host name of PUBLIC_URL. It stops working if the service moves to another host name. */
const siteOf = (siteUrl: string) => ({ rpID: new URL(siteUrl).hostname, origin: new URL(siteUrl).origin });

const credentialsOf = (factors: readonly FactorRow[]) =>
  factors.flatMap(({ credential_id: id, transports }) => (id === null ? [] : [{ id, ...(transports && { transports }) }]));

/** What the browser needs for `navigator.credentials.get`. */
export async function authenticationOptions(siteUrl: string, factors: readonly FactorRow[]) {
  const { generateAuthenticationOptions } = await loadLibrary();
  return generateAuthenticationOptions({ rpID: siteOf(siteUrl).rpID, allowCredentials: credentialsOf(factors), userVerification });
}

/** What the browser needs for `navigator.credentials.create`. */
export async function registrationOptions(
  siteUrl: string,
  user: { id: number; email: string; name: string },
  factors: readonly FactorRow[],
) {
  const { generateRegistrationOptions } = await loadLibrary();
  return generateRegistrationOptions({
    rpName: siteOf(siteUrl).rpID,
    rpID: siteOf(siteUrl).rpID,
    userName: user.email,
    userDisplayName: user.name,
    userID: new TextEncoder().encode(String(user.id)),
    excludeCredentials: credentialsOf(factors),
    authenticatorSelection: { residentKey: 'preferred', userVerification },
  });
}

export interface NewCredential {
  credential_id: string;
  public_key: Buffer;
  sign_count: number;
  transports: string[] | null;
}

/** Returns null if the response is malformed, or does not belong to the challenge and this site. */
export async function verifyRegistration(siteUrl: string, challenge: string, response: object): Promise<NewCredential | null> {
  const { rpID, origin } = siteOf(siteUrl);
  const { verifyRegistrationResponse } = await loadLibrary();
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: response as RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpID,
      requireUserVerification: false,
    });
    if (!verified) return null;
    const { id, publicKey, counter, transports } = registrationInfo.credential;
    return { credential_id: id, public_key: Buffer.from(publicKey), sign_count: counter, transports: transports ?? null };
  } catch {
    return null;
  }
}

/** Returns the factor that signed the challenge, with its new counter. Returns null for any other response. */
export async function verifyAuthentication(
  siteUrl: string,
  challenge: string,
  factors: readonly FactorRow[],
  response: object,
): Promise<{ factor: FactorRow; signCount: number } | null> {
  const { rpID, origin } = siteOf(siteUrl);
  const factor = factors.find(({ credential_id }) => credential_id !== null && credential_id === (response as { id?: unknown }).id);
  if (!factor?.credential_id || !factor.public_key) return null;
  const { verifyAuthenticationResponse } = await loadLibrary();
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: response as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpID,
      requireUserVerification: false,
      credential: { id: factor.credential_id, publicKey: Uint8Array.from(factor.public_key), counter: factor.sign_count ?? 0 },
    });
    return verified ? { factor, signCount: authenticationInfo.newCounter } : null;
  } catch {
    return null;
  }
}
