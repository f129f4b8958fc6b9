import type { GaugeSource } from '../http/metrics.ts';
import type { Database } from '../postgres/database.ts';
import { selectRetention } from './retention.sql.ts';

/** These metrics are read from the database, because another process may have removed the data. */
export const retentionMetrics = (db: Database): GaugeSource[] => [
  {
    name: 'tessera_retention_removed',
    help: 'Rows that were removed or anonymized because they are past their retention time, by kind',
    label: 'kind',
    read: async () => (await selectRetention(db)).map(({ kind, removed }) => [kind, removed]),
  },
  {
    name: 'tessera_retention_failures',
    help: 'Failed attempts to remove old data, by kind',
    label: 'kind',
    read: async () => (await selectRetention(db)).map(({ kind, failures }) => [kind, failures]),
  },
];
