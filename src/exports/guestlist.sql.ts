import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../postgres/database.ts';
import { guestColumns, personalColumns } from './columns.ts';
import type { Filters } from './filters.ts';
import type { Listing, Part, Range } from './lists.sql.ts';
import { renderCells, sessionNames } from './render.sql.ts';
import { channelIs } from './transactions.sql.ts';

type GuestListing = Listing<Filters['guestlist']>;

/** Selects the first entry of a ticket or code: in the session of the filter, or in any session if there is no filter. */
const entry = (subject: RawBuilder<unknown>, { eventId, filters: { sessionId } }: GuestListing) => sql`
  left join lateral (select a.at, a.gate from admission a
                      where a.event_id = ${eventId} and ${subject}
                        and ${sessionId === undefined ? sql`true` : sql`a.session_id = ${sessionId}`}
                      order by a.at limit 1) a on true`;

/** Conditions that apply to tickets and codes. */
const sharedConditions = ({ filters: { itemId, sessionId, status } }: GuestListing): RawBuilder<unknown>[] => [
  ...(itemId === undefined ? [] : [sql`g.item_id = ${itemId}`]),
  ...(sessionId === undefined ? [] : [sql`g.session_ids @> array[${sessionId}::bigint]`]),
  ...(status === undefined ? [] : [status === 'checked' ? sql`a.at is not null` : sql`a.at is null`]),
];

/** Selects from the views that define who is a guest. The guest list and the entry report use the same views. */
function tickets(listing: GuestListing): RawBuilder<unknown> {
  const { eventId, personal, filters } = listing;
  const { channel, term } = filters;
  const conditions = [
    sql`g.event_id = ${eventId}`,
    ...sharedConditions(listing),
    ...(channel === undefined ? [] : [channelIs(sql`g.app_category_id`, channel)]),
    ...(term === undefined ? [] : [sql`guest_found(${term}, ${sql.lit(personal)}, g.name, g.email, g.document, g.id, g.order_id, g.code)`]),
  ];
  return sql`
    select 'ticket' as kind, g.id, g.code, g.order_id, g.item_id, g.session_ids, g.name, g.email, g.document, g.app_category_id as channel,
           a.at, a.gate
      from ticket_guest g ${entry(sql`a.ticket_id = g.id`, listing)}
     where ${sql.join(conditions, sql` and `)}`;
}

function codes(listing: GuestListing): RawBuilder<unknown> {
  const { eventId, personal, filters } = listing;
  const { channel, term } = filters;
  const conditions = [
    sql`g.event_id = ${eventId}`,
    ...sharedConditions(listing),
    ...(channel === 'online' ? [sql`false`] : []),
    ...(term === undefined ? [] : [sql`guest_found(${term}, ${sql.lit(personal)}, g.name, null, g.document, null, null, g.code)`]),
  ];
  return sql`
    select 'code' as kind, g.id, g.code, null::bigint as order_id, g.item_id, g.session_ids, g.name, null as email, g.document,
           null::int as channel, a.at, a.gate
      from code_guest g ${entry(sql`a.ticket_id is null and a.external_code_id = g.id`, listing)}
     where ${sql.join(conditions, sql` and `)}`;
}

function render({ eventId, personal, format, zone }: GuestListing, guests: RawBuilder<unknown>): RawBuilder<unknown> {
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
  const columns = guestColumns.filter(({ key }) => personal || !personalColumns.has(key));
  return sql`select ${renderCells(columns, cells, format, zone)} from (${guests}) g join item i on i.event_id = ${eventId} and i.id = g.item_id order by g.id`;
}

async function selectExternalItems(db: Database, eventId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`select id from item where event_id = ${eventId} and type = 'external' order by id`.execute(db);
  return rows.map(({ id }) => id);
}

/** Returns tickets by id, then imported codes by item and id. Codes are read item by item, because their index starts with the item. */
export async function guestParts(db: Database, listing: GuestListing): Promise<Part[]> {
  const { eventId, filters } = listing;
  const itemIds = filters.channel === 'online' ? [] : await selectExternalItems(db, eventId);
  return [
    {
      ids: sql`select id from ticket where event_id = ${eventId}`,
      rows: ({ after, upTo }) => render(listing, sql`${tickets(listing)} and g.id > ${after} and g.id <= ${upTo}`),
    },
    ...itemIds
      .filter((id) => filters.itemId === undefined || id === filters.itemId)
      .map((itemId) => ({
        ids: sql`select id from external_code where event_id = ${eventId} and item_id = ${itemId}`,
        rows: ({ after, upTo }: Range) =>
          render(listing, sql`${codes(listing)} and g.item_id = ${itemId} and g.id > ${after} and g.id <= ${upTo}`),
      })),
  ];
}

export const countGuests = (listing: GuestListing): RawBuilder<{ n: number }> => sql`
  select count(*) as n from (${tickets(listing)} union all ${codes(listing)}) g`;
