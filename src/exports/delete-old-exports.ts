import type { Tx } from '../postgres/database.ts';
import { countOldRows, deleteOldRows } from '../postgres/delete-old-rows.ts';
import { countStale, oldExports } from './old-exports.sql.ts';

export const countStaleFiles = (tx: Tx, at: Date): Promise<number> => countStale(tx, at);

export const countOldExports = (tx: Tx, before: Date): Promise<number> => countOldRows(tx, oldExports(before));

/** Deletes old rows of exports. Rows whose file still exists are kept, because without its row a file would never be removed. */
export const deleteOldExports = (tx: Tx, before: Date, limit: number): Promise<number> => deleteOldRows(tx, oldExports(before), limit);
