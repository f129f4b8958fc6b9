import type { Tx } from '../postgres/database.ts';
import { isShortCode, shortCodesOf } from '../tickets/short-code.ts';
import { ticketKeys } from '../tickets/ticket-keys.ts';
import type { TicketLookupKey } from './admissible-tickets.ts';
import { selectImportedCodesOf } from './check-in.sql.ts';

/**
 * Returns other keys for keys that were not found as they are. A text may be a short code: it has the key of its ticket. An id may belong to
 * a ticket with an imported code: it has the key of that code, so that the code is marked as used.
 */
export async function keysOfTyped(
  tx: Tx,
  eventId: number,
  notFound: readonly TicketLookupKey[],
): Promise<Map<TicketLookupKey, TicketLookupKey>> {
  const texts = notFound.filter((key) => typeof key === 'string').filter(isShortCode);
  const ids = notFound.filter((key) => typeof key === 'number');
  const shortCodes = await idsOfShortCodes(tx, eventId, texts);
  return new Map<TicketLookupKey, TicketLookupKey>([...shortCodes, ...(await codesOfTickets(tx, eventId, ids))]);
}

async function idsOfShortCodes(tx: Tx, eventId: number, texts: readonly string[]): Promise<[string, number][]> {
  const key = texts.length === 0 ? undefined : (await ticketKeys(tx, [eventId])).get(eventId);
  if (!key) return [];
  const shortCodes = shortCodesOf(key);
  return texts.flatMap((text): [string, number][] => {
    const id = shortCodes.decode(text);
    return id === null ? [] : [[text, id]];
  });
}

async function codesOfTickets(tx: Tx, eventId: number, ids: readonly number[]): Promise<[number, string][]> {
  const rows = ids.length === 0 ? [] : await selectImportedCodesOf(tx, eventId, ids);
  return rows.map(({ id, code }) => [id, code]);
}
