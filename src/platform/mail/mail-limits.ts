import { createHash } from 'node:crypto';
import { networkOf } from '../../kernel/network.ts';

/** At most so many mails of a scope in the period that began then. */
export interface MailLimit {
  scope: string;
  period: Date;
  most: number;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** An hour's mails to an address. Only a hash of the address is kept. */
export const toAddress = (address: string, most: number, at: Date): MailLimit => ({
  scope: `to:${createHash('sha256').update(mailboxOf(address)).digest('base64url')}`,
  period: beginningOf(at, hourMs),
  most,
});

/** A day's mails that callers of one network asked for. */
export const fromNetwork = (address: string, most: number, at: Date): MailLimit => ({
  scope: `network:${networkOf(address)}`,
  period: beginningOf(at, dayMs),
  most,
});

/** When the next hour begins. */
export const nextHour = (at: Date): Date => new Date(beginningOf(at, hourMs).getTime() + hourMs);

const beginningOf = (at: Date, ms: number): Date => new Date(Math.floor(at.getTime() / ms) * ms);

/** `Ana+shows@example.com` and `ana@example.com` are one mailbox. */
const mailboxOf = (address: string): string => address.toLowerCase().replace(/\+[^@]*@/, '@');
