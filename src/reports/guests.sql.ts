import { type RawBuilder, sql } from 'kysely';
import { boxOffice } from '../catalog/item.ts';
import type { ItemType } from '../catalog/item-types.ts';
import type { Tx } from '../postgres/database.ts';

/** A row of the view `ticket_guest` or `code_guest`. These views define who is a guest. */
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
  /** Whether the caller may see e-mails and documents, and search by them. */
  personal: boolean;
}

const always = sql`true`;
const when = <T>(value: T | undefined, condition: (value: T) => RawBuilder<unknown>): RawBuilder<unknown> =>
  value === undefined ? always : condition(value);

/** Selects the first entry of a ticket or code: in the session of the filter, or in any session if there is no filter. */
const firstEntry = (of: RawBuilder<unknown>, { sessionId }: GuestFilter) => sql`
  left join lateral (
    select a.at, a.gate from admission a
     where ${of} and ${when(sessionId, (id) => sql`a.session_id = ${id}`)} order by a.at limit 1) a on true`;

const hasStatus = ({ status }: GuestFilter) => when(status, (wanted) => (wanted === 'checked' ? sql`a.at is not null` : sql`a.at is null`));

function tickets(filter: GuestFilter, after: number): RawBuilder<unknown> {
  const { eventId, itemId, sessionId, term, channel, personal } = filter;
  const inside = sql`select distinct ticket_id from admission where event_id = ${eventId} and ticket_id > ${after} order by ticket_id`;
  // The filter `checked` starts from the admissions. Reading all tickets would be slow while few guests have entered.
  const from =
    filter.status === 'checked'
      ? sql`(${inside}) entered join ticket_guest t on t.event_id = ${eventId} and t.id = entered.ticket_id`
      : sql`ticket_guest t`;
  return sql`
      from ${from}
      join item i on i.event_id = t.event_id and i.id = t.item_id
      ${firstEntry(sql`a.event_id = ${eventId} and a.ticket_id = t.id`, filter)}
     where t.event_id = ${eventId} and t.id > ${after} and ${hasStatus(filter)}
       and ${when(itemId, (id) => sql`t.item_id = ${id}`)}
       and ${when(sessionId, (id) => sql`t.session_ids @> array[${id}::bigint]`)}
       and ${when(channel, (wanted) => (wanted === 'offline' ? sql`t.app_category_id = ${boxOffice}` : sql`t.app_category_id <> ${boxOffice}`))}
       and ${when(term, (text) => sql`guest_found(${text}, ${personal}, t.name, t.email, t.document, t.id, t.order_id, t.code)`)}`;
}

/** Returns a page of guests with our tickets, ordered by ticket id. */
export async function selectTicketGuests(tx: Tx, filter: GuestFilter, after: number, limit: number): Promise<GuestRow[]> {
  const { rows } = await sql<GuestRow>`
    select t.id as ticket_id, null as code_id, t.order_id, t.item_id, i.name as item, i.type, t.session_ids, t.app_category_id as channel,
           t.name, t.email, t.document, a.at, a.gate
    ${tickets(filter, after)} order by t.id limit ${limit}`.execute(tx);
  return rows;
}

export async function countTicketGuests(tx: Tx, filter: GuestFilter): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n ${tickets(filter, 0)}`.execute(tx);
  return rows[0]?.n ?? 0;
}

function codes(filter: GuestFilter): RawBuilder<unknown> {
  const { eventId, sessionId, term, personal } = filter;
  return sql`
      from code_guest c
      ${firstEntry(sql`a.event_id = ${eventId} and a.ticket_id is null and a.external_code_id = c.id`, filter)}
     where c.event_id = ${eventId} and c.item_id = i.id and ${hasStatus(filter)}
       and ${when(sessionId, (id) => sql`c.session_ids @> array[${id}::bigint]`)}
       and ${when(term, (text) => sql`guest_found(${text}, ${personal}, c.name, null, c.document, null, null, c.code)`)}`;
}

const externalItems = ({ eventId, itemId }: GuestFilter, from: number) => sql`
  (select id, name, type from item
    where event_id = ${eventId} and type = 'external' and id >= ${from} and ${when(itemId, (id) => sql`id = ${id}`)}) i`;

/** Returns a page of guests with imported codes, ordered by item id and code id. The inner limit avoids reading more codes than needed. */
export async function selectCodeGuests(
  tx: Tx,
  filter: GuestFilter,
  [afterItem, afterCode]: readonly [number, number],
  limit: number,
): Promise<GuestRow[]> {
  const { rows } = await sql<GuestRow>`
    select null as ticket_id, c.id as code_id, null as order_id, i.id as item_id, i.name as item, i.type, c.session_ids, null as channel, c.name,
           null as email, c.document, c.at, c.gate
      from ${externalItems(filter, afterItem)}
      cross join lateral (
        select c.id, c.session_ids, c.name, c.document, a.at, a.gate ${codes(filter)}
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
