import type { GaugeSource } from '../http/metrics.ts';
import type { Database } from '../postgres/database.ts';
import { countRecentOrders } from './order-metrics.sql.ts';

/** The share of holds that were paid is `approved` by all others than `held`. */
export const orderMetrics = (db: Database): GaugeSource => ({
  name: 'tessera_recent_orders',
  help: 'The last 1,000 orders by status',
  label: 'status',
  read: async () => (await countRecentOrders(db)).map(({ status, n }) => [status, n] as const),
});
