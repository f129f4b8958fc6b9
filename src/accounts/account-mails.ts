import { randomUUID } from 'node:crypto';
import type { Act } from '../kernel/act.ts';
import { localeOfCurrency } from '../kernel/locale.ts';
import { addressLimit, type MailLimit, networkLimit } from '../platform/mail/mail-limits.ts';
import { queueLimitedMails } from '../platform/mail/outbox.ts';
import type { Renderer } from '../platform/mail/send-mail.ts';
import type { Tx } from '../postgres/database.ts';
import { executeAll } from '../postgres/pipeline.ts';
import { invitationLetter, passwordResetLetter } from './account-mail-texts.ts';
import { createOneTimeToken } from './one-time-tokens.ts';
import { selectUser, selectUserByEmail } from './users.sql.ts';

/** Mails to one address per hour, and mails per day that requests of one network cause. */
const invitations = { toAddress: 10, fromNetwork: 500 };
const resets = { toAddress: 5, fromNetwork: 50 };

/** Each kind of mail has its own counts. Otherwise somebody who gets many tickets could not reset their password. */
function limitsOf(kind: string, email: string, { address, at }: Act, max: { toAddress: number; fromNetwork: number }): MailLimit[] {
  const limits = [addressLimit(email, max.toAddress, at), ...(address === null ? [] : [networkLimit(address, max.fromNetwork, at)])];
  return limits.map((limit) => ({ ...limit, scope: `${kind} ${limit.scope}` }));
}

export interface InvitedUser {
  id: number;
  email: string;
}

/** The producer or event that somebody was added to. */
export interface InvitedTo {
  name: string;
  currency: string;
  /** Missing for a producer. */
  eventId?: number;
}

/**
 * Tells people that they were added to a producer or a crew. Commands send no mail, because operators tell people themselves. The same mail is
 * queued whether or not the account existed before, so the inviter cannot learn it.
 */
export async function mailInvitation(tx: Tx, act: Act, user: InvitedUser, { name, currency, eventId }: InvitedTo): Promise<void> {
  if (act.actor.kind !== 'user') return;
  const mail = {
    kind: 'invitation' as const,
    ...(eventId !== undefined && { eventId }),
    recipient: user.email,
    locale: localeOfCurrency(currency),
    payload: { userId: user.id, to: name, isEvent: eventId !== undefined, inviter: act.actor.name },
    dedupeKey: `invitation/${randomUUID()}`,
    at: act.at,
  };
  await executeAll(tx, queueLimitedMails([{ mail, limits: limitsOf('invitation', user.email, act, invitations) }]));
}

/**
 * Queues the mail for any address. The worker looks for the account later. So the response and its time are the same whether or not the account
 * exists, and above the limits too.
 */
export async function requestPasswordReset(tx: Tx, act: Act, email: string): Promise<void> {
  const mail = {
    kind: 'password_reset' as const,
    recipient: email,
    locale: act.locale ?? 'en',
    payload: {},
    dedupeKey: `password-reset/${randomUUID()}`,
    at: act.at,
  };
  await executeAll(tx, queueLimitedMails([{ mail, limits: limitsOf('password reset', email, act, resets) }]));
}

/** The token is in the fragment, which browsers do not send to servers, so it is in no log. */
const linkTo = (siteUrl: string, page: string, token: string): string => `${siteUrl}/console/${page}#token=${token}`;

/** People without a password get a link to choose one. The token is created when the mail is sent, so it is never stored in plain text. */
export const renderInvitation =
  (siteUrl: string): Renderer<'invitation'> =>
  async (tx, { payload, locale, at }) => {
    const user = await selectUser(tx, payload.userId);
    if (!user || user.disabled_at) return null;
    const token = user.password_hash === null && (await createOneTimeToken(tx, { userId: user.id, purpose: 'invitation' }, at));
    const link = token ? linkTo(siteUrl, 'invitation', token) : `${siteUrl}/console/`;
    return { to: { name: '', address: user.email }, letter: invitationLetter(locale, payload, { link, isNew: token !== false }) };
  };

export const renderPasswordReset =
  (siteUrl: string): Renderer<'password_reset'> =>
  async (tx, { recipient, locale, at }) => {
    const user = recipient === null ? undefined : await selectUserByEmail(tx, recipient);
    if (!user || user.disabled_at) return null;
    const token = await createOneTimeToken(tx, { userId: user.id, purpose: 'password_reset' }, at);
    return { to: { name: '', address: user.email }, letter: passwordResetLetter(locale, linkTo(siteUrl, 'password', token)) };
  };
