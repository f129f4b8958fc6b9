import Type, { type Static } from 'typebox';
import { exampleProfile, producerProfile } from '../accounts/producer-contract.ts';
import { AppCategoryId, itemTypes } from '../catalog/item-schemas.ts';
import { Event, event, eventStatuses, exampleEvent, exampleShort } from '../events/event-schemas.ts';
import { anyone, permitted } from '../kernel/access.ts';
import { route } from '../kernel/route.ts';
import { saleStatuses } from '../kernel/sale-statuses.ts';
import { closed, DayOrMoment, Id, named, nullable, oneOf, PageQuery, pageOf, pageQuery } from '../kernel/schema.ts';

/** An event, or only those of its fields that the query parameter `fields` names. */
export const EventPart = Type.Partial(Event, { title: 'EventPart', additionalProperties: false });
export type EventPart = Partial<Event>;

export const shortEventFields = [
  'id',
  'title',
  'subtitle',
  'link',
  'category',
  'poster',
  'picture',
  'venue',
  'start',
  'finish',
  'timezone',
] as const;
export const ShortEvent = named('ShortEvent', {
  id: event.id,
  title: event.title,
  subtitle: event.subtitle,
  link: event.link,
  category: event.category,
  poster: event.poster,
  picture: event.picture,
  venue: event.venue,
  start: event.start,
  finish: event.finish,
  timezone: event.timezone,
});
export type ShortEvent = Static<typeof ShortEvent>;

const ProducerProfile = named('ProducerProfile', producerProfile);
export type ProducerProfile = Static<typeof ProducerProfile>;

