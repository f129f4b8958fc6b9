import Type, { type Static } from 'typebox';
import { AppCategoryId, itemTypes, saleStatuses } from '../catalog/contract.ts';
import { ChallengeMode, EventChanges, eventStatuses, NewEvent, NewSession, SessionChanges, venue } from '../events/contract.ts';
import { anyone, permitted } from '../kernel/access.ts';
import { route } from '../kernel/route.ts';
import {
  closed,
  DayOrMoment,
  Id,
  Instant,
  line,
  named,
  nullable,
  oneOf,
  optional,
  pageOf,
  pageQuery,
  WallClock,
} from '../kernel/schema.ts';

const Session = named('Session', {
  id: Id,
  name: Type.String(),
  start: WallClock,
  finish: WallClock,
  capacity: nullable(Type.Integer()),
  status: oneOf(saleStatuses),
});
export type Session = Static<typeof Session>;

const event = {
  id: Id,
  title: Type.String(),
  link: Type.String(),
  description: Type.String({ description: 'HTML that can do no harm' }),
  category: Type.String({ description: 'Slug of its category' }),
  status: oneOf(eventStatuses),
  saleEnabled: Type.Boolean(),
  poster: nullable(Type.String()),
  timezone: Type.String(),
  currency: Type.String(),
  withdrawalDays: Type.Integer({ description: 'Until so many days after the purchase a buyer may withdraw; 0 for never' }),
  maximumPerOrder: Type.Integer({ description: 'Most tickets in one order' }),
  challenge: ChallengeMode,
  producer: closed({ id: Id, name: Type.String() }),
  venue: nullable(closed(venue)),
  start: nullable(Type.String({ description: 'When its first session starts, on the wall at the event' })),
  finish: nullable(Type.String({ description: 'When its last session finishes' })),
  sessions: Type.Array(Session),
  createdAt: Instant,
  updatedAt: Instant,
};
const Event = named('Event', event);
export type Event = Static<typeof Event>;
export const eventFieldNames = Object.keys(event) as (keyof Event)[];

/** Fields that PUT accepts only unchanged, so that an event or a session can be read and sent back. */
const eventReadOnly = optional({
  id: Id,
  status: event.status,
  currency: event.currency,
  producer: event.producer,
  start: event.start,
  finish: event.finish,
  sessions: event.sessions,
  createdAt: Instant,
  updatedAt: Instant,
});
export const eventReadOnlyNames = Object.keys(eventReadOnly);
const sessionReadOnly = optional({ id: Id, status: Session.properties.status });
export const sessionReadOnlyNames = Object.keys(sessionReadOnly);

/** With `fields` there are fewer of them. */
export const EventPart = Type.Partial(Event, { title: 'EventPart', additionalProperties: false });
export type EventPart = Partial<Event>;

export const short = ['id', 'title', 'link', 'category', 'poster', 'venue', 'start', 'finish', 'timezone'] as const;
export const ShortEvent = named('ShortEvent', {
  id: event.id,
  title: event.title,
  link: event.link,
  category: event.category,
  poster: event.poster,
  venue: event.venue,
  start: event.start,
  finish: event.finish,
  timezone: event.timezone,
});

const Ticket = named('Ticket', {
  id: Id,
  name: Type.String(),
  description: Type.String(),
  type: oneOf(itemTypes),
  price: nullable(Type.Integer({ description: 'In cents; null while no price is set' })),
  feeSale: nullable(Type.Integer()),
  finalPrice: nullable(Type.Integer()),
  currency: Type.String(),
  status: oneOf(saleStatuses),
  hidden: Type.Boolean(),
  minimum: nullable(Type.Integer({ description: 'Fewest per order' })),
  maximum: nullable(Type.Integer({ description: 'Most per order' })),
  start: nullable(Type.String({ description: 'When this channel begins to sell it; null when it does not' })),
  finish: nullable(Type.String()),
  remaining: nullable(Type.Integer({ description: 'Only when few are left' })),
  sessionIds: Type.Array(Id),
});
export type Ticket = Static<typeof Ticket>;

