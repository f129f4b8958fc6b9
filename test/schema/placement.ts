import { readFileSync } from 'node:fs';

/** Where the rows of a table are in a Citus cluster. */
export type Placement = { kind: 'distributed'; column: string } | { kind: 'reference' } | { kind: 'local' };

export const distributed = (column = 'event_id'): Placement => ({ kind: 'distributed', column });
export const reference: Placement = { kind: 'reference' };
export const local: Placement = { kind: 'local' };

/** Tables that belong to no event. They are not in deploy/citus.sql and stay on the coordinator. */
const coordinatorTables = [
  'api_token',
  'auth_factor',
  'auth_session',
  'feed_entry',
  'file_link_key',
  'idempotency_key',
  'known_network',
  'login_failure',
  'mail_count',
  'one_time_token',
  'recovery_code',
  'refresh_token',
  'retention_status',
  'sandbox_charge',
  'sandbox_refund',
  'schema_migration',
  'signing_key',
  'webhook',
  'webhook_delivery',
];

const calls = /^select create_(reference|distributed)_table\('(\w+)'(?:, '(\w+)')?.*\);$/gm;

/** The placement of each table, in the order of the calls in deploy/citus.sql. The tables of the coordinator come last. */
export function readPlacements(): Map<string, Placement> {
  const script = readFileSync(new URL('../../deploy/citus.sql', import.meta.url), 'utf8');
  const called = [...script.matchAll(calls)].map(([, kind, table = '', column = '']): [string, Placement] => [
    table,
    kind === 'reference' ? reference : distributed(column),
  ]);
  const stay = coordinatorTables.map((table): [string, Placement] => [table, local]);
  const placements = new Map([...called, ...stay]);
  if (placements.size !== called.length + stay.length) throw new Error('A table has two placements');
  return placements;
}
