// What an event looks like in requests and responses.
import Type, { type Static } from 'typebox';
import { permitted } from '../kernel/access.ts';
import { ageRatings } from '../kernel/age-ratings.ts';
import { NullablePicture, PictureAddress } from '../kernel/picture.ts';
import { saleStatuses } from '../kernel/sale-statuses.ts';
import { closed, Id, Instant, line, named, nullable, oneOf, optional, paragraphs, slug, WallClock } from '../kernel/schema.ts';

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

export const CategorySlug = Type.String({ ...slug, description: 'Slug of a category', examples: ['music'] });

export const NewEvent = closed({ producerId: Id, title: line(200), category: CategorySlug, timezone: Zone, ...eventFields });
export type NewEvent = Static<typeof NewEvent>;

export const EventChanges = closed(
  {
    title: Type.Optional(line(200)),
    category: Type.Optional(CategorySlug),
    timezone: Type.Optional(Zone),
    ...eventFields,
  },
  { minProperties: 1 },
);
export type EventChanges = Static<typeof EventChanges>;

export const Session = named('Session', {
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
export const eventReadOnly = optional({
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

export const idParams = Type.Object({ id: Id });

export const manage = permitted('event.manage', { event: 'path.id' });

export const exampleSession = {
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
