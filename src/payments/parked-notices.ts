import type { Act } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { type OpenNotice, requeueNotices, selectOpenNotices } from './notices.sql.ts';

const mostListed = 200;

/** Notices that wait for an operator, and those that failed at least once and are being retried. */
export const listOpenNotices = (tx: Tx): Promise<OpenNotice[]> => selectOpenNotices(tx, mostListed);

/** Has the worker try notices again: the one with this id, or all that failed. Returns how many. */
export async function retryNotices(tx: Tx, act: Act, id: number | null): Promise<number> {
  const ids = await requeueNotices(tx, id, act.at);
  if (id !== null && ids.length === 0) throw new Problem('not_found', `There is no notice ${id} that failed or was set aside.`);
  for (const each of ids) await record(tx, act, { subject: 'payment_notice', id: each, after: { status: 'received' } });
  return ids.length;
}
