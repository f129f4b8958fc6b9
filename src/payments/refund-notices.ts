import type { Act } from '../kernel/act.ts';
import type { RowKey } from '../kernel/ids-by-event.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import type { NoticeUpdate } from './notices.sql.ts';
import type { ProviderRefund } from './providers/port.ts';
import { applyRefundState, type ReportedRefund, selectReportedRefund } from './refunds.sql.ts';

/** How often the worker asks about a refund that the provider is working on. Its notice normally arrives earlier. */
const openWaitMs = 60 * 60_000;

/** Applies what a provider reports about a refund. A refund that was made at the provider itself is left to the operator. */
export async function applyRefundNotice(
  tx: Tx,
  act: Act,
  order: RowKey,
  refund: ProviderRefund,
): Promise<Pick<NoticeUpdate, 'status' | 'outcome'>> {
  const known = await selectReportedRefund(tx, order, refund);
  if (!known) {
    const outcome = `a refund of ${refund.amount} was made at the provider (${refund.providerId}); refund the tickets here as well`;
    return { status: 'set_aside', outcome };
  }
  if (known.earlier) return applyEarlierAttempt(known, refund);
  const changed = await applyRefund(tx, act, known, refund);
  return { status: changed ? 'applied' : 'ignored', outcome: `refund ${refund.status}` };
}

/** An earlier attempt had failed before the refund was retried. If it has returned the money after all, somebody must compare the two. */
function applyEarlierAttempt(
  { id }: ReportedRefund,
  { status, providerId, amount }: ProviderRefund,
): Pick<NoticeUpdate, 'status' | 'outcome'> {
  if (status !== 'done') return { status: 'ignored', outcome: `an earlier attempt of refund ${id} is ${status}` };
  const outcome = `an earlier attempt of refund ${id} has returned ${amount} too (${providerId}); compare the refunds of the payment`;
  return { status: 'set_aside', outcome };
}

/** Writes the state of a refund. Returns whether it is new. */
export async function applyRefund(
  tx: Tx,
  act: Act,
  { eventId, id, reference, order_id }: { eventId: number; id: number; reference: string; order_id: number },
  { status, providerId, failure }: Pick<ProviderRefund, 'status' | 'providerId' | 'failure'>,
): Promise<boolean> {
  const isOpen = status === 'open';
  const changed = await applyRefundState(
    tx,
    { eventId, id, reference },
    {
      status: isOpen ? 'pending' : status,
      providerId: providerId || null,
      failure: status === 'failed' ? (failure ?? 'The refund failed.') : null,
      dueAt: isOpen ? new Date(act.at.getTime() + openWaitMs) : null,
      finishedAt: isOpen ? null : act.at,
    },
  );
  const after = { refund: { id, status: isOpen ? 'pending' : status, ...(failure !== null && { failure }) } };
  if (changed) await record(tx, act, { subject: 'order', id: order_id, eventId, after });
  return changed;
}
