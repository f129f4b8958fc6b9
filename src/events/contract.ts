import Type, { type Static } from 'typebox';
import { Invited, invitedPerson, Person } from '../accounts/contract.ts';
import { admin, anyone, crewRoles, permitted } from '../kernel/access.ts';
import { ageRatings } from '../kernel/age-ratings.ts';
import { locales } from '../kernel/locale.ts';
import { examplePicture, NullablePicture, Picture, PictureAddress, pictureRules, pictureUpload } from '../kernel/picture.ts';
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
  paragraphs,
  slug,
  WallClock,
} from '../kernel/schema.ts';

/** Only the crew sees a draft. A private event is in no list, but anyone with its link or id can read it. */
export const eventStatuses = ['draft', 'published', 'private', 'cancelled'] as const;

const challengeModes = ['auto', 'always', 'off'] as const;
const ChallengeMode = Type.Unsafe<(typeof challengeModes)[number]>({
  type: 'string',
  enum: [...challengeModes],
  description:
    'When anonymous orders need a solved proof-of-work challenge: `auto` (default) if the network of the buyer has many unpaid tickets, `always`, or `off` (never)',
});

/** Whether guests who have left may enter again. */
export const reentryRules = ['none', 'once', 'unlimited'] as const;

export const disputedTicketRules = ['admit', 'refuse'] as const;
const DisputedTickets = Type.Unsafe<(typeof disputedTicketRules)[number]>({
  type: 'string',
  enum: [...disputedTicketRules],
  description:
    'Whether the door admits tickets whose payment the buyer has disputed at the bank (chargeback): `admit` (default) or `refuse`. A dispute that the producer has won no longer counts',
});

const Reentry = Type.Unsafe<(typeof reentryRules)[number]>({
  type: 'string',
  enum: [...reentryRules],
  description:
    'Whether guests who have left may enter again: `none` (default), `once`, or `unlimited`. It cannot change after guests were scanned as they left',
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

const AgeRating = Type.Unsafe<(typeof ageRatings)[number]>({
  type: 'string',
  enum: [...ageRatings],
  description: 'The Brazilian age classification: `L` for all ages, or the minimum age',
});
const DoorsOpen = Type.Integer({
  minimum: 0,
  maximum: 1440,
  description: 'How many minutes before the start of a session the doors open',
  examples: [60],
});
const Faq = Type.Array(closed({ question: line(300, 'Posso levar comida?'), answer: paragraphs(5000, 'Não. Há praça de alimentação.') }), {
  maxItems: 50,
  description: 'Questions and answers, in the order in which they are shown. Plain text',
});
export type Faq = Static<typeof Faq>;
const Accessibility = {
  ...paragraphs(5000, 'Rampas em todos os acessos e intérprete de Libras.'),
  description: 'What the event offers to people with disabilities. Plain text',
};

/** Fields that both POST and PUT accept. */
const eventFields = {
  subtitle: Type.Optional(nullable(line(200, 'Com Velha Guarda e convidados'))),
  link: Type.Optional(Type.String({ ...slug, description: 'The slug in the URL of the event; made from the title by default' })),
  description: Type.Optional(Type.String({ maxLength: 50_000, description: 'HTML. Scripts, styles and other unsafe markup are removed.' })),
  doorsOpen: Type.Optional(nullable(DoorsOpen)),
  ageRating: Type.Optional(nullable(AgeRating)),
  faq: Type.Optional(Faq),
  accessibility: Type.Optional(nullable(Accessibility)),
  poster: Type.Optional(
    nullable({ ...PictureAddress, description: 'The address of a poster on another server. Upload one with `POST /event/{id}/poster`.' }),
  ),
  saleEnabled: Type.Optional(Type.Boolean({ description: 'false stops the sale of all items' })),
  withdrawalDays: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 365,
      description: 'For how many days after the purchase a buyer can withdraw, and only before the event starts; 7 by default, 0 for never',
    }),
  ),
  maximumPerOrder: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 200,
      description: 'Maximum number of tickets per order; 20 by default. The box office can sell up to 500 tickets in one order.',
    }),
  ),
  challenge: Type.Optional(ChallengeMode),
  disputedTickets: Type.Optional(DisputedTickets),
  reentry: Type.Optional(Reentry),
  waitingList: Type.Optional(
    Type.Boolean({
      description: 'Whether people can join a waiting list for what is sold out; true by default. People already in the list stay in it',
    }),
  ),
  waitingListHours: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 168, description: 'For how many hours an offer of the waiting list is kept; 24 by default' }),
  ),
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

