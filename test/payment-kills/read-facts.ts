import type pg from 'pg';
import type { RemoteStandIn } from '../stripe/remote.ts';
import type { Told } from './buyers.ts';
import type { Facts } from './find-faults.ts';

/** Reads what the judge compares: the rows of an event, and everything at the provider. */
export async function readFacts(db: pg.Client, standIn: RemoteStandIn, eventId: number, told: ReadonlyMap<number, Told>): Promise<Facts> {
  const rowsOf = async <Row extends pg.QueryResultRow>(statement: string) => (await db.query<Row>(statement, [eventId])).rows;
  const about = ({ metadata }: { metadata: Record<string, string> }) => ({
    reference: metadata.reference ?? '',
    orderId: Number(metadata.order),
  });
  return {
    told,
    orders: await rowsOf(orders),
    payments: await rowsOf('select reference, status from payment where event_id = $1'),
    refunds: await rowsOf('select reference, amount::int, status from refund where event_id = $1'),
    notices: await rowsOf('select notice_id as id, status from payment_notice where event_id in (0, $1)'),
    charges: (await standIn.charges())
      .filter(({ status }) => status === 'succeeded')
      .map((charge) => ({ ...about(charge), amount: charge.amount })),
    returned: (await standIn.refunds())
      .filter(({ status }) => status !== 'failed' && status !== 'canceled')
      .map((refund) => ({ ...about(refund), amount: refund.amount })),
    payable: (await standIn.intents()).filter(({ isPayable }) => isPayable).map((intent) => about(intent).reference),
  };
}

const orders = `
  select o.id::int, o.status, coalesce(t.refunded, 0)::int as "refundedTickets",
         coalesce(t.worth, 0)::int as worth, coalesce(p.booked, 0)::int as booked
    from ticket_order o
    left join (select t.order_id, count(*) filter (where t.status = 'refunded') as refunded,
                      sum(l.price + l.fee_sale) filter (where t.status = 'valid') as worth
                 from ticket t join order_line l using (event_id, order_id, item_id) where t.event_id = $1 group by 1) t on t.order_id = o.id
    left join (select order_id, sum(case when source like 'payment:%' then amount when target like 'payment:%' then -amount else 0 end) as booked
                 from ledger_posting where event_id = $1 group by 1) p on p.order_id = o.id
   where o.event_id = $1`;
