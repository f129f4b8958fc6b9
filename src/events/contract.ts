import Type, { type Static } from 'typebox';
import { Invited, invitedPerson, Person } from '../accounts/contract.ts';
import { admin, anyone, crewRoles, permitted } from '../kernel/access.ts';
import { route } from '../kernel/route.ts';
import { saleStatuses } from '../kernel/sale-statuses.ts';
import {
  closed,
  Email,
  Id,
  Instant,
  line,
  Moment,
  named,
  nullable,
  oneOf,
  optional,
  Position,
  pageOf,
  slug,
  WallClock,
  webAddress,
} from '../kernel/schema.ts';

/** A draft is for who works on it; a private event answers to who has its link or id and is in no list. */
export const eventStatuses = ['draft', 'published', 'private', 'cancelled'] as const;

const challengeModes = ['auto', 'always', 'off'] as const;
const ChallengeMode = Type.Unsafe<(typeof challengeModes)[number]>({
  type: 'string',
  enum: [...challengeModes],
  description:
    'When anonymous orders need a solved proof-of-work challenge: `auto` (default) when their network has many unpaid tickets, `always`, or `off`',
});

const venue = {
  name: line(200, 'Casa da Rua'),
  street: nullable(line(200)),
  city: nullable(line(100, 'São Paulo')),
  state: nullable(Type.String({ pattern: '^[A-Za-z]{2}$', description: 'Two letters', examples: ['SP'] })),
  country: nullable(Type.String({ pattern: '^[A-Za-z]{2}$', description: 'ISO 3166, two letters', examples: ['BR'] })),
  zip: nullable(line(20)),
  location: nullable(closed({ lat: Type.Number({ minimum: -90, maximum: 90 }), lng: Type.Number({ minimum: -180, maximum: 180 }) })),
};
const { name: venueName, ...venueRest } = venue;
const NewVenue = closed({ name: venueName, ...optional(venueRest) });
export type NewVenue = Static<typeof NewVenue>;

/** What may be said of an event when it is created and when it is changed. */
const eventFields = {
  link: Type.Optional(Type.String({ ...slug, description: 'Its slug; made from the title when left out' })),
  description: Type.Optional(Type.String({ maxLength: 50_000, description: 'HTML; what could do harm is taken out' })),
  poster: Type.Optional(nullable(webAddress)),
  saleEnabled: Type.Optional(Type.Boolean({ description: 'false takes everything off sale' })),
  withdrawalDays: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 365,
      description: 'So many days after the purchase, and before it begins, a buyer may withdraw; 7 when left out, 0 for never',
    }),
  ),
  maximumPerOrder: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 200, description: 'Most tickets in one order; 20 when left out. The box office may sell 500' }),
  ),
  challenge: Type.Optional(ChallengeMode),
  venue: Type.Optional(nullable(NewVenue)),
};
const Zone = Type.String({ minLength: 1, maxLength: 100, description: 'IANA time zone', examples: ['America/Sao_Paulo'] });
const CategorySlug = Type.String({ ...slug, description: 'Slug of a category', examples: ['music'] });

const NewEvent = closed({ producerId: Id, title: line(200), category: CategorySlug, timezone: Zone, ...eventFields });
export type NewEvent = Static<typeof NewEvent>;

const EventChanges = closed(
  {
    title: Type.Optional(line(200)),
    category: Type.Optional(CategorySlug),
    timezone: Type.Optional(Zone),
    ...eventFields,
  },
  { minProperties: 1 },
);
export type EventChanges = Static<typeof EventChanges>;

const Capacity = nullable(Type.Integer({ minimum: 0, maximum: 100_000_000, description: 'How many fit in; null for no limit' }));
const session = { name: line(200), start: Moment, finish: Moment };
const NewSession = closed({ ...session, capacity: Type.Optional(Capacity) });
export type NewSession = Static<typeof NewSession>;
const SessionChanges = closed(optional({ ...session, capacity: Capacity }), { minProperties: 1 });
export type SessionChanges = Static<typeof SessionChanges>;

