import type { Manifest } from '../../src/door/contract.ts';

export type ManifestSession = Manifest['sessions'][number];
export type ManifestItem = Manifest['items'][number];

/** A ticket, or an imported code that was sold elsewhere. */
export interface ManifestTicket {
  ticketId: number | null;
  codeId: number | null;
  itemId: number;
  /** Empty: the sessions of the item. */
  sessionIds: readonly number[];
  refunded: boolean;
  disputed: boolean;
}

/** Whether somebody has entered with a ticket in a session. `at` and `gate` are those of the last entry. */
export interface Admission {
  at: number;
  gate: string | null;
  inside: boolean;
  entries: number;
}

export const slotKey = (ticketId: number | null, codeId: number | null, sessionId: number | null): string =>
  `${ticketId === null ? `c${codeId}` : ticketId}/${sessionId ?? ''}`;

/** The parts of a manifest that every response contains completely. */
type Facts = Pick<
  Manifest,
  'eventId' | 'generatedAt' | 'keys' | 'sessions' | 'items' | 'disputedTickets' | 'reentry' | 'codeSalt' | 'next'
>;

const isRefunded = 1;
const isDisputed = 2;

/**
 * The tickets as columns: arrays in the same order. A hundred thousand objects would take several times longer to read from the device, and
 * several times the memory.
 */
interface Columns {
  ids: number[];
  items: number[];
  /** Index into `sessionLists`, because most tickets share a few lists. */
  sessions: number[];
  flags: number[];
  codeHashes: (string | null)[];
  shortHashes: (string | null)[];
}

interface Stored extends Columns {
  facts: Facts;
  sessionLists: number[][];
  codes: Manifest['codes'];
  admissions: [string, number, string | null, boolean, number][];
}

/** The manifest in memory. It changes with each response of the server. */
export class DoorManifest {
  facts: Facts;
  #columns: Columns = { ids: [], items: [], sessions: [], flags: [], codeHashes: [], shortHashes: [] };
  #sessionLists: number[][] = [];
  /** The position of a ticket in the columns. */
  #positions = new Map<number, number>();
  #ticketByHash = new Map<string, number>();
  #codes = new Map<string, Manifest['codes'][number]>();
  #admissions = new Map<string, Admission>();

  constructor(facts: Facts) {
    this.facts = facts;
  }

  static fromText(text: string): DoorManifest {
    const { facts, sessionLists, codes, admissions, ...columns } = JSON.parse(text) as Stored;
    const manifest = new DoorManifest(facts);
    manifest.#columns = columns;
    manifest.#sessionLists = sessionLists;
    for (const [i, id] of columns.ids.entries()) manifest.#positions.set(id, i);
    for (const [i, hash] of columns.codeHashes.entries()) if (hash) manifest.#ticketByHash.set(hash, columns.ids[i] as number);
    for (const code of codes) manifest.#codes.set(code.codeHash, code);
    for (const [key, at, gate, inside, entries] of admissions) manifest.#admissions.set(key, { at, gate, inside, entries });
    return manifest;
  }

