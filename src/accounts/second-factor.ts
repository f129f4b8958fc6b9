import type { Act, Anonymous, User } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { type FactorRow, markTotpUsed, markWebauthnUsed, selectFactors } from './factors.sql.ts';
import { countGuess, guessWasWrong, recordCorrectPassword } from './login-guesses.ts';
import { deleteOneTimeToken } from './one-time-tokens.sql.ts';
import { createOneTimeToken, findOneTimeToken, secondFactorSeconds } from './one-time-tokens.ts';
import { useRecoveryCode } from './recovery-codes.ts';
import { type IssuedLogin, openSession } from './session.ts';
import { matchTotp } from './totp.ts';
import { lockUserShared, type UserRow } from './users.sql.ts';
import { authenticationOptions, verifyAuthentication } from './webauthn.ts';

export const confirmedFactors = async (tx: Tx, userId: number): Promise<FactorRow[]> =>
  (await selectFactors(tx, userId)).filter(({ confirmed_at }) => confirmed_at !== null);

/** Starts the second step of a log-in. The response tells which factors the user has, and what the browser needs to ask for a passkey. */
export async function requireSecondFactor(
  tx: Tx,
  { id }: UserRow,
  factors: readonly FactorRow[],
  { siteUrl, at }: { siteUrl: string; at: Date },
): Promise<Problem> {
  const hasPasskey = factors.some(({ kind }) => kind === 'webauthn');
  const webauthn = hasPasskey ? await authenticationOptions(siteUrl, factors) : null;
  const loginToken = await createOneTimeToken(tx, { userId: id, purpose: 'second_factor', challenge: webauthn?.challenge ?? null }, at);
  const kinds = [...new Set(factors.map(({ kind }) => kind)), 'recovery_code'];
  return new Problem('second_factor_required', 'Send a code or a passkey with POST /auth/login/second-factor.', {
    extra: { loginToken, expiresIn: secondFactorSeconds, factors: kinds, ...(webauthn && { webauthn }) },
  });
}

/** What the user sends as second factor. */
interface FactorProof {
  /** A code of the authenticator app, or a recovery code. */
  code?: string | undefined;
  /** The response of the browser for a passkey. */
  webauthn?: object | undefined;
}

type UsedFactor = 'totp' | 'webauthn' | 'recovery_code';

export interface SecondStep extends FactorProof {
  loginToken: string;
}

/**
 * Wrong factors count like wrong passwords, for the same account and network. A correct password does not reset that count if the account has
 * a second factor. Otherwise someone who knows the password could try codes without a limit.
 */
export async function completeLogin(
  tx: Tx,
  act: Act<Anonymous | User>,
  siteUrl: string,
  { loginToken, ...proof }: SecondStep,
): Promise<IssuedLogin | Problem> {
  const found = await findOneTimeToken(tx, { token: loginToken, purpose: 'second_factor', at: act.at }, lockUserShared);
  if (!found) return new Problem('invalid_one_time_token', 'The log-in took too long, or was completed. Log in again.');
  const { row: token, user } = found;
  const guess = await countGuess(tx, user.email, act.address, act.at);
  const factors = await confirmedFactors(tx, user.id);
  const used = proof.webauthn
    ? await usePasskey(tx, factors, { siteUrl, challenge: token.challenge, response: proof.webauthn, at: act.at })
    : await useCode(tx, user.id, factors, proof.code ?? '', act.at);
  if (!used) {
    await guessWasWrong(tx, guess, act.at);
    return new Problem('invalid_second_factor');
  }
  await recordCorrectPassword(tx, guess, act.at);
  await deleteOneTimeToken(tx, token.hash);
  const { sessionId, login } = await openSession(tx, user, act.at, act.userAgent);
  await record(tx, act, { subject: 'login_session', id: sessionId, after: { userId: user.id, secondFactor: used } });
  return login;
}

/** Each code works once. The authenticator app is tried first, because its codes have six digits and recovery codes have not. */
export async function useCode(tx: Tx, userId: number, factors: readonly FactorRow[], code: string, at: Date): Promise<UsedFactor | null> {
  const digits = code.replaceAll(/\s/g, '');
  if (!/^\d{6}$/.test(digits)) return (await useRecoveryCode(tx, userId, code)) ? 'recovery_code' : null;
  const totp = factors.find(({ kind }) => kind === 'totp');
  return totp && (await useTotp(tx, totp, digits, at)) ? 'totp' : null;
}

export async function useTotp(tx: Tx, { id, user_id, sealed_secret }: FactorRow, code: string, at: Date): Promise<boolean> {
  const step = sealed_secret && matchTotp(tx, user_id, sealed_secret, code, at);
  return step !== null && markTotpUsed(tx, id, step, at);
}

async function usePasskey(
  tx: Tx,
  factors: readonly FactorRow[],
  { siteUrl, challenge, response, at }: { siteUrl: string; challenge: string | null; response: object; at: Date },
): Promise<UsedFactor | null> {
  const verified = challenge === null ? null : await verifyAuthentication(siteUrl, challenge, factors, response);
  if (!verified) return null;
  await markWebauthnUsed(tx, verified.factor.id, verified.signCount, at);
  return 'webauthn';
}
