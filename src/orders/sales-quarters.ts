import type { Statement } from '../postgres/pipeline.ts';
import { type Sale, sharesOf } from './ledger.ts';
import { addQuarters, type SalesQuarter } from './sales-quarters.sql.ts';

/*
 * Charts read sums by quarter of an hour. Placing an order counts its tickets as ordered, and approving it counts them as sold. As with the
 * sums of the sales report, the caller has locked the items, so nobody waits here.
 */

const quarterMs = 15 * 60_000;
const nothing = { ordered: 0, tickets: 0, paid: 0 };

/** Returns the statements that count the tickets of new orders. */
export const countOrdered = (orders: readonly Sale[]): Statement[] => count(orders, ({ quantity }) => ({ ...nothing, ordered: quantity }));

/** Returns the statements that count the tickets of approved orders, and what their buyers paid. */
export const countSold = (sales: readonly Sale[]): Statement[] =>
  count(sales, (line, { method }) => {
    const { producer, platform } = sharesOf(method, line);
    return { ...nothing, tickets: line.quantity, paid: producer + platform };
  });

type Figures = Pick<SalesQuarter, 'ordered' | 'tickets' | 'paid'>;

function count(sales: readonly Sale[], figuresOf: (line: Sale['lines'][number], sale: Sale) => Figures): Statement[] {
  const quarters = new Map<string, SalesQuarter>();
  for (const sale of sales) {
    const quarter = new Date(Math.floor(sale.at.getTime() / quarterMs) * quarterMs);
    for (const line of sale.lines) {
      const key = `${sale.eventId} ${quarter.getTime()} ${line.itemId}`;
      const known = quarters.get(key) ?? { event_id: sale.eventId, quarter, item_id: line.itemId, ...nothing };
      const { ordered, tickets, paid } = figuresOf(line, sale);
      const sum = { ordered: known.ordered + ordered, tickets: known.tickets + tickets, paid: known.paid + paid };
      quarters.set(key, { ...known, ...sum });
    }
  }
  return quarters.size === 0 ? [] : [addQuarters([...quarters.values()])];
}
