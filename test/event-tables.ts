import { readFileSync } from 'node:fs';

/** Views whose rows belong to an event, because they read tables of events. They have the column `event_id` too. */
export const eventViews = [
  'admission',
  'away_recount',
  'code_guest',
  'entry_recount',
  'guest_recount',
  'sales_quarter_recount',
  'sales_recount',
  'ticket_guest',
];

/** Returns the tables that `deploy/citus.sql` distributes by event, and the views of such tables. */
export function readEventTables(): ReadonlySet<string> {
  const script = readFileSync(new URL('../deploy/citus.sql', import.meta.url), 'utf8');
  const tables = [...script.matchAll(/^\s*select create_distributed_table\('(\w+)',\s*'event_id'/gm)].map((match) => match[1] ?? '');
  if (tables.length === 0) throw new Error('deploy/citus.sql distributes no tables by event_id.');
  return new Set([...tables, ...eventViews]);
}
