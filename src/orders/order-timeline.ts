import { requireEventOf } from '../events/event-of.ts';
import { afterId, rowsToFetch, toPage } from '../kernel/cursor.ts';
import type { Page, PageQuery } from '../kernel/schema.ts';
import { type HistoryEntry, readHistory } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import type { TimelineEntry } from './history-contract.ts';

/** What happened to an order, oldest first. Entries are removed with old months of the audit log. */
export async function getOrderTimeline(tx: Tx, orderId: number, query: PageQuery): Promise<Page<TimelineEntry>> {
  const eventId = await requireEventOf(tx, 'ticket_order', orderId);
  const about = { subject: 'order', id: orderId, eventId } as const;
  const { entries, total } = await readHistory(tx, about, {
    after: afterId(query),
    limit: rowsToFetch(query),
    count: query.count === true,
  });
  return toPage(entries, query, (entry) => [entry.id], toTimelineEntry, total ?? undefined);
}

const toTimelineEntry = ({ id, at, operation, actor_kind, actor, actor_name, before, after }: HistoryEntry): TimelineEntry => ({
  id,
  at: at.toISOString(),
  operation,
  actor: { kind: actor_kind, id: actor_kind === 'user' ? Number(actor) : null, name: actor_kind === 'system' ? actor : actor_name },
  before,
  after,
});
