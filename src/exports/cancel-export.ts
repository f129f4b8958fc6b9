import { checkPermission } from '../accounts/roles.ts';
import type { Act, User } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import type { Export } from './contract.ts';
import { describeExport, requireExport } from './export.ts';
import { lockExportRow, updateCancelled } from './exports.sql.ts';

/** Whoever works on it notices within a second, and leaves nothing behind. */
export async function cancelExport(tx: Tx, act: Act<User>, id: number): Promise<Export> {
  await lockExportRow(tx, id);
  const row = await requireExport(tx, act, id);
  const { event_id: eventId, producer_id: producerId } = row;
  if (row.user_id !== act.actor.id && checkPermission(act.actor, 'event.manage', { producerId, eventId }) !== 'allowed') {
    throw new Problem('forbidden', 'Only who asked for it, or who manages the event, may stop it');
  }
  if (row.finished_at) throw new Problem('wrong_state', `It is ${row.status} already`);
  await updateCancelled(tx, id, act.at);
  await record(tx, act, { subject: 'export', id, producerId, eventId, before: { status: row.status }, after: { status: 'cancelled' } });
  return describeExport(await requireExport(tx, act, id), act);
}
