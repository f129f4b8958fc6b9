import type { Statement } from '../postgres/pipeline.ts';
import { postingsOf, reversalsOf, type Sale, sharesOf, writePostings } from './ledger.ts';
import { countSold } from './sales-quarters.ts';
import { addSales, type SalesTotal, subtractSales } from './sales-totals.sql.ts';

/*
 * Every sale and every refund writes its postings and the sums of the sales report together, from the same shares. A row of the sums belongs
 * to one item. Every caller has locked the items of its sales: new and late orders, because they take the tickets from the stock, and refunds,
 * even if the tickets do not go back on sale. So no two transactions write a row of the sums at the same time, and nobody waits here.
 * Postings without an item are money that was sent back without buying tickets. They change no sums.
 */

/** Returns the statements that write the postings of sales and add the sales to the sums of the sales report. */
export function recordSales(sales: readonly Sale[]): Statement[] {
  if (sales.length === 0) return [];
  return [...writePostings(sales.flatMap(postingsOf)), addSales(totalsOf(sales)), ...countSold(sales)];
}

/** Returns the statements that reverse the postings of refunded tickets and subtract the tickets from the sums of the sales report. */
export function recordSalesRefunds(refunds: readonly Sale[]): Statement[] {
  if (refunds.length === 0) return [];
  return [...writePostings(refunds.flatMap(reversalsOf)), subtractSales(totalsOf(refunds))];
}

/** Returns one total for each key of `sales_total`. */
function totalsOf(sales: readonly Sale[]): SalesTotal[] {
  const totals = new Map<string, SalesTotal>();
  for (const total of sales.flatMap(toTotals)) {
    const key = JSON.stringify([total.event_id, total.item_id, total.session_ids, total.app_category_id, total.method, total.price]);
    const known = totals.get(key);
    totals.set(key, known ? sum(known, total) : total);
  }
  return [...totals.values()];
}

const toTotals = ({ eventId, channel, method, at, lines }: Sale): SalesTotal[] =>
  lines.map((line) => {
    const { producer, platform, feeSale } = sharesOf(method, line);
    return {
      event_id: eventId,
      item_id: line.itemId,
      session_ids: line.sessionIds,
      app_category_id: channel,
      method,
      price: line.price,
      tickets: line.quantity,
      first_at: at,
      last_at: at,
      producer,
      platform,
      fee_sale: feeSale,
    };
  });

const sum = (a: SalesTotal, b: SalesTotal): SalesTotal => ({
  ...a,
  tickets: a.tickets + b.tickets,
  first_at: a.first_at < b.first_at ? a.first_at : b.first_at,
  last_at: a.last_at > b.last_at ? a.last_at : b.last_at,
  producer: a.producer + b.producer,
  platform: a.platform + b.platform,
  fee_sale: a.fee_sale + b.fee_sale,
});