  toText(): string {
    const stored: Stored = {
      facts: this.facts,
      ...this.#columns,
      sessionLists: this.#sessionLists,
      codes: [...this.#codes.values()],
      admissions: [...this.#admissions].map(([key, { at, gate, inside, entries }]) => [key, at, gate, inside, entries]),
    };
    return JSON.stringify(stored);
  }

  /** Applies a response of the server, see docs/door.md. */
  apply(page: Manifest): void {
    const { eventId, generatedAt, keys, sessions, items, disputedTickets, reentry, codeSalt, next } = page;
    this.facts = { eventId, generatedAt, keys, sessions, items, disputedTickets, reentry, codeSalt, next };
    if (page.reset) {
      this.#columns = { ids: [], items: [], sessions: [], flags: [], codeHashes: [], shortHashes: [] };
      this.#positions.clear();
      this.#ticketByHash.clear();
      this.#admissions.clear();
    }
    if (page.reset || page.codesReset) this.#codes.clear();
    for (const ticket of page.tickets) this.#setTicket(ticket);
    for (const code of page.codes) this.#codes.set(code.codeHash, code);
    for (const { ticketId, codeId, sessionId, at, gate, inside, entries, undone } of page.admissions) {
      const key = slotKey(ticketId, codeId, sessionId);
      if (undone) this.#admissions.delete(key);
      else this.#admissions.set(key, { at: Date.parse(at), gate, inside, entries });
    }
  }

  #setTicket(ticket: Manifest['tickets'][number]): void {
    const { ids, items, sessions, flags, codeHashes, shortHashes } = this.#columns;
    const i = this.#positions.get(ticket.id) ?? ids.length;
    this.#positions.set(ticket.id, i);
    ids[i] = ticket.id;
    items[i] = ticket.itemId;
    sessions[i] = this.#sessionList(ticket.sessionIds);
    flags[i] = (ticket.status === 'refunded' ? isRefunded : 0) + (ticket.disputed ? isDisputed : 0);
    codeHashes[i] = ticket.codeHash;
    shortHashes[i] = ticket.shortHash;
    if (ticket.codeHash) this.#ticketByHash.set(ticket.codeHash, ticket.id);
  }

  #sessionList(ids: number[]): number {
    const known = this.#sessionLists.findIndex((list) => list.length === ids.length && list.every((id, i) => id === ids[i]));
    return known >= 0 ? known : this.#sessionLists.push(ids) - 1;
  }

  get ticketCount(): number {
    return this.#columns.ids.length;
  }

  ticket(id: number): ManifestTicket | undefined {
    const i = this.#positions.get(id);
    if (i === undefined) return undefined;
    const { items, sessions, flags } = this.#columns;
    const flag = flags[i] ?? 0;
    return {
      ticketId: id,
      codeId: null,
      itemId: items[i] as number,
      sessionIds: this.#sessionLists[sessions[i] ?? 0] ?? [],
      refunded: (flag & isRefunded) !== 0,
      disputed: (flag & isDisputed) !== 0,
    };
  }

  /** Finds a ticket by the hash of its imported code, or else the imported code itself. */
  byCodeHash(hash: string): ManifestTicket | undefined {
    const id = this.#ticketByHash.get(hash);
    if (id !== undefined) return this.ticket(id);
    const code = this.#codes.get(hash);
    if (!code) return undefined;
    const sessionIds = code.sessionId === null ? [] : [code.sessionId];
    return { ticketId: null, codeId: code.id, itemId: code.itemId, sessionIds, refunded: false, disputed: false };
  }

  byShortHash(hash: string): ManifestTicket | undefined {
    const i = this.#columns.shortHashes.indexOf(hash);
    return i < 0 ? undefined : this.ticket(this.#columns.ids[i] as number);
  }

  admission(key: string): Admission | undefined {
    return this.#admissions.get(key);
  }

  item(id: number): ManifestItem | undefined {
    return this.facts.items.find((item) => item.id === id);
  }

  /** How many guests are inside, and how many tickets are valid, in a session or at the whole event. */
  count(sessionId: number | null): { inside: number; expected: number } {
    const { items, sessions, flags } = this.#columns;
    const isOfSession = (list: readonly number[]) => sessionId === null || list.length === 0 || list.includes(sessionId);
    const lists = this.#sessionLists.map(isOfSession);
    const ofItem = new Map(this.facts.items.map((item) => [item.id, isOfSession(item.sessionIds)]));
    let expected = 0;
    for (let i = 0; i < items.length; i++) {
      const list = sessions[i] as number;
      const isValid = ((flags[i] as number) & isRefunded) === 0;
      const belongs = (this.#sessionLists[list] as number[]).length > 0 ? lists[list] : ofItem.get(items[i] as number);
      if (isValid && belongs) expected++;
    }
    const end = `/${sessionId}`;
    const keys = [...this.#admissions].filter(([, { inside: isInside }]) => isInside).map(([key]) => key);
    const inside = sessionId === null ? new Set(keys.map((key) => key.split('/')[0])).size : keys.filter((key) => key.endsWith(end)).length;
    return { inside, expected };
  }
}
