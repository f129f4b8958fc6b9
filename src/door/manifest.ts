import { decodeCursor, encodeCursor, isCursor } from '../kernel/cursor.ts';
import type { Tx } from '../postgres/database.ts';
import { runPipeline } from '../postgres/pipeline.ts';
import { ticketPublicKeys } from '../tickets/ticket-keys.ts';
import type { Manifest, ManifestQuery } from './contract.ts';
import { itemsOf, sessionsOf } from './door-facts.sql.ts';
import {
  type ChangedAdmission,
  type DoorRow,
  type ImportedCode,
  type ManifestTicket,
  selectChangedAdmissions,
  selectChangedTickets,
  selectDoor,
  selectImportedCodes,
  selectTickets,
} from './manifest.sql.ts';
import { closesAt, type DoorSession, opensAt } from './session-window.ts';

const usualPage = 5_000;

/**
 * How much a device knows. It first reads all tickets by id, and after that the changes since it began. Numbers of changes become visible
 * in their order (see `ticket_log`), so nothing can appear before a number that was read.
 */
interface Position {
  lineage: string;
  /** The last change that the device knows, or that it will know once it has read all tickets. */
  change: number;
  /** The last ticket of the first reading; null when that is done. */
  ticketId: number | null;
  admissions: number;
  codes: number;
  codesDeleted: number;
}

export async function getManifest(tx: Tx, at: Date, eventId: number, { since, pageSize = usualPage }: ManifestQuery): Promise<Manifest> {
  const door = await selectDoor(tx, eventId);
  const { position, reset, codesReset } = startFrom(since === undefined ? undefined : readSince(since), door);
  const { tickets, ...told } = await nextTickets(tx, eventId, position, door, pageSize);
  const admissions = await selectChangedAdmissions(tx, eventId, position.admissions, pageSize);
  const codes = await selectImportedCodes(tx, eventId, position.codes, pageSize);
  const next: Position = {
    ...position,
    ...told,
    admissions: admissions.at(-1)?.id ?? position.admissions,
    codes: codes.at(-1)?.id ?? position.codes,
  };
  const keys = await ticketPublicKeys(tx, [eventId]);
  const [sessions, items] = await runPipeline(tx, [sessionsOf(eventId), itemsOf(eventId)]);
  return {
    eventId,
    generatedAt: at.toISOString(),
    keys: keys.map(({ kid, publicKey }) => ({ kid, publicKey: publicKey.export({ format: 'jwk' }).x ?? '' })),
    sessions: sessions.map(toSession),
    items,
    codeSalt: door.salt,
    reset,
    codesReset,
    tickets: tickets.map(toTicket),
    codes: codes.map(toCode),
    admissions: admissions.map(toAdmission),
    next: writeSince(next),
    more: next.ticketId !== null || next.change < door.last_change || [admissions, codes].some((rows) => rows.length >= pageSize),
  };
}

/** The next page of tickets, and where the device stands after it. */
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

/** A position that this database did not give, or gave in an earlier life, is of no use: the device reads everything again. */
function startFrom(before: Position | null | undefined, door: DoorRow): { position: Position; reset: boolean; codesReset: boolean } {
  const { lineage, last_change: lastChange, next_scan: nextScan, codes_deleted: codesDeleted } = door;
  if (!before || before.lineage !== lineage || before.change > lastChange || before.admissions >= nextScan) {
    const reset = before !== undefined;
    return { position: { lineage, change: lastChange, ticketId: 0, admissions: 0, codes: 0, codesDeleted }, reset, codesReset: reset };
  }
  const codesReset = before.codesDeleted !== codesDeleted;
  return { position: { ...before, codes: codesReset ? 0 : before.codes, codesDeleted }, reset: false, codesReset };
}

const shape = ['string', 'number', 'number', 'number', 'number', 'number'] as const;
/** Of releases that told changes by transaction ids. */
const formerShape = ['number', 'number', 'number', 'number', 'number'] as const;
/** In the cursor, for "has read all tickets". */
const allRead = -1;

/** Null for a cursor of an earlier release. */
function readSince(text: string): Position | null {
  if (isCursor(text, formerShape)) return null;
  const [lineage, change, ticketId, admissions, codes, codesDeleted] = decodeCursor(text, shape, 'since');
  return {
    lineage,
    change: Math.max(change, 0),
    ticketId: ticketId < 0 ? null : ticketId,
    admissions: Math.max(admissions, 0),
    codes: Math.max(codes, 0),
    codesDeleted,
  };
}

const writeSince = ({ lineage, change, ticketId, admissions, codes, codesDeleted }: Position): string =>
  encodeCursor([lineage, change, ticketId ?? allRead, admissions, codes, codesDeleted]);

const instant = (milliseconds: number): string => new Date(milliseconds).toISOString();

const toSession = (session: DoorSession): Manifest['sessions'][number] => ({
  id: session.id,
  name: session.name,
  startsAt: instant(session.startsAt),
  finishesAt: instant(session.finishesAt),
  opensAt: instant(opensAt(session)),
  closesAt: instant(closesAt(session)),
});

const toTicket = ({ id, item_id, session_ids, status, code_hash }: ManifestTicket): Manifest['tickets'][number] => ({
  id,
  itemId: item_id,
  sessionIds: session_ids,
  status,
  codeHash: code_hash,
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
  undone: row.undone,
});
