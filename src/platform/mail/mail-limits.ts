import { createHash } from 'node:crypto';
import { networkOf } from '../../kernel/network.ts';

/** Allows `max` mails of a scope in the period that starts at `period`. */
export interface MailLimit {
  scope: string;
  period: Date;
  max: number;
}

const hourMs = 3_600_000;
const lengths = { hour: hourMs, day: 24 * hourMs };
type Period = keyof typeof lengths;

/** Limits the mails to one address. Only a hash of the address is stored. */
export const addressLimit = (address: string, max: number, at: Date, per: Period = 'hour'): MailLimit => ({
  scope: `to:${createHash('sha256').update(mailboxOf(address)).digest('base64url')}`,
  period: startOfPeriod(at, lengths[per]),
  max,
});

/** Limits the mails that clients of one network cause. */
export const networkLimit = (address: string, max: number, at: Date, per: Period = 'day'): MailLimit => ({
  scope: `network:${networkOf(address)}`,
  period: startOfPeriod(at, lengths[per]),
  max,
});

export const startOfNextHour = (at: Date): Date => new Date(startOfPeriod(at, hourMs).getTime() + hourMs);

const startOfPeriod = (at: Date, ms: number): Date => new Date(Math.floor(at.getTime() / ms) * ms);

/** `Ana+shows@example.com` and `ana@example.com` count as the same mailbox. */
const mailboxOf = (address: string): string => address.toLowerCase().replace(/\+[^@]*@/, '@');
