import type { KnownOrder } from './buyers.ts';
import type { MeasuredService } from './service.ts';
import type { Sale } from './shop.ts';

interface OrderRow {
  id: number;
  status: string;
  quantity: number;
  tickets: number;
}

interface CounterRow {
  name: string;
  sold: number;
  held: number;
}

interface TotalsRow {
  paid: string;
  owed: string;
  unanswered: number;
}

interface Rows {
  orders: OrderRow[];
  counters: CounterRow[];
  totals: TotalsRow;
}

export interface Statement {
  holds: boolean;
  text: string;
}

/** Reads the rows directly from the database, not through the service. */
export async function readRows({ query }: MeasuredService, { eventId, itemIds: [itemId] }: Sale): Promise<Rows> {
  const orders = await query<OrderRow>(
    `select o.id::int, o.status, (select sum(quantity)::int from order_line l where l.event_id = o.event_id and l.order_id = o.id) as quantity,
            (select count(*)::int from ticket t where t.event_id = o.event_id and t.order_id = o.id and t.status = 'valid') as tickets
       from ticket_order o where o.event_id = $1`,
    [eventId],
  );
  const counters = await query<CounterRow>(
    `select 'item' as name, sold, held from item where event_id = $2 and id = $1
     union all select 'group', g.sold, g.held from item g join item i on i.event_id = g.event_id and i.parent_id = g.id
                where i.event_id = $2 and i.id = $1
     union all select 'session', sold, held from event_session where event_id = $2
     union all select 'sales period', sold, held from sale_period where event_id = $2 and item_id = $1`,
    [itemId, eventId],
  );
  const [totals] = await query<TotalsRow>(
    `select (select coalesce(sum(amount), 0) from payment where event_id = $1 and status = 'approved')::text as paid,
            (select coalesce(sum(total), 0) from ticket_order where event_id = $1 and status = 'approved')::text as owed,
            (select count(*)::int from idempotency_key where answer is null) as unanswered`,
    [eventId],
  );
  if (!totals) throw new Error('The totals could not be read');
  return { orders, counters, totals };
}

/** Returns the statements that must be true after a sale. `holds` says whether the statement is true. */
export function prove({ orders, counters, totals }: Rows, acknowledged: ReadonlyMap<number, KnownOrder>, quantity: number): Statement[] {
  const sum = (list: OrderRow[], of: (order: OrderRow) => number) => list.reduce((total, each) => total + of(each), 0);
  const approved = orders.filter(({ status }) => status === 'approved');
  const sold = sum(approved, (order) => order.quantity);
  const tickets = sum(orders, (order) => order.tickets);
  const byId = new Map(orders.map((order) => [order.id, order]));
  const lost = [...acknowledged].filter(([id, known]) => !isAsAcknowledged(byId.get(id), known));
  const unknown = orders.filter(({ id }) => !acknowledged.has(id));
  const wrong = counters.filter((counter) => counter.sold !== sold || counter.held !== 0);
  const money = (cents: string) => (Number(cents) / 100).toFixed(2);
  return [
    { holds: sold === quantity, text: `${sold} of ${quantity} sold, ${Math.max(0, sold - quantity)} oversold` },
    { holds: tickets === quantity, text: `${tickets} valid tickets` },
    { holds: lost.length === 0, text: `${lost.length} of ${acknowledged.size} acknowledged orders lost or changed` },
    { holds: unknown.length === 0, text: `${unknown.length} orders without a buyer who knows them (retries that created a second order)` },
    {
      holds: wrong.length === 0,
      text: `counters equal rows: ${counters.map((each) => `${each.name} ${each.sold}`).join(', ')}; no tickets held`,
    },
    { holds: totals.paid === totals.owed, text: `paid ${money(totals.paid)}, owed ${money(totals.owed)}` },
    { holds: totals.unanswered === 0, text: `${totals.unanswered} idempotency keys without a response` },
  ];
}

function isAsAcknowledged(row: OrderRow | undefined, known: KnownOrder): boolean {
  const tickets = known.status === 'approved' ? known.quantity : 0;
  return row?.status === known.status && row.quantity === known.quantity && row.tickets === tickets;
}
