import { sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';
import type { OldRows } from '../postgres/delete-old-rows.ts';
import type { Statement } from '../postgres/pipeline.ts';

export interface KeyRow {
  caller: string;
  key_hash: Buffer;
  fingerprint: Buffer;
}

export interface KeyWithResponse extends KeyRow {
  answer: Buffer | null;
}

const names = (rows: readonly KeyRow[]) =>
  sql`${rows.map(({ caller }) => caller)}::text[], ${rows.map(({ key_hash }) => key_hash)}::bytea[]`;

/** Returns the keys that were inserted. If a concurrent transaction inserted the same key, the statement waits until that transaction has ended. */
export async function insertKeys(tx: Tx, rows: readonly KeyRow[], at: Date): Promise<Pick<KeyRow, 'caller' | 'key_hash'>[]> {
  const { rows: ours } = await sql<Pick<KeyRow, 'caller' | 'key_hash'>>`
    insert into idempotency_key (caller, key_hash, fingerprint, created_at)
    select caller, key_hash, fingerprint, ${at}::timestamptz
      from unnest(${names(rows)}, ${rows.map(({ fingerprint }) => fingerprint)}::bytea[]) as asked (caller, key_hash, fingerprint)
     order by caller, key_hash
    on conflict do nothing returning caller, key_hash`.execute(tx);
  return ours;
}

export async function selectKeys(tx: Tx, rows: readonly KeyRow[]): Promise<KeyWithResponse[]> {
  const { rows: known } = await sql<KeyWithResponse>`
    select k.caller, k.key_hash, k.fingerprint, k.answer
      from unnest(${names(rows)}) as asked (caller, key_hash) join idempotency_key k using (caller, key_hash)`.execute(tx);
  return known;
}

export interface StoredResponse extends KeyRow {
  answer: Buffer;
  /** Keys are deleted by age. To delete a key earlier, its creation time is moved back by this number of days. */
  daysLess: number;
}

export const updateResponses = (rows: readonly StoredResponse[]): Statement => sql`
    update idempotency_key k set answer = given.answer, created_at = k.created_at - given.days_less * interval '1 day'
      from unnest(${names(rows)}, ${rows.map(({ answer }) => answer)}::bytea[], ${rows.map(({ daysLess }) => daysLess)}::int[])
        as given (caller, key_hash, answer, days_less)
     where k.caller = given.caller and k.key_hash = given.key_hash`;

export const deleteKeys = (rows: readonly KeyRow[]): Statement => sql`
    delete from idempotency_key k using unnest(${names(rows)}) as given (caller, key_hash)
     where k.caller = given.caller and k.key_hash = given.key_hash`;

export const keysBefore = (before: Date): OldRows => ({ table: 'idempotency_key', where: sql`created_at < ${before}`, age: 'created_at' });
