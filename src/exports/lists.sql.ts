import type { RawBuilder } from 'kysely';
import type { Database } from '../postgres/database.ts';
import { type Column, guestColumns, passkeyColumns, transactionColumns } from './columns.ts';
import type { ExportRow } from './exports.sql.ts';
import type { ExportType, Filters } from './filters.ts';
import { countGuests, selectGuests } from './guestlist.sql.ts';
import { countPasskeyReport, selectPasskeyReport } from './passkey-report.sql.ts';
import type { Format } from './render.sql.ts';
import { countTransactions, selectTransactions } from './transactions.sql.ts';

/** What an export is made of. */
export interface List<F> {
  columns: readonly Column[];
  select(eventId: number, filters: F, format: Format, zone: string, at: Date): RawBuilder<unknown>;
  count(eventId: number, filters: F, at: Date): RawBuilder<{ n: number }>;
}

const lists: { [T in ExportType]: List<Filters[T]> } = {
  transactions: { columns: transactionColumns, select: selectTransactions, count: countTransactions },
  guestlist: { columns: guestColumns, select: selectGuests, count: countGuests },
  passkey: { columns: passkeyColumns, select: selectPasskeyReport, count: countPasskeyReport },
};

export const listOf = (type: ExportType): List<Filters[ExportType]> => lists[type];

/** How many rows an export will have, more or less: it may take a while and nobody waits for it. */
export async function countRows(db: Database, { type, event_id, filters }: ExportRow, at: Date): Promise<number> {
  const { rows } = await listOf(type).count(event_id, filters, at).execute(db);
  return rows[0]?.n ?? 0;
}
