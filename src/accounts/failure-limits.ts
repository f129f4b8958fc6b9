import { type Problem, retryLater } from '../kernel/problem.ts';
import type { Tx } from '../postgres/database.ts';
import type { Statement, Step } from '../postgres/pipeline.ts';
import { countFailures, type SubjectFailures, selectFailuresOf } from './login-failures.sql.ts';

/** Allows `max` failures within `windowMs`. After that the subject is blocked until the window ends. */
export interface FailureLimit {
  /** The hash that `limitSubject` returns. */
  subject: string;
  max: number;
  windowMs: number;
}

/** Returns a hash, because addresses are personal data. */
export { subjectOf as limitSubject } from './login-guesses.ts';

/**
 * Counts failed attempts at secrets other than passwords. The counts are in the table of failed log-ins, so they count for all processes
 * and survive a restart. Create one instance per transaction. It adds its own failures to the counts that it has read.
 */
export class FailureLimits {
  readonly #counts: Map<string, SubjectFailures>;
  readonly #added = new Map<string, SubjectFailures>();
  readonly #message: string;

  constructor(counts: readonly SubjectFailures[], message: string) {
    this.#counts = new Map(counts.map((count) => [count.subject, count]));
    this.#message = message;
  }

  /** Returns `rate_limited` if one of the limits is reached, else null. */
  refusal(limits: readonly FailureLimit[], at: Date): Problem | null {
    const reached = limits.flatMap(({ subject, max }) => this.#countsAt(subject, at).filter(({ failures }) => failures >= max));
    return this.#refuse(reached, at);
  }

  add(limits: readonly FailureLimit[], at: Date): void {
    for (const { subject, windowMs } of limits) {
      const [count] = this.#countsAt(subject, at);
      const expires_at = count?.expires_at ?? new Date(at.getTime() + windowMs);
      this.#counts.set(subject, { subject, failures: (count?.failures ?? 0) + 1, expires_at });
      this.#added.set(subject, { subject, failures: (this.#added.get(subject)?.failures ?? 0) + 1, expires_at });
    }
  }

  /**
   * Returns the statements that write the added failures. Send them last in the transaction, because other processes wait for the locks of
   * these rows.
   */
  statements(at: Date): Statement[] {
    return this.#added.size > 0 ? [countFailures([...this.#added.values()], at)] : [];
  }

  /** Writes the added failures. Returns `rate_limited` if concurrent attempts have used up a limit since the counts were read. */
  async save(tx: Tx, limits: readonly FailureLimit[], at: Date): Promise<Problem | null> {
    if (this.#added.size === 0) return null;
    const { rows } = await countFailures([...this.#added.values()], at).execute(tx);
    const exceeded = rows.filter(({ subject, failures }) => limits.some((limit) => limit.subject === subject && failures > limit.max));
    return this.#refuse(exceeded, at);
  }

  #countsAt(subject: string, at: Date): SubjectFailures[] {
    const count = this.#counts.get(subject);
    return count && count.expires_at > at ? [count] : [];
  }

  #refuse(reached: readonly SubjectFailures[], at: Date): Problem | null {
    if (reached.length === 0) return null;
    const until = Math.max(...reached.map(({ expires_at }) => expires_at.getTime()));
    return retryLater('rate_limited', (until - at.getTime()) / 1000, this.#message);
  }
}

const subjectsOf = (limits: readonly FailureLimit[]): string[] => [...new Set(limits.map(({ subject }) => subject))];

/** Reads the counts of all these limits. `message` is the detail of the `rate_limited` problem. */
export const failureLimits = (limits: readonly FailureLimit[], at: Date, message: string): Step<FailureLimits> => ({
  statements: [selectFailuresOf(subjectsOf(limits), at)],
  read: ([rows = []]) => new FailureLimits(rows as SubjectFailures[], message),
});
