import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Act } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import type { SignedBody } from '../kernel/route.ts';
import type { Tx } from '../postgres/database.ts';
import { type NoticeBody, type Sandbox, signatureHeader } from './contract.ts';
import { insertNotices, selectEventsOfReferences, selectProviderSecret } from './notices.sql.ts';
import { recordChargeEvents } from './providers/sandbox.sql.ts';

export const provider = 'sandbox';

export interface Notice {
  body: NoticeBody;
  signed: SignedBody;
}

export const signatureOf = (secret: string, text: string): string => createHmac('sha256', secret).update(text).digest('hex');

function isSigned(secret: string, { text, signature = '' }: SignedBody): boolean {
  const [expected, given] = [Buffer.from(signatureOf(secret, text)), Buffer.from(signature)];
  return expected.length === given.length && timingSafeEqual(expected, given);
}

/** Stores notices exactly as received; the worker applies them. If one signature is wrong, no notice is stored. */
export async function receiveNotices(tx: Tx, { at }: Act, notices: readonly Notice[]): Promise<void> {
  const secret = await selectProviderSecret(tx, provider);
  if (!notices.every(({ signed }) => isSigned(secret, signed))) throw new Problem('invalid_signature');
  const eventOf = await selectEventsOfReferences(
    tx,
    notices.map(({ body }) => body.reference),
  );
  const rows = notices.map(({ body: { id, reference, event, amount }, signed }) => ({
    event_id: eventOf.get(reference) ?? 0,
    provider,
    notice_id: id,
    raw: signed.text,
    reference,
    event,
    amount,
  }));
  await insertNotices(tx, rows, at);
}

/**
 * Stores a notice that a caller signed with the secret of the sandbox. It also updates the charge, as if the sandbox had sent the notice.
 */
export async function receiveSandboxNotice(tx: Tx, act: Act, notice: Notice): Promise<{ id: string }> {
  await receiveNotices(tx, act, [notice]);
  const { id, reference, event, amount } = notice.body;
  if (event === 'paid' || event === 'failed') await recordChargeEvents(tx, act.at, [{ reference, event, amount }]);
  return { id };
}

/** Returns the secret, algorithm and header that a tester needs to sign notices. */
export async function getSandbox(tx: Tx): Promise<Sandbox> {
  return { secret: await selectProviderSecret(tx, provider), algorithm: 'HMAC-SHA256', header: signatureHeader };
}
