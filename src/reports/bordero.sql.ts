import { sql } from 'kysely';
import type { ItemType } from '../catalog/item-types.ts';
import type { Tx } from '../postgres/database.ts';

/** Sales of one item with the same sessions, channel, payment method and price. */
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
  /** The amount in cents that the producer keeps after refunds. */
  producer: number;
  /** The amount in cents that the platform keeps after refunds: the fees of buyers and of the producer. */
  platform: number;
  /** The part of `platform` that buyers paid on top of the price. */
  feeSale: number;
}

export async function selectSales(tx: Tx, eventId: number): Promise<SalesRow[]> {
  const { rows } = await sql<SalesRow>`
    select item_id as "itemId", session_ids as "sessionIds", app_category_id as channel, method, price,
           tickets, refunded, first_at as "firstAt", last_at as "lastAt", producer, platform, fee_sale as "feeSale"
      from sales_total where event_id = ${eventId}`.execute(tx);
  return rows;
}

/** What payments of one method have cost. */
export interface FeesRow {
  method: string;
  /** What providers kept of payments. */
  fee: number;
  /** What providers charged for disputes. */
  disputeFee: number;
  /** What banks have taken for disputes and not returned. */
  disputed: number;
}

export async function selectFees(tx: Tx, eventId: number): Promise<FeesRow[]> {
  const { rows } = await sql<FeesRow>`
    select method, fee, dispute_fee as "disputeFee", disputed from fee_total where event_id = ${eventId} order by method`.execute(tx);
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

/** Returns the sessions of the event, ordered by start. */
export async function selectReportedSessions(tx: Tx, eventId: number): Promise<ReportedSession[]> {
  const { rows } = await sql<ReportedSession>`
    select id, name, starts_at as start, finishes_at as finish from event_session where event_id = ${eventId} order by starts_at, id`.execute(
    tx,
  );
  return rows;
}

/** One item of the report. Items without sales are reported too. */
export interface ReportedItem {
  id: number;
  name: string;
  type: ItemType;
  halfPrice: boolean;
  /** The quantity of the item. Null if the item has no limit of its own. */
  offered: number | null;
  /** The current price. Null if the item is archived, external, or has no price. */
  price: number | null;
  /** The sessions of the item. Empty if the item is valid for all sessions. */
  sessionIds: number[];
}

/** Returns the items of the event in the order that the producer chose. */
export async function selectReportedItems(tx: Tx, eventId: number): Promise<ReportedItem[]> {
  const { rows } = await sql<ReportedItem>`
    select i.id, i.name, i.type, coalesce(h.value = 'true', false) as "halfPrice", i.quantity as offered,
           case when i.archived or i.type = 'external' then null else v.price end as price,
           array(select session_id from item_session x where x.event_id = i.event_id and x.item_id = i.id order by 1) as "sessionIds"
      from item i
      left join item_values v on v.event_id = i.event_id and v.item_id = i.id
      left join item_attribute h on h.event_id = i.event_id and h.item_id = i.id and h.key = 'halfPrice'
     where i.event_id = ${eventId} and i.type <> 'group' order by i.position, i.id`.execute(tx);
  return rows;
}
