import Type, { type Static } from 'typebox';
import { permitted } from '../kernel/access.ts';
import { route } from '../kernel/route.ts';
import { closed, Id, named, nullable, oneOf } from '../kernel/schema.ts';

const FoundGuest = named('FoundGuest', {
  ticketId: Id,
  holder: nullable(Type.String()),
  item: Type.String(),
  halfPrice: Type.Boolean({ description: 'True for a half-price item. Check the document that entitles the holder to the discount' }),
  state: oneOf(['valid', 'used', 'refunded'], {
    description: '`used`: somebody has entered with the ticket, in the session of the request or in any session',
  }),
});
export type FoundGuest = Static<typeof FoundGuest>;

const SearchQuery = Type.Object({
  q: Type.String({
    minLength: 3,
    maxLength: 100,
    pattern: '^(?=\\s*\\S\\s*\\S\\s*\\S)[^\\x00-\\x1f\\x7f-\\x9f]*$',
    description: 'Words of the name of the holder, each from its beginning, or the beginning of the document of the buyer',
  }),
  sessionId: Type.Optional(Id),
});
export type SearchQuery = Static<typeof SearchQuery>;

/** For guests whose code cannot be scanned. */
export const searchContract = {
  searchGuests: route({
    method: 'GET',
    path: '/event/{eventId}/checkins/search',
    group: 'door',
    summary: 'Find tickets by name or document',
    description:
      'Returns at most 20 tickets, for guests whose code cannot be scanned. Capitals, accents and punctuation do not matter. The response has no documents and no e-mail addresses. To admit a guest, send a check-in with `ticketId` instead of `code`. Each search is in the audit log, with the tickets that were found.',
    access: permitted('guest.search', { event: 'path.eventId' }),
    params: Type.Object({ eventId: Id }),
    query: SearchQuery,
    answer: { status: 200, body: closed({ data: Type.Array(FoundGuest) }) },
    audited: true,
    concurrency: 4,
    examples: {
      params: { eventId: 12 },
      query: { q: 'souza', sessionId: 7 },
      answer: { data: [{ ticketId: 5001, holder: 'Ana Souza', item: '2º lote', halfPrice: false, state: 'valid' }] },
    },
  }),
};
