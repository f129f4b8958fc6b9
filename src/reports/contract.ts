import Type, { type Static } from 'typebox';
import { itemTypes } from '../catalog/contract.ts';
import { permitted } from '../kernel/access.ts';
import { route } from '../kernel/route.ts';
import { Currency, closed, Id, Instant, named, nullable, oneOf, pageOf, pageQuery, WallClock } from '../kernel/schema.ts';

const Units = Type.Integer({ minimum: 0 });
/** Money in a report may be owed: what the producer is left with can be below nothing. */
const Amount = Type.Integer();

const figures = {
  sold: Type.Integer({ minimum: 0, description: 'Units that were sold and stay sold, courtesies aside' }),
  courtesy: Type.Integer({ minimum: 0, description: 'Units of courtesy items that were given and stay given' }),
  refunded: Type.Integer({ minimum: 0, description: 'Units that were sold or given and taken back; in neither of the two above' }),
  gross: Type.Integer({ description: 'Price of what stays sold' }),
  feeSale: Type.Integer({ description: 'Fees that buyers paid on top of the price' }),
  feeProducer: Type.Integer({ description: 'Fees that are taken from the producer' }),
  net: Type.Integer({ description: 'What is left to the producer: gross − feeProducer' }),
  paid: Type.Integer({ description: 'What buyers paid and did not get back: gross + feeSale' }),
};
const Figures = closed(figures);
export type Figures = Static<typeof Figures>;

const offered = nullable(
  Type.Integer({ description: 'How many there are of the item in all; null for an item without a limit of its own' }),
);
const BorderoRow = named('BorderoRow', {
  itemId: Id,
  name: Type.String(),
  type: oneOf(itemTypes),
  halfPrice: Type.Boolean(),
  price: Amount,
  offered,
  ...figures,
});
export type BorderoRow = Static<typeof BorderoRow>;

const sums = { offered, ...figures };
const BorderoSession = named('BorderoSession', {
  sessionId: nullable(Type.Integer({ description: 'Null for what is good for several sessions at once: `sessionIds` says which' })),
  sessionIds: Type.Array(Id),
  name: nullable(Type.String()),
  start: nullable(WallClock),
  finish: nullable(WallClock),
  items: Type.Array(BorderoRow),
  totals: closed(sums),
});
export type BorderoSession = Static<typeof BorderoSession>;

const bordero = {
  event: closed({ id: Id, title: Type.String(), link: Type.String(), timezone: Type.String() }),
  producer: closed({ id: Id, name: Type.String() }),
  sessionId: nullable(Type.Integer({ description: 'The session that was asked for; null for the whole event' })),
  period: closed({
    start: nullable(WallClock),
    finish: nullable(WallClock),
    firstSale: nullable(Instant),
    lastSale: nullable(Instant),
  }),
  currency: Currency,
  sessions: Type.Array(BorderoSession),
  channels: Type.Array(closed({ appCategoryId: Type.Integer(), ...figures })),
  payments: Type.Array(
    closed({ method: Type.String({ description: 'How the order was paid; `free` for one that cost nothing' }), ...figures }),
  ),
  halfPrice: closed({
    sold: Units,
    gross: Amount,
    percent: Type.Number({ description: 'Of all units sold, courtesies aside' }),
  }),
  totals: closed(sums),
};
const Bordero = named('Bordero', {
  ...bordero,
  generatedAt: Instant,
  hash: Type.String({
    pattern: '^[0-9a-f]{64}$',
    description: 'SHA-256 of everything but `generatedAt` and `hash`, as canonical JSON (RFC 8785): the same sales, the same hash',
  }),
});
export type Bordero = Static<typeof Bordero>;
export type BorderoContent = Omit<Bordero, 'generatedAt' | 'hash'>;

const guestStatuses = ['checked', 'unchecked'] as const;
const ways = ['online', 'offline'] as const;
const Guest = named('Guest', {
  ticketId: nullable(Type.Integer({ description: 'Null for a ticket that was sold elsewhere' })),
  codeId: nullable(Type.Integer({ description: 'The imported code of a ticket that was sold elsewhere' })),
  orderId: nullable(Id),
  itemId: Id,
  item: Type.String(),
  type: oneOf(itemTypes),
  sessionIds: Type.Array(Id, { description: 'The sessions that it admits to; empty if the event has none' }),
  name: nullable(Type.String({ description: 'Of the holder, or of whoever bought it' })),
  email: nullable(Type.String({ description: 'Only for who may read orders' })),
  document: nullable(Type.String({ description: 'Only for who may read orders' })),
  status: oneOf(guestStatuses),
  checkedAt: nullable(Instant),
  gate: nullable(Type.String()),
  channel: oneOf(ways),
  appCategoryId: nullable(Type.Integer()),
});
export type Guest = Static<typeof Guest>;

