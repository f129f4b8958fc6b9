import { sql } from 'kysely';
import { copyFrom } from '../postgres/copy.ts';
import type { Tx } from '../postgres/database.ts';
import { allowLongQueries } from '../postgres/transaction.ts';
import type { Column } from './csv-header.ts';

export const maxLength = { code: 200, item: 200, name: 200, document: 100 } as const;

/**
 * Creates the temporary table for the rows of the file. Also raises the timeouts of the transaction, because large files may take minutes.
 */
export async function createUpload(tx: Tx): Promise<void> {
  await allowLongQueries(tx, 21 * 60_000);
  await sql`
    set local statement_timeout = '20min';
    set local lock_timeout = '2min';
    set local idle_in_transaction_session_timeout = '20min';
    set local work_mem = '64MB';
    create temporary table code_upload (
      line     integer not null,
      code     text collate "C" not null default '',
      item     text collate "C" not null default '',
      session  text collate "C" not null default '',
      name     text not null default '',
      document text not null default '',
      error    text not null
    ) on commit drop`.execute(tx);
}

export async function copyUpload(tx: Tx, columns: readonly Column[], text: AsyncIterable<Uint8Array>): Promise<void> {
  await copyFrom(tx, `copy code_upload (line, ${columns.join(', ')}, error) from stdin`, text);
  await sql`analyze code_upload (code, item, session)`.execute(tx);
}

/** Drops the temporary tables, so that another upload can follow in the same transaction. */
export async function dropUpload(tx: Tx): Promise<void> {
  await sql`drop table code_upload, code_upload_item, code_upload_session`.execute(tx);
}

/** Creates a table of the items that rows can refer to, by id or by name. Archived items are left out. */
export async function createItemRefs(tx: Tx, eventId: number, by: 'id' | 'name'): Promise<void> {
  await sql`
    create temporary table code_upload_item on commit drop as
    select ${by === 'id' ? sql`id::text` : sql`name`} collate "C" as ref, min(id) as item_id, min(name) as name,
           array(select s.session_id from item_session s where s.event_id = ${eventId} and s.item_id = min(i.id)) as session_ids,
           case when count(*) > 1 then 'ambiguous:item' when bool_or(type = 'group') then 'group:item' else '' end as error
    from item i where event_id = ${eventId} and not archived group by 1`.execute(tx);
}

/**
 * Creates a table of the sessions that rows can refer to, by id or by name. If a text is the id of one session and the name of another, the
 * id counts.
 */
export async function createSessionRefs(tx: Tx, eventId: number): Promise<void> {
  await sql`
    create temporary table code_upload_session on commit drop as
    select ref collate "C" as ref, (array_agg(id order by by_name, id))[1] as session_id,
           case when bool_and(by_name) and count(*) > 1 then 'ambiguous:session' else '' end as error
    from (
      select id::text as ref, id, false as by_name from event_session where event_id = ${eventId}
      union all
      select name, id, true from event_session where event_id = ${eventId}
    ) refs group by ref`.execute(tx);
}

/** Tells the planner that these tables are small compared with the file. */
export async function analyzeRefs(tx: Tx): Promise<void> {
  await sql`analyze code_upload_item, code_upload_session`.execute(tx);
}

/** Joins each row of the file with its item and session. */
const resolvedRows = sql`
  code_upload u
  left join code_upload_item i on i.ref = u.item
  left join code_upload_session s on s.ref = u.session`;

/** The first error of a row, as `code:field`; null if the row is valid. */
const rowError = sql`case
  when u.error <> '' then u.error
  when u.code = '' then 'required:code'
  when length(u.code) > ${sql.lit(maxLength.code)} then 'length:code'
  when length(u.item) > ${sql.lit(maxLength.item)} then 'length:item'
  when length(u.name) > ${sql.lit(maxLength.name)} then 'length:name'
  when length(u.document) > ${sql.lit(maxLength.document)} then 'length:document'
  when u.item = '' then 'required:item'
  when i.ref is null then 'unknown:item'
  when i.error <> '' then i.error
  when u.session = '' then null
  when s.ref is null then 'unknown:session'
  when s.error <> '' then s.error
  when i.session_ids <> '{}' and s.session_id <> all(i.session_ids) then 'elsewhere:session' end`;

