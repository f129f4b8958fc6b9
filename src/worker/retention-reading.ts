import type { GaugeSource } from '../http/metrics.ts';
import type { Database } from '../postgres/database.ts';
import { selectRetention } from './retention.sql.ts';

/** Counted in the database, as the process that is asked may not be the one that removes. */
export const retentionReadings = (db: Database): GaugeSource[] => [
  {
    name: 'tessera_retention_removed',
    help: 'Rows that were removed or anonymised because their time was over, by kind',
    label: 'kind',
    read: async () => (await selectRetention(db)).map(({ kind, removed }) => [kind, removed]),
  },
  {
    name: 'tessera_retention_failures',
    help: 'How often removing old data failed, by kind',
    label: 'kind',
    read: async () => (await selectRetention(db)).map(({ kind, failures }) => [kind, failures]),
  },
];