const Ticket = named('Ticket', {
  id: Id,
  name: Type.String(),
  description: Type.String(),
  type: oneOf(itemTypes),
  price: nullable(Type.Integer({ description: 'In cents; null if no price is set' })),
  feeSale: nullable(Type.Integer()),
  finalPrice: nullable(Type.Integer()),
  currency: Type.String(),
  status: oneOf(saleStatuses),
  hidden: Type.Boolean(),
  minimum: nullable(Type.Integer({ description: 'The minimum quantity per order' })),
  maximum: nullable(Type.Integer({ description: 'The maximum quantity per order' })),
  start: nullable(
    Type.String({
      description:
        'When the sales period of the channel starts, in the time zone of the event. Null if the item is not sold in the channel',
    }),
  ),
  finish: nullable(Type.String({ description: 'When the sales period of the channel ends, in the time zone of the event' })),
  remaining: nullable(Type.Integer({ description: 'How many tickets are left. Null if more than 20 are left' })),
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

export const fields = Type.Optional(
  Type.String({ maxLength: 500, description: 'Comma-separated names of the top-level fields to return; all fields by default' }),
);
export const State = Type.String({
  pattern: '^[A-Za-z]{2}$',
  description: 'The state of the venue: two letters, in any case',
  examples: ['SP'],
});
const term = Type.Optional(
  Type.String({
    maxLength: 100,
    description:
      'Search words. An event is found if its title, subtitle, venue, city and description together contain all words. Case and accents are ignored',
  }),
);
const filters = {
  term,
  state: Type.Optional(State),
  from: Type.Optional({
    ...DayOrMoment,
    examples: ['2026-12-01'],
    description: 'Return only events that finish after this time, which is a local time of each event, or RFC 3339. Default: now',
  }),
  to: Type.Optional({
    ...DayOrMoment,
    examples: ['2026-12-01'],
    description: 'Return only events that start at or before this time. A date without a time means the end of that day',
  }),
  fields,
};
const SearchQuery = Type.Object({ ...pageQuery, ...filters });
export type SearchQuery = Static<typeof SearchQuery>;

const TicketQuery = Type.Object({
  passkey: Type.Optional(Type.String({ maxLength: 200, description: 'Also return the hidden items that this passkey unlocks' })),
  appCategoryId: Type.Optional(AppCategoryId),
  term: Type.Optional(
    Type.String({ maxLength: 100, description: 'Return only items whose name contains this text. Case and accents are ignored' }),
  ),
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
    summary: 'Find an event by its link, or search events',
    description:
      'With `method=identify`, returns the event whose slug or id is `link`; earlier slugs of the event work too. Without `method`, searches published events. Events with all words of `term` in the title come first, then the other matches. Both parts are sorted by date.',
    access: anyone,
    query: Type.Object({
      method: Type.Optional(oneOf(['identify'])),
      link: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
      category: Type.Optional(Type.String({ maxLength: 100 })),
      ...pageQuery,
      ...filters,
    }),
    answer: { status: 200, body: Type.Union([EventPart, pageOf(EventPart)]) },
    cached: { tag: 'all' },
    examples: { query: { method: 'identify', link: 'noite-de-samba' }, answer: exampleEvent },
  }),
  getEvent: route({
    method: 'GET',
    path: '/event/{id}',
    group: 'event',
    summary: 'Get an event',
    description:
      'Returns an event. Anyone can read published, private and cancelled events. For a draft, callers who do not manage the event get 404.',
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
    summary: 'List the tickets of an event',
    description:
      'Returns the groups of items, sorted by position, with their status and price in one sales channel. Items without a group are in a group whose id is null. With `passkey`, also returns the hidden items that the passkey unlocks. If the passkey is wrong or not valid now, the response is 403 with the `reason`. After 20 wrong passkeys from one network in ten minutes, or 1,000 for one event in a minute, the response is 429.',
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
    summary: 'List the tickets of one session',
    description:
      'Like `GET /event/{id}/tickets`, but returns only items that are valid in this session, with their status in this session.',
    access: anyone,
    params: sessionParams,
    query: TicketQuery,
    answer: { status: 200, body: TicketGroups },
    problems: ['passkey_rejected'],
    countsFailures: true,
    cached: { tag: 'path.id', except: ['passkey'] },
    examples: { params: { id: 12, sessionId: 7 }, answer: exampleTickets },
  }),
  getProducerProfile: route({
    method: 'GET',
    path: '/producer/{id}',
    group: 'event',
    summary: 'Get the public profile of a producer',
    description:
      'Returns what everybody may read about a producer. Returns 404 until the producer has published an event. `PUT /producers/{id}` changes the profile.',
    access: anyone,
    params: idParams,
    answer: { status: 200, body: ProducerProfile },
    cached: { tag: 'all' },
    examples: { params: { id: 1 }, answer: exampleProfile },
  }),
  listProducerEvents: route({
    method: 'GET',
    path: '/producer/{id}/events',
    group: 'event',
    summary: 'List the published events of a producer',
    description: 'Returns the published events of a producer that have not finished, sorted by date. Private events are not listed.',
    access: anyone,
    params: idParams,
    query: PageQuery,
    replica: true,
    answer: { status: 200, body: pageOf(ShortEvent) },
    cached: { tag: 'all' },
    examples: { params: { id: 1 }, answer: { data: [exampleShort], nextCursor: null } },
  }),
  listEvents: route({
    method: 'GET',
    path: '/events',
    group: 'event',
    summary: 'List the events that you manage',
    description:
      'Returns the events that your roles let you read, in any status, newest first. The words of `term` may be incomplete: `sam` finds Samba.',
    access: permitted('event.read', { producer: 'query.producerId' }),
    query: Type.Object({
      ...pageQuery,
      producerId: Type.Optional(Id),
      status: Type.Optional(oneOf(eventStatuses)),
      categoryId: Type.Optional({ ...Id, description: 'Only events of this category' }),
      term,
      fields,
    }),
    answer: { status: 200, body: pageOf(EventPart) },
    examples: { query: { status: 'draft' }, answer: { data: [exampleEvent], nextCursor: null } },
  }),
  listCategoryEvents: route({
    method: 'GET',
    path: '/{category}',
    group: 'event',
    summary: 'Search the events of a category',
    description: 'Searches the published events of one category, like `GET /event`. For an unknown category the response is 404.',
    access: anyone,
    params: Type.Object({ category: Type.String({ maxLength: 100 }) }),
    query: SearchQuery,
    replica: true,
    answer: { status: 200, body: pageOf(EventPart) },
    cached: { tag: 'all' },
    examples: {
      params: { category: 'music' },
      query: { term: 'sao paulo', state: 'SP' },
      answer: { data: [exampleEvent], nextCursor: null },
    },
  }),
};
