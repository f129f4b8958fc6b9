import Type, { type Static } from 'typebox';
import { disputedTicketRules, reentryRules } from '../events/event-schemas.ts';
import { orDevice, permitted } from '../kernel/access.ts';
import { route } from '../kernel/route.ts';
import { closed, Id, Instant, named, nullable, oneOf } from '../kernel/schema.ts';

const ManifestTicket = named('ManifestTicket', {
  id: Id,
  itemId: Id,
  sessionIds: Type.Array(Id),
  status: oneOf(['valid', 'refunded']),
  disputed: Type.Boolean({
    description: 'Whether the payment of the ticket is disputed. `disputedTickets` says whether such tickets admit',
  }),
  codeHash: nullable(Type.String({ description: 'Hash of the imported code of the ticket. Null if the ticket has a signed code' })),
  shortHash: nullable(
    Type.String({
      description:
        'The first 10 hexadecimal characters of SHA-256 over the bytes of `codeSalt` and the short code (upper case, without the dash). Null if the ticket has an imported code',
    }),
  ),
});
const ManifestCode = named('ManifestCode', { id: Id, itemId: Id, sessionId: nullable(Id), codeHash: Type.String() });
const ManifestAdmission = named('ManifestAdmission', {
  ticketId: nullable(Id),
  codeId: nullable(Id),
  sessionId: nullable(Id),
  at: Instant,
  gate: nullable(Type.String()),
  inside: Type.Boolean({ description: 'Whether the guest is inside now' }),
  entries: Type.Integer({ minimum: 0, description: 'How often the guest has entered. More than 1 only if the event allows re-entry' }),
  undone: Type.Boolean({ description: 'True if nobody has entered, because the entry was undone' }),
});
const Manifest = named('DoorManifest', {
  eventId: Id,
  generatedAt: Instant,
  now: Type.String({ format: 'date-time', description: "The server's clock. It equals `generatedAt`" }),
  keys: Type.Array(
    closed({ kid: Type.Integer(), publicKey: Type.String({ description: 'The public key of Ed25519: 32 bytes in base64url' }) }),
  ),
  sessions: Type.Array(
    closed({ id: Id, name: Type.String(), startsAt: Instant, finishesAt: Instant, opensAt: Instant, closesAt: Instant }),
  ),
  items: Type.Array(closed({ id: Id, name: Type.String(), type: Type.String(), halfPrice: Type.Boolean(), sessionIds: Type.Array(Id) })),
  disputedTickets: oneOf(disputedTicketRules, {
    description: 'Whether tickets with `disputed: true` admit. With `refuse` their result is `refunded`, with the note `disputed`',
  }),
  reentry: oneOf(reentryRules, {
    description: 'How often a guest who has left may enter again: not at all (`none`), once, or as often as they like (`unlimited`)',
  }),
  codeSalt: Type.String({
    description:
      'The salt of all `codeHash` fields, in hexadecimal. A `codeHash` is the first 16 bytes of SHA-256 over the bytes of the salt and the code, in hexadecimal',
  }),
  reset: Type.Boolean({
    description:
      'True if `since` is no longer valid, for example after the database was restored. Delete all `tickets`, `codes` and `admissions` that the device has stored. This response and the next ones contain all of them',
  }),
  codesReset: Type.Boolean({
    description:
      'True if codes were deleted. Delete all `codes` that the device has stored. This response and the next ones contain the remaining codes',
  }),
  tickets: Type.Array(ManifestTicket),
  codes: Type.Array(ManifestCode),
  admissions: Type.Array(ManifestAdmission),
  next: Type.String({ description: 'The value of `since` for the next request' }),
  more: Type.Boolean({ description: 'True if more data is available now. Send the next request immediately' }),
});
export type Manifest = Static<typeof Manifest>;
const ManifestQuery = Type.Object({
  since: Type.Optional(
    Type.String({ maxLength: 500, description: '`next` of the previous response. Without `since` the response starts from the beginning' }),
  ),
  pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, default: 5_000 })),
});
export type ManifestQuery = Static<typeof ManifestQuery>;

/** What a device needs to decide while it is offline. */
export const manifestContract = {
  getManifest: route({
    method: 'GET',
    path: '/event/{eventId}/checkins/manifest',
    group: 'door',
    summary: 'Get the data for offline check-in',
    description:
      'Returns everything that a device needs to check tickets while it is offline. Send the first request without `since`. In each further request, set `since` to `next` of the previous response, until `more` is false. Poll for changes in the same way. Each response has all keys, sessions and items, but only the tickets, codes and admissions that changed after `since`. A change may be returned twice, but no change is left out.',
    access: orDevice(permitted('checkin.make', { event: 'path.eventId' })),
    params: Type.Object({ eventId: Id }),
    query: ManifestQuery,
    answer: { status: 200, body: Manifest },
    examples: {
      params: { eventId: 12 },
      query: { pageSize: 5000 },
      answer: {
        eventId: 12,
        generatedAt: '2026-11-20T12:00:00.000Z',
        now: '2026-11-20T12:00:00.000Z',
        keys: [{ kid: 0, publicKey: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }],
        sessions: [
          {
            id: 7,
            name: 'Night',
            startsAt: '2026-11-20T23:00:00.000Z',
            finishesAt: '2026-11-21T02:00:00.000Z',
            opensAt: '2026-11-20T11:00:00.000Z',
            closesAt: '2026-11-21T08:00:00.000Z',
          },
        ],
        items: [{ id: 42, name: '2º lote', type: 'ticket', halfPrice: false, sessionIds: [] }],
        disputedTickets: 'admit',
        reentry: 'none',
        codeSalt: '5f0c1f6a1f5d4a0c8f6e3b2a1d0c9b8a',
        reset: false,
        codesReset: false,
        tickets: [{ id: 5001, itemId: 42, sessionIds: [7], status: 'valid', disputed: false, codeHash: null, shortHash: '5f3c0a91be' }],
        codes: [],
        admissions: [],
        next: 'WzEyMzQ1LDAsMCwwLDBd',
        more: false,
      },
    },
  }),
};
