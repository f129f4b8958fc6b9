import type { GaugeSource } from '../http/metrics.ts';
import type { Database } from '../postgres/database.ts';
import { countByStatus, selectAges } from './deliveries.sql.ts';

export const webhookMetrics = (db: Database): GaugeSource[] => [
  {
    name: 'tessera_webhook_deliveries',
    help: 'Deliveries of webhooks by status: pending, or parked after 3 days of failures',
    label: 'status',
    read: async () => (await countByStatus(db)).map(({ status, n }) => [status, n] as const),
  },
  {
    name: 'tessera_webhook_age_seconds',
    help: 'How long the oldest change has waited for its place in the feed, and the oldest delivery of an active webhook for its success',
    label: 'queue',
    read: async () => Object.entries(await selectAges(db)),
  },
];
