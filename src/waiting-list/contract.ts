import Type, { type Static } from 'typebox';
import { anyone, permitted } from '../kernel/access.ts';
import { locales } from '../kernel/locale.ts';
import { route } from '../kernel/route.ts';
import { closed, Email, Id, Instant, named, nullable, oneOf, pageOf, pageQuery } from '../kernel/schema.ts';

const entryStatuses = ['unconfirmed', 'waiting', 'offered', 'bought', 'lapsed', 'left', 'removed'] as const;
export type EntryStatus = (typeof entryStatuses)[number];

const Status = oneOf(entryStatuses, {
  description:
    '`unconfirmed`: the address is not confirmed yet. `waiting`: in line. `offered`: tickets are held for the person. `bought`: the person paid. `lapsed`: the offer ended unpaid. `left`: the person left. `removed`: the crew removed the entry, or the item no longer allows its quantity',
});

const entry = {
  id: Id,
  itemId: Type.Integer({ description: 'The id of an item or of a group of items' }),
  itemName: Type.String(),
  sessionId: nullable(Id),
  quantity: Type.Integer(),
  status: Status,
  position: nullable(Type.Integer({ description: 'The place in the line, from 1. Null unless the status is `waiting`' })),
  createdAt: Instant,
  confirmedAt: nullable(Instant),
  offeredAt: nullable(Instant),
  expiresAt: nullable({ ...Instant, description: 'When the offer ends, or when the address must be confirmed. Null in all other states' }),
};
const Entry = named('WaitingListEntry', entry);
export type Entry = Static<typeof Entry>;

const CrewEntry = named('WaitingListEntryForCrew', {
  ...entry,
  email: nullable(Type.String({ description: 'Null after it was erased' })),
  orderId: nullable(Type.Integer({ description: 'The order that was offered' })),
});
export type CrewEntry = Static<typeof CrewEntry>;

const NewEntry = closed({
  itemId: Type.Integer({ ...Id, description: 'The id of an item, or of a group: then any item of the group will do' }),
  sessionId: Type.Optional({ ...Id, description: 'Needed if the item is sold for several sessions' }),
  quantity: Type.Integer({ minimum: 1, maximum: 200, description: 'All tickets are offered together, or none' }),
  email: Email,
  locale: Type.Optional(oneOf(locales, { description: 'The language of the mails. Default: the language of the request' })),
});
export type NewEntry = Static<typeof NewEntry>;

const Joined = named('JoinedWaitingList', {
  ahead: Type.Integer({ description: 'The number of people who are in the line now' }),
});
export type Joined = Static<typeof Joined>;

const OpenedOffer = named('OpenedOffer', {
  orderId: Id,
  secret: Type.String({ description: 'Opens the order: `GET /orders/{id}?secret=…`' }),
});
export type OpenedOffer = Static<typeof OpenedOffer>;

const counts = {
  waiting: Type.Integer({ description: 'People in line' }),
  waitingTickets: Type.Integer({ description: 'The tickets that they wait for' }),
  offered: Type.Integer({ description: 'People who have an open offer' }),
  offeredTickets: Type.Integer({ description: 'The tickets that are held for them' }),
  bought: Type.Integer({ description: 'People who accepted their offer' }),
  boughtTickets: Type.Integer({ description: 'The tickets that they bought' }),
  lapsed: Type.Integer({ description: 'People whose offer ended unpaid' }),
  left: Type.Integer({ description: 'People who left or were removed after they had confirmed' }),
};
const Line = named('WaitingLine', {
  itemId: Id,
  itemName: Type.String(),
  sessionId: nullable(Id),
  sessionName: nullable(Type.String()),
  ...counts,
});
const Summary = named('WaitingListSummary', { lines: Type.Array(Line), total: closed(counts) });
export type Summary = Static<typeof Summary>;

const eventParams = Type.Object({ id: Id });
const Token = Type.String({ minLength: 1, maxLength: 100, pattern: '^[\\w-]+$', description: 'The token of the link in the mail' });
const TokenQuery = Type.Object({ token: Token });
const TokenBody = closed({ token: Token });
const EntryQuery = Type.Object({
  ...pageQuery,
  status: Type.Optional(oneOf(entryStatuses)),
  itemId: Type.Optional(Id),
  term: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'The beginning of the e-mail address' })),
});
export type EntryQuery = Static<typeof EntryQuery>;

const exampleEntry = {
  id: 31,
  itemId: 42,
  itemName: '2º lote',
  sessionId: 7,
  quantity: 2,
  status: 'waiting',
  position: 12,
  createdAt: '2026-11-20T13:00:00.000Z',
  confirmedAt: '2026-11-20T13:04:00.000Z',
  offeredAt: null,
  expiresAt: null,
};
const exampleCounts = { waiting: 38, waitingTickets: 74, offered: 3, offeredTickets: 6, bought: 21, boughtTickets: 40, lapsed: 4, left: 2 };
const exampleToken = { token: 'K7dM2nUq0v0m3aXhQ9r1Lw' };

