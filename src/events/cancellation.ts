import { Problem } from '../kernel/problem.ts';
import type { Tx } from '../postgres/database.ts';
import {
  type CancellationRow,
  lockRunningCancellation,
  selectCancellation,
  selectRunningCancellations,
  startCancellation,
  updateCancellation,
} from './cancellations.sql.ts';
import type { Cancellation } from './contract.ts';

export type { CancellationRow };

/**
 * Cancelling an event with `refund` writes a job. This folder may not import orders, so the worker in orders takes the job, refunds a batch
 * and saves the progress, all in one transaction. Returns the oldest job that no other worker has locked.
 */
export async function takeCancellation(tx: Tx): Promise<CancellationRow | undefined> {
  for (const eventId of await selectRunningCancellations(tx)) {
    const job = await lockRunningCancellation(tx, eventId);
    if (job) return job;
  }
  return undefined;
}

export const saveCancellation = (tx: Tx, row: CancellationRow): Promise<void> => updateCancellation(tx, row);

export async function requestRefunds(tx: Tx, eventId: number, reason: string | null, at: Date): Promise<void> {
  if (await startCancellation(tx, eventId, reason, at)) return;
  throw new Problem('wrong_state', 'The orders of this event are already being refunded. GET /event/{id}/cancellation shows the progress.');
}

export async function getCancellation(tx: Tx, eventId: number): Promise<Cancellation> {
  const row = await selectCancellation(tx, eventId);
  if (!row) throw new Problem('not_found');
  const { status, orders, refunded, failed, amount, started_at, finished_at } = row;
  const times = { startedAt: started_at.toISOString(), finishedAt: finished_at?.toISOString() ?? null };
  return { status, orders: orders ?? 0, refunded, failed, amount, ...times };
}
