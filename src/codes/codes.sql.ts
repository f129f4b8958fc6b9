import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';
import type { Statement } from '../postgres/pipeline.ts';
import type { Schema } from '../postgres/schema.ts';
import type { CodeStatus } from './contract.ts';

export type CodeRow = Selectable<Schema['external_code']>;

const columns = sql`c.id, c.event_id, c.item_id, c.session_id, c.code, c.holder_name, c.holder_document, c.status, c.created_at`;

/** The status is a literal, not a parameter. With a parameter PostgreSQL does not use the partial index of the status. */
const ofStatus = (status: CodeStatus | undefined): RawBuilder<unknown> => (status ? sql`c.status = ${sql.lit(status)}` : sql`true`);

export async function selectCodes(
  tx: Tx,
  itemId: number,
  status: CodeStatus | undefined,
  afterId: number,
  limit: number,
): Promise<CodeRow[]> {
  const { rows } = await sql<CodeRow>`
    select ${columns} from external_code c
    where c.item_id = ${itemId} and c.id > ${afterId} and ${ofStatus(status)} order by c.id limit ${limit}`.execute(tx);
  return rows;
}

export interface Term {
  /** The beginning of the code. */
  prefix: string;
  /** A `tsquery` that finds the beginnings of words in the holder's name; null to search codes only. */
  words: string | null;
}

/**
 * A union of two queries, so that each query uses its own index. `page` adds cursor, order and limit to both queries; it is empty for a
 * count.
 */
function matching(itemId: number, status: CodeStatus | undefined, { prefix, words }: Term, page: RawBuilder<unknown>): RawBuilder<unknown> {
  const ofItem = sql`c.item_id = ${itemId} and ${ofStatus(status)}`;
  const ofEvent = sql`c.event_id = (select event_id from item where id = ${itemId})`;
  const byCode = sql`select ${columns} from external_code c where ${ofEvent} and starts_with(c.code, ${prefix}) and ${ofItem}`;
  const byName = sql`select ${columns} from external_code c where holder_words(c.holder_name) @@ to_tsquery('simple', ${words}) and ${ofItem}`;
  return words === null ? sql`(${byCode} ${page})` : sql`(${byCode} ${page}) union (${byName} ${page})`;
}

export async function searchCodes(
  tx: Tx,
  itemId: number,
  status: CodeStatus | undefined,
  term: Term,
  afterCode: string,
  limit: number,
): Promise<CodeRow[]> {
  const page = sql`and c.code > ${afterCode} order by c.code limit ${limit}`;
  const { rows } = await sql<CodeRow>`select * from (${matching(itemId, status, term, page)}) c order by c.code limit ${limit}`.execute(tx);
  return rows;
}

export async function countCodes(tx: Tx, itemId: number, status: CodeStatus | undefined, term: Term | null): Promise<number> {
  const found = term
    ? sql`(${matching(itemId, status, term, sql``)}) c`
    : sql`external_code c where c.item_id = ${itemId} and ${ofStatus(status)}`;
  const { rows } = await sql<{ n: number }>`select count(*) as n from ${found}`.execute(tx);
  return rows[0]?.n ?? 0;
}

/** Locks and returns available codes. Skips codes that other transactions have locked. */
export async function lockAvailable(tx: Tx, itemId: number, limit: number): Promise<{ id: number; code: string }[]> {
  const { rows } = await sql<{ id: number; code: string }>`
    select id, code from external_code where item_id = ${itemId} and status = 'available'
    order by id limit ${limit} for no key update skip locked`.execute(tx);
  return rows;
}

export async function markAssigned(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.updateTable('external_code').set({ status: 'assigned' }).where('id', 'in', ids).execute();
}

export const updateStatus = (ids: readonly number[], status: CodeStatus): Statement => sql`
  update external_code set status = ${status} where id = any(${ids}::bigint[]) and status <> ${status}`;

export async function selectCodeForUpdate(tx: Tx, itemId: number, id: number): Promise<CodeRow | undefined> {
  return tx.selectFrom('external_code').selectAll().where('id', '=', id).where('item_id', '=', itemId).forUpdate().executeTakeFirst();
}

export async function selectEventOf(tx: Tx, itemId: number): Promise<number | undefined> {
  return (await tx.selectFrom('item').select('event_id').where('id', '=', itemId).executeTakeFirst())?.event_id;
}

export async function deleteCodeRow(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('external_code').where('id', '=', id).execute();
}

export interface CodeFilter {
  itemId?: number | undefined;
  name?: string | undefined;
  status?: CodeStatus | undefined;
}

function codesMatching(eventId: number, { itemId, name, status }: CodeFilter): RawBuilder<unknown> {
  const ofItem = itemId === undefined ? sql`true` : sql`c.item_id = ${itemId}`;
  const ofName = name === undefined ? sql`true` : sql`c.item_id in (select id from item where event_id = ${eventId} and name = ${name})`;
  return sql`c.event_id = ${eventId} and ${ofItem} and ${ofName} and ${ofStatus(status)}`;
}

function itemsOf(eventId: number, { itemId, name }: CodeFilter): RawBuilder<unknown> {
  const byId = itemId === undefined ? sql`true` : sql`id = ${itemId}`;
  const byName = name === undefined ? sql`true` : sql`name = ${name}`;
  return sql`select from item where event_id = ${eventId} and ${byId} and ${byName}`;
}

/** A sale locks the item while it counts the available codes. Deleting codes takes the same lock, so that the count stays correct. */
export async function lockItemsOfCodes(tx: Tx, eventId: number, filter: CodeFilter): Promise<void> {
  await sql`${itemsOf(eventId, filter)} order by id for no key update`.execute(tx);
}

export async function hasItem(tx: Tx, eventId: number, filter: CodeFilter): Promise<boolean> {
  const { rows } = await sql`${itemsOf(eventId, filter)} limit 1`.execute(tx);
  return rows.length > 0;
}

export interface CodesOfItem {
  item_id: number;
  codes: number;
}

/** Returns the number of deleted codes per item. */
export async function deleteAvailable(tx: Tx, eventId: number, filter: CodeFilter): Promise<CodesOfItem[]> {
  const { rows } = await sql<CodesOfItem>`
    with deleted as (delete from external_code c where ${codesMatching(eventId, filter)} and c.status = 'available' returning c.item_id)
    select item_id, count(*) as codes from deleted group by item_id`.execute(tx);
  return rows;
}

export async function countTaken(tx: Tx, eventId: number, filter: CodeFilter): Promise<CodesOfItem[]> {
  const { rows } = await sql<CodesOfItem>`
    select c.item_id, count(*) as codes from external_code c
     where ${codesMatching(eventId, filter)} and c.status <> 'available' group by c.item_id`.execute(tx);
  return rows;
}

export async function selectItemNames(tx: Tx, ids: readonly number[]): Promise<{ id: number; name: string }[]> {
  const { rows } = await sql<{ id: number; name: string }>`
    select id, name from item where id = any(${ids}::bigint[]) order by id`.execute(tx);
  return rows;
}
