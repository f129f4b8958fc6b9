import { type FailureLimit, limitSubject } from '../accounts/failure-limits.ts';
import { networkOf } from '../kernel/network.ts';

const minuteMs = 60_000;

/** The limit of wrong passkeys from one network, for all events together. */
const perNetwork = { max: 20, windowMs: 10 * minuteMs };
/** The limit of wrong passkeys for one event, from all networks together. It limits guessing that is spread over many networks. */
const perEvent = { max: 1_000, windowMs: minuteMs };

export const tooManyGuesses = 'Too many wrong passkeys. Wait the number of seconds in Retry-After, then try again.';

/** Returns the limits that a wrong passkey counts against. */
export const guessLimitsOf = ({ eventId, address }: { eventId: number; address: string | null }): FailureLimit[] => [
  { subject: limitSubject('passkeys of network', networkOf(address ?? '')), ...perNetwork },
  { subject: limitSubject('passkeys of event', String(eventId)), ...perEvent },
];
