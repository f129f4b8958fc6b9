import type { GaugeSource } from '../http/metrics.ts';
import type { Database } from '../postgres/database.ts';
import { countOpenNotices } from './notices.sql.ts';

/** Alert on `failed`: a buyer may have paid and got neither tickets nor a refund. */
export const noticeMetrics = (db: Database): GaugeSource => ({
  name: 'tessera_payment_notices',
  help: 'Payment notices that wait to be applied (received), were not understood (set_aside) or could not be applied (failed)',
  label: 'status',
  read: async () => (await countOpenNotices(db)).map(({ status, n }) => [status, n] as const),
});
