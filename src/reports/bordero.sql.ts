import { sql } from 'kysely';
import type { ItemType } from '../catalog/item-types.ts';
import type { Tx } from '../postgres/database.ts';

/** What was sold of an item at one price, for the same sessions, through one channel, paid one way. */
export interface SalesRow {
  itemId: number;
  sessionIds: number[];
  channel: number;
  method: string;
  price: number;
  tickets: number;
  refunded: number;
  firstAt: Date | null;
  lastAt: Date | null;
  /** What is left with the producer and the platform, and what of the latter was added to the buyer. */
  producer: number;
  platform: number;
  feeSale: number;
}

export async function selectSales(tx: Tx, eventId: number): Promise<SalesRow[]> {
  const { rows } = await sql<SalesRow>`
    select item_id as "itemId", session_ids as "sessionIds", app_category_id as channel, method, price,
           sum(tickets)::bigint as tickets, sum(refunded)::bigint as refunded, min(first_at) as "firstAt", max(last_at) as "lastAt",
           sum(producer)::bigint as producer, sum(platform)::bigint as platform, sum(fee_sale)::bigint as "feeSale"
      from sales_total where event_id = ${eventId}
     group by item_id, session_ids, app_category_id, method, price`.execute(tx);
  return rows;
}

export interface ReportedEvent {
  id: number;
  title: string;
  link: string;
  timezone: string;
  currency: string;
  producer_id: number;
  producer_name: string;
}

export async function selectReportedEvent(tx: Tx, eventId: number): Promise<ReportedEvent | undefined> {
  const { rows } = await sql<ReportedEvent>`
    select e.id, e.title, e.link, e.timezone, e.currency, p.id as producer_id, p.name as producer_name
      from event e join producer p on p.id = e.producer_id where e.id = ${eventId}`.execute(tx);
  return rows[0];
}

export interface ReportedSession {
  id: number;
  name: string;
  start: Date;
  finish: Date;
}

/** In the order of time. */
export async function selectReportedSessions(tx: Tx, eventId: number): Promise<ReportedSession[]> {
  const { rows } = await sql<ReportedSession>`
    select id, name, starts_at as start, finishes_at as finish from event_session where event_id = ${eventId} order by starts_at, id`.execute(
    tx,
  );
  return rows;
}

/** Something that can be sold, whether or not it was. */
export interface ReportedItem {
  id: number;
  name: string;
  type: ItemType;
  halfPrice: boolean;
  /** How many there are; null for no limit of its own. */
  offered: number | null;
  /** What it costs now; null for what is no longer sold or never had a price. */
  price: number | null;
  /** The sessions it is for, if not for all. */
  sessionIds: number[];
}

/** In the order in which the producer has them. */
export async function selectReportedItems(tx: Tx, eventId: number): Promise<ReportedItem[]> {
  const { rows } = await sql<ReportedItem>`
    select i.id, i.name, i.type, coalesce(h.value = 'true', false) as "halfPrice", i.quantity as offered,
           case when i.archived or i.type = 'external' then null else v.price end as price,
           array(select session_id from item_session x where x.item_id = i.id order by 1) as "sessionIds"
      from item i left join item_values v on v.item_id = i.id left join item_attribute h on h.item_id = i.id and h.key = 'halfPrice'
     where i.event_id = ${eventId} and i.type <> 'group' order by i.position, i.id`.execute(tx);
  return rows;
}
