import { sql } from 'kysely';
import type { Statement } from '../postgres/pipeline.ts';

/** PostgreSQL delivers the notices when the transaction commits. */
export const notifyAll = (channel: string, payloads: readonly string[]): Statement => sql`
  select pg_notify(${channel}, payload) from unnest(${payloads}::text[]) as payload`;
