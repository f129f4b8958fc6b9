import { type RawBuilder, sql } from 'kysely';
import { copyFrom } from '../postgres/copy.ts';
import type { Tx } from '../postgres/database.ts';
import type { Column } from './csv-header.ts';

export const longest = { code: 200, item: 200, name: 200, document: 100 } as const;

/** The table that a file is read into, for this transaction only, and what a large file needs to be let through. */
export async function createUpload(tx: Tx): Promise<void> {
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
      fault    text not null
    ) on commit drop`.execute(tx);
}

export async function copyUpload(tx: Tx, columns: readonly Column[], text: AsyncIterable<Uint8Array>): Promise<void> {
  await copyFrom(tx, `copy code_upload (line, ${columns.join(', ')}, fault) from stdin`, text);
  await sql`analyze code_upload (code, item, session)`.execute(tx);
}

/** On a transaction that goes on, the next upload starts afresh. */
export async function dropUpload(tx: Tx): Promise<void> {
  await sql`drop table code_upload, code_upload_part`.execute(tx);
}

/** What is wrong with a row by itself, as `code:field`; empty when nothing is. */
const rowFault = sql<string>`case
  when u.fault <> '' then u.fault
  when u.code = '' then 'required:code'
  when length(u.code) > ${sql.lit(longest.code)} then 'length:code'
  when length(u.item) > ${sql.lit(longest.item)} then 'length:item'
  when length(u.name) > ${sql.lit(longest.name)} then 'length:name'
  when length(u.document) > ${sql.lit(longest.document)} then 'length:document'
  else '' end`;

/** The items that rows may mean, by id or by name. Removed ones cannot be meant. */
const itemRefs = (eventId: number, by: 'id' | 'name'): RawBuilder<unknown> => sql`
  select ${by === 'id' ? sql`id::text` : sql`name`} as ref, min(id) as id, min(name) as name, count(*) as n, bool_or(type = 'group') as is_group
  from item where event_id = ${eventId} and not archived group by 1`;

/** A session is meant by its id or by its name; an id goes first. */
const sessionRefs = (eventId: number): RawBuilder<unknown> => sql`
  select ref, (array_agg(id order by by_name, id))[1] as id, bool_and(by_name) and count(*) > 1 as ambiguous
  from (
    select id::text as ref, id, false as by_name from event_session where event_id = ${eventId}
    union all
    select name, id, true from event_session where event_id = ${eventId}
  ) named group by ref`;

/** The rows by what they say about item and session, each pair looked up once: a few of them, or as many as there are rows. */
export async function createParts(tx: Tx, eventId: number, itemBy: 'id' | 'name'): Promise<void> {
  await sql`
    create temporary table code_upload_part on commit drop as
    select g.item, g.session, g.codes, g.faulty, i.id as item_id, coalesce(i.name, g.item) as item_name, s.id as session_id,
      case
        when g.item = '' then 'required:item'
        when i.ref is null then 'unknown:item'
        when i.n > 1 then 'ambiguous:item'
        when i.is_group then 'group:item'
        else '' end as item_fault,
      case
        when g.session = '' then ''
        when s.ref is null then 'unknown:session'
        when s.ambiguous then 'ambiguous:session'
        when exists (select from item_session x where x.item_id = i.id)
          and not exists (select from item_session x where x.item_id = i.id and x.session_id = s.id) then 'elsewhere:session'
        else '' end as session_fault
    from (select u.item, u.session, count(*) as codes, count(*) filter (where ${rowFault} <> '') as faulty
          from code_upload u group by u.item, u.session) g
    left join (${itemRefs(eventId, itemBy)}) i on i.ref = g.item
    left join (${sessionRefs(eventId)}) s on s.ref = g.session`.execute(tx);
}

/** Names of items that the event does not have. */
export async function selectUnknownItems(tx: Tx, limit: number): Promise<string[]> {
  const { rows } = await sql<{ item: string }>`
    select item from code_upload_part where item_fault = 'unknown:item' group by item order by item limit ${limit}`.execute(tx);
  return rows.map(({ item }) => item);
}

export async function acceptUnknownItems(tx: Tx): Promise<void> {
  await sql`update code_upload_part set item_fault = '' where item_fault = 'unknown:item'`.execute(tx);
}

export async function hasFaults(tx: Tx): Promise<boolean> {
  const { rows } = await sql`select from code_upload_part where faulty > 0 or item_fault <> '' or session_fault <> '' limit 1`.execute(tx);
  return rows.length > 0;
}

export async function hasDoubles(tx: Tx): Promise<boolean> {
  const { rows } = await sql`select from code_upload where code <> '' group by code having count(*) > 1 limit 1`.execute(tx);
  return rows.length > 0;
}

export interface FaultRow {
  line: number;
  /** `code:field` */
  fault: string;
  value: string;
  /** Of a code that stands twice: where it stood first. */
  first: number | null;
  total: number;
}

/** The rows with a fault, the first ones by line, and how many there are. Of several faults in a row the first is told. */
export async function selectFaults(tx: Tx, limit: number): Promise<FaultRow[]> {
  const { rows } = await sql<FaultRow>`
    with doubled as (
      select code, min(line) as first from code_upload where code <> '' group by code having count(*) > 1
    ), judged as (
      select u.line, d.first,
             coalesce(nullif(${rowFault}, ''), nullif(p.item_fault, ''), nullif(p.session_fault, ''),
                      case when u.line > d.first then 'duplicate:code' end) as fault
      from code_upload u
      join code_upload_part p on p.item = u.item and p.session = u.session
      left join doubled d on d.code = u.code
    ), shown as (
      select * from judged where fault is not null order by line limit ${limit}
    )
    select s.line, s.fault, s.first, (select count(*) from judged where fault is not null) as total,
           left(case split_part(s.fault, ':', 2) when 'item' then u.item when 'session' then u.session else u.code end, 60) as value
    from shown s join code_upload u on u.line = s.line order by s.line`.execute(tx);
  return rows;
}

export interface ClashRow {
  line: number;
  code: string;
  total: number;
}

/** Rows whose code the event has already. */
export async function selectClashes(tx: Tx, eventId: number, limit: number): Promise<ClashRow[]> {
  const { rows } = await sql<ClashRow>`
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
    select item_id, item_name as name, sum(codes)::bigint as imported from code_upload_part
    group by item_id, item_name order by item_name, item_id`.execute(tx);
  return rows;
}

/** A name of the file now means this item. */
export async function updatePartsOf(tx: Tx, name: string, itemId: number): Promise<void> {
  await sql`update code_upload_part set item_id = ${itemId} where item = ${name}`.execute(tx);
}

export async function insertUpload(tx: Tx, eventId: number, at: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    insert into external_code (event_id, item_id, session_id, code, holder_name, holder_document, created_at)
    select ${eventId}, p.item_id, p.session_id, u.code, nullif(u.name, ''), nullif(u.document, ''), ${at}
    from code_upload u join code_upload_part p on p.item = u.item and p.session = u.session
    order by u.line`.execute(tx);
  return Number(numAffectedRows);
}
