import { decodeCursor, encodeCursor } from '../kernel/cursor.ts';
import { ticketPublicKeys } from '../orders/ticket-keys.ts';
import type { Tx } from '../postgres/database.ts';
import { inOneJourney } from '../postgres/journey.ts';
import type { Manifest, ManifestQuery } from './contract.ts';
import { itemsOf, sessionsOf } from './door-facts.sql.ts';
import {
  type ChangedAdmission,
  type ChangedTicket,
  type DoorRow,
  type ImportedCode,
  selectChangedAdmissions,
  selectChangedTickets,
  selectDoor,
  selectImportedCodes,
} from './manifest.sql.ts';
import { closesAt, type DoorSession, opensAt } from './session-window.ts';

const usualPage = 5_000;

/**
 * How far a device has heard. Transactions end in another order than they begin, so that a later one may be seen before an earlier one:
 * whoever has heard of all tickets starts again from the `horizon` that stood when they began, before which nothing can come any more.
 */
interface Heard {
  /** Of the round under way; 0 between rounds. */
  horizon: number;
  tickets: number;
  admissions: number;
  codes: number;
  codesDeleted: number;
}

export async function getManifest(tx: Tx, at: Date, eventId: number, { since, pageSize = usualPage }: ManifestQuery): Promise<Manifest> {
  const door = await selectDoor(tx, eventId);
  const before = since === undefined ? null : readSince(since);
  const { heard, codesReset } = startFrom(before, door);
  const tickets = await selectChangedTickets(tx, eventId, heard.tickets, pageSize);
  const admissions = await selectChangedAdmissions(tx, eventId, heard.admissions, pageSize);
  const codes = await selectImportedCodes(tx, eventId, heard.codes, pageSize);
  const more = [tickets, admissions, codes].some((rows) => rows.length >= pageSize);
  const now: Heard = {
    ...heard,
    tickets: tickets.at(-1)?.changed_in ?? heard.tickets,
    admissions: admissions.at(-1)?.id ?? heard.admissions,
    codes: codes.at(-1)?.id ?? heard.codes,
  };
  const keys = await ticketPublicKeys(tx, [eventId]);
  const [sessions, items] = await inOneJourney(tx, [sessionsOf(eventId), itemsOf(eventId)]);
  return {
    eventId,
    generatedAt: at.toISOString(),
    keys: keys.map(({ kid, publicKey }) => ({ kid, publicKey: publicKey.export({ format: 'jwk' }).x ?? '' })),
    sessions: sessions.map(toSession),
    items,
    codeSalt: door.salt,
    codesReset,
    tickets: tickets.map(toTicket),
    codes: codes.map(toCode),
    admissions: admissions.map(toAdmission),
    next: writeSince(more ? now : { ...now, horizon: 0, tickets: heard.horizon - 1 }),
    more,
  };
}

/** Numbers of transactions and scans that are yet to come are from another database: all is told again. */
function startFrom(before: Heard | null, door: DoorRow): { heard: Heard; codesReset: boolean } {
  const { horizon, codes_deleted: codesDeleted } = door;
  if (!before || Math.max(before.horizon, before.tickets) > door.next || before.admissions >= door.next_scan) {
    return { heard: { horizon, tickets: 0, admissions: 0, codes: 0, codesDeleted }, codesReset: before !== null };
  }
  const codesReset = before.codesDeleted !== codesDeleted;
  return {
    heard: { ...before, horizon: before.horizon || horizon, codes: codesReset ? 0 : before.codes, codesDeleted },
    codesReset,
  };
}

const numbers = ['number', 'number', 'number', 'number', 'number'] as const;

function readSince(text: string): Heard {
  const [horizon, tickets, admissions, codes, codesDeleted] = decodeCursor(text, numbers, 'since').map((n) => Math.max(n, 0)) as [
    number,
    number,
    number,
    number,
    number,
  ];
  return { horizon, tickets, admissions, codes, codesDeleted };
}

const writeSince = ({ horizon, tickets, admissions, codes, codesDeleted }: Heard): string =>
  encodeCursor([horizon, tickets, admissions, codes, codesDeleted]);

const instant = (milliseconds: number): string => new Date(milliseconds).toISOString();

const toSession = (session: DoorSession): Manifest['sessions'][number] => ({
  id: session.id,
  name: session.name,
  startsAt: instant(session.startsAt),
  finishesAt: instant(session.finishesAt),
  opensAt: instant(opensAt(session)),
  closesAt: instant(closesAt(session)),
});

const toTicket = ({ id, item_id, session_ids, status, code_hash }: ChangedTicket): Manifest['tickets'][number] => ({
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
