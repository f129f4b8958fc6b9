import Type, { type Static } from 'typebox';
import { permitted } from '../kernel/access.ts';
import { route } from '../kernel/route.ts';
import { closed, Id, Instant, line, named, nullable, oneOf, pageOf, pageQuery } from '../kernel/schema.ts';

const scanResults = ['admitted', 'already_used', 'wrong_session', 'refunded', 'unknown', 'not_yet_valid'] as const;
export type ScanResult = (typeof scanResults)[number];

/** RFC 3339 with an offset, by the device's clock. */
const ScannedAt = Type.String({
  pattern: '^2\\d{3}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,9})?(Z|[+-]\\d\\d:\\d\\d)$',
  examples: ['2026-11-20T20:15:02.120Z'],
});

const Nonce = Type.String({
  pattern: '^[!-~]{1,64}$',
  description:
    'Chosen by the device, another one for each entry of any log at the event, such as a UUID: sent again it is answered again, and counts once. With another code or from another device it is answered `unknown` and left out of the log',
  examples: ['0b6f3a1e-4d0c-4a53-9f0e-0f6f3f2a9a10'],
});
const Device = Type.String({
  pattern: '^[ -~]{1,100}$',
  description: 'The name of the device, always the same',
  examples: ['gate-a-1'],
});

const Entry = closed({
  code: Type.String({ minLength: 1, maxLength: 200, description: 'As it was scanned' }),
  sessionId: Type.Optional(Id),
  at: ScannedAt,
  gate: Type.Optional(line(100, 'Gate A')),
  device: Device,
  nonce: Nonce,
});
export type Entry = Static<typeof Entry>;

const Used = Type.Unsafe<{ at: string; gate: string | null } | null>({
  type: ['object', 'null'],
  required: ['at', 'gate'],
  additionalProperties: false,
  properties: { at: Instant, gate: nullable(Type.String()) },
});

const CheckinResult = named('CheckinResult', {
  nonce: Type.String(),
  result: oneOf(scanResults),
  used: Used,
  holder: nullable(Type.String({ description: 'The name to greet by' })),
  itemId: nullable(Id),
  item: nullable(Type.String()),
  halfPrice: Type.Boolean({ description: 'Look at the document that entitles to it' }),
  sessionId: nullable(Id),
  session: nullable(Type.String()),
});
export type CheckinResult = Static<typeof CheckinResult>;

const Undo = closed({
  undoes: Type.String({ pattern: '^[!-~]{1,64}$', description: 'The nonce of the scan that is taken back' }),
  at: ScannedAt,
  device: Device,
  nonce: Nonce,
});
export type Undo = Static<typeof Undo>;

const undoResults = ['undone', 'too_late', 'other_device', 'waiting'] as const;
const UndoResult = named('UndoResult', { nonce: Type.String(), undoes: Type.String(), result: oneOf(undoResults) });
export type UndoResult = Static<typeof UndoResult>;

const states = ['inside', 'double', 'undone', 'refused'] as const;
const Checkin = named('Checkin', {
  id: Id,
  nonce: Type.String(),
  ticketId: nullable(Id),
  codeId: nullable(Id),
  itemId: nullable(Id),
  sessionId: nullable(Id),
  at: Instant,
  gate: nullable(Type.String()),
  device: Type.String(),
  userId: nullable(Id),
  receivedAt: Instant,
  result: oneOf(scanResults),
  state: oneOf(states),
});
export type Checkin = Static<typeof Checkin>;

const CheckinQuery = Type.Object({
  ...pageQuery,
  double: Type.Optional(Type.Boolean({ description: 'Only scans of a ticket that is inside by another scan (`true`), or only others' })),
  result: Type.Optional(oneOf(scanResults)),
  sessionId: Type.Optional(Id),
  ticketId: Type.Optional(Id),
  device: Type.Optional(Device),
});
export type CheckinQuery = Static<typeof CheckinQuery>;

const ManifestTicket = named('ManifestTicket', {
  id: Id,
  itemId: Id,
  sessionIds: Type.Array(Id),
  status: oneOf(['valid', 'refunded']),
  codeHash: nullable(Type.String({ description: 'Of its imported code, if it has one instead of a signed one' })),
});
const ManifestCode = named('ManifestCode', { id: Id, itemId: Id, sessionId: nullable(Id), codeHash: Type.String() });
const ManifestAdmission = named('ManifestAdmission', {
  ticketId: nullable(Id),
  codeId: nullable(Id),
  sessionId: nullable(Id),
  at: Instant,
  gate: nullable(Type.String()),
  undone: Type.Boolean(),
});
const Manifest = named('DoorManifest', {
  eventId: Id,
  generatedAt: Instant,
  keys: Type.Array(closed({ kid: Type.Integer(), publicKey: Type.String({ description: 'Ed25519, 32 bytes, base64url' }) })),
  sessions: Type.Array(
    closed({ id: Id, name: Type.String(), startsAt: Instant, finishesAt: Instant, opensAt: Instant, closesAt: Instant }),
  ),
  items: Type.Array(closed({ id: Id, name: Type.String(), type: Type.String(), halfPrice: Type.Boolean(), sessionIds: Type.Array(Id) })),
  codeSalt: Type.String({ description: 'Hexadecimal. The hash of a code is the first 16 bytes of SHA-256 over salt and code' }),
  reset: Type.Boolean({
    description:
      'Forget all `tickets`, `codes` and `admissions` of earlier manifests: `since` is of no use any more, and everything comes again',
  }),
  codesReset: Type.Boolean({ description: 'Forget all `codes` of before: some were deleted, and those that remain come again' }),
  tickets: Type.Array(ManifestTicket),
  codes: Type.Array(ManifestCode),
  admissions: Type.Array(ManifestAdmission),
  next: Type.String({ description: 'Pass it as `since` to hear what is new' }),
  more: Type.Boolean({ description: 'There is more already: ask again at once' }),
});
export type Manifest = Static<typeof Manifest>;
const ManifestQuery = Type.Object({
  since: Type.Optional(Type.String({ maxLength: 500, description: '`next` of the answer before; everything when left out' })),
  pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, default: 5_000 })),
});
export type ManifestQuery = Static<typeof ManifestQuery>;