const TicketGroup = named('TicketGroup', {
  id: nullable(Id),
  name: nullable(Type.String()),
  description: nullable(Type.String()),
  status: oneOf(saleStatuses),
  tickets: Type.Array(Ticket),
});
export type TicketGroup = Static<typeof TicketGroup>;

export const fields = Type.Optional(Type.String({ maxLength: 500, description: 'Comma list of top-level fields; all when left out' }));
export const State = Type.String({ pattern: '^[A-Za-z]{2}$', description: "The venue's state, two letters, any case", examples: ['SP'] });
const term = Type.Optional(
  Type.String({ maxLength: 100, description: 'Words in title, venue, city or description; accents and case do not matter' }),
);
const filters = {
  term,
  state: Type.Optional(State),
  from: Type.Optional({
    ...DayOrMoment,
    examples: ['2026-12-01'],
    description: 'Not finished before this; on the wall at the event, or RFC 3339. Now when left out',
  }),
  to: Type.Optional({ ...DayOrMoment, examples: ['2026-12-01'], description: 'Started by then; a date counts to its end' }),
  fields,
};
const SearchQuery = Type.Object({ ...pageQuery, ...filters });
export type SearchQuery = Static<typeof SearchQuery>;

const TicketQuery = Type.Object({
  passkey: Type.Optional(Type.String({ maxLength: 200, description: 'Reveals the hidden items that it is for' })),
  appCategoryId: Type.Optional(AppCategoryId),
  term: Type.Optional(Type.String({ maxLength: 100, description: 'Part of the name; accents and case do not matter' })),
});
export type TicketQuery = Static<typeof TicketQuery>;

const idParams = Type.Object({ id: Id });
const sessionParams = Type.Object({ id: Id, sessionId: Id });
const manage = permitted('event.manage', { event: 'path.id' });

const exampleSession = {
  id: 7,
  name: 'Noite única',
  start: '2026-12-12 21:00:00',
  finish: '2026-12-13 03:00:00',
  capacity: 1200,
  status: 'available',
};
const exampleVenue = {
  name: 'Casa da Rua',
  street: null,
  city: 'São Paulo',
  state: 'SP',
  country: 'BR',
  zip: null,
  location: { lat: -23.5505, lng: -46.6333 },
};
export const exampleShort = {
  id: 12,
  title: 'Noite de Samba',
  link: 'noite-de-samba',
  category: 'music',
  poster: null,
  venue: exampleVenue,
  start: exampleSession.start,
  finish: exampleSession.finish,
  timezone: 'America/Sao_Paulo',
};
export const exampleEvent = {
  ...exampleShort,
  description: '<p>Até o amanhecer.</p>',
  status: 'published',
  saleEnabled: true,
  currency: 'BRL',
  withdrawalDays: 7,
  maximumPerOrder: 20,
  challenge: 'auto',
  producer: { id: 3, name: 'Aurora Produções' },
  sessions: [exampleSession],
  createdAt: '2026-11-15T12:00:00.000Z',
  updatedAt: '2026-11-15T12:00:00.000Z',
};
const exampleTicket = {
  id: 42,
  name: '2º lote',
  description: '',
  type: 'ticket',
  price: 8000,
  feeSale: 800,
  finalPrice: 8800,
  currency: 'BRL',
  status: 'available',
  hidden: false,
  minimum: null,
  maximum: 6,
  start: '2026-11-20 10:00:00',
  finish: '2026-12-12 20:00:00',
  remaining: 17,
  sessionIds: [7],
};
const exampleTickets = { data: [{ id: 41, name: 'Pista', description: '', status: 'available', tickets: [exampleTicket] }] };
const TicketGroups = closed({ data: Type.Array(TicketGroup) });

