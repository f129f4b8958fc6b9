import Type, { type Static } from 'typebox';
import { orDevice, permitted } from '../kernel/access.ts';
import { route } from '../kernel/route.ts';
import { closed, Id, Instant, named, nullable, oneOf, pageOf, pageQuery } from '../kernel/schema.ts';
import { countersContract } from './counters-contract.ts';
import { deviceContract, Gate } from './device-contract.ts';
import { manifestContract } from './manifest-contract.ts';
import { searchContract } from './search-contract.ts';

export type { Manifest } from './manifest-contract.ts';

const scanResults = [
  'admitted',
  'already_used',
  'exited',
  'not_inside',
  'not_allowed',
  'wrong_session',
  'refunded',
  'unknown',
  'not_yet_valid',
] as const;
export type ScanResult = (typeof scanResults)[number];

const ScannedAt = Type.String({
  description:
    'The time of the scan by the clock of the device, as RFC 3339 with an offset. It must not be more than 5 minutes in the future or more than 30 days in the past',
  pattern: '^2\\d{3}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,9})?(Z|[+-]\\d\\d:\\d\\d)$',
  examples: ['2026-11-20T20:15:02.120Z'],
});

const Nonce = Type.String({
  pattern: '^[!-~]{1,64}$',
  description:
    'A unique value that the device generates for each entry, for example a UUID. If the device sends an entry again with the same nonce, the response has the same result and the entry counts once. If another device sends the same nonce with the same code, the result is `unknown` and nothing is logged',
  examples: ['0b6f3a1e-4d0c-4a53-9f0e-0f6f3f2a9a10'],
});
const Device = Type.String({
  pattern: '^[ -~]{1,100}$',
  description: 'The name of the device. It must never change, because only the same device can repeat or undo a scan',
  examples: ['gate-a-1'],
});

const Entry = closed({
  code: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'The scanned text, unchanged, or the short code that is printed under the QR code',
    }),
  ),
  ticketId: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Instead of `code`: a ticket that was found by its holder. Needs the permission `guest.search`',
    }),
  ),
  direction: Type.Optional(
    oneOf(['in', 'out'], {
      description: '`out` if the guest leaves; default `in`. Guests can leave only if `reentry` of the event is not `none`',
    }),
  ),
  sessionId: Type.Optional(Id),
  at: ScannedAt,
  gate: Type.Optional(Gate),
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
  note: nullable(
    oneOf(['disputed'], {
      description:
        'With the result `refunded`: the ticket was not refunded, but its payment is disputed, and the event refuses such tickets. Send the holder to the box office',
    }),
  ),
  used: Used,
  holder: nullable(Type.String({ description: 'Name of the ticket holder' })),
  itemId: nullable(Id),
  item: nullable(Type.String()),
  halfPrice: Type.Boolean({ description: 'True for a half-price item. Check the document that entitles the holder to the discount' }),
  sessionId: nullable(Id),
  session: nullable(Type.String()),
});
export type CheckinResult = Static<typeof CheckinResult>;

const Undo = closed({
  undoes: Type.String({ pattern: '^[!-~]{1,64}$', description: 'The nonce of the scan to undo' }),
  at: ScannedAt,
  device: Device,
  nonce: Nonce,
});
export type Undo = Static<typeof Undo>;

const undoResults = ['undone', 'too_late', 'other_device', 'waiting'] as const;
const UndoResult = named('UndoResult', { nonce: Type.String(), undoes: Type.String(), result: oneOf(undoResults) });
export type UndoResult = Static<typeof UndoResult>;

const states = ['inside', 'reentered', 'exited', 'double', 'unmatched', 'undone', 'refused'] as const;
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
  double: Type.Optional(Type.Boolean({ description: '`true` returns only double entries, `false` only other scans' })),
  result: Type.Optional(oneOf(scanResults)),
  sessionId: Type.Optional(Id),
  ticketId: Type.Optional(Id),
  device: Type.Optional(Device),
});
export type CheckinQuery = Static<typeof CheckinQuery>;

const eventParams = Type.Object({ eventId: Id });
const exampleNonce = '0b6f3a1e-4d0c-4a53-9f0e-0f6f3f2a9a10';
const exampleAt = '2026-11-20T20:15:02.120Z';

export const doorContract = {
  ...deviceContract,
  ...countersContract,
  ...manifestContract,
  ...searchContract,
  makeCheckins: route({
    method: 'POST',
    path: '/event/{eventId}/checkins',
    group: 'door',
    summary: 'Check in scanned tickets',
    description: [
      'Send one scan, or up to 500 scans that a device has logged while it was offline. The response has one result per entry, in the same order.',
      'A ticket can be used once in each of its sessions. The first scan returns `admitted`. Every other scan returns `already_used` with the time and gate of the entry. Without `sessionId` the server chooses the session of the ticket that is running, or the next session of the ticket. Doors open 12 hours before a session starts and close 6 hours after it finishes.',
      'Let the guest in only for `admitted`. The other results are: `wrong_session` (the ticket is not valid for this session, or the doors of the session have closed), `not_yet_valid` (the doors have not opened), `refunded` (the ticket was refunded, or its payment is disputed and the event refuses such tickets; then `note` is `disputed`), and `unknown` (the code is forged, not sold, or of another event).',
      'If `reentry` of the event is `once` or `unlimited`, send `direction: out` when a guest leaves. The result is `exited`, or `not_inside` if nobody is inside with this ticket. The guest can then enter again, once or as often as they like, and gets `admitted` again. If `reentry` is `none`, exits get `not_allowed`.',
      'Returns 422 and logs nothing if any `at` is more than 5 minutes in the future or more than 30 days old.',
    ].join('\n\n'),
    access: orDevice(permitted('checkin.make', { event: 'path.eventId' })),
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
            note: null,
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
    summary: 'Undo scans',
    description:
      'Undoes scans that were made by mistake. The ticket can then be used again. Only the device that made the scan can undo it; another device gets `other_device`. The undo must happen within 30 seconds by the clock of the device, otherwise the result is `too_late`. If the scan has not been received yet, the undo returns `waiting` and is applied when the scan arrives.',
    access: orDevice(permitted('checkin.make', { event: 'path.eventId' })),
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
    summary: 'List scans',
    description:
      'Returns the log of all scans, newest first. `result` is the result that the device received. `state` is the final decision. Of all valid entries of a ticket in one session, the earliest is `inside`. Entries after an exit are `reentered`, if the event allows them, and the others are `double`. Exits are `exited`, or `unmatched` if the guest was not inside. Undone scans are `undone`. Scans that were not valid are `refused`. Use `double=true` to find tickets that were used twice.',
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
};
