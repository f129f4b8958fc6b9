import type { Act, User } from '../kernel/act.ts';
import { Problem, ruleViolation } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { constraintToProblem } from '../postgres/transaction.ts';
import type { Factor, Factors, NewFactor } from './factor-contract.ts';
import {
  countRecoveryCodes,
  deleteFactor,
  deleteFactorsOf,
  deleteRecoveryCodesOf,
  type FactorRow,
  insertFactor,
  selectFactors,
} from './factors.sql.ts';
import { deleteOneTimeToken, deleteOneTimeTokensOf } from './one-time-tokens.sql.ts';
import { createOneTimeToken, findOneTimeToken } from './one-time-tokens.ts';
import { checkOwner, type OwnerProof, requireSession, wrongFactor } from './owner-proof.ts';
import { replaceRecoveryCodes } from './recovery-codes.ts';
import { useTotp } from './second-factor.ts';
import { createTotp } from './totp.ts';
import { selectUserForUpdate } from './users.sql.ts';
import { registrationOptions, verifyRegistration } from './webauthn.ts';

const maxFactors = 20;
const credentialTaken = constraintToProblem({
  auth_factor_credential: () => new Problem('already_exists', 'This passkey is already registered.'),
});

export async function listFactors(tx: Tx, { actor }: Act<User>): Promise<Factors> {
  const factors = (await selectFactors(tx, actor.id)).filter(({ confirmed_at }) => confirmed_at !== null);
  return { data: factors.map(toFactor), recoveryCodesLeft: await countRecoveryCodes(tx, actor.id) };
}

/** Creates the key of an authenticator app. It is needed at log-in only after a code has shown that the app has the key. */
export async function createTotpFactor(tx: Tx, act: Act<User>, siteUrl: string, { name, ...proof }: OwnerProof & { name?: string }) {
  const refused = await checkOwner(tx, act, proof);
  if (refused) return refused;
  const { id: userId, email } = act.actor;
  const existing = (await selectFactors(tx, userId)).find(({ kind }) => kind === 'totp');
  if (existing?.confirmed_at) throw new Problem('already_exists', 'You already have an authenticator app. Remove it first.');
  if (existing) await deleteFactor(tx, existing.id);
  const { sealedSecret, ...shown } = createTotp(tx, { id: userId, email }, new URL(siteUrl).hostname);
  const { id } = await insertFactor(tx, {
    user_id: userId,
    kind: 'totp',
    name: name ?? 'Authenticator',
    sealed_secret: sealedSecret,
    created_at: act.at,
    confirmed_at: null,
  });
  await record(tx, act, { subject: 'user', id: userId, after: { startedFactor: id } });
  return { id, ...shown };
}

export async function confirmTotpFactor(tx: Tx, act: Act<User>, code: string): Promise<NewFactor | Problem> {
  const session = await requireSession(tx, act);
  const started = (await selectFactors(tx, act.actor.id)).find(({ kind, confirmed_at }) => kind === 'totp' && !confirmed_at);
  if (!started) throw new Problem('not_found', 'There is no authenticator app to confirm. Create one first.');
  if (!(await useTotp(tx, started, code, act.at))) return wrongFactor;
  await session.proved();
  return added(tx, act, { ...started, confirmed_at: act.at, last_used_at: act.at });
}

export async function startPasskeyFactor(tx: Tx, act: Act<User>, siteUrl: string, proof: OwnerProof) {
  const refused = await checkOwner(tx, act, proof);
  if (refused) return refused;
  const factors = await selectFactors(tx, act.actor.id);
  if (factors.length >= maxFactors) throw ruleViolation('', 'limit', `You already have ${maxFactors} factors. Remove one first.`);
  const options = await registrationOptions(siteUrl, act.actor, factors);
  const wanted = { userId: act.actor.id, purpose: 'webauthn_registration', challenge: options.challenge } as const;
  return { registrationToken: await createOneTimeToken(tx, wanted, act.at), options: { ...options } };
}

