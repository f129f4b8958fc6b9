import type { Act } from '../kernel/act.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { clearHolders, countOldHolders, lockHolders, selectOldHolders } from './erase-holders.sql.ts';

/** Counts the imported codes that name a holder and whose event ended before this time. */
export const countErasableHolders = (tx: Tx, before: Date): Promise<number> => countOldHolders(tx, before);

/** Erases name and document of the holders of up to `limit` such codes. The codes stay. Returns the number of changed codes. */
export async function eraseHolders(tx: Tx, act: Act, before: Date, limit: number): Promise<number> {
  let erased = 0;
  for (const holders of await selectOldHolders(tx, before, limit)) {
    const ids = await lockHolders(tx, holders);
    await clearHolders(tx, holders.event_id, ids);
    erased += ids.length;
  }
  if (erased > 0) await record(tx, act, { subject: 'retention', id: 'codeHolders', after: { erased } });
  return erased;
}
