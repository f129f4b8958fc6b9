import { type RawBuilder, sql } from 'kysely';
import { guestColumns } from './columns.ts';
import type { Filters } from './filters.ts';
import { type Format, renderCells } from './render.sql.ts';
import { channelIs } from './transactions.sql.ts';

type GuestFilters = Filters['guestlist'];

/** The first entry, into the session that was asked for or into any. */
const entry = (eventId: number, subject: RawBuilder<unknown>, { sessionId }: GuestFilters) => sql`
  left join lateral (select a.at, a.gate from admission a
                      where a.event_id = ${eventId} and ${subject}
                        and ${sessionId === undefined ? sql`true` : sql`a.session_id = ${sessionId}`}
                      order by a.at limit 1) a on true`;

const sessionNames = (eventId: number, ids: RawBuilder<unknown>) => sql`
  (select string_agg(e.name, ', ' order by e.starts_at, e.id) from event_session e where e.event_id = ${eventId} and e.id = any(${ids}))`;

const begins = (column: RawBuilder<unknown>, term: string) => sql`starts_with(plain_text(${column}), plain_text(${term}))`;

const isChecked = ({ status }: GuestFilters): RawBuilder<unknown>[] =>
  status === undefined ? [] : [status === 'checked' ? sql`a.at is not null` : sql`a.at is null`];

/** Tickets that were sold here and not refunded. */
function tickets(eventId: number, filters: GuestFilters): RawBuilder<unknown> {
  const { channel, term, itemId, sessionId } = filters;
  const all = [
    sql`t.event_id = ${eventId} and t.status = 'valid'`,
    ...(channel === undefined ? [] : [channelIs(sql`o.app_category_id`, channel)]),
    ...(term === undefined
      ? []
      : [
          sql`(${begins(sql`o.buyer_name`, term)} or ${begins(sql`o.buyer_email`, term)} or ${begins(sql`o.buyer_document`, term)}
              or o.id::text = ${term})`,
        ]),
    ...(itemId === undefined ? [] : [sql`t.item_id = ${itemId}`]),
    ...(sessionId === undefined ? [] : [sql`l.session_ids @> array[${sessionId}::bigint]`]),
    ...isChecked(filters),
  ];
  return sql`
    select 'ticket' as kind, t.id, c.code, t.order_id, t.item_id, l.session_ids, o.buyer_name as name, o.buyer_email as email,
           o.buyer_document as document, o.app_category_id as channel, a.at, a.gate
      from ticket t
      join ticket_order o on o.event_id = t.event_id and o.id = t.order_id
      join order_line l on l.event_id = t.event_id and l.order_id = t.order_id and l.item_id = t.item_id
      left join external_code c on c.id = t.external_code_id
      ${entry(eventId, sql`a.ticket_id = t.id`, filters)}
     where ${sql.join(all, sql` and `)}`;
}

/** Codes of tickets that were sold elsewhere: those that belong to no ticket of ours. Without a session they are for all of their item's. */
function codes(eventId: number, filters: GuestFilters): RawBuilder<unknown> {
  const { channel, term, itemId, sessionId } = filters;
  const sessions = sql`case when c.session_id is null
    then array(select x.session_id from item_session x where x.event_id = c.event_id and x.item_id = c.item_id) else array[c.session_id] end`;
  const all = [
    sql`c.event_id = ${eventId} and not exists (select from ticket t where t.external_code_id = c.id)`,
    ...(channel === 'online' ? [sql`false`] : []),
    ...(term === undefined
      ? []
      : [sql`(${begins(sql`c.holder_name`, term)} or ${begins(sql`c.holder_document`, term)} or ${begins(sql`c.code`, term)})`]),
    ...(itemId === undefined ? [] : [sql`c.item_id = ${itemId}`]),
    ...(sessionId === undefined ? [] : [sql`${sessions} @> array[${sessionId}::bigint]`]),
    ...isChecked(filters),
  ];
  return sql`
    select 'code' as kind, c.id, c.code, null::bigint, c.item_id, ${sessions}, c.holder_name, null, c.holder_document, null::int, a.at, a.gate
      from external_code c
      ${entry(eventId, sql`a.external_code_id = c.id`, filters)}
     where ${sql.join(all, sql` and `)}`;
}

const guests = (eventId: number, filters: GuestFilters) => sql`
  ${tickets(eventId, filters)} union all ${codes(eventId, filters)}`;

/** One row for each ticket, and then one for each code of a ticket from elsewhere, in the order of their ids. */
export function selectGuests(eventId: number, filters: GuestFilters, format: Format, zone: string): RawBuilder<unknown> {
  const cells = {
    kind: sql`g.kind`,
    id: sql`g.id`,
    code: sql`g.code`,
    orderId: sql`g.order_id`,
    itemId: sql`g.item_id`,
    item: sql`i.name`,
    sessions: sessionNames(eventId, sql`g.session_ids`),
    name: sql`g.name`,
    email: sql`g.email`,
    document: sql`g.document`,
    channel: sql`g.channel`,
    status: sql`case when g.at is null then 'unchecked' else 'checked' end`,
    checkedAt: sql`g.at`,
    gate: sql`g.gate`,
  };
  return sql`
    select ${renderCells(guestColumns, cells, format, zone)} from (${guests(eventId, filters)}) g join item i on i.id = g.item_id
     order by g.kind desc, g.id`;
}

export const countGuests = (eventId: number, filters: GuestFilters): RawBuilder<{ n: number }> => sql`
  select count(*) as n from (${guests(eventId, filters)}) g`;
