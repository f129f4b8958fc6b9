import type { Columns } from '../postgres/array-parameters.ts';
import type { Step } from '../postgres/pipeline.ts';
import { isSigned, type ReadCode, type TicketPublicKey } from '../tickets/ticket-code.ts';
import type { DoorItem } from './door-facts.sql.ts';
import type { Subject } from './scan-validity.ts';
import type { DoorSession } from './session-window.ts';
import { type CodeRow, lockCodes, subjectsByCode, type TicketRow, ticketsById } from './subjects.sql.ts';

/** The keys, sessions and items of one event, which every scan is checked against. */
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

  /** `text` is an array of session ids as PostgreSQL writes it. Without it, the sessions of the item apply, or all if the item has none. */
  sessionsFor(itemId: number, text: string | null): DoorSession[] {
    const key = text ?? `item ${itemId}`;
    const sessions = this.#sessionsFor.get(key) ?? this.#findSessions(itemId, text);
    this.#sessionsFor.set(key, sessions);
    return sessions;
  }

  #findSessions(itemId: number, text: string | null): DoorSession[] {
    const ofItem = this.items.get(itemId)?.sessionIds ?? [];
    const ids = text === null ? (ofItem.length > 0 ? ofItem : [...this.sessions.keys()]) : text.slice(1, -1).split(',').map(Number);
    return ids.flatMap((id) => this.sessions.get(id) ?? []);
  }
}

/** How a scanned code is looked up: a signed code by its ticket id (number), any other text as an imported code (string). */
export type SubjectKey = number | string;

/** Everything that a batch of scans looks up. */
export interface LookupKeys {
  ticketIds: readonly number[];
  /** Texts that may be imported codes. */
  codes: readonly string[];
  nonces: readonly string[];
}

/** The key that the code claims. The signature is not checked yet. */
export const claimedKey = (eventId: number, text: string, code: ReadCode | null): SubjectKey =>
  code?.claim.eventId === eventId ? code.claim.ticketId : text.trim();

/** The key after checking the signature. A code with a forged signature is looked up as an imported code. */
export const verifiedKey = async (facts: DoorFacts, text: string, code: ReadCode | null): Promise<SubjectKey> =>
  code && (await isSigned(code, facts.keys)) ? code.claim.ticketId : text.trim();

/** Returns a function, because the facts are read in the same round trip and are needed to build the subjects. */
export const ticketsOf = (eventId: number, ids: readonly number[]): Step<(facts: DoorFacts) => [SubjectKey, Subject][]> => ({
  statements: ids.length === 0 ? [] : [ticketsById(eventId, ids)],
  read:
    ([rows = []]) =>
    (facts) =>
      (rows as Columns<TicketRow>[]).flatMap((tickets) => toTickets(facts, tickets)),
});

/** Until the transaction ends, these codes cannot be deleted or sold. */
export const lockedCodes = (eventId: number, codes: readonly string[]): Step<null> => ({
  statements: codes.length === 0 ? [] : [lockCodes(eventId, codes)],
  read: () => null,
});

/** The subjects of those codes that were imported. Returns a function for the same reason as `ticketsOf`. */
export const importedOf = (eventId: number, codes: readonly string[]): Step<(facts: DoorFacts) => [SubjectKey, Subject][]> => ({
  statements: codes.length === 0 ? [] : [subjectsByCode(eventId, codes)],
  read:
    ([rows = []]) =>
    (facts) =>
      (rows as CodeRow[]).map((row) => [row.code, toSubject(facts, row, row.ticket_id, row.code_id, row.imported_code_id)]),
});

function toTickets(facts: DoorFacts, { ticket_id, item_id, holder, refunded, session_ids }: Columns<TicketRow>): [SubjectKey, Subject][] {
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