export const storefrontContract = {
  findEvent: route({
    method: 'GET',
    path: '/event',
    group: 'event',
    summary: 'Identify an event, or search',
    description:
      'With `method=identify`, the one event whose slug or id is `link`; a slug that it had before still leads to it. Without `method`, a search of what is published, titles that match first, then by date.',
    access: anyone,
    query: Type.Object({
      method: Type.Optional(oneOf(['identify'])),
      link: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
      category: Type.Optional(Type.String({ maxLength: 100 })),
      ...pageQuery,
      ...filters,
    }),
    answer: { status: 200, body: Type.Union([EventPart, pageOf(EventPart)]) },
    ready: { tag: 'everything' },
    examples: { query: { method: 'identify', link: 'noite-de-samba' }, answer: exampleEvent },
  }),
  getEvent: route({
    method: 'GET',
    path: '/event/{id}',
    group: 'event',
    summary: 'Get an event',
    description: 'A draft is there only for those who work on it.',
    access: anyone,
    params: idParams,
    query: Type.Object({ fields }),
    answer: { status: 200, body: EventPart },
    ready: { tag: 'path.id' },
    examples: { params: { id: 12 }, answer: exampleEvent },
  }),
  getEventTickets: route({
    method: 'GET',
    path: '/event/{id}/tickets',
    group: 'event',
    summary: 'Tickets of an event',
    description: 'Groups with what is for sale in them; items without a group stand in one whose id is null.',
    access: anyone,
    params: idParams,
    query: TicketQuery,
    answer: { status: 200, body: TicketGroups },
    problems: ['passkey_rejected'],
    ready: { tag: 'path.id', except: ['passkey'] },
    examples: { params: { id: 12 }, answer: exampleTickets },
  }),
  getSessionTickets: route({
    method: 'GET',
    path: '/event/{id}/session/{sessionId}/tickets',
    group: 'event',
    summary: 'Tickets of one session',
    access: anyone,
    params: sessionParams,
    query: TicketQuery,
    answer: { status: 200, body: TicketGroups },
    problems: ['passkey_rejected'],
    ready: { tag: 'path.id', except: ['passkey'] },
    examples: { params: { id: 12, sessionId: 7 }, answer: exampleTickets },
  }),
  listEvents: route({
    method: 'GET',
    path: '/events',
    group: 'event',
    summary: 'Events that you work on',
    description: 'In any status, newest first.',
    access: permitted('event.read', { producer: 'query.producerId' }),
    query: Type.Object({ ...pageQuery, producerId: Type.Optional(Id), status: Type.Optional(oneOf(eventStatuses)), term, fields }),
    answer: { status: 200, body: pageOf(EventPart) },
    examples: { query: { status: 'draft' }, answer: { data: [exampleEvent], nextCursor: null } },
  }),
  createEvent: route({
    method: 'POST',
    path: '/event',
    group: 'event',
    summary: 'Create an event',
    description: 'It is a draft until it is published.',
    access: permitted('event.manage', { producer: 'body.producerId' }),
    body: NewEvent,
    answer: { status: 201, body: Event },
    problems: ['already_exists', 'rule_violation'],
    examples: {
      body: {
        producerId: 3,
        title: 'Noite de Samba',
        category: 'music',
        timezone: 'America/Sao_Paulo',
        venue: { name: 'Casa da Rua', state: 'SP' },
      },
      answer: exampleEvent,
    },
  }),
  updateEvent: route({
    method: 'PUT',
    path: '/event/{id}',
    group: 'event',
    summary: 'Change an event',
    description:
      'Only the fields that are present change; `venue` is replaced as a whole. After a change of `link` the old one still leads here. The whole event may be sent back as it was read: read-only fields are ignored while they equal the current value, else 422 names them.',
    access: manage,
    params: idParams,
    body: closed({ ...EventChanges.properties, ...eventReadOnly }, { minProperties: 1 }),
    answer: { status: 200, body: Event },
    problems: ['already_exists', 'rule_violation'],
    examples: { params: { id: 12 }, body: { title: 'Noite de Samba' }, answer: exampleEvent },
  }),
  publishEvent: route({
    method: 'POST',
    path: '/event/{id}/publish',
    group: 'event',
    summary: 'Publish an event',
    description: 'For everyone, or with `private` for who has its link or id. An event needs a session first.',
    access: manage,
    params: idParams,
    body: closed({ private: Type.Optional(Type.Boolean()) }),
    answer: { status: 200, body: Event },
    problems: ['rule_violation', 'wrong_state'],
    examples: { params: { id: 12 }, body: {}, answer: exampleEvent },
  }),
  unpublishEvent: route({
    method: 'POST',
    path: '/event/{id}/unpublish',
    group: 'event',
    summary: 'Make an event a draft again',
    description: 'Only while nothing of it is sold or held.',
    access: manage,
    params: idParams,
    answer: { status: 200, body: Event },
    problems: ['wrong_state'],
    examples: { params: { id: 12 }, answer: { ...exampleEvent, status: 'draft' } },
  }),
  cancelEvent: route({
    method: 'POST',
    path: '/event/{id}/cancel',
    group: 'event',
    summary: 'Cancel an event',
    description:
      'This is final. The event can still be read; nothing of it is for sale. With `refund` its paid orders are refunded in the background, used tickets too, and its holds are cancelled; each buyer gets one mail. `GET /event/{id}/cancellation` shows the progress. An event that is cancelled can be cancelled again with `refund`, to refund orders that are still approved.',
    access: manage,
    params: idParams,
    body: closed({
      reason: Type.Optional(line(500)),
      refund: Type.Optional(Type.Boolean({ description: 'Refund its orders; needs a role that may refund' })),
    }),
    answer: { status: 200, body: Event },
    problems: ['wrong_state'],
    examples: { params: { id: 12 }, body: { reason: 'Rain' }, answer: { ...exampleEvent, status: 'cancelled' } },
  }),
  createSession: route({
    method: 'POST',
    path: '/event/{id}/session',
    group: 'event',
    summary: 'Add a session to an event',
    access: manage,
    params: idParams,
    body: NewSession,
    answer: { status: 201, body: Session },
    problems: ['rule_violation'],
    versionOf: 'getEvent',
    examples: {
      params: { id: 12 },
      body: { name: 'Noite única', start: '2026-12-12 21:00:00', finish: '2026-12-13 03:00:00', capacity: 1200 },
      answer: exampleSession,
    },
  }),
  updateSession: route({
    method: 'PUT',
    path: '/event/{id}/session/{sessionId}',
    group: 'event',
    summary: 'Change a session',
    access: manage,
    params: sessionParams,
    body: closed({ ...SessionChanges.properties, ...sessionReadOnly }, { minProperties: 1 }),
    answer: { status: 200, body: Session },
    problems: ['rule_violation'],
    versionOf: 'getEvent',
    examples: { params: { id: 12, sessionId: 7 }, body: { capacity: 1200 }, answer: exampleSession },
  }),
  deleteSession: route({
    method: 'DELETE',
    path: '/event/{id}/session/{sessionId}',
    group: 'event',
    summary: 'Delete a session that no item is for',
    access: manage,
    params: sessionParams,
    answer: { status: 204 },
    problems: ['wrong_state'],
    versionOf: 'getEvent',
    examples: { params: { id: 12, sessionId: 7 } },
  }),
  listCategoryEvents: route({
    method: 'GET',
    path: '/{category}',
    group: 'event',
    summary: 'Search the events of a category',
    access: anyone,
    params: Type.Object({ category: Type.String({ maxLength: 100 }) }),
    query: SearchQuery,
    answer: { status: 200, body: pageOf(EventPart) },
    ready: { tag: 'everything' },
    examples: {
      params: { category: 'music' },
      query: { term: 'sao paulo', state: 'SP' },
      answer: { data: [exampleEvent], nextCursor: null },
    },
  }),
};
