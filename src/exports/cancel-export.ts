import { checkPermission } from '../accounts/roles.ts';
import type { Act, User } from '../kernel/act.ts';
import { Problem } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import type { Export } from './contract.ts';
import { describeExport, exportKeyOf, requireExport } from './export.ts';
import { lockExportRow, markCancelled } from './exports.sql.ts';

/** A worker that runs the export notices the new status within a second. It then stops and removes its file. */
export async function cancelExport(tx: Tx, act: Act<User>, id: number): Promise<Export> {
  const key = await exportKeyOf(tx, id);
  await lockExportRow(tx, key);
  const row = await requireExport(tx, act, key);
  const { event_id: eventId, producer_id: producerId } = row;
  if (row.user_id !== act.actor.id && checkPermission(act.actor, 'event.manage', { producerId, eventId }) !== 'allowed') {
    throw new Problem('forbidden', 'Only the user who requested the export or a user with event.manage can cancel it');
  }
  if (row.finished_at) throw new Problem('wrong_state', `The export is already ${row.status} and cannot be cancelled`);
  await markCancelled(tx, key, act.at);
  await record(tx, act, { subject: 'export', id, producerId, eventId, before: { status: row.status }, after: { status: 'cancelled' } });
  return describeExport(await requireExport(tx, act, key), act);
}