/** Returns item names in the file that the event does not have. */
export async function selectUnknownItems(tx: Tx, limit: number): Promise<string[]> {
  const { rows } = await sql<{ item: string }>`
    select distinct u.item from code_upload u
    where u.item <> '' and length(u.item) <= ${maxLength.item} and not exists (select 1 from code_upload_item i where i.ref = u.item)
    limit ${limit}`.execute(tx);
  return rows.map(({ item }) => item).toSorted();
}

/** Accepts item names that the event does not have yet. The items are created after the rows are checked. */
export async function insertItemRefs(tx: Tx, names: readonly string[]): Promise<void> {
  await sql`insert into code_upload_item (ref, name, session_ids, error) select n, n, '{}', '' from unnest(${names}::text[]) n`.execute(tx);
}

export async function updateItemRef(tx: Tx, name: string, itemId: number): Promise<void> {
  await sql`update code_upload_item set item_id = ${itemId} where ref = ${name}`.execute(tx);
}

export interface InvalidRow {
  line: number;
  /** The error code and the field, as `code:field`. */
  error: string;
  value: string;
  /** For a duplicate code: the line in which the code appears first. Null for other errors. */
  first: number | null;
  total: number;
}

/** Returns the first rows with an error, and the total number of such rows. Only the first error of a row is reported. */
export async function selectRowErrors(tx: Tx, limit: number): Promise<InvalidRow[]> {
  const { rows } = await sql<InvalidRow>`
    with checked as (
      select u.line, ${rowError} as error from ${resolvedRows}
    ), invalid as materialized (
      select * from checked where error is not null
    ), shown as (
      select * from invalid order by line limit ${limit}
    )
    select w.line, w.error, null::integer as first, (select count(*) from invalid) as total,
           left(case split_part(w.error, ':', 2) when 'item' then u.item when 'session' then u.session else u.code end, 60) as value
    from shown w join code_upload u on u.line = w.line order by w.line`.execute(tx);
  return rows;
}

/** Returns the first rows whose code is also in an earlier line, and the total number of such rows. */
export async function selectDuplicates(tx: Tx, limit: number): Promise<InvalidRow[]> {
  const { rows } = await sql<InvalidRow>`
    with duplicate as materialized (
      select code, min(line) as first, count(*) - 1 as more from code_upload where code <> '' group by code having count(*) > 1
    )
    select u.line, 'duplicate:code' as error, d.first, (select sum(more)::bigint from duplicate) as total, left(u.code, 60) as value
    from duplicate d join code_upload u on u.code = d.code and u.line > d.first order by u.line limit ${limit}`.execute(tx);
  return rows;
}

export interface ExistingCodeRow {
  line: number;
  code: string;
  total: number;
}

/** Returns the first rows whose code the event already has, and the total number of such rows. */
export async function selectExistingCodes(tx: Tx, eventId: number, limit: number): Promise<ExistingCodeRow[]> {
  const { rows } = await sql<ExistingCodeRow>`
    select u.line, u.code, count(*) over () as total
    from code_upload u join external_code c on c.event_id = ${eventId} and c.code = u.code
    order by u.line limit ${limit}`.execute(tx);
  return rows;
}

export interface ItemCount {
  item_id: number | null;
  name: string;
  imported: number;
}

export async function selectItemCounts(tx: Tx): Promise<ItemCount[]> {
  const { rows } = await sql<ItemCount>`
    select i.item_id, i.name, u.imported
    from (select item, count(*) as imported from code_upload group by item) u join code_upload_item i on i.ref = u.item
    order by i.name, i.item_id`.execute(tx);
  return rows;
}

export async function insertUpload(tx: Tx, eventId: number, at: Date): Promise<void> {
  await sql`
    insert into external_code (event_id, item_id, session_id, code, holder_name, holder_document, created_at)
    select ${eventId}, i.item_id, s.session_id, u.code, nullif(u.name, ''), nullif(u.document, ''), ${at}
    from code_upload u
    join code_upload_item i on i.ref = u.item
    left join code_upload_session s on s.ref = u.session and u.session <> ''
    order by u.line`.execute(tx);
}
