import { createDoorEvent } from './checkins.ts';
import type { MeasuredService } from './service.ts';
import type { Sale, Shop } from './shop.ts';
import { finishMaintenance, paidOrders } from './sold-tickets.ts';
import { writeSums } from './write-sums.ts';

const perOrder = 4;
/** Two statements at a time, because PostgreSQL uses one core for each. */
const connections = 2;

export interface FilledShop {
  /** The event that is measured. It has the same size in every database. */
  measured: Sale;
  /** The largest of the other events. */
  largest: Sale;
}

interface FillOptions {
  /** How many tickets the database gets, with those of the measured event. */
  tickets: number;
  ofMeasured: number;
  /** How many other events there are. The first of them has a tenth of all tickets, and the others have the same number each. */
  others: number;
}

/** Fills a database with the paid tickets of several events. */
export async function fillShop(service: MeasuredService, shop: Shop, { tickets, ofMeasured, others }: FillOptions): Promise<FilledShop> {
  const measured = await createDoorEvent(service, shop, ofMeasured);
  const sizes = [Math.round(tickets / 10)];
  while (sizes.length < others) sizes.push(Math.round((tickets * 0.9 - ofMeasured) / (others - 1)));
  const left: { sale: Sale; size: number }[] = [];
  for (const size of sizes) left.push({ sale: await shop.createEvent(), size });
  const [{ sale: largest } = { sale: measured }] = left;
  const prefix = await withoutForeignKeyChecks(service);
  const fillNext = async (): Promise<void> => {
    for (let next = left.shift(); next; next = left.shift())
      await service.query(prefix + paidOrders(next.sale, { orders: Math.round(next.size / perOrder), perOrder }));
  };
  const filled = left.map(({ sale }) => sale.eventId);
  await Promise.all(Array.from({ length: connections }, fillNext));
  await writeSums(service, filled);
  await finishMaintenance(service);
  return { measured, largest };
}

/**
 * Returns a statement that turns off the checks of foreign keys for one transaction, which take half of the time of a fill. Only superusers
 * may do this. Elsewhere the keys are checked.
 */
async function withoutForeignKeyChecks({ query }: MeasuredService): Promise<string> {
  const [role] = await query<{ super: boolean }>('select rolsuper as super from pg_roles where rolname = current_user');
  return role?.super ? 'set local session_replication_role = replica;' : '';
}
