import type { Act } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import type { SignedBody } from '../kernel/route.ts';
import type { Tx } from '../postgres/database.ts';
import { type NoticeBody, type Sandbox, signatureHeader } from './contract.ts';
import { insertNotices, type NewNoticeRow, selectEventsOfNotices } from './notices.sql.ts';
import { InvalidNotice, type PaymentProvider, type ProviderNotice } from './providers/port.ts';
import { recordChargeEvents, selectSandboxSecret } from './providers/sandbox/sandbox.sql.ts';

/** A notice, with the text that the provider sent. */
export interface SentNotice {
  notice: ProviderNotice;
  raw: string;
}

/** Checks the signature and stores the notice. The worker applies it. */
export async function receiveNotice(
  tx: Tx,
  { at }: Act,
  provider: PaymentProvider | undefined,
  signed: SignedBody,
): Promise<{ id: string }> {
  if (!provider) throw new Problem('not_found');
  const notice = read(provider, signed, at);
  await storeNotices(tx, at, provider.name, [{ notice, raw: signed.text }]);
  return { id: notice.id };
}

function read(provider: PaymentProvider, { text, headers }: SignedBody, at: Date): ProviderNotice {
  try {
    return provider.readNotice(Buffer.from(text), headers, at);
  } catch (error) {
    if (error instanceof InvalidNotice) throw new Problem('invalid_signature', error.message);
    throw error;
  }
}

/**
 * Stores notices exactly as they were sent. Leaves out notices about nothing, and about payments that were not started by this service.
 * Returns the ids of the notices that are new.
 */
export async function storeNotices(tx: Tx, at: Date, provider: string, sent: readonly SentNotice[]): Promise<string[]> {
  const rows = sent.flatMap(({ notice, raw }) => rowOf(provider, notice, raw) ?? []);
  if (rows.length === 0) return [];
  const eventOf = await selectEventsOfNotices(tx, rows);
  const known = rows.map((row) => ({ ...row, event_id: eventOf(row) ?? 0 }));
  const ours = known.filter(({ event_id, reference, content }) => event_id !== 0 || reference !== null || content.about === 'change');
  return ours.length === 0 ? [] : insertNotices(tx, ours, at);
}

function rowOf(provider: string, notice: ProviderNotice, raw: string): NewNoticeRow | null {
  if (notice.about === 'nothing') return null;
  const { id: notice_id, type, account: _account, ...content } = notice;
  const row = { event_id: 0, provider, notice_id, type, raw, content };
  if (content.about === 'payment') return { ...row, reference: content.payment.reference, provider_id: content.payment.providerId };
  if (content.about === 'change') return { ...row, reference: null, provider_id: content.paymentProviderId };
  const { paymentProviderId } = content.about === 'refund' ? content.refund : content.dispute;
  return { ...row, reference: null, provider_id: paymentProviderId };
}

/** Stores a notice that a caller signed with the secret of the sandbox. It also updates the charge, as if the sandbox had sent the notice. */
export async function receiveSandboxNotice(
  tx: Tx,
  act: Act,
  sandbox: PaymentProvider | undefined,
  { body, signed }: { body: NoticeBody; signed: SignedBody },
): Promise<{ id: string }> {
  const received = await receiveNotice(tx, act, sandbox, signed);
  const { reference, event, amount } = body;
  if (event === 'paid' || event === 'failed') await recordChargeEvents(tx, act.at, [{ reference, event, amount }]);
  return received;
}

/** Returns the secret, algorithm and header that a tester needs to sign notices. */
export async function getSandbox(tx: Tx): Promise<Sandbox> {
  return { secret: await selectSandboxSecret(tx), algorithm: 'HMAC-SHA256', header: signatureHeader };
}
