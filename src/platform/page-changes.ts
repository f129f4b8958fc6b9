import { sql } from 'kysely';
import type { Statement } from '../postgres/pipeline.ts';

/** The channel on which processes hear that a cached page is out of date. The payload is the id of an event, or `*` for all pages. */
export const pageChannel = 'page_changed';

/**
 * Returns the statement that tells all processes to read the pages of these events again. Null stands for all pages. The notice is sent with
 * the commit. A page is never older than a second, even if a notice is lost.
 */
export function tellPages(eventIds: Iterable<number | null>): Statement[] {
  const payloads = [...new Set([...eventIds].map((id) => (id === null ? '*' : String(id))))];
  return payloads.length === 0 ? [] : [sql`select pg_notify(${pageChannel}, payload) from unnest(${payloads}::text[]) as payload`];
}
