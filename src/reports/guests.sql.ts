import { type RawBuilder, sql } from 'kysely';
import { boxOffice } from '../catalog/item.ts';
import type { ItemType } from '../catalog/item-types.ts';
import type { Tx } from '../postgres/database.ts';

/** A ticket that is good, or a code of one that was sold elsewhere. */
export interface GuestRow {
  ticket_id: number | null;
  code_id: number | null;
  order_id: number | null;
  item_id: number;
  item: string;
  type: ItemType;
  session_ids: number[];
  channel: number | null;
  name: string | null;
  email: string | null;
  document: string | null;
  at: Date | null;
  gate: string | null;
}

export interface GuestFilter {
  eventId: number;
  status: 'checked' | 'unchecked' | undefined;
  itemId: number | undefined;
  sessionId: number | undefined;
  term: string | undefined;
  channel: 'online' | 'offline' | undefined;
  /** Whether e-mails and documents may be looked through: finding somebody by them tells them. */
  personal: boolean;
}

const always = sql`true`;
const when = <T>(value: T | undefined, condition: (value: T) => RawBuilder<unknown>): RawBuilder<unknown> =>
  value === undefined ? always : condition(value);
const begins = (column: string, term: string) => sql`starts_with(plain_text(${sql.ref(column)}), plain_text(${term}))`;

/** The first time it was in, in the session that is asked about or in any. */
const firstEntry = (of: RawBuilder<unknown>, { sessionId }: GuestFilter) => sql`
  left join lateral (
    select a.at, a.gate from admission a
     where ${of} and ${when(sessionId, (id) => sql`a.session_id = ${id}`)} order by a.at limit 1) a on true`;

const inStatus = ({ status }: GuestFilter) => when(status, (asked) => (asked === 'checked' ? sql`a.at is not null` : sql`a.at is null`));

function tickets(filter: GuestFilter, after: number): RawBuilder<unknown> {
  const { eventId, itemId, sessionId, term, channel, personal } = filter;
  const inside = sql`select distinct ticket_id from admission where event_id = ${eventId} and ticket_id > ${after} order by ticket_id`;
  // Where few of many are inside, they are found from the admissions.
  const from = filter.status === 'checked' ? sql`(${inside}) entered join ticket t on t.id = entered.ticket_id` : sql`ticket t`;
  return sql`
      from ${from}
      join order_line l on l.event_id = t.event_id and l.order_id = t.order_id and l.item_id = t.item_id
      join ticket_order o on o.event_id = t.event_id and o.id = t.order_id
      join item i on i.id = t.item_id
      ${firstEntry(sql`a.event_id = t.event_id and a.ticket_id = t.id`, filter)}
     where t.event_id = ${eventId} and t.id > ${after} and t.status = 'valid' and ${inStatus(filter)}
       and ${when(itemId, (id) => sql`t.item_id = ${id}`)}
       and ${when(sessionId, (id) => sql`l.session_ids @> array[${id}::bigint]`)}
       and ${when(channel, (asked) => (asked === 'offline' ? sql`o.app_category_id = ${boxOffice}` : sql`o.app_category_id <> ${boxOffice}`))}
       and ${when(term, (text) => {
         const identity = sql`${begins('o.buyer_email', text)} or ${begins('o.buyer_document', text)}`;
         return sql`(${begins('o.buyer_name', text)} or t.id::text = ${text} or ${personal ? identity : sql`false`})`;
       })}`;
}

/** In the order of their ids. */
export async function selectTicketGuests(tx: Tx, filter: GuestFilter, after: number, limit: number): Promise<GuestRow[]> {
  const { rows } = await sql<GuestRow>`
    select t.id as ticket_id, null as code_id, t.order_id, t.item_id, i.name as item, i.type, l.session_ids, o.app_category_id as channel,
           o.buyer_name as name, o.buyer_email as email, o.buyer_document as document, a.at, a.gate
    ${tickets(filter, after)} order by t.id limit ${limit}`.execute(tx);
  return rows;
}

export async function countTicketGuests(tx: Tx, filter: GuestFilter): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n ${tickets(filter, 0)}`.execute(tx);
  return rows[0]?.n ?? 0;
}

function codes(filter: GuestFilter): RawBuilder<unknown> {
  const { sessionId, term, personal } = filter;
  return sql`
      from external_code c
      ${firstEntry(sql`a.event_id = c.event_id and a.ticket_id is null and a.external_code_id = c.id`, filter)}
     where c.item_id = i.id and ${inStatus(filter)}
       and ${when(sessionId, (id) => sql`case when c.session_id is null then i.session_ids = '{}' or ${id} = any(i.session_ids) else c.session_id = ${id} end`)}
       and ${when(term, (text) => {
         const identity = personal ? begins('c.holder_document', text) : sql`false`;
         return sql`(${begins('c.holder_name', text)} or c.code = ${text} or ${identity})`;
       })}`;
}

/** Items that are sold elsewhere, each with the sessions it is for. */
const externalItems = ({ eventId, itemId }: GuestFilter, from: number) => sql`
  (select id, name, type, array(select session_id from item_session x where x.item_id = item.id order by 1) as session_ids from item
    where event_id = ${eventId} and type = 'external' and id >= ${from} and ${when(itemId, (id) => sql`id = ${id}`)}) i`;

/** Item by item, and in the order of their ids: no more is read of any item than the page can hold. */
export async function selectCodeGuests(
  tx: Tx,
  filter: GuestFilter,
  [afterItem, afterCode]: readonly [number, number],
  limit: number,
): Promise<GuestRow[]> {
  const { rows } = await sql<GuestRow>`
    select null as ticket_id, c.id as code_id, null as order_id, i.id as item_id, i.name as item, i.type,
           case when c.session_id is null then i.session_ids else array[c.session_id] end as session_ids, null as channel, c.holder_name as name,
           null as email, c.holder_document as document, c.at, c.gate
      from ${externalItems(filter, afterItem)}
      cross join lateral (
        select c.id, c.session_id, c.holder_name, c.holder_document, a.at, a.gate ${codes(filter)}
           and c.id > case when i.id = ${afterItem} then ${afterCode}::bigint else 0 end
         order by c.id limit ${limit}) c
     order by i.id, c.id limit ${limit}`.execute(tx);
  return rows;
}

export async function countCodeGuests(tx: Tx, filter: GuestFilter): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select coalesce(sum((select count(*) ${codes(filter)})), 0)::bigint as n from ${externalItems(filter, 0)}`.execute(tx);
  return rows[0]?.n ?? 0;
}
