import { type InputError, Problem } from '../kernel/problem.ts';

/** How far the clock of a device may be ahead, in milliseconds. */
const maxAhead = 5 * 60_000;
/** How long a device may be offline before it sends its log, in milliseconds. */
const maxAge = 30 * 86_400_000;

/** Returns the times in milliseconds, or a problem that lists every invalid time. */
export function parseTimes(entries: readonly { at: string }[], now: Date): number[] | Problem {
  const times = entries.map(({ at }) => Date.parse(at));
  const errors = times.flatMap((time, i): InputError[] => {
    const error = errorOf(time, now.getTime());
    return error ? [{ in: 'body', field: `entries[${i}].at`, ...error }] : [];
  });
  return errors.length === 0 ? times : new Problem('rule_violation', errors[0]?.message, { errors: errors.slice(0, 100) });
}

function errorOf(time: number, now: number): { code: string; message: string } | null {
  if (Number.isNaN(time)) return { code: 'no_such_time', message: 'This date or time does not exist. Send a valid RFC 3339 time.' };
  if (time > now + maxAhead) {
    return { code: 'future', message: 'This time is more than 5 minutes in the future. Correct the clock of the device.' };
  }
  return time < now - maxAge
    ? { code: 'too_old', message: 'This scan is more than 30 days old. Remove it and send the others again.' }
    : null;
}