const Capacity = nullable(
  Type.Integer({ minimum: 0, maximum: 100_000_000, description: 'Maximum number of tickets for this session; null for no limit' }),
);
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
  doorsOpenAt: nullable({
    ...WallClock,
    description: 'When the doors open: `doorsOpen` minutes before `start`. Null if the event does not say',
  }),
  capacity: nullable(Type.Integer()),
  status: oneOf(saleStatuses),
});
export type Session = Static<typeof Session>;

export const event = {
  id: Id,
  title: Type.String(),
  subtitle: nullable(Type.String()),
  link: Type.String(),
  description: Type.String({ description: 'Sanitised HTML' }),
  doorsOpen: nullable(DoorsOpen),
  ageRating: nullable(AgeRating),
  faq: Faq,
  accessibility: nullable(Accessibility),
  category: Type.String({ description: 'Slug of the category of the event' }),
  status: oneOf(eventStatuses),
  saleEnabled: Type.Boolean(),
  poster: nullable(Type.String({ description: 'The address of the poster. If it was uploaded, `picture` has more addresses' })),
  picture: NullablePicture,
  timezone: Type.String(),
  currency: Type.String(),
  withdrawalDays: Type.Integer({ description: 'For how many days after the purchase a buyer can withdraw; 0 for never' }),
  maximumPerOrder: Type.Integer({ description: 'Maximum number of tickets per order' }),
  challenge: ChallengeMode,
  disputedTickets: DisputedTickets,
  reentry: Reentry,
  waitingList: Type.Boolean({ description: 'Whether people can join a waiting list for what is sold out' }),
  waitingListHours: Type.Integer({ description: 'For how many hours an offer of the waiting list is kept' }),
  producer: closed({ id: Id, name: Type.String() }),
  venue: nullable(closed(venue)),
  start: nullable(Type.String({ description: 'When its first session starts, in the time zone of the event' })),
  finish: nullable(Type.String({ description: 'When its last session finishes, in the time zone of the event' })),
  sessions: Type.Array(Session),
  createdAt: Instant,
  updatedAt: Instant,
};
export const Event = named('Event', event);
export type Event = Static<typeof Event>;
export const eventFieldNames = Object.keys(event) as (keyof Event)[];

/** Read-only fields. PUT accepts them unchanged, so that clients can send back the whole event or session that they read. */
const eventReadOnly = optional({
  id: Id,
  status: event.status,
  currency: event.currency,
  producer: event.producer,
  picture: event.picture,
  start: event.start,
  finish: event.finish,
  sessions: event.sessions,
  createdAt: Instant,
  updatedAt: Instant,
});
export const eventReadOnlyNames = Object.keys(eventReadOnly);
const sessionReadOnly = optional({ id: Id, doorsOpenAt: Session.properties.doorsOpenAt, status: Session.properties.status });
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
  doorsOpenAt: '2026-12-12 20:00:00',
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
  subtitle: 'Com Velha Guarda e convidados',
  link: 'noite-de-samba',
  category: 'music',
  poster: null,
  picture: null,
  venue: exampleVenue,
  start: exampleSession.start,
  finish: exampleSession.finish,
  timezone: 'America/Sao_Paulo',
};
export const exampleEvent = {
  ...exampleShort,
  description: '<p>Até o amanhecer.</p>',
  doorsOpen: 60,
  ageRating: '18',
  faq: [{ question: 'Posso levar comida?', answer: 'Não. Há praça de alimentação.' }],
  accessibility: 'Rampas em todos os acessos e intérprete de Libras.',
  status: 'published',
  saleEnabled: true,
  currency: 'BRL',
  withdrawalDays: 7,
  maximumPerOrder: 20,
  challenge: 'auto',
  disputedTickets: 'admit',
  reentry: 'none',
  waitingList: true,
  waitingListHours: 24,
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
  refunded: Type.Integer({ description: 'Orders that were refunded' }),
  failed: Type.Integer({
    description: 'Orders that could not be refunded. They stay approved. Refund them one by one, or cancel the event with `refund` again.',
  }),
  amount: Type.Integer({ description: 'The refunded amount, in cents' }),
  startedAt: Instant,
  finishedAt: nullable(Instant),
});
export type Cancellation = Static<typeof Cancellation>;

