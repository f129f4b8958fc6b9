import type { Columns } from '../postgres/array-parameters.ts';
import type { Step } from '../postgres/pipeline.ts';
import type { ReadCode } from '../tickets/read-code.ts';
import { isSigned, type TicketPublicKey } from '../tickets/ticket-code.ts';
import { type CodeRow, lockCodes, type TicketRow, ticketsById, ticketsByImportedCode } from './check-in.sql.ts';
import type { AdmissibleTicket } from './scan-validity.ts';
import type { DoorSession } from './session-window.ts';
import type { DoorItem, DoorRules } from './sessions-and-items.sql.ts';

/** The ticket keys, sessions, items and rules of one event. Every scan is checked against them. */
export class DoorFacts {
  readonly keys: readonly TicketPublicKey[];
  readonly sessions: ReadonlyMap<number, DoorSession>;
  readonly items: ReadonlyMap<number, DoorItem>;
  readonly refusesDisputed: boolean;
  readonly reentry: DoorRules['reentry'];
  readonly #sessionsFor = new Map<string, DoorSession[]>();

  constructor(keys: readonly TicketPublicKey[], sessions: readonly DoorSession[], items: readonly DoorItem[], rules: DoorRules) {
    this.refusesDisputed = rules.refusesDisputed;
    this.reentry = rules.reentry;
    this.keys = keys;
    this.sessions = new Map(sessions.map((each) => [each.id, each]));
    this.items = new Map(items.map((each) => [each.id, each]));
  }

  /**
   * Returns the sessions for which a ticket is valid. `text` is an array of session ids as PostgreSQL writes it. If `text` is null, these are
   * the sessions of the item, or all sessions if the item has none.
   */
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

/** The key to look up an entry: the ticket id (a number) of a signed code or of the entry itself, otherwise the scanned text (a string). */
export type TicketLookupKey = number | string;

/** An entry has either a code or the id of a ticket. */
interface LookupEntry {
  code?: string;
  ticketId?: number;
}

const ownKey = ({ code, ticketId }: LookupEntry): TicketLookupKey => ticketId ?? code?.trim() ?? '';

/** Everything that a batch of scans looks up. */
export interface LookupKeys {
  ticketIds: readonly number[];
  /** Texts that may be imported codes. */
  codes: readonly string[];
  nonces: readonly string[];
}

/** The key according to the content of the code. The signature is not verified yet. */
export const unverifiedKey = (eventId: number, entry: LookupEntry, code: ReadCode | null): TicketLookupKey =>
  code?.claim.eventId === eventId ? code.claim.ticketId : ownKey(entry);

/** The key after the signature is verified. A code with a forged signature is looked up as an imported code. */
export const verifiedKey = async (facts: DoorFacts, entry: LookupEntry, code: ReadCode | null): Promise<TicketLookupKey> =>
  code && (await isSigned(code, facts.keys)) ? code.claim.ticketId : ownKey(entry);

/** Returns a function of `facts`, because tickets and facts are read in the same round trip. */
export const ticketsOf = (eventId: number, ids: readonly number[]): Step<(facts: DoorFacts) => [TicketLookupKey, AdmissibleTicket][]> => ({
  statements: ids.length === 0 ? [] : [ticketsById(eventId, ids)],
  read:
    ([rows = []]) =>
    (facts) =>
      (rows as Columns<TicketRow>[]).flatMap((tickets) => toTickets(facts, tickets)),
});

/** Locks these codes until the transaction ends, so that they cannot be deleted or sold. */
export const lockedCodes = (eventId: number, codes: readonly string[]): Step<null> => ({
  statements: codes.length === 0 ? [] : [lockCodes(eventId, codes)],
  read: () => null,
});

/** Reads the tickets of imported codes. Unknown codes are left out. Returns a function for the same reason as `ticketsOf`. */
export const importedOf = (
  eventId: number,
  codes: readonly string[],
): Step<(facts: DoorFacts) => [TicketLookupKey, AdmissibleTicket][]> => ({
  statements: codes.length === 0 ? [] : [ticketsByImportedCode(eventId, codes)],
  read:
    ([rows = []]) =>
    (facts) =>
      (rows as CodeRow[]).map((row) => [row.code, toAdmissibleTicket(facts, row, row.ticket_id, row.code_id, row.imported_code_id)]),
});

function toTickets(
  facts: DoorFacts,
  { ticket_id, item_id, holder, refunded, disputed, session_ids }: Columns<TicketRow>,
): [TicketLookupKey, AdmissibleTicket][] {
  return ticket_id.map((id, i) => {
    const row = {
      item_id: item_id[i] as number,
      holder: holder[i] ?? null,
      refunded: refunded[i] === true,
      disputed: disputed[i] === true,
      session_ids: session_ids[i] ?? null,
    };
    return [id, toAdmissibleTicket(facts, row, id, null, null)];
  });
}

const toAdmissibleTicket = (
  facts: DoorFacts,
  row: Omit<TicketRow, 'ticket_id'>,
  ticketId: number | null,
  codeId: number | null,
  importedCodeId: number | null,
): AdmissibleTicket => ({
  ticketId,
  codeId,
  importedCodeId,
  itemId: row.item_id,
  holder: row.holder,
  refunded: row.refunded,
  refusedAsDisputed: row.disputed && facts.refusesDisputed,
  sessions: facts.sessionsFor(row.item_id, row.session_ids),
});
