import { sql } from 'kysely';
import type { ItemType } from '../catalog/item-types.ts';
import type { Tx } from '../postgres/database.ts';
import type { Span } from './dashboard-contract.ts';

export interface StockRow {
  id: number;
  name: string;
  type: ItemType;
  archived: boolean;
  quantity: number | null;
  held: number;
  left: number | null;
}

/** Returns the items of the event in the order that the producer chose. An item of a group can have fewer left than its own quantity allows. */
export async function selectStock(tx: Tx, eventId: number): Promise<StockRow[]> {
  const { rows } = await sql<StockRow>`
    select i.id, i.name, i.type, i.archived, i.quantity, i.held,
           least(i.quantity - i.sold - i.held, g.quantity - g.sold - g.held) as left
      from item i left join item g on g.event_id = i.event_id and g.id = i.parent_id
     where i.event_id = ${eventId} and i.type <> 'group' order by i.position, i.id`.execute(tx);
  return rows;
}

export interface BucketRow {
  start: string;
  ordered: number;
  tickets: number;
  paid: number;
}

/** Returns the sales by local hour or day. At the end of daylight saving time one hour occurs twice. It is one row. */
export async function selectBuckets(
  tx: Tx,
  eventId: number,
  { by, since, zone }: { by: Span; since: Date; zone: string },
): Promise<BucketRow[]> {
  const { rows } = await sql<BucketRow>`
    select to_char(date_trunc(${by}::text, quarter at time zone ${zone}::text), 'YYYY-MM-DD HH24:MI:SS') as start,
           sum(ordered)::bigint as ordered, sum(tickets)::bigint as tickets, sum(paid)::bigint as paid
      from sales_quarter where event_id = ${eventId} and quarter >= ${since}
     group by 1 order by 1`.execute(tx);
  return rows;
}