const EntryReport = named('EntryReport', {
  eventId: Id,
  sessionId: nullable(Id),
  totals: closed({ tickets: Units, checked: Units, unchecked: Type.Integer(), percent: Type.Number() }),
  stats: Type.Array(
    closed({
      id: Id,
      name: Type.String(),
      type: oneOf(itemTypes),
      checkedTickets: Units,
      uncheckedTickets: Type.Integer(),
      external: Type.Boolean({ description: 'Sold elsewhere, enters by imported codes' }),
    }),
  ),
  perHour: Type.Array(closed({ hour: WallClock, checked: Units })),
  unsynced: Type.Integer({
    minimum: 0,
    description: 'Scans that came more than two minutes after they were made: their devices were without a network',
  }),
});
export type EntryReport = Static<typeof EntryReport>;

const GuestQuery = Type.Object({
  ...pageQuery,
  method: Type.Optional(oneOf(['report'])),
  sessionId: Type.Optional(Id),
  status: Type.Optional(oneOf(guestStatuses)),
  itemId: Type.Optional(Id),
  channel: Type.Optional(oneOf(ways)),
  term: Type.Optional(
    Type.String({
      maxLength: 100,
      description:
        'Beginning of the name; the number of the ticket or the order; the whole imported code; for callers with `order.read` also the beginning of e-mail or document',
    }),
  ),
});
export type GuestQuery = Static<typeof GuestQuery>;

const SessionQuery = { sessionId: Type.Optional(Id) };
const eventParams = Type.Object({ eventId: Id });

const exampleFigures = { sold: 1, courtesy: 0, refunded: 1, gross: 8000, feeSale: 800, feeProducer: 200, net: 7800, paid: 8800 };
const exampleSums = { offered: 400, ...exampleFigures };

export const reportsContract = {
  getBordero: route({
    method: 'GET',
    path: '/event/{eventId}/bordero',
    group: 'event',
    summary: 'Bordero of an event',
    description:
      'What was offered, sold, given and refunded, session by session, item by item and price by price, and where the money went, to the cent; by channel and by way of paying. With `sessionId` what was sold for that session alone. Whoever has the report can compute its `hash` again.',
    access: permitted('report.read', { event: 'path.eventId' }),
    params: eventParams,
    query: Type.Object(SessionQuery),
    answer: { status: 200, body: Bordero },
    examples: {
      params: { eventId: 12 },
      answer: {
        event: { id: 12, title: 'Noite de Samba', link: 'noite-de-samba', timezone: 'America/Sao_Paulo' },
        producer: { id: 1, name: 'Aurora Produções' },
        sessionId: null,
        period: {
          start: '2026-11-20 20:00:00',
          finish: '2026-11-20 23:00:00',
          firstSale: '2026-10-01T13:02:00.000Z',
          lastSale: '2026-10-01T13:02:00.000Z',
        },
        currency: 'BRL',
        sessions: [
          {
            sessionId: 7,
            sessionIds: [7],
            name: 'Friday',
            start: '2026-11-20 20:00:00',
            finish: '2026-11-20 23:00:00',
            items: [{ itemId: 42, name: '2º lote', type: 'ticket', halfPrice: false, price: 8000, ...exampleSums }],
            totals: exampleSums,
          },
        ],
        channels: [{ appCategoryId: 1, ...exampleFigures }],
        payments: [{ method: 'card', ...exampleFigures }],
        halfPrice: { sold: 0, gross: 0, percent: 0 },
        totals: exampleSums,
        generatedAt: '2026-11-21T12:00:00.000Z',
        hash: '5f1c2e0b7d8a49f3a6b1c0d2e3f4a5b6c7d8e9f0a1b2c3d4e5f60718293a4b5c',
      },
    },
  }),
  getGuestlist: route({
    method: 'GET',
    path: '/event/{eventId}/guestlist',
    group: 'event',
    summary: 'Guest list, or the entry report',
    description: [
      'Without `method` the guests: a row for everybody whom the door would admit: every valid ticket, and every imported code of an item that is sold elsewhere. E-mail and document only for callers with `order.read`. `channel` is `offline` for the box office and for what was sold elsewhere.',
      'With `method=report` how many of them came in, by item and by hour at the event. A ticket for several sessions is one ticket, checked once it was in for any of them; each time it comes in is an entry of its hour. With `sessionId` all of it is about that session.',
    ].join('\n\n'),
    access: permitted('guest.read', { event: 'path.eventId' }),
    params: eventParams,
    query: GuestQuery,
    answer: { status: 200, body: Type.Union([EntryReport, pageOf(Guest)]) },
    examples: {
      params: { eventId: 12 },
      query: { method: 'report', sessionId: 7 },
      answer: {
        eventId: 12,
        sessionId: 7,
        totals: { tickets: 400, checked: 120, unchecked: 280, percent: 30 },
        stats: [{ id: 42, name: '2º lote', type: 'ticket', checkedTickets: 120, uncheckedTickets: 280, external: false }],
        perHour: [
          { hour: '2026-11-20 19:00:00', checked: 80 },
          { hour: '2026-11-20 20:00:00', checked: 40 },
        ],
        unsynced: 3,
      },
    },
  }),
};
