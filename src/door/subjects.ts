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

/** The tickets that these are the numbers of. */
export async function findTickets(tx: Tx, eventId: number, facts: DoorFacts, texts: readonly ReadText[]): Promise<[ReadText, Subject][]> {
  const ids = [...new Set(texts)].filter((text) => typeof text === 'number');
  const rows = await selectTickets(tx, eventId, ids);
  return rows.map((row) => [row.ticket_id ?? 0, toSubject(facts, row)]);
}

/** What these stand for if they were imported; nobody deletes or sells them until the transaction ends. */
export async function findImported(tx: Tx, eventId: number, facts: DoorFacts, texts: readonly ReadText[]): Promise<[ReadText, Subject][]> {
  const codes = [...new Set(texts)].filter((text) => typeof text === 'string');
  await lockCodes(tx, eventId, codes);
  const rows = await selectByCode(tx, eventId, codes);
  return rows.map((row) => [row.code, toSubject(facts, row)]);
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
  };
}
