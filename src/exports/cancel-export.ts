import { checkPermission } from '../accounts/roles.ts';
import type { Act, User } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import type { Export } from './contract.ts';
import { getExport, requireExport } from './export.ts';
import { lockExportRow, markCancelled } from './exports.sql.ts';

/** A worker that runs the export notices the new status within a second. It then stops and removes its file. */
export async function cancelExport(tx: Tx, act: Act<User>, id: number): Promise<Export> {
  await lockExportRow(tx, id);
  const row = await requireExport(tx, act, id);
  const { event_id: eventId, producer_id: producerId } = row;
  if (row.user_id !== act.actor.id && checkPermission(act.actor, 'event.manage', { producerId, eventId }) !== 'allowed') {
    throw new Problem('forbidden', 'Only the user who requested the export or a user with event.manage can cancel it');
  }
  if (row.finished_at) throw new Problem('wrong_state', `The export is already ${row.status} and cannot be cancelled`);
  await markCancelled(tx, id, act.at);
  await record(tx, act, { subject: 'export', id, producerId, eventId, before: { status: row.status }, after: { status: 'cancelled' } });
  return getExport(tx, act, id);
}