const Preview = named('Preview', { link: Type.String(), expiresAt: Instant });
export type Preview = Static<typeof Preview>;
const examplePreview = {
  link: 'https://tickets.example/en/event/noite-de-samba?preview=1795…',
  expiresAt: '2026-11-15T13:00:00.000Z',
};

export const ShiftDays = Type.Integer({ minimum: -36_500, maximum: 36_500, description: 'Whole days; 0 by default' });

export const eventsContract = {
  createEvent: route({
    method: 'POST',
    path: '/event',
    group: 'event',
    summary: 'Create an event',
    description:
      'Creates a draft in the currency of the producer. Add a session with `POST /event/{id}/session` and items with `POST /items`, then publish it with `POST /event/{id}/publish`. Returns 409 if the `link` belongs to another event.',
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
    summary: 'Update an event',
    description:
      'Changes only the fields that are present. `venue` is replaced as a whole. After a change of `link`, the old link still works. You can send back the whole event that you read: read-only fields with their current value are ignored, and 422 names those with another value. `timezone` cannot change once the event has sessions or items.',
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
    description:
      'Makes the event public. With `private: true` it is not listed, and only people who have its link or id can open it. A published event can be switched between public and private. Returns 422 if the event has no session.',
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
    summary: 'Unpublish an event',
    description: 'Makes the event a draft again. Returns 409 if tickets are sold or held; then make it private or cancel it.',
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
      'A cancelled event cannot be published again. It can still be read, but its items are no longer on sale. With `refund` its paid orders are refunded in the background, including used tickets, and its holds are cancelled. Each buyer gets one mail. `GET /event/{id}/cancellation` shows the progress. Call this operation again with `refund` to refund orders that are still approved. Returns 409 for a draft.',
    access: manage,
    params: idParams,
    body: closed({
      reason: Type.Optional(line(500)),
      refund: Type.Optional(Type.Boolean({ description: 'Refund its orders. The caller needs the permission `order.refund`.' })),
    }),
    answer: { status: 200, body: Event },
    problems: ['wrong_state'],
    examples: { params: { id: 12 }, body: { reason: 'Rain' }, answer: { ...exampleEvent, status: 'cancelled' } },
  }),
  uploadPoster: route({
    method: 'POST',
    path: '/event/{id}/poster',
    group: 'event',
    summary: 'Upload the poster of an event',
    description: `Replaces the poster. ${pictureRules}`,
    access: manage,
    params: idParams,
    upload: pictureUpload,
    answer: { status: 201, body: Picture },
    problems: ['rule_violation'],
    versionOf: 'getEvent',
    concurrency: 4,
    examples: { params: { id: 12 }, answer: examplePicture },
  }),
  deletePoster: route({
    method: 'DELETE',
    path: '/event/{id}/poster',
    group: 'event',
    summary: 'Remove the poster of an event',
    description:
      'Removes the poster, whether it was uploaded or is on another server. Returns 404 if the event has no poster. The files of an uploaded poster are removed after a day.',
    access: manage,
    params: idParams,
    answer: { status: 204 },
    versionOf: 'getEvent',
    examples: { params: { id: 12 } },
  }),
  createPreview: route({
    method: 'POST',
    path: '/event/{id}/preview',
    group: 'event',
    summary: 'Create a preview link',
    description:
      'The link opens the shop page of the event for one hour, even if the event is a draft. Whoever has the link can see the page, but cannot order from a draft. `locale` is the language of the page.',
    access: permitted('event.read', { event: 'path.id' }),
    params: idParams,
    body: closed({ locale: Type.Optional(oneOf(locales)) }),
    answer: { status: 201, body: Preview },
    examples: { params: { id: 12 }, body: { locale: 'en' }, answer: examplePreview },
  }),
  createSession: route({
    method: 'POST',
    path: '/event/{id}/session',
    group: 'event',
    summary: 'Add a session to an event',
    description:
      'A session is one date of the event. Times without an offset are in the time zone of the event. Returns 422 if `finish` is not after `start`.',
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
    summary: 'Update a session',
    description:
      'Changes only the fields that are present. Returns 422 if `capacity` would be below the number of sold and held tickets. The response has these numbers in `sold` and `held`.',
    access: manage,
    params: sessionParams,
    body: closed({ ...SessionChanges.properties, ...sessionReadOnly }, { minProperties: 1 }),
    answer: { status: 200, body: Session },
    problems: ['rule_violation'],
    versionOf: 'getEvent',
    examples: { params: { id: 12, sessionId: 7 }, body: { capacity: 1200 }, answer: exampleSession },
  }),
  duplicateSession: route({
    method: 'POST',
    path: '/event/{id}/session/{sessionId}/duplicate',
    group: 'event',
    summary: 'Duplicate a session',
    description:
      'The copy has the same capacity and no sold tickets. `shiftDays` moves it by whole days and keeps its local time. Items without `sessionIds` are valid for the copy too. Add the copy to the `sessionIds` of other items.',
    access: manage,
    params: sessionParams,
    body: closed({ name: Type.Optional(line(200)), shiftDays: Type.Optional(ShiftDays) }),
    answer: { status: 201, body: Session },
    problems: ['rule_violation'],
    examples: { params: { id: 12, sessionId: 7 }, body: { name: 'Segunda noite', shiftDays: 1 }, answer: exampleSession },
  }),
  deleteSession: route({
    method: 'DELETE',
    path: '/event/{id}/session/{sessionId}',
    group: 'event',
    summary: 'Delete a session',
    description:
      'Returns 409 if items, orders or scans refer to the session, or if it is the only session of a published event. Remove the session from the `sessionIds` of items first.',
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
    summary: 'Get the attributes of an event',
    description: 'Attributes are values that the producer defines, e.g. a minimum age.',
    access: anyone,
    params: idParams,
    query: Type.Object({
      filters: Type.Optional(Type.String({ maxLength: 2000, description: 'Comma-separated list of keys; all attributes by default' })),
    }),
    answer: { status: 200, body: Attributes },
    cached: { tag: 'path.id' },
    examples: { params: { id: 12 }, query: { filters: 'minimumAge,parking' }, answer: exampleAttributes },
  }),
  updateAttributes: route({
    method: 'PUT',
    path: '/event/{id}/attributes',
    group: 'event',
    summary: 'Set attributes of an event',
    description:
      'Sets the attributes in the body. `null` removes an attribute. Attributes that are not in the body stay unchanged. Returns all attributes. An event can have at most 200 attributes.',
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
    summary: 'Get the refund progress of a cancelled event',
    description: 'Returns 404 unless the event was cancelled with `refund`.',
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
    summary: 'List categories',
    description: 'Returns all categories, sorted by `position`.',
    access: anyone,
    answer: { status: 200, body: pageOf(Category) },
    cached: { tag: 'all' },
    examples: { answer: { data: [exampleCategory], nextCursor: null } },
  }),
  createCategory: route({
    method: 'POST',
    path: '/categories',
    group: 'event',
    summary: 'Create a category',
    description: 'The events of a category are listed at `/{slug}`. Returns 422 if the slug is the first segment of another API path.',
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
    summary: 'Update a category',
    description: 'Changes only the fields that are present. Returns 422 if the slug is the first segment of another API path.',
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
    summary: 'Delete a category',
    description: 'Returns 409 if the category still has events. Move them to another category first.',
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
    summary: 'Get the crew of an event',
    description: 'Returns all crew members with their roles, sorted by name.',
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
      'If no user has this e-mail, an account without a password is created. The person gets a mail, with a link to choose a password if the account has none. The response contains only the e-mail and name that you sent, and `invited: true`, so it does not reveal whether the account existed. After the person has logged in, the crew list shows the name and id of the account. Returns 409 if the person is already in the crew.',
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
    summary: 'Change the role of a crew member',
    description: 'The new role applies from the next request of this person on.',
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
    description: 'The person loses access to this event from their next request on.',
    access: permitted('crew.manage', { event: 'path.id' }),
    params: crewParams,
    answer: { status: 204 },
    examples: { params: { id: 12, userId: 7 } },
  }),
};
