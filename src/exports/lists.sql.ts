import { type RawBuilder, sql } from 'kysely';
import type { Database, Tx } from '../postgres/database.ts';
import { type Column, guestColumns, passkeyColumns, personalColumns, transactionColumns } from './columns.ts';
import type { ExportRow } from './exports.sql.ts';
import type { ExportType, Filters } from './filters.ts';
import { countGuests, guestParts } from './guestlist.sql.ts';
import { countPasskeyReport, passkeyParts } from './passkey-report.sql.ts';
import type { Format } from './render.sql.ts';
import { countTransactions, transactionParts } from './transactions.sql.ts';

/** What a query of an export needs to know. */
export interface Listing<F> {
  eventId: number;
  filters: F;
  /** Whether the file has e-mails and documents. `term` then searches them too. */
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

/** A part of a list that is read by ranges of an id. Each row belongs to exactly one id. */
export interface Part {
  /** A query of all ids, before filters. */
  ids: RawBuilder<unknown>;
  rows(range: Range): RawBuilder<unknown>;
  /**
   * Set if every joined table is limited to the range. A nested loop is then never faster. It takes minutes if the planner has no statistics
   * yet and expects one row.
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

/** An estimate, because rows may change while the export runs. Slow for large events: the export does not wait for it. */
export async function countRows(db: Database, row: ExportRow, at: Date): Promise<number> {
  const { rows } = await listOf(row.type).count(listingOf(row, at)).execute(db);
  return rows[0]?.n ?? 0;
}

/** The largest id of the part, or 0. */
export async function selectLastId(db: Database, { ids }: Part): Promise<number> {
  const { rows } = await sql<{ id: number | null }>`select max(id) as id from (${ids}) part`.execute(db);
  return rows[0]?.id ?? 0;
}

/** Applies until the transaction ends. */
export async function disableNestedLoops(tx: Tx): Promise<void> {
  await sql`select set_config('enable_nestloop', 'off', true)`.execute(tx);
}

/** The last id of the next `limit` ids, or null if no ids are left. */
export async function selectPieceEnd(tx: Tx, { ids }: Part, { after, upTo }: Range, limit: number): Promise<number | null> {
  const { rows } = await sql<{ id: number | null }>`
    select max(id) as id from (
      select id from (${ids}) part where id > ${after} and id <= ${upTo} order by id limit ${limit}) piece`.execute(tx);
  return rows[0]?.id ?? null;
}
