import type { GaugeSource } from '../http/metrics.ts';
import type { Database } from '../postgres/database.ts';
import { countOpenPayments } from './payments.sql.ts';
import { countOpenRefunds } from './refunds.sql.ts';

/** Operators should alert on failed refunds, and on payments that stay begun: then a provider does not respond. */
export const paymentMetrics = (db: Database): GaugeSource[] => [
  {
    name: 'tessera_payments_open',
    help: 'Payments that wait for the provider (begun) or for the buyer (pending)',
    label: 'status',
    read: async () => (await countOpenPayments(db)).map(({ status, n }) => [status, n] as const),
  },
  {
    name: 'tessera_refunds_open',
    help: 'Refunds that wait for the provider (begun, pending) or for the crew (failed)',
    label: 'status',
    read: async () => (await countOpenRefunds(db)).map(({ status, n }) => [status, n] as const),
  },
];
