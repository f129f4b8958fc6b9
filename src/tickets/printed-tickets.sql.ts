import { sql } from 'kysely';
import type { Tx } from '../postgres/database.ts';

export interface PrintedTicketRow {
  id: number;
  number: number;
  total: number;
  group: string | null;
  name: string;
  holder: string | null;
  sessionIds: number[];
  status: 'valid' | 'used' | 'refunded';
  /** The imported code; null for tickets whose code is signed. */
  code: string | null;
}

/** Returns the first tickets of an order, numbered in the order of their ids. A ticket is used when it was used in all of its sessions. */
export async function selectPrintedTickets(tx: Tx, eventId: number, orderId: number, limit: number): Promise<PrintedTicketRow[]> {
  const { rows } = await sql<PrintedTicketRow>`
    select t.id, row_number() over (order by t.id) as number, count(*) over () as total, g.name as "group", i.name, t.holder,
           t.session_ids as "sessionIds", c.code,
           case when t.status = 'valid' and cardinality(t.session_ids) > 0
                 and (select count(*) from admission a where a.event_id = t.event_id and a.ticket_id = t.id) >= cardinality(t.session_ids)
                then 'used' else t.status end as status
      from ticket t join item i on i.event_id = t.event_id and i.id = t.item_id
      left join item g on g.event_id = i.event_id and g.id = i.parent_id
      left join external_code c on c.event_id = t.event_id and c.id = t.external_code_id
     where t.event_id = ${eventId} and t.order_id = ${orderId}
     order by t.id limit ${limit}`.execute(tx);
  return rows;
}
