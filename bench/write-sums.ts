import type { MeasuredService } from './service.ts';

/**
 * Writes the sums for reports of events that were filled with SQL. The service writes these sums with each sale and each scan, but a fill
 * bypasses the service.
 */
export async function writeSums({ query }: Pick<MeasuredService, 'query'>, eventIds: readonly number[]): Promise<void> {
  // Without statistics about the new rows PostgreSQL would choose nested loops, which take minutes.
  await query('analyze order_line, ticket_order, ledger_posting, ticket, checkin');
  for (const eventId of eventIds) await writeSumsOf({ query }, eventId);
}

async function writeSumsOf({ query }: Pick<MeasuredService, 'query'>, eventId: number): Promise<void> {
  for (const table of ['sales_total', 'sales_quarter', 'entry_total', 'away_total', 'guest_total'])
    await query(`delete from ${table} where event_id = ${eventId}`);
  await query(`
    insert into sales_total (event_id, item_id, session_ids, app_category_id, method, price, tickets, refunded, first_at, last_at, producer,
                             platform, fee_sale)
    select event_id, item_id, session_ids, app_category_id, method, price, tickets, refunded, first_at, last_at, producer, platform, fee_sale
      from sales_recount where event_id = ${eventId}`);
  await query(`insert into sales_quarter select * from sales_quarter_recount where event_id = ${eventId}`);
  await query(`insert into entry_total select * from entry_recount where event_id = ${eventId}`);
  await query(`insert into guest_total select * from guest_recount where event_id = ${eventId}`);
}
