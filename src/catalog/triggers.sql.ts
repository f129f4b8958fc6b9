import { sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';

export interface TriggerRow {
  id: number;
  item_id: number;
  on_what: 'soldout' | 'start' | 'finish';
  action: 'open' | 'close';
  target_item_id: number;
  fired_at: Date | null;
}

export async function selectTriggers(tx: Tx, eventId: number, itemId: number): Promise<TriggerRow[]> {
  return tx
    .selectFrom('item_trigger')
    .select(['id', 'item_id', 'on_what', 'action', 'target_item_id', 'fired_at'])
    .where('event_id', '=', eventId)
    .where('item_id', '=', itemId)
    .orderBy('id')
    .execute();
}

export async function selectTriggersOfEvent(tx: Tx, eventId: number): Promise<TriggerRow[]> {
  return tx
    .selectFrom('item_trigger')
    .select(['id', 'item_id', 'on_what', 'action', 'target_item_id', 'fired_at'])
    .where('event_id', '=', eventId)
    .orderBy('id')
    .execute();
}

/** Returns the triggers of the event as edges, without the triggers of the given item, which are about to be replaced. */
export async function selectEdgesOfOthers(tx: Tx, eventId: number, itemId: number): Promise<{ from: number; to: number }[]> {
  return tx
    .selectFrom('item_trigger')
    .select(['item_id as from', 'target_item_id as to'])
    .where('event_id', '=', eventId)
    .where('item_id', '<>', itemId)
    .execute();
}

/** Returns which of the ids are items of the event. */
export async function selectItemsAmong(tx: Tx, eventId: number, itemIds: readonly number[]): Promise<number[]> {
  const items = await tx
    .selectFrom('item')
    .select('id')
    .where('event_id', '=', eventId)
    .where((e) => e('id', '=', e.fn.any(e.val(itemIds))))
    .execute();
  return items.map(({ id }) => id);
}

export async function deleteTriggers(tx: Tx, eventId: number, ids: readonly number[]): Promise<void> {
  await tx
    .deleteFrom('item_trigger')
    .where('event_id', '=', eventId)
    .where((e) => e('id', '=', e.fn.any(e.val(ids))))
    .execute();
}

export async function insertTriggers(
  tx: Tx,
  eventId: number,
  itemId: number,
  triggers: readonly Pick<TriggerRow, 'on_what' | 'action' | 'target_item_id'>[],
) {
  const rows = triggers.map((trigger) => ({ event_id: eventId, item_id: itemId, fired_at: null, ...trigger }));
  await tx.insertInto('item_trigger').values(rows).execute();
}

export interface DueTrigger extends TriggerRow {
  event_id: number;
}

const columns = sql`t.id, t.event_id, t.item_id, t.on_what, t.action, t.target_item_id, t.fired_at`;

/**
 * The triggers `t` whose sale period `p` has started or ended. `offset 0` makes PostgreSQL read the few waiting triggers first. Otherwise it
 * would read all sale periods.
 */
const dueTriggers = (at: Date, channel: number) => sql`
  item_trigger t cross join lateral
    (select starts_at, finishes_at from sale_period where event_id = t.event_id and item_id = t.item_id and app_category_id = ${channel} offset 0) p
   where t.fired_at is null and t.on_what in ('start', 'finish')
     and ((t.on_what = 'start' and p.starts_at <= ${at}) or (t.on_what = 'finish' and p.finishes_at <= ${at}))`;

export interface TriggerKey {
  event_id: number;
  id: number;
}

/** Returns at most `limit` triggers that are due. Does not lock them. */
export async function selectDueTriggers(tx: Tx, at: Date, channel: number, limit: number): Promise<TriggerKey[]> {
  const { rows } = await sql<TriggerKey>`
    /* all events */ select t.event_id, t.id from ${dueTriggers(at, channel)} order by t.id limit ${limit}`.execute(tx);
  return rows;
}

/** Locks the triggers that are still due. Skips triggers that another process has locked. */
export async function lockDueTriggers(tx: Tx, eventId: number, ids: readonly number[], at: Date, channel: number): Promise<DueTrigger[]> {
  const { rows } = await sql<DueTrigger>`
    select ${columns} from ${dueTriggers(at, channel)} and t.event_id = ${eventId} and t.id = any(${ids}::bigint[])
     order by t.id for update of t skip locked`.execute(tx);
  return rows;
}

/** Returns the unfired `soldout` triggers of these items. The caller holds the lock of the items, so no other transaction fires them. */
export async function selectSoldOutTriggers(tx: Tx, eventId: number, itemIds: readonly number[]): Promise<DueTrigger[]> {
  const { rows } = await sql<DueTrigger>`
    select ${columns} from item_trigger t
     where t.event_id = ${eventId} and t.item_id = any(${itemIds}::bigint[]) and t.on_what = 'soldout' and t.fired_at is null
     order by t.id for update`.execute(tx);
  return rows;
}

export async function markFired(tx: Tx, eventId: number, id: number, at: Date): Promise<void> {
  await tx.updateTable('item_trigger').set({ fired_at: at }).where('event_id', '=', eventId).where('id', '=', id).execute();
}
