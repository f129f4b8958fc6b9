import { type RawBuilder, sql } from 'kysely';
import type { Database, Tx } from '../postgres/database.ts';
import { type Column, guestColumns, passkeyColumns, personalColumns, transactionColumns } from './columns.ts';
import type { ExportRow } from './exports.sql.ts';
import type { ExportType, Filters } from './filters.ts';
import { countGuests, guestParts } from './guestlist.sql.ts';
import { countPasskeyReport, passkeyParts } from './passkey-report.sql.ts';
import type { Format } from './render.sql.ts';
import { countTransactions, transactionParts } from './transactions.sql.ts';

/** The parameters of the queries of an export. */
export interface Listing<F> {
  eventId: number;
  filters: F;
  /** Whether the file contains e-mails and documents. If it does, `term` also searches them. */
  personal: boolean;
  format: Format;
  zone: string;
  at: Date;
}

/** A range of ids: greater than `after`, up to and including `upTo`. */
export interface Range {
  after: number;
  upTo: number;
}

/** A part of a list. It is read in ranges of ids, and each of its rows belongs to exactly one id. */
export interface Part {
  /** Selects all ids of the part, without filters. */
  ids: RawBuilder<unknown>;
  rows(range: Range): RawBuilder<unknown>;
  /**
   * Set if every joined table is limited to the range. A nested loop is then never faster than another join. Without statistics the planner
   * expects one row and may choose a nested loop that takes minutes.
   */
  avoidNestedLoops?: true;
}

interface List<F> {
  columns: readonly Column[];
  /** The file contains the parts in this order. */
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

/**
 * Counts the rows. The number is an estimate, because rows may change while the export runs. The export does not wait for this slow query.
 */
export async function countRows(db: Database, row: ExportRow, at: Date): Promise<number> {
  const { rows } = await listOf(row.type).count(listingOf(row, at)).execute(db);
  return rows[0]?.n ?? 0;
}

/** Returns the largest id of the part, or 0 if the part is empty. */
export async function selectLastId(db: Database, { ids }: Part): Promise<number> {
  const { rows } = await sql<{ id: number | null }>`select max(id) as id from (${ids}) part`.execute(db);
  return rows[0]?.id ?? 0;
}

/** Makes the planner avoid nested loops until the transaction ends. */
export async function disableNestedLoops(tx: Tx): Promise<void> {
  await sql`select set_config('enable_nestloop', 'off', true)`.execute(tx);
}

/** Returns the last of the next `limit` ids, or null if no ids are left. */
export async function selectPieceEnd(tx: Tx, { ids }: Part, { after, upTo }: Range, limit: number): Promise<number | null> {
  const { rows } = await sql<{ id: number | null }>`
    select max(id) as id from (
      select id from (${ids}) part where id > ${after} and id <= ${upTo} order by id limit ${limit}) piece`.execute(tx);
  return rows[0]?.id ?? null;
}
