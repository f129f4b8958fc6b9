import { afterId, rowsToFetch, toPage } from '../kernel/cursor.ts';
import type { Page, PageQuery } from '../kernel/schema.ts';
import type { Tx } from '../postgres/database.ts';
import type { Passkey } from './contract.ts';
import { toPasskey } from './passkey.ts';
import type { PasskeyStatus } from './passkey-status.ts';
import { countPasskeys, selectPasskeys } from './passkeys.sql.ts';

export interface PasskeyQuery extends PageQuery {
  eventId: number;
  status?: PasskeyStatus;
  term?: string;
}

export async function listPasskeys(tx: Tx, at: Date, query: PasskeyQuery): Promise<Page<Passkey>> {
  const { eventId, status, term } = query;
  const filter = { eventId, status, term, at };
  const rows = await selectPasskeys(tx, filter, afterId(query), rowsToFetch(query));
  const total = query.count ? await countPasskeys(tx, filter) : undefined;
  return toPage(
    rows,
    query,
    ({ id }) => [id],
    (row) => toPasskey(row, at),
    total,
  );
}