const Session = named('Session', {
  id: Id,
  name: Type.String(),
  start: WallClock,
  finish: WallClock,
  capacity: nullable(Type.Integer()),
  status: oneOf(saleStatuses),
});
export type Session = Static<typeof Session>;

export const event = {
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
export const Event = named('Event', event);
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

const Category = named('Category', { id: Id, slug: Type.String(), name: Type.String(), position: Type.Integer() });
export type Category = Static<typeof Category>;
const NewCategory = closed({ slug: CategorySlug, name: line(100), position: Type.Optional(Position) });
export type NewCategory = Static<typeof NewCategory>;
const CategoryChanges = closed(optional({ slug: CategorySlug, name: line(100), position: Position }), { minProperties: 1 });
export type CategoryChanges = Static<typeof CategoryChanges>;

const attributeValue = { type: ['string', 'number', 'boolean'], maxLength: 5000 };
const Attributes = Type.Unsafe<Record<string, string | number | boolean>>({ type: 'object', additionalProperties: attributeValue });
export type EventAttributes = Static<typeof Attributes>;
const AttributeChanges = Type.Unsafe<Record<string, string | number | boolean | null>>({
  type: 'object',
  minProperties: 1,
  maxProperties: 100,
  propertyNames: { pattern: '^[A-Za-z][\\w.-]{0,99}$' },
  additionalProperties: { ...attributeValue, type: [...attributeValue.type, 'null'] },
});
export type EventAttributeChanges = Static<typeof AttributeChanges>;

const idParams = Type.Object({ id: Id });
const sessionParams = Type.Object({ id: Id, sessionId: Id });
const manage = permitted('event.manage', { event: 'path.id' });
const crewParams = Type.Object({ id: Id, userId: Id });

const CrewMember = named('CrewMember', { user: Person, role: oneOf(crewRoles), invited: Type.Optional(Invited) });
export type CrewMember = Static<typeof CrewMember>;

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
const exampleCrewMember = { user: { id: 7, name: 'Ana Souza', email: 'ana@example.com' }, role: 'entrance_manager' };

const exampleCategory = { id: 1, slug: 'music', name: 'Music', position: 0 };
const exampleAttributes = { minimumAge: 18, parking: true };

const Cancellation = named('Cancellation', {
  status: oneOf(['running', 'done']),
  orders: Type.Integer({ description: 'Orders to refund; 0 until they are counted' }),
  refunded: Type.Integer({ description: 'Orders that are refunded' }),
  failed: Type.Integer({
    description: 'Orders that could not be refunded. They stay approved: refund them by hand, or cancel with `refund` again',
  }),
  amount: Type.Integer({ description: 'What was refunded, in cents' }),
  startedAt: Instant,
  finishedAt: nullable(Instant),
});
export type Cancellation = Static<typeof Cancellation>;

export const eventsContract = {
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
  getAttributes: route({
    method: 'GET',
    path: '/event/{id}/attributes',
    group: 'event',
    summary: 'Attributes of an event',
    access: anyone,
    params: idParams,
    query: Type.Object({ filters: Type.Optional(Type.String({ maxLength: 2000, description: 'Comma list of keys; all when left out' })) }),
    answer: { status: 200, body: Attributes },
    cached: { tag: 'path.id' },
    examples: { params: { id: 12 }, query: { filters: 'minimumAge,parking' }, answer: exampleAttributes },
  }),
  updateAttributes: route({
    method: 'PUT',
    path: '/event/{id}/attributes',
    group: 'event',
    summary: 'Set attributes of an event',
    description: 'Those that are named change, `null` removes one, the others stay. Answers all of them.',
    access: permitted('event.manage', { event: 'path.id' }),
    params: idParams,
    body: AttributeChanges,
    answer: { status: 200, body: Attributes },
    problems: ['rule_violation'],
    examples: { params: { id: 12 }, body: { minimumAge: 18, camping: null }, answer: exampleAttributes },
  }),
  getCancellation: route({
    method: 'GET',
    path: '/event/{id}/cancellation',
    group: 'event',
    summary: 'Progress of the refunds of a cancelled event',
    description: 'For an event that was cancelled with `refund`; 404 for any other.',
    access: permitted('event.manage', { event: 'path.id' }),
    params: idParams,
    answer: { status: 200, body: Cancellation },
    examples: {
      params: { id: 12 },
      answer: {
        status: 'running',
        orders: 1200,
        refunded: 450,
        failed: 0,
        amount: 7_920_000,
        startedAt: '2026-11-20T13:00:00.000Z',
        finishedAt: null,
      },
    },
  }),
  listCategories: route({
    method: 'GET',
    path: '/categories',
    group: 'event',
    summary: 'All categories, in their order',
    access: anyone,
    answer: { status: 200, body: pageOf(Category) },
    cached: { tag: 'everything' },
    examples: { answer: { data: [exampleCategory], nextCursor: null } },
  }),
  createCategory: route({
    method: 'POST',
    path: '/categories',
    group: 'event',
    summary: 'Create a category',
    description: 'Its events are listed at `/{slug}`, so the slug cannot be what another address begins with.',
    access: admin,
    body: NewCategory,
    answer: { status: 201, body: Category },
    problems: ['already_exists', 'rule_violation'],
    examples: { body: { slug: 'music', name: 'Music' }, answer: exampleCategory },
  }),
  updateCategory: route({
    method: 'PUT',
    path: '/categories/{id}',
    group: 'event',
    summary: 'Change a category',
    access: admin,
    params: idParams,
    body: CategoryChanges,
    answer: { status: 200, body: Category },
    problems: ['already_exists', 'rule_violation'],
    examples: { params: { id: 1 }, body: { name: 'Music' }, answer: exampleCategory },
  }),
  deleteCategory: route({
    method: 'DELETE',
    path: '/categories/{id}',
    group: 'event',
    summary: 'Delete a category that no event is in',
    access: admin,
    params: idParams,
    answer: { status: 204 },
    problems: ['wrong_state'],
    examples: { params: { id: 1 } },
  }),
  getCrew: route({
    method: 'GET',
    path: '/event/{id}/crew',
    group: 'event',
    summary: 'Crew of an event',
    access: permitted('crew.read', { event: 'path.id' }),
    params: idParams,
    answer: { status: 200, body: closed({ team: Type.Array(CrewMember) }) },
    examples: { params: { id: 12 }, answer: { team: [exampleCrewMember] } },
  }),
  addCrewMember: route({
    method: 'POST',
    path: '/event/{id}/crew',
    group: 'event',
    summary: 'Add a person to the crew by e-mail',
    description:
      'A person without an account gets one, with no password until one is set. The response is the same whether they have an account or not: it has what you sent, and `invited: true`. Their own name and id are shown when they have signed in.',
    access: permitted('crew.manage', { event: 'path.id' }),
    params: idParams,
    body: closed({ email: Email, name: Type.Optional(line(200)), role: oneOf(crewRoles) }),
    answer: { status: 201, body: CrewMember },
    problems: ['already_exists', 'rule_violation'],
    examples: {
      params: { id: 12 },
      body: { email: 'ana@example.com', role: 'entrance_manager' },
      answer: { user: invitedPerson, role: 'entrance_manager', invited: true },
    },
  }),
  updateCrewMember: route({
    method: 'PUT',
    path: '/event/{id}/crew/{userId}',
    group: 'event',
    summary: 'Give a crew member another role',
    access: permitted('crew.manage', { event: 'path.id' }),
    params: crewParams,
    body: closed({ role: oneOf(crewRoles) }),
    answer: { status: 200, body: CrewMember },
    examples: { params: { id: 12, userId: 7 }, body: { role: 'entrance_manager' }, answer: exampleCrewMember },
  }),
  removeCrewMember: route({
    method: 'DELETE',
    path: '/event/{id}/crew/{userId}',
    group: 'event',
    summary: 'Remove a person from the crew',
    description: 'They lose access at once.',
    access: permitted('crew.manage', { event: 'path.id' }),
    params: crewParams,
    answer: { status: 204 },
    examples: { params: { id: 12, userId: 7 } },
  }),
};
