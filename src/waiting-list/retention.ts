import type { Tx } from '../postgres/database.ts';
import { countOldRows, deleteOldRows, eraseInOldRows } from '../postgres/delete-old-rows.ts';
import { confirmMs } from './entry.ts';
import { endedBefore, unconfirmedBefore } from './retention.sql.ts';

const unconfirmedAt = (at: Date) => unconfirmedBefore(new Date(at.getTime() - confirmMs));

export const countUnconfirmed = (tx: Tx, at: Date): Promise<number> => countOldRows(tx, unconfirmedAt(at));

/** Deletes up to `limit` entries that were not confirmed in time. Returns the number of deleted entries. */
export const deleteUnconfirmed = (tx: Tx, at: Date, limit: number): Promise<number> => deleteOldRows(tx, unconfirmedAt(at), limit);

export const countErasableEntries = (tx: Tx, before: Date): Promise<number> => countOldRows(tx, endedBefore(before));

/** Erases the address of up to `limit` entries that ended, or whose event ended, before this time. The entries stay, because they are counted. */
export const eraseEntries = (tx: Tx, before: Date, limit: number): Promise<number> =>
  eraseInOldRows(tx, endedBefore(before), ['email'], limit);
