import type { Statement } from '../postgres/pipeline.ts';
import { notifyAll } from './page-changes.sql.ts';

/** The channel on which processes hear that a cached page is out of date. The payload is the id of an event, or `*` for all pages. */
export const pageChannel = 'page_changed';

/**
 * Returns the statement that tells all processes to read the pages of these events again. Null stands for all pages. A page is never older
 * than a second, even if a notice is lost.
 */
export function tellPages(eventIds: Iterable<number | null>): Statement[] {
  const payloads = new Set([...eventIds].map((id) => (id === null ? '*' : String(id))));
  return payloads.size === 0 ? [] : [notifyAll(pageChannel, [...payloads])];
}
