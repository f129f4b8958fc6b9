import { type Insertable, type RawBuilder, sql, type Updateable } from 'kysely';
import type { Reach } from '../accounts/roles.ts';
import type { Tx } from '../postgres/database.ts';
import { inEvent } from '../postgres/in-event.ts';
import { queryPrepared } from '../postgres/pipeline.ts';
import type { Schema } from '../postgres/schema.ts';
import { containsText } from '../postgres/text-search.ts';
import type { AttributeType } from './attribute-value.ts';
import type { ItemType } from './item-types.ts';
import type { Limit } from './sale-status.ts';
import { claimsIn } from './waiting-claims.sql.ts';
import type { Claim } from './waiting-claims.ts';

/** An item with its group, values, attributes, sale periods and sessions. */
export interface ItemRow {
  id: number;
  event_id: number;
  producer_id: number;
  parent_id: number | null;
  type: ItemType;
  name: string;
  description: string;
  position: number;
  quantity: number | null;
  sold: number;
  held: number;
  /** The number of imported codes that no ticket uses yet; null if the item does not use imported codes. */
  codes_left: number | null;
  hidden: boolean;
  salable: boolean;
  archived: boolean;
  created_at: Date;
  updated_at: Date;
  timezone: string;
  currency: string;
  event_on_sale: boolean;
  event_sale_enabled: boolean;
  event_draft: boolean;
  event_maximum_per_order: number;
  event_challenge: 'auto' | 'always' | 'off';
  parent: (Limit & { closed: boolean; hidden: boolean }) | null;
  values: { price: number; feeSale: number; feeProducer: number } | null;
  attributes: { key: string; type: AttributeType; value: string }[];
  periods: PeriodRow[];
  /** The sessions that were chosen for the item. */
  session_ids: number[];
  /** The sessions for which the item is valid: the chosen sessions, or all sessions of the event if none was chosen. */
  sessions: (Limit & { id: number; finish: string })[];
  /** What the waiting list of the event claims. Almost always empty. */
  claims: Claim[];
}

export interface PeriodRow {
  appCategoryId: number;
  /** RFC 3339, because the query returns periods as JSON. */
  start: string;
  finish: string;
  available: number;
  sold: number;
  held: number;
}

/** For orders, counting stops at this number of codes plus the number of held tickets. A batch of orders never needs more. */
const codesCountedAhead = 10_000;

/** Counts the available codes, including those that held tickets will need when they are paid. */
const countCodes = (limit: RawBuilder<unknown>) => sql`
  case when (select value from item_attribute where event_id = i.event_id and item_id = i.id and key = 'customCode') = 'true' then
    (select count(*) from (select 1 from external_code where event_id = i.event_id and item_id = i.id and status = 'available' limit ${limit}) c) end`;

interface ItemParts {
  maxCodes?: RawBuilder<unknown>;
  claims?: RawBuilder<unknown>;
}

