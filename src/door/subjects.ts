import { type CheckingKey, checkTicketCode } from '../orders/ticket-check.ts';
import type { Leg } from '../postgres/journey.ts';
import type { DoorItem } from './door-facts.sql.ts';
import type { Subject } from './examine.ts';
import type { DoorSession } from './session-window.ts';
import { type CodeRow, lockCodes, markNow, subjectsByCode, type TicketRow, ticketsById, ticketsRefundedSince } from './subjects.sql.ts';

/** What of an event a scan is held against. */
export class DoorFacts {
  readonly keys: readonly CheckingKey[];
  readonly sessions: ReadonlyMap<number, DoorSession>;
  readonly items: ReadonlyMap<number, DoorItem>;
  readonly #sessionsFor = new Map<string, DoorSession[]>();

  constructor(keys: readonly CheckingKey[], sessions: readonly DoorSession[], items: readonly DoorItem[]) {
    this.keys = keys;
    this.sessions = new Map(sessions.map((each) => [each.id, each]));
    this.items = new Map(items.map((each) => [each.id, each]));
  }

  /** Those that a ticket is for, given the text of an array of them; or else those of its item, or else all. */
  sessionsFor(itemId: number, text: string | null): DoorSession[] {
    const key = text ?? `item ${itemId}`;
    const known = this.#sessionsFor.get(key) ?? this.#find(itemId, text);
    this.#sessionsFor.set(key, known);
    return known;
  }

  #find(itemId: number, text: string | null): DoorSession[] {
    const ofItem = this.items.get(itemId)?.sessionIds ?? [];
    const ids = text === null ? (ofItem.length > 0 ? ofItem : [...this.sessions.keys()]) : text.slice(1, -1).split(',').map(Number);
    return ids.flatMap((id) => this.sessions.get(id) ?? []);
  }
}

/** A code as it was scanned: the number of a ticket if we have signed it, or else a text that may have been imported. */
export type ReadText = number | string;

export const readText = (code: string, keys: readonly CheckingKey[]): ReadText => checkTicketCode(code, keys)?.ticketId ?? code.trim();

/** The tickets that these are the numbers of. */
export const ticketsOf = (eventId: number, facts: DoorFacts, ids: readonly number[]): Leg<[ReadText, Subject][]> => ({
  statements: ids.length === 0 ? [] : [markNow, ticketsById(eventId, ids)],
  read: ([, rows = []]) =>
    (rows as TicketRow[]).map((row) => [row.ticket_id, toSubject(facts, { ...row, code_id: null, imported_code_id: null })]),
});

/** Those that were refunded while `ticketsOf` read them, or after. */
export const refundedSince = (eventId: number, ids: readonly number[]): Leg<number[]> => ({
  statements: ids.length === 0 ? [] : [ticketsRefundedSince(eventId)],
  read: ([rows = []]) => (rows as { id: number }[]).map(({ id }) => id),
});

/** What these stand for if they were imported; nobody deletes or sells them until the transaction ends. */
export const importedOf = (eventId: number, facts: DoorFacts, codes: readonly string[]): Leg<[ReadText, Subject][]> => ({
  statements: codes.length === 0 ? [] : [lockCodes(eventId, codes), subjectsByCode(eventId, codes)],
  read: ([, rows = []]) => (rows as CodeRow[]).map((row) => [row.code, toSubject(facts, row)]),
});

const toSubject = (facts: DoorFacts, row: Omit<CodeRow, 'code' | 'imported_code_id'> & { imported_code_id: number | null }): Subject => ({
  ticketId: row.ticket_id,
  codeId: row.code_id,
  importedCodeId: row.imported_code_id,
  itemId: row.item_id,
  holder: row.holder,
  refunded: row.refunded,
  sessions: facts.sessionsFor(row.item_id, row.session_ids),
});
