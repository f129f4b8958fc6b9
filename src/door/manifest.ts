import { createHash } from 'node:crypto';
import { decodeCursor, encodeCursor, isCursor } from '../kernel/cursor.ts';
import type { Tx } from '../postgres/database.ts';
import { runPipeline } from '../postgres/pipeline.ts';
import { plainShortCode, shortCodesOf } from '../tickets/short-code.ts';
import { ticketKeys, ticketPublicKeys } from '../tickets/ticket-keys.ts';
import {
  type ChangedAdmission,
  type DoorRow,
  type ImportedCode,
  type ManifestTicket,
  selectChangedAdmissions,
  selectChangedSlots,
  selectChangedTickets,
  selectDoor,
  selectImportedCodes,
  selectTickets,
} from './manifest.sql.ts';
import type { Manifest, ManifestQuery } from './manifest-contract.ts';
import { closesAt, type DoorSession, opensAt } from './session-window.ts';
import { itemsOf, sessionsOf } from './sessions-and-items.sql.ts';

const defaultPageSize = 5_000;

/**
 * How far a device has read. A device first reads all tickets by id (the first pass), then the changes since the start of that pass. Change
 * numbers become visible in ascending order (see `ticket_log`), so no change can appear later with a smaller number than one already read.
 */
interface Position {
  databaseHistoryId: string;
  /** The last change that the device has read. During the first pass: the last change when the pass started. */
  change: number;
  /** The last ticket that the device has read in the first pass. Null after the first pass. */
  ticketId: number | null;
  admissions: number;
  codes: number;
  codesDeleted: number;
}

export async function getManifest(
  tx: Tx,
  at: Date,
  eventId: number,
  { since, pageSize = defaultPageSize }: ManifestQuery,
): Promise<Manifest> {
  const door = await selectDoor(tx, eventId);
  const { position, reset, codesReset } = resumeFrom(since === undefined ? undefined : parseSince(since), door);
  const { tickets, ...progress } = await nextTickets(tx, eventId, position, door, pageSize);
  const selectAdmissions = door.reentry === 'none' ? selectChangedAdmissions : selectChangedSlots;
  const admissions = await selectAdmissions(tx, eventId, position.admissions, pageSize);
  const codes = await selectImportedCodes(tx, eventId, position.codes, pageSize);
  const next: Position = {
    ...position,
    ...progress,
    admissions: admissions.at(-1)?.id ?? position.admissions,
    codes: codes.at(-1)?.id ?? position.codes,
  };
  const keys = await ticketPublicKeys(tx, [eventId]);
  const shortHashes = await shortHashesOf(tx, eventId, door.salt, tickets);
  const [sessions, items] = await runPipeline(tx, [sessionsOf(eventId), itemsOf(eventId)]);
  return {
    eventId,
    generatedAt: at.toISOString(),
    now: at.toISOString(),
    keys: keys.map(({ kid, publicKey }) => ({ kid, publicKey: publicKey.export({ format: 'jwk' }).x ?? '' })),
    sessions: sessions.map(toSession),
    items,
    disputedTickets: door.disputed_tickets,
    reentry: door.reentry,
    codeSalt: door.salt,
    reset,
    codesReset,
    tickets: tickets.map((ticket) => toTicket(ticket, shortHashes.get(ticket.id) ?? null)),
    codes: codes.map(toCode),
    admissions: admissions.map(toAdmission),
    next: formatSince(next),
    more: next.ticketId !== null || next.change < door.last_change || (admissions[0]?.read ?? 0) >= pageSize || codes.length >= pageSize,
  };
}

/** Returns the next page of tickets and the position after it. */
async function nextTickets(
  tx: Tx,
  eventId: number,
  { change, ticketId }: Position,
  door: DoorRow,
  pageSize: number,
): Promise<{ tickets: ManifestTicket[] } & Pick<Position, 'change' | 'ticketId'>> {
  if (ticketId !== null) {
    const tickets = await selectTickets(tx, eventId, ticketId, pageSize);
    return { tickets, change, ticketId: tickets.length < pageSize ? null : (tickets.at(-1)?.id ?? null) };
  }
  const tickets = await selectChangedTickets(tx, eventId, change, pageSize);
  return { tickets, change: tickets.at(-1)?.change ?? door.last_change, ticketId: null };
}