/** Reads any number of items with all their parts in one statement. `from` has the items as `i`. */
const itemQuery = <Row = ItemRow>(
  from: RawBuilder<unknown>,
  tail: RawBuilder<unknown>,
  { maxCodes = sql`null`, claims = claimsIn(sql`i.event_id`) }: ItemParts = {},
) => sql<Row>`
    select i.id, i.event_id, e.producer_id, i.parent_id, i.type, i.name, i.description, i.position, i.quantity, i.sold, i.held, i.hidden, i.salable,
           ${countCodes(maxCodes)} as codes_left,
           i.archived, i.created_at, i.updated_at, e.timezone, e.currency,
           e.status in ('published', 'private') and e.sale_enabled as event_on_sale, e.sale_enabled as event_sale_enabled, e.status = 'draft' as event_draft,
           e.maximum_per_order as event_maximum_per_order, e.challenge as event_challenge,
           case when g.id is not null then json_build_object('limit', g.quantity, 'sold', g.sold, 'held', g.held,
             'closed', g.archived or not g.salable, 'hidden', g.hidden) end as parent,
           case when v.item_id is not null then json_build_object(
             'price', v.price, 'feeSale', v.fee_sale, 'feeProducer', v.fee_producer) end as values,
           coalesce((select json_agg(json_build_object('key', key, 'type', type, 'value', value) order by key)
                       from item_attribute where event_id = i.event_id and item_id = i.id), '[]') as attributes,
           coalesce((select json_agg(json_build_object('appCategoryId', app_category_id, 'start', starts_at, 'finish', finishes_at,
                                                       'available', available, 'sold', sold, 'held', held) order by app_category_id)
                       from sale_period where event_id = i.event_id and item_id = i.id), '[]') as periods,
           coalesce((select array_agg(session_id order by session_id)
                       from item_session where event_id = i.event_id and item_id = i.id), '{}') as session_ids,
           coalesce((select json_agg(json_build_object('id', s.id, 'finish', s.finishes_at, 'limit', s.capacity, 'sold', s.sold,
                                                       'held', s.held) order by s.starts_at, s.id)
                       from event_session s where s.event_id = i.event_id
                        and (exists (select 1 from item_session x where x.event_id = i.event_id and x.item_id = i.id and x.session_id = s.id)
                             or not exists (select 1 from item_session x where x.event_id = i.event_id and x.item_id = i.id))), '[]') as sessions,
           ${claims} as claims
      from ${from}
      join event e on e.id = i.event_id
      left join item g on g.event_id = i.event_id and g.id = i.parent_id
      left join item_values v on v.event_id = i.event_id and v.item_id = i.id
     ${tail}`;

const queryItems = async (tx: Tx, tail: RawBuilder<unknown>): Promise<ItemRow[]> => (await itemQuery(sql`item i`, tail).execute(tx)).rows;

export async function selectItem(tx: Tx, eventId: number, id: number): Promise<ItemRow | undefined> {
  return (await queryPrepared(tx, itemQuery(sql`item i`, sql`where i.event_id = ${eventId} and i.id = ${id}`)))[0];
}

/**
 * Every change of an item or its parts takes this lock first. It is a separate statement, because a statement that waits for a lock still
 * sees the other tables as they were before the wait.
 */
export async function lockItemRow(tx: Tx, eventId: number, id: number): Promise<void> {
  await tx.selectFrom('item').select('id').where('event_id', '=', eventId).where('id', '=', id).forNoKeyUpdate().execute();
}

export interface ItemFilter {
  reach: Reach;
  eventId: number | undefined;
  term: string | undefined;
  archived: boolean | 'all';
}

function matching({ reach, eventId, term, archived }: ItemFilter): RawBuilder<unknown> {
  const visible = reach.everything ? sql`true` : sql`(i.event_id = any(${reach.eventIds}) or e.producer_id = any(${reach.producerIds}))`;
  const allowedByToken = reach.only ? sql`i.event_id = any(${reach.only})` : sql`true`;
  const ofEvent = eventId === undefined ? sql`/* all events */ true` : sql`i.event_id = ${eventId}`;
  const named = term ? containsText('i.name', term) : sql`true`;
  const removed = archived === 'all' ? sql`true` : sql`i.archived = ${archived}`;
  return sql`${visible} and ${allowedByToken} and ${ofEvent} and ${named} and ${removed}`;
}

export type ItemKey = readonly [eventId: number, position: number, id: number];

export async function selectItems(tx: Tx, filter: ItemFilter, after: ItemKey | null, limit: number): Promise<ItemRow[]> {
  const start = after ? sql`(i.event_id, i.position, i.id) > (${after[0]}, ${after[1]}::bigint, ${after[2]})` : sql`true`;
  return queryItems(tx, sql`where ${start} and ${matching(filter)} order by i.event_id, i.position, i.id limit ${limit}`);
}

