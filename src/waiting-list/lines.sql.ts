import { type RawBuilder, sql } from 'kysely';
import type { RowKey } from '../kernel/ids-by-event.ts';
import type { Locale } from '../kernel/locale.ts';
import type { Database, Tx } from '../postgres/database.ts';
import { inEvents } from '../postgres/in-event.ts';
import type { Statement } from '../postgres/pipeline.ts';

export interface LineKey {
  eventId: number;
  itemId: number;
  sessionId: number | null;
}

const isLine = ({ eventId, itemId, sessionId }: LineKey) =>
  sql`event_id = ${eventId} and item_id = ${itemId} and coalesce(session_id, 0) = ${sessionId ?? 0}`;

export async function selectLineId(tx: Tx, key: LineKey): Promise<number | undefined> {
  return (await sql<{ id: number }>`select id from waiting_line where ${isLine(key)}`.execute(tx)).rows[0]?.id;
}

/** Does nothing if another transaction has inserted the line in the meantime. */
export async function insertLine(tx: Tx, { eventId, itemId, sessionId }: LineKey): Promise<void> {
  await sql`
    insert into waiting_line (event_id, item_id, session_id) values (${eventId}, ${itemId}, ${sessionId})
    on conflict (event_id, item_id, coalesce(session_id, 0)) do nothing`.execute(tx);
}

export async function countInLine(tx: Tx, eventId: number, lineId: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from waiting_entry where event_id = ${eventId} and line_id = ${lineId} and status = 'waiting'`.execute(tx);
  return rows[0]?.n ?? 0;
}

export const addWaiting = (eventId: number, moves: readonly { lineId: number; by: number }[]): Statement => sql`
  update waiting_line l set waiting = l.waiting + d.by
    from (select line_id, sum(by)::int as by
            from unnest(${moves.map(({ lineId }) => lineId)}::bigint[], ${moves.map(({ by }) => by)}::int[]) as m (line_id, by) group by 1) d
   where l.event_id = ${eventId} and l.id = d.line_id`;

/** Adds the quantity of an entry after it was confirmed. It is read here, because its person may have joined again with another quantity. */
export const countConfirmed = ({ eventId, id }: RowKey): Statement => sql`
  update waiting_line l set waiting = l.waiting + e.quantity
    from waiting_entry e
   where l.event_id = ${eventId} and e.event_id = l.event_id and e.id = ${id} and e.line_id = l.id and e.status = 'waiting'`;

/** Returns the items that a line for this item can get: the items of a group in the order of the shop, or the item itself. */
export async function selectItemsOf(tx: Tx, eventId: number, itemId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from item where event_id = ${eventId} and type <> 'group' and not archived and (id = ${itemId} or parent_id = ${itemId})
     order by position, id`.execute(tx);
  return rows.map(({ id }) => id);
}

export interface LineRow {
  id: number;
  session_id: number | null;
  /** In the order of the shop. */
  item_ids: number[];
}

/** Returns the lines in which people wait, with the items that they can get. */
export async function selectLines(tx: Tx, eventId: number): Promise<LineRow[]> {
  const { rows } = await sql<LineRow>`
    select l.id, l.session_id,
           array(select i.id from item i where i.event_id = l.event_id and i.type <> 'group' and not i.archived
                    and (i.id = l.item_id or i.parent_id = l.item_id) order by i.position, i.id) as item_ids
      from waiting_line l where l.event_id = ${eventId} and l.waiting > 0 order by l.id`.execute(tx);
  return rows;
}

export interface WaitingRow {
  id: number;
  line_id: number;
  quantity: number;
  locale: Locale;
  place: number;
}

/** Returns the first people of each line, first in line first. */
export async function selectFirstInLines(tx: Tx, eventId: number, lineIds: readonly number[], perLine: number): Promise<WaitingRow[]> {
  const { rows } = await sql<WaitingRow>`
    select e.id, e.line_id, e.quantity, e.locale, e.place
      from unnest(${lineIds}::bigint[]) as line (id) cross join lateral (
        select id, line_id, quantity, locale, place from waiting_entry
         where event_id = ${eventId} and line_id = line.id and status = 'waiting' order by place limit ${perLine}) e
     order by e.place`.execute(tx);
  return rows;
}

const scopeOf = (column: RawBuilder<unknown>, eventIds: readonly number[] | null) =>
  eventIds === null ? sql`/* all events */ true` : inEvents(column, eventIds);

/** Returns the events with offers whose order is no longer held. Null searches all events. */
export async function selectEventsWithEndedOffers(db: Database, eventIds: readonly number[] | null): Promise<number[]> {
  const { rows } = await sql<{ event_id: number }>`
    select distinct e.event_id from waiting_entry e join ticket_order o on o.event_id = e.event_id and o.id = e.order_id
     where ${scopeOf(sql`e.event_id`, eventIds)} and e.status = 'offered' and o.status <> 'held' order by e.event_id`.execute(db);
  return rows.map(({ event_id }) => event_id);
}

export interface EndedOffer {
  id: number;
  status: 'bought' | 'lapsed';
}

/** Closes the entries whose order was paid or has ended. */
export async function closeEndedOffers(tx: Tx, eventId: number, at: Date): Promise<EndedOffer[]> {
  const { rows } = await sql<EndedOffer>`
    update waiting_entry e set status = case when o.approved_at is null then 'lapsed' else 'bought' end, closed_at = ${at}
      from ticket_order o
     where e.event_id = ${eventId} and e.status = 'offered' and o.event_id = e.event_id and o.id = e.order_id and o.status <> 'held'
    returning e.id, e.status`.execute(tx);
  return rows;
}
