import { createHash, randomInt } from 'node:crypto';
import type { Tx } from '../postgres/database.ts';
import { deleteRecoveryCode, deleteRecoveryCodesOf, insertRecoveryCodes } from './factors.sql.ts';

const codes = 10;
const groups = 4;
const groupLength = 4;
/** Without letters and digits that look alike. 16 characters have 79 bits, which nobody can guess from the hash. */
const alphabet = '23456789abcdefghjkmnpqrstuvwxyz';

const newGroup = (): string => Array.from({ length: groupLength }, () => alphabet[randomInt(alphabet.length)]).join('');
const newCode = (): string => Array.from({ length: groups }, newGroup).join('-');

const hashOf = (code: string): Buffer => createHash('sha256').update(code.toLowerCase().replaceAll(/[\s-]/g, '')).digest();

/** Replaces the recovery codes of the user. The codes are shown only now. */
export async function replaceRecoveryCodes(tx: Tx, userId: number): Promise<string[]> {
  const created = Array.from({ length: codes }, newCode);
  await deleteRecoveryCodesOf(tx, userId);
  await insertRecoveryCodes(tx, userId, created.map(hashOf));
  return created;
}

export const useRecoveryCode = (tx: Tx, userId: number, code: string): Promise<boolean> => deleteRecoveryCode(tx, userId, hashOf(code));
