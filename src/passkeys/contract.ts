import Type, { type Static } from 'typebox';
import { permitted } from '../kernel/access.ts';
import { route } from '../kernel/route.ts';
import { closed, DayOrMoment, Id, Instant, named, nullable, oneOf, optional, pageOf, pageQuery, WallClock } from '../kernel/schema.ts';

export const passkeyStatuses = ['scheduled', 'active', 'finished', 'exhausted'] as const;

const mostCodes = 100_000;

const Passkey = named('Passkey', {
  id: Id,
  eventId: Id,
  passkey: Type.String(),
  start: nullable(WallClock),
  finish: nullable(WallClock),
  limit: nullable(Type.Integer({ description: 'How many tickets it may unlock in all; null for no limit' })),
  used: Type.Integer({ description: 'Tickets sold with it' }),
  held: Type.Integer({ description: 'Tickets in orders that are not paid yet; they count toward the limit too' }),
  itemIds: Type.Array(Id),
  status: oneOf(passkeyStatuses),
  createdAt: Instant,
  updatedAt: Instant,
});
export type Passkey = Static<typeof Passkey>;

/** 3 to 64 characters once blanks around it are cut off. The length comes first, so that the pattern takes bounded time. */
const Code = Type.String({
  minLength: 3,
  maxLength: 128,
  pattern: '^\\s*[^\\s\\p{Cc}]\\P{Cc}{1,62}[^\\s\\p{Cc}]\\s*$',
  examples: ['AMIGOS-DA-CASA'],
});

const ItemIds = Type.Array(Id, { maxItems: 1000, uniqueItems: true });

const terms = {
  start: Type.Optional(nullable(DayOrMoment)),
  finish: Type.Optional(nullable(DayOrMoment)),
  limit: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 100_000_000 }))),
};

const NewPasskey = closed({ eventId: Id, passkey: Code, ...terms });
export type NewPasskey = Static<typeof NewPasskey>;

/** Fields that `PUT /passkeys/{id}` accepts only unchanged, so that a passkey can be read and sent back. */
const passkeyReadOnly = optional({
  id: Id,
  used: Type.Integer(),
  held: Type.Integer(),
  itemIds: ItemIds,
  status: Passkey.properties.status,
  createdAt: Instant,
  updatedAt: Instant,
});
export const passkeyReadOnlyNames = Object.keys(passkeyReadOnly);

const PasskeyChanges = closed(
  { eventId: Type.Optional(Id), passkey: Type.Optional(Code), ...terms, ...passkeyReadOnly },
  { minProperties: 1 },
);
export type PasskeyChanges = Static<typeof PasskeyChanges>;

const NewBatch = closed({
  codes: Type.Optional(Type.Array(Code, { minItems: 1, maxItems: mostCodes })),
  generate: Type.Optional(
    Type.Integer({ minimum: 1, maximum: mostCodes, description: 'How many codes to make up, instead of `codes`', examples: [3] }),
  ),
  itemIds: Type.Optional(ItemIds),
  ...terms,
});
export type NewBatch = Static<typeof NewBatch>;

const Batch = named('PasskeyBatch', {
  created: Type.Integer(),
  data: Type.Array(closed({ id: Id, passkey: Type.String() })),
});
export type Batch = Static<typeof Batch>;

const idParams = Type.Object({ id: Id });
const managePasskey = permitted('passkey.manage', { passkey: 'path.id' });

const examplePasskey = {
  id: 31,
  eventId: 12,
  passkey: 'AMIGOS-DA-CASA',
  start: '2026-11-20 00:00:00',
  finish: '2026-12-12 23:59:59',
  limit: 50,
  used: 7,
  held: 2,
  itemIds: [42],
  status: 'active',
  createdAt: '2026-11-15T12:00:00.000Z',
  updatedAt: '2026-11-15T12:00:00.000Z',
};

