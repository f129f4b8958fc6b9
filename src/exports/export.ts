import { requireEventOf } from '../events/event-of.ts';
import type { Act, User } from '../kernel/act.ts';
import type { RowKey } from '../kernel/ids-by-event.ts';
import { Problem } from '../kernel/problem.ts';
import type { Tx } from '../postgres/database.ts';
import type { Export } from './contract.ts';
import { type ExportRow, selectExport } from './exports.sql.ts';
import { describeFilters } from './filters.ts';
import { linkOf } from './link.ts';
import { maySeeExport } from './permission.ts';

/** An export counts as expired as soon as `expires_at` has passed, even before the worker has removed its file. */
export const statusAt = ({ status, expires_at }: Pick<ExportRow, 'status' | 'expires_at'>, at: Date): ExportRow['status'] =>
  status === 'ready' && expires_at && expires_at <= at ? 'expired' : status;

/** Only the user who requested the export gets the link. */
export function describeExport(row: ExportRow, { actor, at }: Pick<Act, 'actor' | 'at'>): Export {
  const status = statusAt(row, at);
  const isRequester = actor.kind === 'user' && actor.id === row.user_id;
  return {
    id: row.id,
    eventId: row.event_id,
    userId: row.user_id,
    type: row.type,
    format: row.format,
    filters: describeFilters(row.type, row.filters),
    locale: row.locale,
    bom: row.bom,
    status,
    rows: row.rows,
    total: row.total,
    bytes: row.bytes,
    sha256: row.sha256?.toString('hex') ?? null,
    reason: row.reason,
    createdAt: row.created_at.toISOString(),
    finishedAt: row.finished_at?.toISOString() ?? null,
    expiresAt: row.expires_at?.toISOString() ?? null,
    link: isRequester && status === 'ready' ? linkOf(row) : null,
  };
}

/** Throws `not_found` if there is no such export. */
export const exportKeyOf = async (tx: Tx, id: number): Promise<RowKey> => ({ eventId: await requireEventOf(tx, 'export', id), id });

/** Throws `not_found` if the caller may not see the export now, even if the caller has requested it and lost the permission later. */
export async function requireExport(tx: Tx, { actor }: Act<User>, key: RowKey): Promise<ExportRow> {
  const row = await selectExport(tx, key);
  if (!row || !maySeeExport(actor, row)) throw new Problem('not_found');
  return row;
}

export const getExport = async (tx: Tx, act: Act<User>, id: number): Promise<Export> =>
  describeExport(await requireExport(tx, act, await exportKeyOf(tx, id)), act);
