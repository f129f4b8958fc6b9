import { type Insertable, type RawBuilder, sql, type Updateable } from 'kysely';
import type { Reach, Scope } from '../accounts/roles.ts';
import type { Database, Tx } from '../postgres/database.ts';
import type { Schema } from '../postgres/schema.ts';
import type { AttributeType } from './attribute-value.ts';
import type { ItemType } from './item-types.ts';
import type { Limit } from './sale-status.ts';

/** An item with everything that hangs on it. */
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
  /** Imported codes that no ticket has yet; null for items whose tickets carry none. */
  codes_left: number | null;
  hidden: boolean;
  salable: boolean;
  archived: boolean;
  created_at: Date;
  updated_at: Date;
  timezone: string;
  currency: string;
  event_on_sale: boolean;
  event_draft: boolean;
  event_maximum_per_order: number;
  event_challenge: 'auto' | 'always' | 'off';
  parent: (Limit & { closed: boolean; hidden: boolean }) | null;
  values: { price: number; feeSale: number; feeProducer: number } | null;
  attributes: { key: string; type: AttributeType; value: string }[];
  periods: PeriodRow[];
  /** The sessions that it was said to be for. */
  session_ids: number[];
  /** The sessions that it is good for: those, or all of the event's when none was said. */
  sessions: (Limit & { id: number; finish: string })[];
}

export interface PeriodRow {
  appCategoryId: number;
  /** RFC 3339, as they come out of JSON. */
  start: string;
  finish: string;
  available: number;
  sold: number;
  held: number;
}

/** While selling, codes are counted only this far beyond what is held: more than any batch of orders can take. */
const codesCountedAhead = 10_000;

/** Held tickets get their code when they are paid, so codes for them must stay. */
const countCodes = (most: RawBuilder<unknown>) => sql`
  case when exists (select from item_attribute where item_id = i.id and key = 'customCode' and value = 'true') then
    (select count(*) from (select from external_code where item_id = i.id and status = 'available' limit ${most}) c) end`;

/** One statement for any number of items: what hangs on an item comes with it. */
const whole = (tail: RawBuilder<unknown>, mostCodes: RawBuilder<unknown> = sql`null`) => sql<ItemRow>`
    select i.id, i.event_id, e.producer_id, i.parent_id, i.type, i.name, i.description, i.position, i.quantity, i.sold, i.held, i.hidden, i.salable,
           ${countCodes(mostCodes)} as codes_left,
           i.archived, i.created_at, i.updated_at, e.timezone, e.currency,
           e.status in ('published', 'private') and e.sale_enabled as event_on_sale, e.status = 'draft' as event_draft,
           e.maximum_per_order as event_maximum_per_order, e.challenge as event_challenge,
           case when g.id is not null then json_build_object('limit', g.quantity, 'sold', g.sold, 'held', g.held,
             'closed', g.archived or not g.salable, 'hidden', g.hidden) end as parent,
           case when v.item_id is not null then json_build_object(
             'price', v.price, 'feeSale', v.fee_sale, 'feeProducer', v.fee_producer) end as values,
           coalesce((select json_agg(json_build_object('key', key, 'type', type, 'value', value) order by key)
                       from item_attribute where item_id = i.id), '[]') as attributes,
           coalesce((select json_agg(json_build_object('appCategoryId', app_category_id, 'start', starts_at, 'finish', finishes_at,
                                                       'available', available, 'sold', sold, 'held', held) order by app_category_id)
                       from sale_period where item_id = i.id), '[]') as periods,
           coalesce((select array_agg(session_id order by session_id) from item_session where item_id = i.id), '{}') as session_ids,
           coalesce((select json_agg(json_build_object('id', s.id, 'finish', s.finishes_at, 'limit', s.capacity, 'sold', s.sold,
                                                       'held', s.held) order by s.starts_at, s.id)
                       from event_session s where s.event_id = i.event_id
                        and (exists (select from item_session x where x.item_id = i.id and x.session_id = s.id)
                             or not exists (select from item_session x where x.item_id = i.id))), '[]') as sessions
      from item i join event e on e.id = i.event_id left join item g on g.id = i.parent_id left join item_values v on v.item_id = i.id
     ${tail}`;

const selectWhole = async (tx: Tx, tail: RawBuilder<unknown>): Promise<ItemRow[]> => (await whole(tail).execute(tx)).rows;

