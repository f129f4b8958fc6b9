import type { Act, Actor } from '../kernel/act.ts';
import type { Tx } from '../postgres/database.ts';
import { executeAll, type Statement } from '../postgres/pipeline.ts';
import {
  type ActivityEntry,
  type AuditEntry,
  countHistory,
  type HistoryEntry,
  insertAuditEntries,
  selectActivity,
  selectHistory,
} from './audit.sql.ts';
import { tellPages } from './page-changes.ts';

/** The kinds of objects that audit entries are about. */
type AuditSubject =
  | 'api_token'
  | 'category'
  | 'checkins'
  | 'code'
  | 'codes'
  | 'crew'
  | 'database'
  | 'device'
  | 'event'
  | 'event_attributes'
  | 'export'
  | 'featured'
  | 'home_cover'
  | 'home_section'
  | 'item'
  | 'item_attribute'
  | 'item_triggers'
  | 'item_values'
  | 'login_session'
  | 'member'
  | 'order'
  | 'passkey'
  | 'passkey_batch'
  | 'payment_notice'
  | 'preview'
  | 'producer'
  | 'retention'
  | 'sale_period'
  | 'secret_key'
  | 'session'
  | 'signing_key'
  | 'tax_policy'
  | 'ticket_key'
  | 'user'
  | 'waiting_list'
  | 'waiting_room'
  | 'webhook';

/** The kinds of objects that public pages show. A change of such an object makes cached pages out of date. */
const shownOnPages: ReadonlySet<AuditSubject> = new Set<AuditSubject>([
  'category',
  'code',
  'codes',
  'event',
  'event_attributes',
  'featured',
  'home_cover',
  'home_section',
  'item',
  'item_attribute',
  'item_values',
  'producer',
  'sale_period',
  'session',
  'waiting_room',
]);

export interface Change {
  subject: AuditSubject;
  id: number | string;
  producerId?: number | null;
  eventId?: number | null;
  before?: object | null;
  after?: object | null;
}

export type { ActivityEntry, HistoryEntry } from './audit.sql.ts';

/** Returns the entries about one object of an event, oldest first. */
export async function readHistory(
  tx: Tx,
  about: { subject: AuditSubject; id: number; eventId: number },
  { after, limit, count }: { after: number; limit: number; count: boolean },
): Promise<{ entries: HistoryEntry[]; total: number | null }> {
  return { entries: await selectHistory(tx, about, after, limit), total: count ? await countHistory(tx, about) : null };
}

/** Returns the latest entries of an event, newest first. */
export const readActivity = (tx: Tx, eventId: number, limit: number): Promise<ActivityEntry[]> => selectActivity(tx, eventId, limit);

/** Writes an entry into the append-only audit log, in the same transaction as the change. */
export async function record(tx: Tx, act: Act, change: Change): Promise<void> {
  await executeAll(tx, recordAll([{ act, change }]));
}

/** Returns the statements that write many entries, to be sent in one round trip with the changes. They also tell the page caches. */
export function recordAll(entries: readonly { act: Act; change: Change }[]): Statement[] {
  if (entries.length === 0) return [];
  for (const { act } of entries) act.recorded++;
  const shown = entries.map(({ change }) => change).filter(({ subject }) => shownOnPages.has(subject));
  return [insertAuditEntries(entries.map(toEntry)), ...tellPages(shown.map(({ eventId = null }) => eventId))];
}

function nameOf(actor: Actor): string | null {
  if (actor.kind === 'anonymous') return null;
  return actor.kind === 'system' ? actor.name : String(actor.id);
}

function toEntry({ act, change }: { act: Act; change: Change }): AuditEntry {
  const { actor } = act;
  return {
    at: act.at,
    actor_kind: actor.kind,
    actor: nameOf(actor),
    api_token: actor.kind === 'user' ? (actor.token?.id ?? null) : null,
    operation: act.operation,
    request_id: act.requestId,
    producer_id: change.producerId ?? null,
    event_id: change.eventId ?? 0,
    subject: change.subject,
    subject_id: String(change.id),
    before: change.before ?? null,
    after: change.after ?? null,
  };
}
