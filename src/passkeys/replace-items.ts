import { requireLiveItems } from '../catalog/item-rules.ts';
import type { Act } from '../kernel/act.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import type { Passkey } from './contract.ts';
import { getPasskeyOfEvent, lockPasskey, toPasskey } from './passkey.ts';
import { deletePasskeyItems, insertPasskeyItems, updatePasskeyRow } from './passkeys.sql.ts';

export async function replacePasskeyItems(tx: Tx, act: Act, id: number, itemIds: readonly number[]): Promise<Passkey> {
  const row = await lockPasskey(tx, id);
  const { event_id: eventId } = row;
  await requireLiveItems(tx, eventId, itemIds);
  await deletePasskeyItems(tx, eventId, id);
  await insertPasskeyItems(tx, eventId, [id], itemIds);
  await updatePasskeyRow(tx, eventId, id, { updated_at: act.at });
  const after = await getPasskeyOfEvent(tx, eventId, id, act.at);
  await record(tx, act, { subject: 'passkey', id, eventId, before: toPasskey(row, act.at), after });
  return after;
}