export const waitingListContract = {
  joinWaitingList: route({
    method: 'POST',
    path: '/event/{id}/waiting-list',
    group: 'shop',
    summary: 'Join the waiting list for a sold-out item',
    description:
      'Anybody can wait for an item or a group of items that is sold out. The service sends a mail with a link. The person is in line only after confirming with that link, within 24 hours. The response is the same whether or not the address is already in the list. When tickets come back, the first in line gets a mail with a link to an order that is held for the hours that the event sets.',
    access: anyone,
    params: eventParams,
    body: NewEntry,
    answer: { status: 202, body: Joined },
    problems: ['rule_violation', 'wrong_state'],
    examples: {
      params: { id: 12 },
      body: { itemId: 42, sessionId: 7, quantity: 2, email: 'ana@example.com', locale: 'pt-BR' },
      answer: { ahead: 11 },
    },
  }),
  getWaitingListEntry: route({
    method: 'GET',
    path: '/event/{id}/waiting-list/entry',
    group: 'shop',
    summary: 'Get the own entry of the waiting list',
    description: 'Needs the token of the link in a mail. `position` is the place in the line.',
    access: anyone,
    params: eventParams,
    query: TokenQuery,
    answer: { status: 200, body: Entry },
    examples: { params: { id: 12 }, query: exampleToken, answer: exampleEntry },
  }),
  confirmWaitingListEntry: route({
    method: 'POST',
    path: '/event/{id}/waiting-list/entry/confirm',
    group: 'shop',
    summary: 'Confirm the address and get a place in the line',
    access: anyone,
    params: eventParams,
    body: TokenBody,
    answer: { status: 200, body: Entry },
    problems: ['wrong_state'],
    mayChangeNothing: 'An entry that was confirmed before stays as it is.',
    examples: { params: { id: 12 }, body: exampleToken, answer: exampleEntry },
  }),
  leaveWaitingList: route({
    method: 'POST',
    path: '/event/{id}/waiting-list/entry/leave',
    group: 'shop',
    summary: 'Leave the waiting list',
    description: 'Gives up the place in the line, or the offer. The e-mail address is erased.',
    access: anyone,
    params: eventParams,
    body: TokenBody,
    answer: { status: 200, body: Entry },
    problems: ['wrong_state'],
    mayChangeNothing: 'Somebody who has left stays out of the list.',
    examples: { params: { id: 12 }, body: exampleToken, answer: { ...exampleEntry, status: 'left', position: null } },
  }),
  openWaitingListOffer: route({
    method: 'POST',
    path: '/event/{id}/waiting-list/entry/order',
    group: 'shop',
    summary: 'Open the order that is held for an entry',
    description: 'Returns the order of an open offer, with a secret to pay for it. Returns 409 if the entry has no open offer.',
    access: anyone,
    params: eventParams,
    body: TokenBody,
    answer: { status: 201, body: OpenedOffer },
    problems: ['wrong_state'],
    examples: { params: { id: 12 }, body: exampleToken, answer: { orderId: 1001, secret: 'l.Zm9sbG93LXRoZS13aGl0ZS1yYWJiaXQ' } },
  }),
  listWaitingList: route({
    method: 'GET',
    path: '/event/{id}/waiting-list',
    group: 'shop',
    summary: 'List the entries of the waiting list',
    description: 'Sorted by place in the line. Entries that are not confirmed come last.',
    access: permitted('order.read', { event: 'path.id' }),
    params: eventParams,
    query: EntryQuery,
    answer: { status: 200, body: pageOf(CrewEntry) },
    examples: {
      params: { id: 12 },
      query: { status: 'waiting' },
      answer: { data: [{ ...exampleEntry, email: 'ana@example.com', orderId: null }], nextCursor: null },
    },
  }),
  getWaitingListSummary: route({
    method: 'GET',
    path: '/event/{id}/waiting-list/summary',
    group: 'shop',
    summary: 'Count the entries of the waiting list by item and session',
    access: permitted('order.read', { event: 'path.id' }),
    params: eventParams,
    answer: { status: 200, body: Summary },
    examples: {
      params: { id: 12 },
      answer: {
        lines: [{ itemId: 42, itemName: '2º lote', sessionId: 7, sessionName: 'Sábado', ...exampleCounts }],
        total: exampleCounts,
      },
    },
  }),
  removeWaitingListEntry: route({
    method: 'DELETE',
    path: '/event/{id}/waiting-list/{entryId}',
    group: 'shop',
    summary: 'Remove an entry from the waiting list',
    description:
      'Ends the place in the line, or the offer, and erases the e-mail address. For an entry that has ended, only the address is erased.',
    access: permitted('order.refund', { event: 'path.id' }),
    params: Type.Object({ id: Id, entryId: Id }),
    answer: { status: 204 },
    problems: ['wrong_state'],
    examples: { params: { id: 12, entryId: 31 } },
  }),
};