const eventParams = Type.Object({ eventId: Id });
const exampleNonce = '0b6f3a1e-4d0c-4a53-9f0e-0f6f3f2a9a10';
const exampleAt = '2026-11-20T20:15:02.120Z';

export const doorContract = {
  makeCheckins: route({
    method: 'POST',
    path: '/event/{eventId}/checkins',
    group: 'door',
    summary: 'Check in what was scanned',
    description: [
      'From one scan to a log of 500 that a device has made without a network. Each entry is answered by itself, in the order they were sent.',
      '`admitted` is told once for a ticket and session. A ticket admits once in each of its sessions; without `sessionId` it is the only one, the one that is on, or the next. Doors open 12 hours before a session starts and close 6 hours after it finishes.',
      'An `at` more than 5 minutes ahead of our clock or more than 30 days behind is refused, and with it the whole request.',
    ].join('\n\n'),
    access: permitted('checkin.make', { event: 'path.eventId' }),
    params: eventParams,
    body: closed({ entries: Type.Array(Entry, { minItems: 1, maxItems: 500 }) }),
    bodyLimit: 1_048_576,
    answer: { status: 200, body: closed({ results: Type.Array(CheckinResult) }) },
    problems: ['rule_violation'],
    batched: true,
    examples: {
      params: { eventId: 12 },
      body: { entries: [{ code: '04060G0R40M2…', at: exampleAt, gate: 'Gate A', device: 'gate-a-1', nonce: exampleNonce }] },
      answer: {
        results: [
          {
            nonce: exampleNonce,
            result: 'admitted',
            used: null,
            holder: 'Ana Souza',
            itemId: 42,
            item: '2º lote',
            halfPrice: false,
            sessionId: 7,
            session: 'Night',
          },
        ],
      },
    },
  }),
  undoCheckins: route({
    method: 'POST',
    path: '/event/{eventId}/checkins/undo',
    group: 'door',
    summary: 'Take scans back',
    description:
      'By the device that made them, within 30 seconds by its clock. It may come before the scan itself (`waiting`), and counts when that comes.',
    access: permitted('checkin.make', { event: 'path.eventId' }),
    params: eventParams,
    body: closed({ entries: Type.Array(Undo, { minItems: 1, maxItems: 500 }) }),
    answer: { status: 200, body: closed({ results: Type.Array(UndoResult) }) },
    problems: ['rule_violation'],
    examples: {
      params: { eventId: 12 },
      body: { entries: [{ undoes: exampleNonce, at: '2026-11-20T20:15:12.000Z', device: 'gate-a-1', nonce: 'b1e8' }] },
      answer: { results: [{ nonce: 'b1e8', undoes: exampleNonce, result: 'undone' }] },
    },
  }),
  listCheckins: route({
    method: 'GET',
    path: '/event/{eventId}/checkins',
    group: 'door',
    summary: 'The log of scans',
    description:
      'Newest first. `result` is what was told; `state` is what it came to: of the good scans of a ticket in a session the earliest is `inside`, the others are `double`. With `double=true` only those.',
    access: permitted('checkin.read', { event: 'path.eventId' }),
    params: eventParams,
    query: CheckinQuery,
    answer: { status: 200, body: pageOf(Checkin) },
    examples: {
      params: { eventId: 12 },
      query: { double: true },
      answer: {
        data: [
          {
            id: 9001,
            nonce: exampleNonce,
            ticketId: 5001,
            codeId: null,
            itemId: 42,
            sessionId: 7,
            at: exampleAt,
            gate: 'Gate A',
            device: 'gate-a-1',
            userId: 3,
            receivedAt: '2026-11-20T20:20:00.000Z',
            result: 'already_used',
            state: 'double',
          },
        ],
        nextCursor: null,
      },
    },
  }),
  getManifest: route({
    method: 'GET',
    path: '/event/{eventId}/checkins/manifest',
    group: 'door',
    summary: 'What a device needs to decide without a network',
    description:
      'Keys, sessions and items come whole each time; tickets, imported codes and admissions only where they have changed since. Something may come twice, nothing is left out.',
    access: permitted('checkin.make', { event: 'path.eventId' }),
    params: eventParams,
    query: ManifestQuery,
    answer: { status: 200, body: Manifest },
    examples: {
      params: { eventId: 12 },
      query: { pageSize: 5000 },
      answer: {
        eventId: 12,
        generatedAt: '2026-11-20T12:00:00.000Z',
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
        codeSalt: '5f0c1f6a1f5d4a0c8f6e3b2a1d0c9b8a',
        reset: false,
        codesReset: false,
        tickets: [{ id: 5001, itemId: 42, sessionIds: [7], status: 'valid', codeHash: null }],
        codes: [],
        admissions: [],
        next: 'WzEyMzQ1LDAsMCwwLDBd',
        more: false,
      },
    },
  }),
};