/** Starts from the beginning if the position belongs to another history of the database, or is ahead of the database. */
function resumeFrom(before: Position | null | undefined, door: DoorRow): { position: Position; reset: boolean; codesReset: boolean } {
  const { database_history_id: databaseHistoryId, last_change: lastChange, next_scan: nextScan, codes_deleted: codesDeleted } = door;
  if (!before || before.databaseHistoryId !== databaseHistoryId || before.change > lastChange || before.admissions >= nextScan) {
    const reset = before !== undefined;
    return {
      position: { databaseHistoryId, change: lastChange, ticketId: 0, admissions: 0, codes: 0, codesDeleted },
      reset,
      codesReset: reset,
    };
  }
  const codesReset = before.codesDeleted !== codesDeleted;
  return { position: { ...before, codes: codesReset ? 0 : before.codes, codesDeleted }, reset: false, codesReset };
}

const cursorShape = ['string', 'number', 'number', 'number', 'number', 'number'] as const;
/** The shape of cursors of older releases, which numbered changes by transaction id. */
const oldCursorShape = ['number', 'number', 'number', 'number', 'number'] as const;
/** The value of `ticketId` in a cursor after the first pass. A cursor cannot contain null. */
const firstPassDone = -1;

/** Returns null for a cursor of an older release. */
function parseSince(text: string): Position | null {
  if (isCursor(text, oldCursorShape)) return null;
  const [databaseHistoryId, change, ticketId, admissions, codes, codesDeleted] = decodeCursor(text, cursorShape, {
    in: 'query',
    field: 'since',
  });
  return {
    databaseHistoryId,
    change: Math.max(change, 0),
    ticketId: ticketId < 0 ? null : ticketId,
    admissions: Math.max(admissions, 0),
    codes: Math.max(codes, 0),
    codesDeleted,
  };
}

const formatSince = ({ databaseHistoryId, change, ticketId, admissions, codes, codesDeleted }: Position): string =>
  encodeCursor([databaseHistoryId, change, ticketId ?? firstPassDone, admissions, codes, codesDeleted]);

const instant = (milliseconds: number): string => new Date(milliseconds).toISOString();

const toSession = (session: DoorSession): Manifest['sessions'][number] => ({
  id: session.id,
  name: session.name,
  startsAt: instant(session.startsAt),
  finishesAt: instant(session.finishesAt),
  opensAt: instant(opensAt(session)),
  closesAt: instant(closesAt(session)),
});

/** Returns the hashes of the short codes by ticket id. Tickets with an imported code have none. */
async function shortHashesOf(tx: Tx, eventId: number, salt: string, tickets: readonly ManifestTicket[]): Promise<Map<number, string>> {
  const ids = tickets.filter(({ code_hash }) => code_hash === null).map(({ id }) => id);
  const key = ids.length === 0 ? undefined : (await ticketKeys(tx, [eventId])).get(eventId);
  if (!key) return new Map();
  const bytes = Buffer.from(salt, 'hex');
  const hashOf = (shortCode: string) => createHash('sha256').update(bytes).update(plainShortCode(shortCode)).digest('hex').slice(0, 10);
  const shortCodes = shortCodesOf(key);
  return new Map(ids.map((id) => [id, hashOf(shortCodes.encode(id))]));
}

const toTicket = (
  { id, item_id, session_ids, status, disputed, code_hash }: ManifestTicket,
  shortHash: string | null,
): Manifest['tickets'][number] => ({
  id,
  itemId: item_id,
  sessionIds: session_ids,
  status,
  disputed,
  codeHash: code_hash,
  shortHash,
});

const toCode = ({ id, item_id, session_id, code_hash }: ImportedCode): Manifest['codes'][number] => ({
  id,
  itemId: item_id,
  sessionId: session_id,
  codeHash: code_hash,
});

const toAdmission = (row: ChangedAdmission): Manifest['admissions'][number] => ({
  ticketId: row.ticket_id,
  codeId: row.external_code_id,
  sessionId: row.session_id,
  at: row.at.toISOString(),
  gate: row.gate,
  inside: row.inside,
  entries: row.entries,
  undone: row.undone,
});