export async function countItems(tx: Tx, filter: ItemFilter): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from item i join event e on e.id = i.event_id where ${matching(filter)}`.execute(tx);
  return rows[0]?.n ?? 0;
}

/** Returns the items in these groups of these events that are not removed. */
export async function selectLiveItemsIn(tx: Tx, eventIds: readonly number[], groupIds: readonly number[]): Promise<ItemRow[]> {
  const inGroups = sql`i.event_id = any(${eventIds}) and i.parent_id = any(${groupIds})`;
  return queryItems(tx, sql`where ${inGroups} and not i.archived order by i.position, i.id`);
}

/** An item that an order needs. The claims of an event are in one of its rows, and null in the others. */
export type StockRow = Omit<ItemRow, 'claims'> & { claims: Claim[] | null };

/** Reads the items that orders need. The query `keys` returns their events and ids. Claims are computed once per event, not for each item. */
export const itemsToSell = (eventIds: readonly number[], keys: RawBuilder<unknown>): RawBuilder<StockRow> =>
  itemQuery<StockRow>(
    sql`(${keys}) k join item i on i.event_id = k.event_id and i.id = k.id`,
    sql`where ${inEvent(sql`i.event_id`, eventIds)}`,
    {
      maxCodes: sql`i.held + ${sql.lit(codesCountedAhead)}`,
      claims: sql`case when row_number() over (partition by i.event_id) = 1 then ${claimsIn(sql`i.event_id`)} end`,
    },
  );

/** Returns all items and groups of these events that are not removed. */
export async function selectLiveItems(tx: Tx, eventIds: readonly number[]): Promise<ItemRow[]> {
  return queryItems(tx, sql`where i.event_id = any(${eventIds}) and not i.archived order by i.event_id, i.position, i.id`);
}

/** Returns which of the ids are items of the event that are not removed. */
export async function selectLiveItemsAmong(tx: Tx, eventId: number, itemIds: readonly number[]): Promise<number[]> {
  const items = await tx
    .selectFrom('item')
    .select('id')
    .where('event_id', '=', eventId)
    .where('archived', '=', false)
    .where((e) => e('id', '=', e.fn.any(e.val(itemIds))))
    .execute();
  return items.map(({ id }) => id);
}

export async function insertItem(tx: Tx, item: Insertable<Schema['item']>): Promise<number> {
  const { id } = await tx.insertInto('item').values(item).returning('id').executeTakeFirstOrThrow();
  return id;
}

export async function updateItemRow(tx: Tx, eventId: number, id: number, changes: Updateable<Schema['item']>): Promise<void> {
  await tx.updateTable('item').set(changes).where('event_id', '=', eventId).where('id', '=', id).execute();
}

/** Returns the ids in the order in which items are listed. */
export async function selectLiveItemIds(tx: Tx, eventId: number): Promise<number[]> {
  const items = await tx
    .selectFrom('item')
    .select('id')
    .where('event_id', '=', eventId)
    .where('archived', '=', false)
    .orderBy('position')
    .orderBy('id')
    .execute();
  return items.map(({ id }) => id);
}

/** Locks the items in the order of their ids, as orders do, so that concurrent transactions do not deadlock. */
export async function lockItemRows(tx: Tx, eventId: number, ids: readonly number[]): Promise<void> {
  await sql`
    select from item where event_id = ${eventId} and id = any(${ids}::bigint[]) order by id for no key update`.execute(tx);
}

/** Each item gets its place in the list as position. */
export async function updatePositions(tx: Tx, eventId: number, ids: readonly number[], at: Date): Promise<void> {
  await sql`
    update item i set position = d.nth - 1, updated_at = ${at}
      from unnest(${ids}::bigint[]) with ordinality as d (id, nth)
     where i.event_id = ${eventId} and i.id = d.id and i.position <> d.nth - 1`.execute(tx);
}

export async function deleteItemSessions(tx: Tx, eventId: number, itemId: number): Promise<void> {
  await tx.deleteFrom('item_session').where('event_id', '=', eventId).where('item_id', '=', itemId).execute();
}

export async function insertItemSessions(tx: Tx, eventId: number, itemId: number, sessionIds: readonly number[]): Promise<void> {
  const rows = sessionIds.map((sessionId) => ({ event_id: eventId, item_id: itemId, session_id: sessionId }));
  await tx.insertInto('item_session').values(rows).execute();
}