export async function createPasskeyFactor(
  tx: Tx,
  act: Act<User>,
  siteUrl: string,
  { registrationToken, name, credential }: { registrationToken: string; name: string; credential: object },
): Promise<NewFactor> {
  const wanted = { token: registrationToken, purpose: 'webauthn_registration', at: act.at } as const;
  const found = await findOneTimeToken(tx, wanted, selectUserForUpdate);
  if (!found?.row.challenge || found.user.id !== act.actor.id) throw new Problem('invalid_one_time_token', 'Start the registration again.');
  const created = await verifyRegistration(siteUrl, found.row.challenge, credential);
  if (!created) throw ruleViolation('credential', 'invalid', 'The passkey does not belong to this registration. Start again.');
  await deleteOneTimeToken(tx, found.row.hash);
  const row = { user_id: act.actor.id, kind: 'webauthn', name, ...created, created_at: act.at, confirmed_at: act.at } as const;
  return added(tx, act, await insertFactor(tx, row).catch(credentialTaken));
}

/** The first factor of a user comes with recovery codes. */
async function added(tx: Tx, act: Act<User>, row: FactorRow): Promise<NewFactor> {
  const { id: userId } = act.actor;
  const hasCodes = (await countRecoveryCodes(tx, userId)) > 0;
  const recoveryCodes = hasCodes ? null : await replaceRecoveryCodes(tx, userId);
  await record(tx, act, { subject: 'user', id: userId, after: { addedFactor: { id: row.id, kind: row.kind } } });
  return { factor: toFactor(row), recoveryCodes };
}

/** A code of the factor itself is not accepted, because somebody who has only this factor could then remove it. */
export async function removeFactor(tx: Tx, act: Act<User>, id: number, proof: OwnerProof): Promise<void | Problem> {
  const { id: userId } = act.actor;
  const factors = await selectFactors(tx, userId);
  const removed = factors.find((factor) => factor.id === id);
  if (!removed) throw new Problem('not_found');
  const refused = await checkOwner(tx, act, proof, id);
  if (refused) return refused;
  await deleteFactor(tx, id);
  const isLast = factors.every((factor) => factor.id === id || factor.confirmed_at === null);
  if (isLast) await deleteRecoveryCodesOf(tx, userId);
  await record(tx, act, { subject: 'user', id: userId, after: { removedFactor: { id, kind: removed.kind } } });
}

export async function renewRecoveryCodes(tx: Tx, act: Act<User>, proof: OwnerProof): Promise<{ recoveryCodes: string[] } | Problem> {
  const refused = await checkOwner(tx, act, proof);
  if (refused) return refused;
  const { data } = await listFactors(tx, act);
  if (data.length === 0) throw new Problem('wrong_state', 'You have no second factor. Add one first.');
  const recoveryCodes = await replaceRecoveryCodes(tx, act.actor.id);
  await record(tx, act, { subject: 'user', id: act.actor.id, after: { recoveryCodes: 'renewed' } });
  return { recoveryCodes };
}

/** For the command line: removes all factors of a user who has lost them. The password is then enough to log in. */
export async function resetFactors(tx: Tx, act: Act, userId: number): Promise<number> {
  const removed = await eraseFactors(tx, userId);
  await record(tx, act, { subject: 'user', id: userId, after: { removedFactors: removed } });
  return removed;
}

export async function eraseFactors(tx: Tx, userId: number): Promise<number> {
  await deleteRecoveryCodesOf(tx, userId);
  await deleteOneTimeTokensOf(tx, userId);
  return deleteFactorsOf(tx, userId);
}

const toFactor = ({ id, kind, name, created_at, last_used_at }: FactorRow): Factor => ({
  id,
  kind,
  name,
  createdAt: created_at.toISOString(),
  lastUsedAt: last_used_at?.toISOString() ?? null,
});
