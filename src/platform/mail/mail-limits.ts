import { createHash } from 'node:crypto';
import { networkOf } from '../../kernel/network.ts';

/** Allows `max` mails of a scope in the period that starts at `period`. */
export interface MailLimit {
  scope: string;
  period: Date;
  max: number;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Limits the mails to one address per hour. Only a hash of the address is stored. */
export const addressLimit = (address: string, max: number, at: Date): MailLimit => ({
  scope: `to:${createHash('sha256').update(mailboxOf(address)).digest('base64url')}`,
  period: startOfPeriod(at, hourMs),
  max,
});

/** Limits the mails per day that clients of one network cause. */
export const networkLimit = (address: string, max: number, at: Date): MailLimit => ({
  scope: `network:${networkOf(address)}`,
  period: startOfPeriod(at, dayMs),
  max,
});

export const startOfNextHour = (at: Date): Date => new Date(startOfPeriod(at, hourMs).getTime() + hourMs);

const startOfPeriod = (at: Date, ms: number): Date => new Date(Math.floor(at.getTime() / ms) * ms);

/** `Ana+shows@example.com` and `ana@example.com` count as the same mailbox. */
const mailboxOf = (address: string): string => address.toLowerCase().replace(/\+[^@]*@/, '@');
