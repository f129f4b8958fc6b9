import Type, { type Static } from 'typebox';
import { itemTypes } from '../catalog/item-schemas.ts';
import { permitted } from '../kernel/access.ts';
import { locales } from '../kernel/locale.ts';
import { route } from '../kernel/route.ts';
import { Currency, closed, Id, Instant, named, nullable, oneOf, pageOf, pageQuery, WallClock } from '../kernel/schema.ts';
import { dashboardContract } from './dashboard-contract.ts';
import { figures } from './figures-contract.ts';

const Units = Type.Integer({ minimum: 0 });
/** An amount in cents. It can be negative, because fees can exceed the income of the producer. */
const Amount = Type.Integer();

const Figures = closed(figures);
export type Figures = Static<typeof Figures>;

const offered = nullable(
  Type.Integer({ description: 'Quantity of the item, over all sessions and prices. Null if the item has no limit' }),
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
  sessionId: nullable(
    Type.Integer({
      description: 'Null for items that are valid for several sessions, such as passports. `sessionIds` has the ids of these sessions',
    }),
  ),
  sessionIds: Type.Array(Id),
  name: nullable(Type.String()),
  start: nullable(WallClock),
  finish: nullable(WallClock),
  items: Type.Array(BorderoRow),
  totals: closed(sums),
});
export type BorderoSession = Static<typeof BorderoSession>;

const ProviderFees = named('ProviderFees', {
  method: Type.String({ description: 'Payment method' }),
  fee: Type.Integer({ description: 'What payment providers kept of the payments. The platform pays it' }),
  disputeFee: Type.Integer({ description: 'What payment providers charged for disputes. The producer pays it' }),
  disputed: Type.Integer({ description: 'What banks have taken for disputes that are open or lost. The producer pays it' }),
});

const bordero = {
  event: closed({ id: Id, title: Type.String(), link: Type.String(), timezone: Type.String() }),
  producer: closed({ id: Id, name: Type.String() }),
  sessionId: nullable(Type.Integer({ description: 'The requested session, or null for the whole event' })),
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
    closed({ method: Type.String({ description: 'Payment method, or `free` for orders without a payment' }), ...figures }),
  ),
  providerFees: nullable(
    Type.Array(ProviderFees, {
      description:
        'What the payments have cost, by payment method. The other figures do not contain it. Null if `sessionId` was sent, because an order can be for several sessions',
    }),
  ),
  halfPrice: closed({
    sold: Units,
    gross: Amount,
    percent: Type.Number({ description: 'Half-price units as a percentage of all units sold, without courtesies' }),
  }),
  totals: closed(sums),
};
const Bordero = named('Bordero', {
  ...bordero,
  generatedAt: Instant,
  hash: Type.String({
    pattern: '^[0-9a-f]{64}$',
    description: 'SHA-256 of the report without `generatedAt` and `hash`, as canonical JSON (RFC 8785). The same sales give the same hash',
  }),
});
export type Bordero = Static<typeof Bordero>;
export type BorderoContent = Omit<Bordero, 'generatedAt' | 'hash'>;

const guestStatuses = ['checked', 'unchecked'] as const;
const channels = ['online', 'offline'] as const;
const Guest = named('Guest', {
  ticketId: nullable(Type.Integer({ description: 'Null for a ticket that was sold elsewhere' })),
  codeId: nullable(Type.Integer({ description: 'The id of the imported code, for a ticket that was sold elsewhere. Otherwise null' })),
  orderId: nullable(Id),
  itemId: Id,
  item: Type.String(),
  type: oneOf(itemTypes),
  sessionIds: Type.Array(Id, { description: 'The sessions for which the ticket is valid. Empty if the event has no sessions' }),
  name: nullable(Type.String({ description: 'Name of the holder, or of the buyer if no holder is known' })),
  email: nullable(Type.String({ description: 'Null unless the caller has the permission `order.read`' })),
  document: nullable(Type.String({ description: 'Null unless the caller has the permission `order.read`' })),
  status: oneOf(guestStatuses),
  checkedAt: nullable(Instant),
  gate: nullable(Type.String()),
  channel: oneOf(channels),
  appCategoryId: nullable(Type.Integer()),
});
export type Guest = Static<typeof Guest>;

