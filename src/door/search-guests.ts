import type { Act } from '../kernel/act.ts';
import { record } from '../platform/audit.ts';
import type { Tx } from '../postgres/database.ts';
import type { FoundGuest, SearchQuery } from './search-contract.ts';
import { selectFoundGuests } from './search-guests.sql.ts';

const maxFound = 20;

/** The audit log gets the tickets that were found and not the search text, which may be a document. */
export async function searchGuests(tx: Tx, act: Act, eventId: number, { q, sessionId }: SearchQuery): Promise<{ data: FoundGuest[] }> {
  const data = await selectFoundGuests(tx, eventId, q, sessionId ?? null, maxFound);
  await record(tx, act, { subject: 'checkins', id: eventId, eventId, after: { found: data.map(({ ticketId }) => ticketId) } });
  return { data };
}
