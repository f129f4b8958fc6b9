import Type, { type Static } from 'typebox';
import { permitted } from '../kernel/access.ts';
import { route } from '../kernel/route.ts';
import { closed, DayOrMoment, Id, Instant, named, nullable, oneOf, optional, pageOf, pageQuery, WallClock } from '../kernel/schema.ts';

export const passkeyStatuses = ['scheduled', 'active', 'finished', 'exhausted'] as const;

const maxBatchSize = 100_000;

const Passkey = named('Passkey', {
  id: Id,
  eventId: Id,
  passkey: Type.String({ description: 'The text that buyers enter' }),
  start: nullable(WallClock),
  finish: nullable(WallClock),
  limit: nullable(Type.Integer({ description: 'How many tickets can be ordered with the passkey; null for no limit' })),
  used: Type.Integer({ description: 'How many tickets were sold with the passkey' }),
  held: Type.Integer({ description: 'How many tickets are in unpaid orders with the passkey. They count against `limit` too' }),
  itemIds: Type.Array(Id, { description: 'The hidden items that the passkey unlocks' }),
  status: oneOf(passkeyStatuses),
  createdAt: Instant,
  updatedAt: Instant,
});
export type Passkey = Static<typeof Passkey>;

/**
 * After trimming, the text has 3 to 64 characters and no control characters. `maxLength` bounds the time that matching the pattern takes.
 */
const Code = Type.String({
  minLength: 3,
  maxLength: 128,
  pattern: '^\\s*[^\\s\\u0000-\\u001F\\u007F-\\u009F][^\\u0000-\\u001F\\u007F-\\u009F]{1,62}[^\\s\\u0000-\\u001F\\u007F-\\u009F]\\s*$',
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

/** `PUT /passkeys/{id}` accepts these fields only unchanged, so that clients can send back a passkey as they read it. */
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
  codes: Type.Optional(Type.Array(Code, { minItems: 1, maxItems: maxBatchSize })),
  generate: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: maxBatchSize,
      description: 'How many random codes to generate, instead of `codes`',
      examples: [3],
    }),
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
    summary: 'List the passkeys of an event',
    description:
      'Returns the passkeys in the order in which they were created, without deleted passkeys. `status` and `term` filter the list.',
    access: permitted('passkey.read', { event: 'query.eventId' }),
    query: Type.Object({
      ...pageQuery,
      eventId: Id,
      status: Type.Optional(oneOf(passkeyStatuses)),
      term: Type.Optional(Type.String({ maxLength: 100, description: 'Part of the text of the passkey, in any case' })),
    }),
    answer: { status: 200, body: pageOf(Passkey) },
    examples: { query: { eventId: 12, status: 'active' }, answer: { data: [examplePasskey], nextCursor: null } },
  }),
  getPasskey: route({
    method: 'GET',
    path: '/passkeys/{id}',
    group: 'ticket',
    summary: 'Get a passkey',
    description:
      'Returns the passkey with its items, its counters and its current status: `finished` after `finish`, `exhausted` when `used` plus `held` has reached `limit`, `scheduled` before `start`, and `active` otherwise. For a deleted passkey the response is 404.',
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
      'A passkey unlocks hidden items for buyers who know its text. A new passkey has no items: add them with `PUT /passkeys/{id}/items`. The text must be unique in the event; upper and lower case count as the same. If the event already has a passkey with this text, the response is 409. `start` and `finish` are in the time zone of the event, or RFC 3339. A date without a time means the whole day, and the passkey is valid up to and including `finish`. `limit` is the number of tickets that can be ordered with the passkey.',
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
      'Changes only the fields that are present; null clears a field. A new `start` must not be before today in the time zone of the event. `limit` must not be below `used` plus `held`. You can send back a whole passkey as you read it: read-only fields are accepted if they are unchanged. If a read-only field was changed, the response is 422 and names the field.',
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
    description:
      'Deletes the passkey, so that buyers can no longer use it. Existing orders and reports still refer to it. Its text can be used for a new passkey. The request may have an empty JSON object as its body.',
    access: managePasskey,
    params: idParams,
    answer: { status: 204 },
    examples: { params: { id: 31 } },
  }),
  replacePasskeyItems: route({
    method: 'PUT',
    path: '/passkeys/{id}/items',
    group: 'ticket',
    summary: 'Replace the items of a passkey',
    description:
      'Sets the items that the passkey unlocks; an empty list removes all of them. If items do not exist, belong to another event or are archived, the response is 422 with their ids in `itemIds`. `If-Match` takes the ETag of `GET /passkeys/{id}`.',
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
    summary: 'Create a batch of passkeys',
    description:
      'Creates all passkeys of the batch or none. Send their texts in `codes`, or send in `generate` how many random texts to generate. If the event already has some of the codes, or the batch has a code twice, the response is 409 with the number of these codes in `count` and the first 100 of them in `clashes`. `start`, `finish`, `limit` and `itemIds` apply to each passkey of the batch.',
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
