import type { Tx } from '../postgres/database.ts';
import { countOld, deleteOld } from '../postgres/old-rows.ts';
import { oldNotices } from './notices.sql.ts';

export const countOldNotices = (tx: Tx, before: Date): Promise<number> => countOld(tx, oldNotices(before));

/** Deletes notices that came before that time and were dealt with. Those that somebody still has to look at stay. */
export const forgetNotices = (tx: Tx, before: Date, most: number): Promise<number> => deleteOld(tx, oldNotices(before), most);
