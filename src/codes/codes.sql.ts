import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';
import type { Statement } from '../postgres/pipeline.ts';
import type { Schema } from '../postgres/schema.ts';
import type { CodeStatus } from './contract.ts';

export type CodeRow = Selectable<Schema['external_code']>;

const columns = sql`c.id, c.event_id, c.item_id, c.session_id, c.code, c.holder_name, c.holder_document, c.status, c.created_at`;

/** The status is a literal, not a parameter. With a parameter PostgreSQL does not use the partial index of the status. */
const ofStatus = (status: CodeStatus | undefined): RawBuilder<unknown> => (status ? sql`c.status = ${sql.lit(status)}` : sql`true`);

/** The codes of one item, all or with one status. */
export interface CodesOfItem {
  eventId: number;
  itemId: number;
  status: CodeStatus | undefined;
}

const ofItem = ({ eventId, itemId, status }: CodesOfItem): RawBuilder<unknown> =>
  sql`c.event_id = ${eventId} and c.item_id = ${itemId} and ${ofStatus(status)}`;

export async function selectCodes(tx: Tx, codes: CodesOfItem, afterId: number, limit: number): Promise<CodeRow[]> {
  const { rows } = await sql<CodeRow>`
    select ${columns} from external_code c where ${ofItem(codes)} and c.id > ${afterId} order by c.id limit ${limit}`.execute(tx);
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
function matching(codes: CodesOfItem, { prefix, words }: Term, page: RawBuilder<unknown>): RawBuilder<unknown> {
  const byCode = sql`select ${columns} from external_code c where ${ofItem(codes)} and starts_with(c.code, ${prefix})`;
  // `offset 0` makes PostgreSQL search the names first. Because of the limit it would otherwise read all codes in their order.
  const byName = sql`
    select ${columns} from (select * from external_code c
                             where ${ofItem(codes)} and holder_words(c.holder_name) @@ to_tsquery('simple', ${words}) offset 0) c where true`;
  return words === null ? sql`(${byCode} ${page})` : sql`(${byCode} ${page}) union (${byName} ${page})`;
}

export async function searchCodes(tx: Tx, codes: CodesOfItem, term: Term, afterCode: string, limit: number): Promise<CodeRow[]> {
  const page = sql`and c.code > ${afterCode} order by c.code limit ${limit}`;
  const { rows } = await sql<CodeRow>`select * from (${matching(codes, term, page)}) c order by c.code limit ${limit}`.execute(tx);
  return rows;
}

export async function countCodes(tx: Tx, codes: CodesOfItem, term: Term | null): Promise<number> {
  const found = term ? sql`(${matching(codes, term, sql``)}) c` : sql`external_code c where ${ofItem(codes)}`;
  const { rows } = await sql<{ n: number }>`select count(*) as n from ${found}`.execute(tx);
  return rows[0]?.n ?? 0;
}

/** Locks and returns available codes. Skips codes that other transactions have locked. */
export async function lockAvailable(tx: Tx, eventId: number, itemId: number, limit: number): Promise<{ id: number; code: string }[]> {
  const { rows } = await sql<{ id: number; code: string }>`
    select id, code from external_code where event_id = ${eventId} and item_id = ${itemId} and status = 'available'
    order by id limit ${limit} for no key update skip locked`.execute(tx);
  return rows;
}

export const updateStatus = (eventId: number, ids: readonly number[], status: CodeStatus): Statement => sql`
  update external_code set status = ${status} where event_id = ${eventId} and id = any(${ids}::bigint[]) and status <> ${status}`;

export async function selectCodeForUpdate(tx: Tx, eventId: number, itemId: number, id: number): Promise<CodeRow | undefined> {
  return tx
    .selectFrom('external_code')
    .selectAll()
    .where('event_id', '=', eventId)
    .where('id', '=', id)
    .where('item_id', '=', itemId)
    .forUpdate()
    .executeTakeFirst();
}

export async function deleteCodeRow(tx: Tx, eventId: number, id: number): Promise<void> {
  await tx.deleteFrom('external_code').where('event_id', '=', eventId).where('id', '=', id).execute();
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

export interface CodeCounts {
  itemId: number;
  name: string;
  available: number;
  taken: number;
}

/** Counts the codes by item. */
export async function countCodesByItem(tx: Tx, eventId: number, filter: CodeFilter): Promise<CodeCounts[]> {
  const { rows } = await sql<CodeCounts>`
    select i.id as "itemId", i.name, counted.available, counted.taken
      from (select c.item_id, count(*) filter (where c.status = 'available') as available,
                   count(*) filter (where c.status <> 'available') as taken
              from external_code c where ${codesMatching(eventId, filter)} group by c.item_id) counted
      join item i on i.event_id = ${eventId} and i.id = counted.item_id
     order by i.id`.execute(tx);
  return rows;
}

export async function deleteAvailable(tx: Tx, eventId: number, filter: CodeFilter): Promise<void> {
  await sql`delete from external_code c where ${codesMatching(eventId, filter)} and c.status = 'available'`.execute(tx);
}
