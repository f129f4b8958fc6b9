import type { GaugeSource } from '../../http/metrics.ts';
import type { Database } from '../../postgres/database.ts';
import { countMails } from './outbox.sql.ts';

/** How many mails wait and how many were given up: what whoever runs the service wants to be woken for. */
export const mailReading = (db: Database): GaugeSource => ({
  name: 'tessera_mails',
  help: 'Mails in the outbox that wait to be sent, and those that were given up within a month',
  label: 'status',
  read: async () => (await countMails(db)).map(({ status, n }) => [status, n] as const),
});