const EntryReport = named('EntryReport', {
  eventId: Id,
  sessionId: nullable(Id),
  totals: closed({
    tickets: Units,
    checked: Units,
    unchecked: Type.Integer(),
    percent: Type.Number(),
    inside: Type.Integer({
      minimum: 0,
      description:
        'Guests who are inside now: those who entered, without those who have left. Without `sessionId`: the sum of all sessions',
    }),
  }),
  stats: Type.Array(
    closed({
      id: Id,
      name: Type.String(),
      type: oneOf(itemTypes),
      checkedTickets: Units,
      uncheckedTickets: Type.Integer(),
      external: Type.Boolean({ description: 'True for an item sold elsewhere, whose guests enter with imported codes' }),
    }),
  ),
  perHour: Type.Array(closed({ hour: WallClock, checked: Units })),
  unsynced: Type.Integer({
    minimum: 0,
    description: 'Scans received more than two minutes after they were made, usually because the device was offline',
  }),
});
export type EntryReport = Static<typeof EntryReport>;

const GuestQuery = Type.Object({
  ...pageQuery,
  method: Type.Optional(oneOf(['report'])),
  sessionId: Type.Optional(Id),
  status: Type.Optional(oneOf(guestStatuses)),
  itemId: Type.Optional(Id),
  channel: Type.Optional(oneOf(channels)),
  term: Type.Optional(
    Type.String({
      maxLength: 100,
      description:
        'Finds guests by the beginning of their name, by ticket id, by order id, or by the full imported code. Callers with `order.read` also find them by the beginning of the e-mail or document',
    }),
  ),
});
export type GuestQuery = Static<typeof GuestQuery>;

const SessionQuery = { sessionId: Type.Optional(Id) };
const eventParams = Type.Object({ eventId: Id });

const exampleFigures = { sold: 1, courtesy: 0, refunded: 1, gross: 8000, feeSale: 800, feeProducer: 200, net: 7800, paid: 8800 };
const exampleSums = { offered: 400, ...exampleFigures };

export const reportsContract = {
  ...dashboardContract,
  getBordero: route({
    method: 'GET',
    path: '/event/{eventId}/bordero',
    group: 'event',
    summary: 'Get the bordero of an event',
    description:
      'Returns the sales report of the event: the units offered, sold, given as courtesies and refunded, and the amounts in cents. The figures are grouped by session, item and price, and also by channel and by payment method. `providerFees` has the fees of payment providers and the disputed money. With `sessionId` the report contains only sales for exactly that session, so passports for several sessions are left out. Anyone who has the report can verify it: compute the hash again and compare it with `hash`. Returns 404 if the event has no such session.',
    access: permitted('report.read', { event: 'path.eventId' }),
    params: eventParams,
    query: Type.Object(SessionQuery),
    replica: true,
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
        providerFees: [{ method: 'card', fee: 439, disputeFee: 0, disputed: 0 }],
        halfPrice: { sold: 0, gross: 0, percent: 0 },
        totals: exampleSums,
        generatedAt: '2026-11-21T12:00:00.000Z',
        hash: '5f1c2e0b7d8a49f3a6b1c0d2e3f4a5b6c7d8e9f0a1b2c3d4e5f60718293a4b5c',
      },
    },
  }),
  getBorderoPdf: route({
    method: 'GET',
    path: '/event/{eventId}/bordero.pdf',
    group: 'event',
    summary: 'Get the bordero of an event as PDF',
    description:
      'Returns the bordero on pages of A4, with the hash of the report. `sessionId` selects a session as in the JSON report. `locale` sets the language. By default the currency of the event decides the language.',
    access: permitted('report.read', { event: 'path.eventId' }),
    params: eventParams,
    query: Type.Object({ ...SessionQuery, locale: Type.Optional(oneOf(locales)) }),
    replica: true,
    sends: ['application/pdf'],
    answer: { status: 200 },
    concurrency: 4,
    examples: { params: { eventId: 12 }, query: { locale: 'en' } },
  }),
  getGuestlist: route({
    method: 'GET',
    path: '/event/{eventId}/guestlist',
    group: 'event',
    summary: 'List guests, or get the entry report',
    description: [
      'Without `method` the response is a page of guests: one row for every valid ticket and for every imported code of an item sold elsewhere. E-mail and document are null unless the caller has `order.read`. `channel` is `offline` for the box office and for tickets sold elsewhere.',
      'With `method=report` the response is the entry report: how many guests have entered, by item and by hour in the time zone of the event. A ticket for several sessions counts as one ticket, and as checked after its first entry. In `perHour` each entry of such a ticket counts. With `sessionId` the report covers only that session. The other filters do not apply to the report.',
    ].join('\n\n'),
    access: permitted('guest.read', { event: 'path.eventId' }),
    params: eventParams,
    query: GuestQuery,
    replica: true,
    answer: { status: 200, body: Type.Union([EntryReport, pageOf(Guest)]) },
    examples: {
      params: { eventId: 12 },
      query: { method: 'report', sessionId: 7 },
      answer: {
        eventId: 12,
        sessionId: 7,
        totals: { tickets: 400, checked: 120, unchecked: 280, percent: 30, inside: 118 },
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
