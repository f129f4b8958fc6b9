import type { FindScope } from '../accounts/gate.ts';
import type { Database } from '../postgres/database.ts';
import { selectEventsOfOrders, selectOrderScope } from './order-reads.sql.ts';

/** An order belongs to its event, and with it to the event's producer. */
export const findOrderScope: FindScope = selectOrderScope;

/** The event of each order. Orders that do not exist are left out. */
export const findEventsOfOrders = (db: Database, ids: readonly number[]): Promise<ReadonlyMap<number, number>> =>
  selectEventsOfOrders(db, ids);
