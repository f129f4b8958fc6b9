import Type, { type Static } from 'typebox';
import { AppCategoryId, itemTypes } from '../catalog/contract.ts';
import { Event, event, eventStatuses, exampleEvent } from '../events/contract.ts';
import { anyone, permitted } from '../kernel/access.ts';
import { route } from '../kernel/route.ts';
import { saleStatuses } from '../kernel/sale-statuses.ts';
import { closed, DayOrMoment, Id, named, nullable, oneOf, pageOf, pageQuery } from '../kernel/schema.ts';

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
    cached: { tag: 'everything' },
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
    cached: { tag: 'path.id' },
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
    countsFailures: true,
    cached: { tag: 'path.id', except: ['passkey'] },
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
    countsFailures: true,
    cached: { tag: 'path.id', except: ['passkey'] },
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
  listCategoryEvents: route({
    method: 'GET',
    path: '/{category}',
    group: 'event',
    summary: 'Search the events of a category',
    access: anyone,
    params: Type.Object({ category: Type.String({ maxLength: 100 }) }),
    query: SearchQuery,
    answer: { status: 200, body: pageOf(EventPart) },
    cached: { tag: 'everything' },
    examples: {
      params: { category: 'music' },
      query: { term: 'sao paulo', state: 'SP' },
      answer: { data: [exampleEvent], nextCursor: null },
    },
  }),
};
