import { type RawBuilder, sql } from 'kysely';
import type { Database, Tx } from '../postgres/database.ts';
import { type Column, guestColumns, passkeyColumns, personalColumns, transactionColumns } from './columns.ts';
import type { ExportRow } from './exports.sql.ts';
import type { ExportType, Filters } from './filters.ts';
import { countGuests, guestParts } from './guestlist.sql.ts';
import { countPasskeyReport, passkeyParts } from './passkey-report.sql.ts';
import type { Format } from './render.sql.ts';
import { countTransactions, transactionParts } from './transactions.sql.ts';

/** What is exported, and how its cells are written. */
export interface Listing<F> {
  eventId: number;
  filters: F;
  /** With e-mails and documents, which can then be searched for. */
  personal: boolean;
  format: Format;
  zone: string;
  at: Date;
}

/** Ids greater than `after`, up to and including `upTo`. */
export interface Range {
  after: number;
  upTo: number;
}

/** A part of a list whose rows can be read by ranges of an id. No row belongs to two ids. */
export interface Part {
  /** Selects `id`: everything that the part may be made of. */
  ids: RawBuilder<unknown>;
  rows(range: Range): RawBuilder<unknown>;
  /**
   * All that is joined is limited to the range. Then a loop over one side for each row of the other is never better, and it takes minutes where
   * the planner has no statistics yet and expects one row.
   */
  isMerged?: true;
}

/** What an export is made of. */
interface List<F> {
  columns: readonly Column[];
  /** One after the other in the file. */
  parts(db: Database, listing: Listing<F>): Promise<Part[]>;
  count(listing: Listing<F>): RawBuilder<{ n: number }>;
}

const lists: { [T in ExportType]: List<Filters[T]> } = {
  transactions: { columns: transactionColumns, parts: transactionParts, count: countTransactions },
  guestlist: { columns: guestColumns, parts: guestParts, count: countGuests },
  passkey: { columns: passkeyColumns, parts: passkeyParts, count: countPasskeyReport },
};

const listOf = (type: ExportType): List<Filters[ExportType]> => lists[type];

const listingOf = ({ event_id, filters, personal, format, timezone }: ExportRow, at: Date): Listing<Filters[ExportType]> => ({
  eventId: event_id,
  filters,
  personal,
  format,
  zone: timezone,
  at,
});

export const columnsOf = ({ type, personal }: ExportRow): Column[] =>
  listOf(type).columns.filter(({ key }) => personal || !personalColumns.has(key));

export const partsOf = (db: Database, row: ExportRow, at: Date): Promise<Part[]> => listOf(row.type).parts(db, listingOf(row, at));

/** How many rows an export will have, more or less: it may take a while and nobody waits for it. */
export async function countRows(db: Database, row: ExportRow, at: Date): Promise<number> {
  const { rows } = await listOf(row.type).count(listingOf(row, at)).execute(db);
  return rows[0]?.n ?? 0;
}

/** The last id that a part has now; 0 for an empty part. */
export async function selectLastId(db: Database, { ids }: Part): Promise<number> {
  const { rows } = await sql<{ id: number | null }>`select max(id) as id from (${ids}) part`.execute(db);
  return rows[0]?.id ?? 0;
}

/** Until the transaction ends. */
export async function avoidLoops(tx: Tx): Promise<void> {
  await sql`select set_config('enable_nestloop', 'off', true)`.execute(tx);
}

/** Where a piece of `limit` ids ends; null when there are no more ids. */
export async function selectPieceEnd(tx: Tx, { ids }: Part, { after, upTo }: Range, limit: number): Promise<number | null> {
  const { rows } = await sql<{ id: number | null }>`
    select max(id) as id from (
      select id from (${ids}) part where id > ${after} and id <= ${upTo} order by id limit ${limit}) piece`.execute(tx);
  return rows[0]?.id ?? null;
}
