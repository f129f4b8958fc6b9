import Type, { type Static } from 'typebox';
import { exampleEvent, exampleShort } from '../events/contract.ts';
import { admin, anyone } from '../kernel/access.ts';
import { route } from '../kernel/route.ts';
import { closed, Id, line, named, nullable, oneOf, optional, Position, pageOf, slug, webAddress } from '../kernel/schema.ts';
import { EventPart, fields, ShortEvent, State } from '../storefront/contract.ts';

/** Somewhere in this shop, or anywhere on the web. */
const Target = Type.String({ maxLength: 2000, pattern: '^(https?://|/(?!/))[^\\s<>"]*$', examples: ['/event/noite-de-samba'] });

const banner = { image: nullable(Type.String()), target: nullable(Type.String()), eventId: nullable(Id) };
const Banner = named('Banner', banner);
export type Banner = Static<typeof Banner>;

const FeaturedEntry = named('FeaturedEntry', { id: Id, position: Type.Integer(), ...banner, state: nullable(Type.String()) });
export type FeaturedEntry = Static<typeof FeaturedEntry>;

const featuredFields = {
  position: Position,
  eventId: nullable(Id),
  image: nullable(webAddress),
  target: nullable(Target),
  state: nullable({ ...State, description: 'For a banner without an event: the state it is shown in; everywhere when null' }),
};
const FeaturedBody = closed(optional(featuredFields), { minProperties: 1 });
export type FeaturedBody = Static<typeof FeaturedBody>;

const ofSection = { id: Id, title: Type.String(), slug: Type.String(), position: Type.Integer() };
const HomeSection = named('HomeSection', { ...ofSection, events: Type.Array(ShortEvent) });
export type HomeSection = Static<typeof HomeSection>;
const ManagedSection = named('ManagedSection', { ...ofSection, eventIds: Type.Array(Id) });
export type ManagedSection = Static<typeof ManagedSection>;

const sectionFields = {
  slug: Type.String({ ...slug, description: 'Made from the title when left out' }),
  position: Position,
  eventIds: Type.Array(Id, { maxItems: 50, uniqueItems: true, description: 'In the order in which they are shown' }),
};
const NewSection = closed({ title: line(100), ...optional(sectionFields) });
export type NewSection = Static<typeof NewSection>;
const SectionChanges = closed(optional({ title: line(100), ...sectionFields }), { minProperties: 1 });
export type SectionChanges = Static<typeof SectionChanges>;

const Cover = named('Cover', {
  image: nullable(Type.String()),
  title: nullable(Type.String()),
  target: nullable(Type.String()),
  eventId: nullable(Id),
});
export type Cover = Static<typeof Cover>;
const CoverChanges = closed(
  optional({ image: nullable(webAddress), title: nullable(line(200)), target: nullable(Target), eventId: nullable(Id) }),
  { minProperties: 1 },
);
export type CoverChanges = Static<typeof CoverChanges>;

const idParams = Type.Object({ id: Id });
const exampleBanner = { image: 'https://images.example.com/samba.jpg', target: '/event/noite-de-samba', eventId: 12 };
const exampleFeatured = { id: 1, position: 0, ...exampleBanner, state: null };
const exampleSection = { id: 2, title: 'Esta semana', slug: 'esta-semana', position: 0 };
const exampleCover = { image: 'https://images.example.com/cover.jpg', title: 'Summer starts here', target: '/festivals', eventId: null };

export const homeContract = {
  getFeatured: route({
    method: 'GET',
    path: '/featured',
    group: 'event',
    summary: 'Featured events or banners',
    description: '`method=events`, also when left out: the events. `method=banner`: pictures and where they lead. Both in their order.',
    access: anyone,
    query: Type.Object({ method: Type.Optional(oneOf(['events', 'banner'])), state: Type.Optional(State), fields }),
    answer: { status: 200, body: pageOf(Type.Union([EventPart, Banner])) },
    cached: { tag: 'everything' },
    examples: { query: { state: 'SP' }, answer: { data: [exampleEvent], nextCursor: null } },
  }),
  listFeatured: route({
    method: 'GET',
    path: '/featured/entries',
    group: 'event',
    summary: 'Featured entries, for who manages them',
    access: admin,
    answer: { status: 200, body: pageOf(FeaturedEntry) },
    examples: { answer: { data: [exampleFeatured], nextCursor: null } },
  }),
  createFeatured: route({
    method: 'POST',
    path: '/featured',
    group: 'event',
    summary: 'Feature an event, or show a banner',
    description: 'With `eventId` it is among the featured events, with `image` among the banners.',
    access: admin,
    body: FeaturedBody,
    answer: { status: 201, body: FeaturedEntry },
    problems: ['rule_violation'],
    examples: { body: exampleBanner, answer: exampleFeatured },
  }),
  updateFeatured: route({
    method: 'PUT',
    path: '/featured/{id}',
    group: 'event',
    summary: 'Change a featured entry',
    access: admin,
    params: idParams,
    body: FeaturedBody,
    answer: { status: 200, body: FeaturedEntry },
    problems: ['rule_violation'],
    examples: { params: { id: 1 }, body: { position: 3 }, answer: { ...exampleFeatured, position: 3 } },
  }),
  deleteFeatured: route({
    method: 'DELETE',
    path: '/featured/{id}',
    group: 'event',
    summary: 'Remove a featured entry',
    access: admin,
    params: idParams,
    answer: { status: 204 },
    examples: { params: { id: 1 } },
  }),
  getHomeSections: route({
    method: 'GET',
    path: '/home/sections',
    group: 'event',
    summary: 'Sections of the home page',
    description: 'In their order, with those of their events that are published and not over.',
    access: anyone,
    answer: { status: 200, body: pageOf(HomeSection) },
    cached: { tag: 'everything' },
    examples: { answer: { data: [{ ...exampleSection, events: [exampleShort] }], nextCursor: null } },
  }),
  createSection: route({
    method: 'POST',
    path: '/home/sections',
    group: 'event',
    summary: 'Add a section to the home page',
    access: admin,
    body: NewSection,
    answer: { status: 201, body: ManagedSection },
    problems: ['already_exists', 'rule_violation'],
    examples: { body: { title: 'Esta semana', eventIds: [12] }, answer: { ...exampleSection, eventIds: [12] } },
  }),
  updateSection: route({
    method: 'PUT',
    path: '/home/sections/{id}',
    group: 'event',
    summary: 'Change a section',
    access: admin,
    params: idParams,
    body: SectionChanges,
    answer: { status: 200, body: ManagedSection },
    problems: ['already_exists', 'rule_violation'],
    examples: { params: { id: 2 }, body: { eventIds: [12] }, answer: { ...exampleSection, eventIds: [12] } },
  }),
  deleteSection: route({
    method: 'DELETE',
    path: '/home/sections/{id}',
    group: 'event',
    summary: 'Remove a section',
    access: admin,
    params: idParams,
    answer: { status: 204 },
    examples: { params: { id: 2 } },
  }),
  getHomeCover: route({
    method: 'GET',
    path: '/home/cover',
    group: 'event',
    summary: 'Cover of the home page',
    description: 'Every field is null while none is set.',
    access: anyone,
    answer: { status: 200, body: Cover },
    cached: { tag: 'everything' },
    examples: { answer: exampleCover },
  }),
  setCover: route({
    method: 'PUT',
    path: '/home/cover',
    group: 'event',
    summary: 'Set the cover of the home page',
    access: admin,
    body: CoverChanges,
    answer: { status: 200, body: Cover },
    problems: ['rule_violation'],
    examples: { body: exampleCover, answer: exampleCover },
  }),
};
