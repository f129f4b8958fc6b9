import { type FailureLimit, limitSubject } from '../accounts/failure-limits.ts';
import { networkOf } from '../kernel/network.ts';

const minuteMs = 60_000;

/** All wrong passkeys from one network, in any event. */
const perNetwork = { max: 20, windowMs: 10 * minuteMs };
/** All wrong passkeys of one event: this limits guessing that is spread over many networks. */
const perEvent = { max: 1_000, windowMs: minuteMs };

export const tooManyGuesses = 'Too many wrong passkeys. Wait for the seconds in Retry-After, then try again.';

/** The limits that a wrong passkey counts against. */
export const guessLimitsOf = ({ eventId, address }: { eventId: number; address: string | null }): FailureLimit[] => [
  { subject: limitSubject('passkeys of network', networkOf(address ?? '')), ...perNetwork },
  { subject: limitSubject('passkeys of event', String(eventId)), ...perEvent },
];
