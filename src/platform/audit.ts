import type { Act } from '../kernel/act.ts';
import type { Tx } from '../postgres/database.ts';
import { executeAll, type Statement } from '../postgres/pipeline.ts';
import { type AuditEntry, insertAuditEntries } from './audit.sql.ts';

/**
 * The kinds of objects that audit entries are about. The log is append-only, so entries of earlier releases keep other names: `session` also
 * for login sessions (see the operation), and `event attributes`, `home section` and `home cover` with a space.
 */
type AuditSubject =
  | 'api_token'
  | 'category'
  | 'checkins'
  | 'code'
  | 'codes'
  | 'crew'
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
  | 'producer'
  | 'retention'
  | 'sale_period'
  | 'secret_key'
  | 'session'
  | 'signing_key'
  | 'tax_policy'
  | 'ticket_key'
  | 'user';

export interface Change {
  subject: AuditSubject;
  id: number | string;
  producerId?: number | null;
  eventId?: number | null;
  before?: object | null;
  after?: object | null;
}

/** Writes an entry into the append-only audit log, in the same transaction as the change. */
export async function record(tx: Tx, act: Act, change: Change): Promise<void> {
  await executeAll(tx, recordAll([{ act, change }]));
}

/** Returns the statement that writes many entries, to be sent in one round trip with the changes. */
export function recordAll(entries: readonly { act: Act; change: Change }[]): Statement[] {
  for (const { act } of entries) act.recorded++;
  return entries.length === 0 ? [] : [insertAuditEntries(entries.map(toEntry))];
}

function toEntry({ act, change }: { act: Act; change: Change }): AuditEntry {
  const { actor } = act;
  return {
    at: act.at,
    actor_kind: actor.kind,
    actor: actor.kind === 'user' ? String(actor.id) : actor.kind === 'system' ? actor.name : null,
    api_token: actor.kind === 'user' ? (actor.token?.id ?? null) : null,
    operation: act.operation,
    request_id: act.requestId,
    producer_id: change.producerId ?? null,
    event_id: change.eventId ?? null,
    subject: change.subject,
    subject_id: String(change.id),
    before: change.before ?? null,
    after: change.after ?? null,
  };
}