export const passkeyContract = {
  listPasskeys: route({
    method: 'GET',
    path: '/passkeys',
    group: 'ticket',
    summary: 'Passkeys of an event',
    description: 'In the order in which they were made.',
    access: permitted('passkey.read', { event: 'query.eventId' }),
    query: Type.Object({
      ...pageQuery,
      eventId: Id,
      status: Type.Optional(oneOf(passkeyStatuses)),
      term: Type.Optional(Type.String({ maxLength: 100, description: 'Part of the passkey' })),
    }),
    answer: { status: 200, body: pageOf(Passkey) },
    examples: { query: { eventId: 12, status: 'active' }, answer: { data: [examplePasskey], nextCursor: null } },
  }),
  getPasskey: route({
    method: 'GET',
    path: '/passkeys/{id}',
    group: 'ticket',
    summary: 'Get a passkey',
    access: permitted('passkey.read', { passkey: 'path.id' }),
    params: idParams,
    answer: { status: 200, body: Passkey },
    examples: { params: { id: 31 }, answer: examplePasskey },
  }),
  createPasskey: route({
    method: 'POST',
    path: '/passkeys',
    group: 'ticket',
    summary: 'Create a passkey',
    description:
      'One of its kind in the event, whatever the case of its letters. Times are on the wall at the event, or RFC 3339; a date alone means the whole day. `limit` counts the tickets that it unlocks.',
    access: permitted('passkey.manage', { event: 'body.eventId' }),
    body: NewPasskey,
    answer: { status: 201, body: Passkey },
    problems: ['already_exists', 'rule_violation'],
    examples: {
      body: { eventId: 12, passkey: 'AMIGOS-DA-CASA', start: '2026-11-20', finish: '2026-12-12', limit: 50 },
      answer: { ...examplePasskey, used: 0, held: 0, itemIds: [], status: 'scheduled' },
    },
  }),
  updatePasskey: route({
    method: 'PUT',
    path: '/passkeys/{id}',
    group: 'ticket',
    summary: 'Update a passkey',
    description:
      'Only the fields that are present change; null clears one. A new `start` must not be before today at the event. The whole passkey may be sent back as it was read: read-only fields are ignored while they equal the current value, else 422 names them.',
    access: managePasskey,
    params: idParams,
    body: PasskeyChanges,
    answer: { status: 200, body: Passkey },
    problems: ['already_exists', 'rule_violation'],
    examples: { params: { id: 31 }, body: { finish: '2026-12-12', limit: 50 }, answer: examplePasskey },
  }),
  deletePasskey: route({
    method: 'DELETE',
    path: '/passkeys/{id}',
    group: 'ticket',
    summary: 'Delete a passkey',
    description: 'It stops working at once and stays in orders and reports; its text can be used again. A payload is allowed and ignored.',
    access: managePasskey,
    params: idParams,
    answer: { status: 204 },
    examples: { params: { id: 31 } },
  }),
  replacePasskeyItems: route({
    method: 'PUT',
    path: '/passkeys/{id}/items',
    group: 'ticket',
    summary: 'Replace the items that a passkey opens',
    access: managePasskey,
    params: idParams,
    body: closed({ itemIds: ItemIds }),
    answer: { status: 200, body: Passkey },
    problems: ['rule_violation'],
    versionOf: 'getPasskey',
    examples: { params: { id: 31 }, body: { itemIds: [42] }, answer: examplePasskey },
  }),
  createPasskeyBatch: route({
    method: 'POST',
    path: '/event/{eventId}/passkeys',
    group: 'ticket',
    summary: 'Create many passkeys',
    description:
      'All of them or none. Give `codes`, or have codes made up with `generate`. Codes that are there already, or twice in the batch, are answered 409 with their `count` and the first 100 of them in `clashes`. `limit` holds for each code.',
    access: permitted('passkey.manage', { event: 'path.eventId' }),
    params: Type.Object({ eventId: Id }),
    body: NewBatch,
    bodyLimit: 16 * 1_048_576,
    concurrency: 2,
    answer: { status: 201, body: Batch },
    problems: ['already_exists', 'rule_violation'],
    examples: {
      params: { eventId: 12 },
      body: { codes: ['VIP-0001', 'VIP-0002'], itemIds: [42], start: '2026-11-20', finish: '2026-12-12', limit: 2 },
      answer: {
        created: 2,
        data: [
          { id: 31, passkey: 'VIP-0001' },
          { id: 32, passkey: 'VIP-0002' },
        ],
      },
    },
  }),
};
