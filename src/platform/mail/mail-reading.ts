import type { Reading } from '../../http/metrics.ts';
import type { Database } from '../../postgres/database.ts';
import { countMails } from './outbox.sql.ts';

/** The number of queued and failed mails, for operators to alert on. */
export const mailReading = (db: Database): Reading => ({
  name: 'tessera_mails',
  help: 'Mails in the outbox by status: queued, or failed within the last month',
  label: 'status',
  read: async () => (await countMails(db)).map(({ status, n }) => [status, n] as const),
});
