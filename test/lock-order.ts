import { onStatement } from './watch-statements.ts';

/** The lock order of docs/architecture/locks.md. A transaction must lock rows of these tables in this order. */
const lockOrder = ['event', 'ticket_order', 'door', 'item', 'event_session', 'passkey', 'external_code', 'ticket_log'];

const known = new Map<string, readonly string[]>();

/** Returns the tables of the lock order in which a statement locks rows: by `for update`, by an update or by a delete. */
export function lockedTables(text: string): readonly string[] {
  const found = known.get(text);
  if (found) return found;
  const written = [...text.matchAll(/(?<!\bfor )(?<!\bkey )\b(?:update|delete from) "?(\w+)"?/g)].map((match) => match[1] ?? '');
  const names = new Set([...written, ...selectedForUpdate(text)]);
  const tables = lockOrder.filter((table) => names.has(table));
  known.set(text, tables);
  return tables;
}

/** Returns the tables that `for update of …` names, or all tables after `from` if it names none. */
function selectedForUpdate(text: string): string[] {
  const locks = [...text.matchAll(/\bfor (?:no key )?update\b(?: of "?(\w+)"?)?/g)];
  if (locks.length === 0) return [];
  const aliases = new Set(locks.map((match) => match[1]));
  const read = [...text.matchAll(/\b(from|join) "?(\w+)"?(?: (?:as )?"?(\w+)"?)?/g)];
  const isLocked = ([, word, table, alias]: string[]) =>
    aliases.has(alias) || aliases.has(table) || (aliases.has(undefined) && word === 'from');
  return read.filter(isLocked).map((match) => match[2] ?? '');
}

/** A statement that skips locked rows never waits, so it cannot be part of a deadlock. */
const skipsLocked = (text: string): boolean => /\bskip locked\b/.test(text);

/** The tables that one transaction has locked so far. */
export class LockedSoFar {
  #last = -1;
  readonly #tables: string[] = [];

  /** Returns a message if the statement breaks the lock order, otherwise null. A transaction may lock further rows of a table at any time. */
  add(text: string): string | null {
    let wrong: string | null = null;
    for (const table of lockedTables(text)) {
      if (this.#tables.includes(table)) continue;
      this.#tables.push(table);
      if (skipsLocked(text)) continue;
      const rank = lockOrder.indexOf(table);
      if (rank < this.#last)
        wrong = `${table} is locked after ${this.#tables.slice(0, -1).join(', ')}: ${text.replaceAll(/\s+/g, ' ').trim()}`;
      this.#last = Math.max(this.#last, rank);
    }
    return wrong;
  }
}

/** The statements of this test file that broke the lock order. */
export const violations: string[] = [];

let isWatching = false;

/** Checks the lock order of all transactions in this process. */
export function watchLockOrder(): void {
  if (isWatching) return;
  isWatching = true;
  const open = new WeakMap<object, LockedSoFar>();
  onStatement(({ text }, client) => {
    if (text.startsWith('start transaction')) open.set(client, new LockedSoFar());
    else if (/^(commit|rollback)\b(?! to)/.test(text)) open.delete(client);
    const wrong = open.get(client)?.add(text);
    if (wrong && !violations.includes(wrong)) violations.push(wrong);
  });
}
