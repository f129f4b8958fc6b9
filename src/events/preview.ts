import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Act } from '../kernel/act.ts';
import { type Locale, localeOfCurrency } from '../kernel/locale.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import type { Preview } from './contract.ts';
import { lockEvent } from './lock-event.ts';

const validMs = 60 * 60_000;

const signatureOf = ({ secrets }: Tx, eventId: number, expires: number): Buffer =>
  createHmac('sha256', secrets.deriveKey('event preview')).update(`${eventId} ${expires}`).digest();

/** Creates a link to the shop page of an event, which also opens a draft. The token is signed, so nothing is stored. */
export async function createPreview(tx: Tx, act: Act, eventId: number, shopUrl: string, locale?: Locale): Promise<Preview> {
  const { link, currency, producer_id: producerId } = await lockEvent(tx, eventId);
  const expires = act.at.getTime() + validMs;
  const token = `${expires}.${signatureOf(tx, eventId, expires).toString('base64url')}`;
  const expiresAt = new Date(expires).toISOString();
  await record(tx, act, { subject: 'preview', id: eventId, producerId, eventId, after: { expiresAt } });
  return { link: `${shopUrl}/${locale ?? localeOfCurrency(currency)}/event/${link}?preview=${token}`, expiresAt };
}

/** Whether the token was created for this event and has not expired. */
export function isPreviewToken(tx: Tx, eventId: number, token: string, at: Date): boolean {
  const [, expires = '', signature = ''] = /^(\d{13})\.([\w-]{43})$/.exec(token) ?? [];
  if (Number(expires) <= at.getTime()) return false;
  const sent = Buffer.from(signature, 'base64url');
  const expected = signatureOf(tx, eventId, Number(expires));
  return sent.length === expected.length && timingSafeEqual(sent, expected);
}
