import { requireEventOf } from '../events/event-of.ts';
import { afterId, decodeCursor, rowsToFetch, toPage } from '../kernel/cursor.ts';
import type { Page } from '../kernel/schema.ts';
import type { Tx } from '../postgres/database.ts';
import { toCode } from './code.ts';
import { countCodes, searchCodes, selectCodes, type Term } from './codes.sql.ts';
import type { Code, CodeQuery } from './contract.ts';

/** The list is in the order of import. Search results are sorted by code, because the index for the search has that order. */
export async function listCodes(tx: Tx, itemId: number, query: CodeQuery): Promise<Page<Code>> {
  const codes = { eventId: await requireEventOf(tx, 'item', itemId), itemId, status: query.status };
  const term = query.term === undefined ? null : toTerm(query.term);
  const total = query.count ? await countCodes(tx, codes, term) : undefined;
  if (!term) {
    const rows = await selectCodes(tx, codes, afterId(query), rowsToFetch(query));
    return toPage(rows, query, ({ id }) => [id], toCode, total);
  }
  const afterCode = query.cursor === undefined ? '' : decodeCursor(query.cursor, ['string'])[0];
  const rows = await searchCodes(tx, codes, term, afterCode, rowsToFetch(query));
  return toPage(rows, query, ({ code }) => [code], toCode, total);
}

/** Keeps only the letters and digits of each word, so that the term cannot contain operators of the text search. */
function toTerm(text: string): Term {
  const words = text
    .normalize('NFKD')
    .replaceAll(/\p{Mn}/gu, '')
    .match(/[\p{L}\p{N}]+/gu);
  return { prefix: text.trim(), words: words && words.map((word) => `'${word}':*`).join(' & ') };
}
