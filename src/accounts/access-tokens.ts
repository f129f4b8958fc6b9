import { decodeProtectedHeader, importJWK, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { parseId } from '../kernel/parse-id.ts';
import type { Tx } from '../postgres/database.ts';
import { currentSigningKey } from './signing-keys.ts';

const issuer = 'tessera';
const audience = 'tessera-api';
const algorithm = 'EdDSA';
/** The jti of an API token is this prefix and its id. Session tokens have a random jti. */
const apiTokenPrefix = 'api:';

/** The content of a token. A token has no roles, because roles are read from the database with every request. */
export interface Claims {
  /** The id of the key that signed the token. */
  kid: string;
  userId: number;
  email: string;
  name: string;
  /** Either a login session or an API token. */
  bearer: { kind: 'session'; sessionId: string } | { kind: 'api'; tokenId: number };
  expiresAt: Date;
}

export async function signToken(tx: Tx, claims: Omit<Claims, 'kid'>, at: Date): Promise<string> {
  const key = await currentSigningKey(tx);
  const session = claims.bearer.kind === 'session' ? { sid: claims.bearer.sessionId } : {};
  return new SignJWT({ email: claims.email, name: claims.name, ...session })
    .setProtectedHeader({ alg: algorithm, kid: key.kid, typ: 'JWT' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(String(claims.userId))
    .setIssuedAt(at)
    .setExpirationTime(claims.expiresAt)
    .setJti(claims.bearer.kind === 'api' ? `${apiTokenPrefix}${claims.bearer.tokenId}` : crypto.randomUUID())
    .sign(await importJWK(key.privateJwk, algorithm));
}

type VerifyingKey = Awaited<ReturnType<typeof importJWK>>;

/** Returns the claims of a valid token, and null for any other text. */
export async function verifyToken(token: string, findKey: (kid: string) => Promise<VerifyingKey | null>, at: Date): Promise<Claims | null> {
  const kid = kidOf(token);
  // This is outside the `try`, because a failure to load the keys must not be reported as an invalid token.
  const key = kid ? await findKey(kid) : null;
  if (!kid || !key) return null;
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: [algorithm],
      issuer,
      audience,
      currentDate: at,
      typ: 'JWT',
      requiredClaims: ['sub', 'iat', 'exp', 'jti'],
    });
    return toClaims(kid, payload, at);
  } catch {
    return null;
  }
}

function kidOf(token: string): string | undefined {
  try {
    const { kid } = decodeProtectedHeader(token);
    return typeof kid === 'string' ? kid : undefined;
  } catch {
    return undefined;
  }
}

function toClaims(kid: string, { sub, jti, iat, exp, email, name, sid }: JWTPayload, at: Date): Claims | null {
  // Clocks of our processes may differ by up to 30 seconds. A token issued later than that is not ours.
  if (iat === undefined || exp === undefined || iat * 1000 > at.getTime() + 30_000) return null;
  if (!sub || !jti || typeof email !== 'string' || typeof name !== 'string') return null;
  const bearer = toBearer(jti, sid);
  const userId = parseId(sub);
  return bearer === null || userId === null ? null : { kid, userId, email, name, bearer, expiresAt: new Date(exp * 1000) };
}

function toBearer(jti: string, sid: unknown): Claims['bearer'] | null {
  if (typeof sid === 'string') return uuid.test(sid) ? { kind: 'session', sessionId: sid } : null;
  const tokenId = jti.startsWith(apiTokenPrefix) ? parseId(jti.slice(apiTokenPrefix.length)) : null;
  return tokenId === null ? null : { kind: 'api', tokenId };
}

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
