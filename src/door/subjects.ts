import type { Columns } from '../postgres/lists.ts';
import type { Step } from '../postgres/pipeline.ts';
import { isSigned, type ReadCode, type TicketPublicKey } from '../tickets/ticket-code.ts';
import type { DoorItem } from './door-facts.sql.ts';
import type { Subject } from './examine.ts';
import type { DoorSession } from './session-window.ts';
import { type CodeRow, lockCodes, subjectsByCode, type TicketRow, ticketsById } from './subjects.sql.ts';

/** What of an event a scan is held against. */
export class DoorFacts {
  readonly keys: readonly TicketPublicKey[];
  readonly sessions: ReadonlyMap<number, DoorSession>;
  readonly items: ReadonlyMap<number, DoorItem>;
  readonly #sessionsFor = new Map<string, DoorSession[]>();

  constructor(keys: readonly TicketPublicKey[], sessions: readonly DoorSession[], items: readonly DoorItem[]) {
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

/** What some scans are about. */
export interface Asked {
  /** Of tickets. */
  ids: readonly number[];
  /** That may have been imported. */
  codes: readonly string[];
  nonces: readonly string[];
}

/** What a code says it is, or may be. */
export const toAsk = (eventId: number, text: string, code: ReadCode | null): ReadText =>
  code?.claim.eventId === eventId ? code.claim.ticketId : text.trim();

/** The same once its signature is checked. */
export const toText = async (facts: DoorFacts, text: string, code: ReadCode | null): Promise<ReadText> =>
  code && (await isSigned(code, facts.keys)) ? code.claim.ticketId : text.trim();

/** The tickets that these are the numbers of; told when the facts are known. */
export const ticketsOf = (eventId: number, ids: readonly number[]): Step<(facts: DoorFacts) => [ReadText, Subject][]> => ({
  statements: ids.length === 0 ? [] : [ticketsById(eventId, ids)],
  read:
    ([rows = []]) =>
    (facts) =>
      (rows as Columns<TicketRow>[]).flatMap((tickets) => toTickets(facts, tickets)),
});

/** Nobody deletes or sells these until the transaction ends. */
export const lockedCodes = (eventId: number, codes: readonly string[]): Step<null> => ({
  statements: codes.length === 0 ? [] : [lockCodes(eventId, codes)],
  read: () => null,
});

/** What these stand for if they were imported; told when the facts are known. */
export const importedOf = (eventId: number, codes: readonly string[]): Step<(facts: DoorFacts) => [ReadText, Subject][]> => ({
  statements: codes.length === 0 ? [] : [subjectsByCode(eventId, codes)],
  read:
    ([rows = []]) =>
    (facts) =>
      (rows as CodeRow[]).map((row) => [row.code, toSubject(facts, row, row.ticket_id, row.code_id, row.imported_code_id)]),
});

function toTickets(facts: DoorFacts, { ticket_id, item_id, holder, refunded, session_ids }: Columns<TicketRow>): [ReadText, Subject][] {
  return ticket_id.map((id, i) => {
    const row = {
      item_id: item_id[i] as number,
      holder: holder[i] ?? null,
      refunded: refunded[i] === true,
      session_ids: session_ids[i] ?? null,
    };
    return [id, toSubject(facts, row, id, null, null)];
  });
}

const toSubject = (
  facts: DoorFacts,
  row: Omit<TicketRow, 'ticket_id'>,
  ticketId: number | null,
  codeId: number | null,
  importedCodeId: number | null,
): Subject => ({
  ticketId,
  codeId,
  importedCodeId,
  itemId: row.item_id,
  holder: row.holder,
  refunded: row.refunded,
  sessions: facts.sessionsFor(row.item_id, row.session_ids),
});