export async function selectItem(tx: Tx, id: number): Promise<ItemRow | undefined> {
  return (await selectWhole(tx, sql`where i.id = ${id}`))[0];
}

/**
 * Whoever changes an item takes this lock first; it also guards everything that hangs on the item. A statement of its own: what
 * hangs on the item must be read after the wait for the lock, and one statement sees its other tables as they were before.
 */
export async function lockItemRow(tx: Tx, id: number): Promise<void> {
  await tx.selectFrom('item').select('id').where('id', '=', id).forNoKeyUpdate().execute();
}

export interface ItemFilter {
  reach: Reach;
  eventId: number | undefined;
  term: string | undefined;
  archived: boolean | 'all';
}

function matching({ reach, eventId, term, archived }: ItemFilter): RawBuilder<unknown> {
  const theirs = reach.everything ? sql`true` : sql`(i.event_id = any(${reach.eventIds}) or e.producer_id = any(${reach.producerIds}))`;
  const allowed = reach.only ? sql`i.event_id = any(${reach.only})` : sql`true`;
  const asked = eventId === undefined ? sql`true` : sql`i.event_id = ${eventId}`;
  const named = term ? sql`i.name ilike ${`%${term.replaceAll(/[\\%_]/g, '\\$&')}%`}` : sql`true`;
  const removed = archived === 'all' ? sql`true` : sql`i.archived = ${archived}`;
  return sql`${theirs} and ${allowed} and ${asked} and ${named} and ${removed}`;
}

export type ItemKey = readonly [eventId: number, position: number, id: number];

export async function selectItems(tx: Tx, filter: ItemFilter, after: ItemKey | null, limit: number): Promise<ItemRow[]> {
  const start = after ? sql`(i.event_id, i.position, i.id) > (${after[0]}, ${after[1]}::bigint, ${after[2]})` : sql`true`;
  return selectWhole(tx, sql`where ${start} and ${matching(filter)} order by i.event_id, i.position, i.id limit ${limit}`);
}

export async function countItems(tx: Tx, filter: ItemFilter): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from item i join event e on e.id = i.event_id where ${matching(filter)}`.execute(tx);
  return rows[0]?.n ?? 0;
}

/** The items in these groups that are not removed. */
export async function selectLiveItemsIn(tx: Tx, groupIds: readonly number[]): Promise<ItemRow[]> {
  return selectWhole(tx, sql`where i.parent_id = any(${groupIds}) and not i.archived order by i.position, i.id`);
}

/** Those whose id meets the condition, for selling. */
export const itemsWhoseId = (condition: RawBuilder<unknown>): RawBuilder<ItemRow> =>
  whole(sql`where i.id ${condition}`, sql`i.held + ${sql.lit(codesCountedAhead)}`);

/** Everything that may be shown to buyers of these events, and the groups it stands in. */
export async function selectLiveItems(tx: Tx, eventIds: readonly number[]): Promise<ItemRow[]> {
  return selectWhole(tx, sql`where i.event_id = any(${eventIds}) and not i.archived order by i.event_id, i.position, i.id`);
}

/** Those of the ids that are items of the event and not removed. */
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

export async function selectItemScope(db: Database, id: number): Promise<Scope | undefined> {
  const row = await db
    .selectFrom('item')
    .innerJoin('event', 'event.id', 'item.event_id')
    .select(['item.event_id', 'event.producer_id'])
    .where('item.id', '=', id)
    .executeTakeFirst();
  return row && { producerId: row.producer_id, eventId: row.event_id };
}

export async function insertItem(tx: Tx, item: Insertable<Schema['item']>): Promise<number> {
  const { id } = await tx.insertInto('item').values(item).returning('id').executeTakeFirstOrThrow();
  return id;
}

export async function updateItemRow(tx: Tx, id: number, changes: Updateable<Schema['item']>): Promise<void> {
  await tx.updateTable('item').set(changes).where('id', '=', id).execute();
}

export async function deleteItemSessions(tx: Tx, itemId: number): Promise<void> {
  await tx.deleteFrom('item_session').where('item_id', '=', itemId).execute();
}

export async function insertItemSessions(tx: Tx, eventId: number, itemId: number, sessionIds: readonly number[]): Promise<void> {
  const rows = sessionIds.map((sessionId) => ({ event_id: eventId, item_id: itemId, session_id: sessionId }));
  await tx.insertInto('item_session').values(rows).execute();
}
