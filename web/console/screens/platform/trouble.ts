import type { AnswerOf } from '../../../../client/src/index.ts';

export type SystemHealth = AnswerOf<'getSystemHealth'>;
type Queue = SystemHealth['queues'][number];
export type Chore = SystemHealth['housekeeping'][number];

const lateMs = 5 * 60_000;
const housekeepingMs = 30 * 60_000;

/** Whether the entries of a queue wait longer than a worker needs. */
export const isLate = ({ oldest }: Queue, now: number): boolean => oldest !== null && now - Date.parse(oldest) > lateMs;

/** When the worker last removed old data. Null if it never did. */
export function lastWork({ housekeeping }: SystemHealth): string | null {
  return housekeeping
    .map(({ lastDoneAt }) => lastDoneAt)
    .reduce((last, at) => (at !== null && (last === null || at > last) ? at : last), null);
}

export const isWorkerIdle = (health: SystemHealth, now: number): boolean => {
  const last = lastWork(health);
  return last !== null && now - Date.parse(last) > housekeepingMs;
};

/** Whether the last attempt to remove this kind of data failed. */
export const hasFailed = ({ lastDoneAt, lastFailedAt }: Chore): boolean => (lastFailedAt ?? '') > (lastDoneAt ?? '');

/** The names of everything that an operator should look at. */
export function troubles(health: SystemHealth, now = Date.now()): string[] {
  return [
    ...health.queues.filter((queue) => queue.failed > 0 || isLate(queue, now)).map(({ name }) => name),
    ...(isWorkerIdle(health, now) ? ['worker'] : []),
    ...health.housekeeping.filter(hasFailed).map(({ kind }) => kind),
  ];
}
