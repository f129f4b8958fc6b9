import { type Selectable, sql } from 'kysely';
import type { RowKey } from '../kernel/ids-by-event.ts';
import type { Database, Tx } from '../postgres/database.ts';
import type { Schema } from '../postgres/schema.ts';
import type { ExportType, Filters } from './filters.ts';

export interface ExportRow extends Omit<Selectable<Schema['export']>, 'filters'> {
  filters: Filters[keyof Filters];
  /** The title of the event. The link and the time zone are also those of the event. */
  title: string;
  link: string;
  timezone: string;
  producer_id: number;
  /** The e-mail address of the user who requested the export. */
  email: string;
  /** The key that signs the download link. */
  secret: Buffer;
}

const exportRows = sql`
  select x.*, e.title, e.link, e.timezone, e.producer_id, u.email, k.secret
    from export x join event e on e.id = x.event_id join app_user u on u.id = x.user_id cross join file_link_key k`;

/** The database stores only a salt. The signing key is derived from the salt and SECRET_KEY. */
const withLinkKey =
  ({ secrets }: Database | Tx) =>
  (row: ExportRow): ExportRow => ({ ...row, secret: secrets.deriveKey('export links', row.secret) });

export async function selectExport(db: Database | Tx, { eventId, id }: RowKey): Promise<ExportRow | undefined> {
  const { rows } = await sql<ExportRow>`${exportRows} where x.event_id = ${eventId} and x.id = ${id}`.execute(db);
  return rows.map(withLinkKey(db))[0];
}

/** Which exports a user may see: these types, and files with e-mails and documents only if `personal` is true. */
export interface VisibleExports {
  types: ExportType[];
  personal: boolean;
}

const isVisible = ({ types, personal }: VisibleExports) => sql`x.type = any(${types}::text[]) and (${personal} or not x.personal)`;

export async function selectExportsOfEvent(
  tx: Tx,
  eventId: number,
  visible: VisibleExports,
  status: ExportRow['status'] | undefined,
  before: number | null,
  limit: number,
): Promise<ExportRow[]> {
  const hasStatus = status === undefined ? sql`true` : sql`x.status = ${status}`;
  const start = before === null ? sql`true` : sql`x.id < ${before}`;
  const { rows } = await sql<ExportRow>`
    ${exportRows} where x.event_id = ${eventId} and ${isVisible(visible)} and ${hasStatus} and ${start} order by x.id desc limit ${limit}`.execute(
    tx,
  );
  return rows.map(withLinkKey(tx));
}

export async function countExportsOfEvent(
  tx: Tx,
  eventId: number,
  visible: VisibleExports,
  status: ExportRow['status'] | undefined,
): Promise<number> {
  const hasStatus = status === undefined ? sql`true` : sql`x.status = ${status}`;
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from export x where x.event_id = ${eventId} and ${isVisible(visible)} and ${hasStatus}`.execute(tx);
  return rows[0]?.n ?? 0;
}

export async function selectEventOfExport(tx: Tx, id: number) {
  return tx.selectFrom('event').select(['producer_id', 'timezone', 'currency']).where('id', '=', id).executeTakeFirst();
}

/** Serializes the export requests of a user, so that two concurrent identical requests return the same export. */
export async function lockRequester(tx: Tx, userId: number): Promise<void> {
  await sql`select from app_user where id = ${userId} for no key update`.execute(tx);
}

/** Returns an export that the user has requested with the same parameters since that time, unless it failed or was cancelled. */
export async function selectSameRequest(
  tx: Tx,
  eventId: number,
  userId: number,
  fingerprint: Buffer,
  since: Date,
): Promise<number | undefined> {
  const row = await tx
    .selectFrom('export')
    .select('id')
    .where('event_id', '=', eventId)
    .where('user_id', '=', userId)
    .where('created_at', '>', since)
    .where('fingerprint', '=', fingerprint)
    .where('status', 'in', ['queued', 'running', 'ready'])
    .orderBy('id', 'desc')
    .executeTakeFirst();
  return row?.id;
}

export async function countUnfinished(tx: Tx, userId: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    /* all events */ select count(*) as n from export where user_id = ${userId} and status in ('queued', 'running')`.execute(tx);
  return rows[0]?.n ?? 0;
}

export interface NewExportRow {
  event_id: number;
  user_id: number;
  type: ExportRow['type'];
  format: ExportRow['format'];
  filters: string;
  locale: ExportRow['locale'];
  bom: boolean;
  personal: boolean;
  fingerprint: Buffer;
  created_at: Date;
  next_attempt_at: Date;
}

export async function insertExport(tx: Tx, row: NewExportRow): Promise<number> {
  return (await tx.insertInto('export').values(row).returning('id').executeTakeFirstOrThrow()).id;
}

/** Locks the row in a statement of its own, so that the next statement reads the export in a snapshot after the lock was granted. */
export async function lockExportRow(tx: Tx, { eventId, id }: RowKey): Promise<void> {
  await sql`select from export where event_id = ${eventId} and id = ${id} for no key update`.execute(tx);
}

export async function markCancelled(tx: Tx, { eventId, id }: RowKey, at: Date): Promise<void> {
  await tx
    .updateTable('export')
    .set({ status: 'cancelled', finished_at: at })
    .where('event_id', '=', eventId)
    .where('id', '=', id)
    .execute();
}
