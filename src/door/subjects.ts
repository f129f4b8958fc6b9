import { type CheckingKey, checkTicketCode } from '../orders/ticket-check.ts';
import type { Tx } from '../postgres/database.ts';
import type { DoorItem } from './door-facts.sql.ts';
import type { Subject } from './examine.ts';
import { lockCodes, type SubjectRow, selectByCode, selectTickets } from './scans.sql.ts';
import type { DoorSession } from './session-window.ts';

/** What of an event a scan is held against. */
export interface DoorFacts {
  keys: readonly CheckingKey[];
  sessions: ReadonlyMap<number, DoorSession>;
  items: ReadonlyMap<number, DoorItem>;
}

/** A code as it was scanned: the number of a ticket if we have signed it, or else a text that may have been imported. */
export type ReadText = number | string;

export const readText = (code: string, keys: readonly CheckingKey[]): ReadText => checkTicketCode(code, keys)?.ticketId ?? code.trim();

/** What the codes stand for. What is not among them is unknown. */
export async function findSubjects(tx: Tx, eventId: number, facts: DoorFacts, texts: readonly ReadText[]): Promise<Map<ReadText, Subject>> {
  const known = [...new Set(texts)];
  const codes = known.filter((text) => typeof text === 'string');
  await lockCodes(tx, eventId, codes);
  const tickets = await selectTickets(
    tx,
    eventId,
    known.filter((text) => typeof text === 'number'),
  );
  const imported = await selectByCode(tx, eventId, codes);
  return new Map<ReadText, Subject>([
    ...tickets.map((row): [ReadText, Subject] => [row.ticket_id ?? 0, toSubject(facts, row)]),
    ...imported.map((row): [ReadText, Subject] => [row.code, toSubject(facts, row)]),
  ]);
}

function toSubject({ sessions, items }: DoorFacts, row: SubjectRow): Subject {
  const ofItem = items.get(row.item_id)?.sessionIds ?? [];
  const ids = row.session_ids ?? (ofItem.length > 0 ? ofItem : [...sessions.keys()]);
  return {
    ticketId: row.ticket_id,
    codeId: row.code_id,
    importedCodeId: row.imported_code_id,
    itemId: row.item_id,
    holder: row.holder,
    refunded: row.refunded,
    sessions: ids.flatMap((id) => sessions.get(id) ?? []),
    admissions: row.admissions ?? [],
  };
}
