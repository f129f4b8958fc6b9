import { type RawBuilder, sql } from 'kysely';
import { boxOffice } from '../catalog/item.ts';
import { holdHasExpired, isFoundBy } from '../orders/order.ts';
import type { Database } from '../postgres/database.ts';
import { transactionColumns } from './columns.ts';
import type { Filters } from './filters.ts';
import type { Listing, Part, Range } from './lists.sql.ts';
import { type RenderText, renderCells, sessionNames } from './render.sql.ts';

function matching(eventId: number, { status, channel, term, from, to, itemId }: Filters['transactions'], at: Date): RawBuilder<unknown> {
  const conditions = [
    sql`o.event_id = ${eventId} and l.event_id = ${eventId}`,
    ...(status === undefined ? [] : [sql`${statusAt(at)} = ${status}`]),
    ...(channel === undefined ? [] : [channelIs(sql`o.app_category_id`, channel)]),
    ...(term === undefined ? [] : [isFoundBy(term)]),
    ...(from === undefined ? [] : [sql`o.created_at >= ${new Date(from)}`]),
    ...(to === undefined ? [] : [sql`o.created_at <= ${new Date(to)}`]),
    ...(itemId === undefined ? [] : [sql`l.item_id = ${itemId}`]),
  ];
  return sql.join(conditions, sql` and `);
}

/** A hold counts as expired as soon as `expires_at` has passed, even before its status is updated. */
const statusAt = (at: Date) => sql`case when ${holdHasExpired(at)} then 'expired' else o.status end`;

/** Whether the column has this channel. `offline` is the box office, and `online` is every other channel. */
export const channelIs = (column: RawBuilder<unknown>, channel: number | 'online' | 'offline'): RawBuilder<unknown> => {
  if (typeof channel === 'number') return sql`${column} = ${channel}`;
  return channel === 'offline' ? sql`${column} = ${sql.lit(boxOffice)}` : sql`${column} <> ${sql.lit(boxOffice)}`;
};

type SalesListing = Listing<Filters['transactions']>;

/** Selects one row per order line, ordered by order id. One statement reads an order and its lines, so all lines show the same state. */
function selectTransactions({ eventId, filters, format, zone, at }: SalesListing, { after, upTo }: Range): RawBuilder<unknown> {
  const inRange = (column: RawBuilder<unknown>) => sql`${column} > ${after} and ${column} <= ${upTo}`;
  const cells = {
    orderId: sql`o.id`,
    status: statusAt(at),
    createdAt: sql`o.created_at`,
    approvedAt: sql`o.approved_at`,
    channel: sql`o.app_category_id`,
    paymentMethod: sql`p.method`,
    buyerName: sql`o.buyer_name`,
    buyerEmail: sql`o.buyer_email`,
    buyerDocument: sql`o.buyer_document`,
    itemId: sql`l.item_id`,
    item: sql`i.name`,
    sessions: sessionNames(eventId, sql`l.session_ids`),
    passkey: (text: RenderText) => sql`(select ${text(sql`k.code`)} from passkey k where k.event_id = ${eventId} and k.id = o.passkey_id)`,
    quantity: sql`l.quantity`,
    refunded: sql`l.refunded`,
    price: sql`l.price`,
    feeSale: sql`l.fee_sale`,
    feeProducer: sql`l.fee_producer`,
    total: sql`l.quantity * (l.price + l.fee_sale)`,
    refundedTotal: sql`l.refunded * (l.price + l.fee_sale)`,
    currency: sql`o.currency`,
  };
  return sql`
    select ${renderCells(transactionColumns, cells, format, zone)}
      from ticket_order o
      join order_line l on l.event_id = o.event_id and l.order_id = o.id
      join item i on i.event_id = ${eventId} and i.id = l.item_id
      left join (select distinct on (order_id) order_id, method from payment
                  where event_id = ${eventId} and ${inRange(sql`order_id`)} and status <> 'declined'
                  order by order_id, id desc) p on p.order_id = o.id
     where ${matching(eventId, filters, at)} and ${inRange(sql`o.id`)} and ${inRange(sql`l.order_id`)}
     order by o.id, l.item_id`;
}

export const transactionParts = async (_db: Database, listing: SalesListing): Promise<Part[]> => [
  {
    ids: sql`select id from ticket_order where event_id = ${listing.eventId}`,
    rows: (range) => selectTransactions(listing, range),
    avoidNestedLoops: true,
  },
];

export const countTransactions = ({ eventId, filters, at }: SalesListing): RawBuilder<{ n: number }> => sql`
  select count(*) as n from ticket_order o join order_line l on l.event_id = o.event_id and l.order_id = o.id
   where ${matching(eventId, filters, at)}`;
