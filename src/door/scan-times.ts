import { type InputError, Problem } from '../kernel/problem.ts';

/** Clocks of devices may be ahead of ours by this much. */
const mostAhead = 5 * 60_000;
/** No device keeps its log longer than this. */
const mostBehind = 30 * 86_400_000;

/** The times of the entries in milliseconds, or a problem that names those that cannot be. */
export function readTimes(entries: readonly { at: string }[], now: Date): number[] | Problem {
  const times = entries.map(({ at }) => Date.parse(at));
  const errors = times.flatMap((time, i): InputError[] => {
    const fault = faultOf(time, now.getTime());
    return fault ? [{ in: 'body', field: `entries[${i}].at`, ...fault }] : [];
  });
  return errors.length === 0 ? times : new Problem('rule_violation', errors[0]?.message, { errors: errors.slice(0, 100) });
}

function faultOf(time: number, now: number): { code: string; message: string } | null {
  if (Number.isNaN(time)) return { code: 'no_such_time', message: 'There is no such time' };
  if (time > now + mostAhead) return { code: 'future', message: 'The clock of the device is more than 5 minutes ahead' };
  return time < now - mostBehind ? { code: 'too_old', message: 'It was scanned more than 30 days ago' } : null;
}
