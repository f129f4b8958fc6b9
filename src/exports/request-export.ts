import { createHash } from 'node:crypto';
import type { Act, User } from '../kernel/act.ts';
import { localeOfCurrency } from '../kernel/locale.ts';
import { Problem, retryLater } from '../kernel/problem.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import { maySeePersonalData } from '../reports/guest-privacy.ts';
import type { Export, NewExport } from './contract.ts';
import { describeExport, requireExport } from './export.ts';
import { countAtWork, insertExport, lockRequester, type NewExportRow, selectEventOfExport, selectSame } from './exports.sql.ts';
import { readFilters } from './filters.ts';
import { lackedPermission } from './permission.ts';

const joinedWithinMs = 60_000;
/** How many one person may have waiting or at work. */
const mostAtWork = 20;

/** Answers the export that was asked for, or the one that the same person asked for in the same words just before. */
export async function requestExport(tx: Tx, act: Act<User>, eventId: number, body: NewExport): Promise<Export> {
  const { type = 'transactions', format = 'csv', bom = false } = body;
  const { actor, at } = act;
  const event = await selectEventOfExport(tx, eventId);
  if (!event) throw new Problem('not_found');
  const { producer_id: producerId, timezone, currency } = event;
  const scope = { producerId, eventId };
  const lacked = lackedPermission(actor, type, scope);
  if (lacked) throw new Problem('forbidden', `Exports of ${type} need the permission ${lacked}`);
  const filters = readFilters(type, body.filters, timezone);
  const asked = {
    event_id: eventId,
    type,
    format,
    filters: JSON.stringify(filters),
    locale: act.locale ?? localeOfCurrency(currency),
    bom,
    // Sales name their buyers, passkeys name nobody. The guest list is made for the eyes of the caller.
    personal: type === 'transactions' || (type === 'guestlist' && maySeePersonalData(actor, scope)),
  };
  const row = { ...asked, user_id: actor.id, fingerprint: fingerprintOf(asked), created_at: at, next_attempt_at: at };

  await lockRequester(tx, actor.id);
  const same = await selectSame(tx, actor.id, row.fingerprint, new Date(at.getTime() - joinedWithinMs));
  const id = same ?? (await queue(tx, row));
  // Whom somebody looked for is nobody's business later on.
  const after = { type, format, filters: { ...filters, ...('term' in filters && { term: '…' }) }, joined: same !== undefined };
  await record(tx, act, { subject: 'export', id, producerId, eventId, after });
  return describeExport(await requireExport(tx, act, id), act);
}

const fingerprintOf = (asked: object): Buffer => createHash('sha256').update(JSON.stringify(asked)).digest();

async function queue(tx: Tx, row: NewExportRow): Promise<number> {
  if ((await countAtWork(tx, row.user_id)) < mostAtWork) return insertExport(tx, row);
  throw retryLater('rate_limited', 30, `You have ${mostAtWork} exports waiting; more can be asked for when some are done`);
}
