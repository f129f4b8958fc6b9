import type { Tx } from '../postgres/database.ts';
import { countOld, deleteOld } from '../postgres/old-rows.ts';
import { countStale, oldExports } from './old-exports.sql.ts';

export const countStaleFiles = (tx: Tx, at: Date): Promise<number> => countStale(tx, at);

export const countOldExports = (tx: Tx, before: Date): Promise<number> => countOld(tx, oldExports(before));

/** Deletes exports that ended before that time. A row that still names a file stays until the file is removed, so no file is forgotten. */
export const deleteOldExports = (tx: Tx, before: Date, most: number): Promise<number> => deleteOld(tx, oldExports(before), most);
