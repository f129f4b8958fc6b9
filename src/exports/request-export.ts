import { createHash } from 'node:crypto';
import type { Act, User } from '../kernel/act.ts';
import { localeOfCurrency } from '../kernel/locale.ts';
import { Problem, retryLater } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { maySeePersonalData } from '../reports/guest-privacy.ts';
import type { Export, NewExport } from './contract.ts';
import { describeExport, requireExport } from './export.ts';
import { countUnfinished, insertExport, lockRequester, type NewExportRow, selectEventOfExport, selectSameRequest } from './exports.sql.ts';
import { parseFilters } from './filters.ts';
import { missingPermission } from './permission.ts';

const reuseWithinMs = 60_000;
const maxUnfinishedPerUser = 20;

/** Queues an export, or returns the one that the same user requested with the same parameters within the last minute. */
export async function requestExport(tx: Tx, act: Act<User>, eventId: number, body: NewExport): Promise<Export> {
  const { type = 'transactions', format = 'csv', bom = false } = body;
  const { actor, at } = act;
  const event = await selectEventOfExport(tx, eventId);
  if (!event) throw new Problem('not_found');
  const { producer_id: producerId, timezone, currency } = event;
  const scope = { producerId, eventId };
  const missing = missingPermission(actor, type, scope);
  if (missing) throw new Problem('forbidden', `Exports of ${type} need the permission ${missing}`);
  const filters = parseFilters(type, body.filters, timezone);
  const parameters = {
    event_id: eventId,
    type,
    format,
    filters: JSON.stringify(filters),
    locale: act.locale ?? localeOfCurrency(currency),
    bom,
    // Transactions always contain personal data, and passkeys never do. A guest list contains personal data if the caller may see it.
    personal: type === 'transactions' || (type === 'guestlist' && maySeePersonalData(actor, scope)),
  };
  const row = { ...parameters, user_id: actor.id, fingerprint: fingerprintOf(parameters), created_at: at, next_attempt_at: at };

  await lockRequester(tx, actor.id);
  const same = await selectSameRequest(tx, eventId, actor.id, row.fingerprint, new Date(at.getTime() - reuseWithinMs));
  const id = same ?? (await queue(tx, row));
  // The search term may be a name or an e-mail address. The audit log must not keep it.
  const after = { type, format, filters: { ...filters, ...('term' in filters && { term: '…' }) }, joined: same !== undefined };
  await record(tx, act, { subject: 'export', id, producerId, eventId, after });
  return describeExport(await requireExport(tx, act, { eventId, id }), act);
}

const fingerprintOf = (parameters: object): Buffer => createHash('sha256').update(JSON.stringify(parameters)).digest();

async function queue(tx: Tx, row: NewExportRow): Promise<number> {
  if ((await countUnfinished(tx, row.user_id)) < maxUnfinishedPerUser) return insertExport(tx, row);
  throw retryLater('rate_limited', 30, `You have ${maxUnfinishedPerUser} unfinished exports. Wait until one is finished, or cancel one.`);
}
