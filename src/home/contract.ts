import Type, { type Static } from 'typebox';
import { exampleEvent, exampleShort } from '../events/event-schemas.ts';
import { admin, anyone } from '../kernel/access.ts';
import { examplePicture, NullablePicture, Picture, PictureAddress, pictureRules, pictureUpload } from '../kernel/picture.ts';
import { route } from '../kernel/route.ts';
import { closed, Id, Instant, line, named, nullable, oneOf, optional, Position, pageOf, slug } from '../kernel/schema.ts';
import { EventPart, fields, ShortEvent, State } from '../storefront/contract.ts';

/** A path in this shop, or a web address. A path must not begin with two slashes, because browsers would treat it as another host. */
const Target = Type.String({ maxLength: 2000, pattern: '^(https?://|/(?!/))[^\\s<>"]*$', examples: ['/event/noite-de-samba'] });

const image = nullable(Type.String({ description: 'The address of the picture. If it was uploaded, `picture` has more addresses' }));
const banner = { image, picture: NullablePicture, target: nullable(Type.String()), eventId: nullable(Id) };
const Banner = named('Banner', banner);
export type Banner = Static<typeof Banner>;

const period = {
  showFrom: nullable({ ...Instant, description: 'The home page shows the entry from this time on. Null: at once' }),
  showUntil: nullable({ ...Instant, description: 'The home page shows the entry until this time. Null: no end' }),
};
const FeaturedEntry = named('FeaturedEntry', {
  id: Id,
  position: Type.Integer(),
  ...banner,
  state: nullable(Type.String()),
  ...period,
});
export type FeaturedEntry = Static<typeof FeaturedEntry>;

const featuredFields = {
  position: Position,
  eventId: nullable(Id),
  image: nullable({
    ...PictureAddress,
    description: 'The address of a picture on another server. Upload one with `POST /featured/{id}/image`',
  }),
  target: nullable(Target),
  state: nullable({ ...State, description: 'For a banner without an event: the state in which the banner is shown; null for all states' }),
  ...period,
};
const FeaturedBody = closed(optional(featuredFields), { minProperties: 1 });
export type FeaturedBody = Static<typeof FeaturedBody>;

const sectionBase = { id: Id, title: Type.String(), slug: Type.String(), position: Type.Integer() };
const HomeSection = named('HomeSection', { ...sectionBase, events: Type.Array(ShortEvent) });
export type HomeSection = Static<typeof HomeSection>;
const ManagedSection = named('ManagedSection', { ...sectionBase, eventIds: Type.Array(Id) });
export type ManagedSection = Static<typeof ManagedSection>;

const sectionFields = {
  slug: Type.String({ ...slug, description: 'The slug of the section. By default it is generated from the title' }),
  position: Position,
  eventIds: Type.Array(Id, {
    maxItems: 50,
    uniqueItems: true,
    description: 'The events of the section, in the order in which they are shown',
  }),
};
const NewSection = closed({ title: line(100), ...optional(sectionFields) });
export type NewSection = Static<typeof NewSection>;
const SectionChanges = closed(optional({ title: line(100), ...sectionFields }), { minProperties: 1 });
export type SectionChanges = Static<typeof SectionChanges>;

const Cover = named('Cover', {
  image,
  picture: NullablePicture,
  title: nullable(Type.String()),
  target: nullable(Type.String()),
  eventId: nullable(Id),
});
export type Cover = Static<typeof Cover>;
const CoverChanges = closed(
  optional({
    image: nullable({
      ...PictureAddress,
      description: 'The address of a picture on another server. Upload one with `POST /home/cover/image`',
    }),
    title: nullable(line(200)),
    target: nullable(Target),
    eventId: nullable(Id),
  }),
  { minProperties: 1 },
);
export type CoverChanges = Static<typeof CoverChanges>;

const HomeEvent = named('HomeEvent', {
  id: Id,
  title: Type.String(),
  isShown: Type.Boolean({ description: 'Whether the home page can show the event now: it is published and has not finished' }),
});
const HomeSettings = named('HomeSettings', {
  cover: Cover,
  featured: Type.Array(FeaturedEntry),
  sections: Type.Array(ManagedSection),
  events: Type.Array(HomeEvent, { description: 'All events of the cover, of the featured entries and of the sections' }),
});
export type HomeSettings = Static<typeof HomeSettings>;

const idParams = Type.Object({ id: Id });
const exampleBanner = { image: 'https://images.example.com/samba.jpg', target: '/event/noite-de-samba', eventId: 12 };
const exampleFeatured = { id: 1, position: 0, ...exampleBanner, picture: null, state: null, showFrom: null, showUntil: null };
const exampleSection = { id: 2, title: 'Esta semana', slug: 'esta-semana', position: 0 };
const exampleCover = { image: 'https://images.example.com/cover.jpg', title: 'Summer starts here', target: '/festivals', eventId: null };

export const homeContract = {
  getFeatured: route({
    method: 'GET',
    path: '/featured',
    group: 'event',
    summary: 'Get the featured events or banners',
    description:
      'With `method=events`, the default, returns the featured events. With `method=banner`, returns pictures with the address or event that they link to. Both lists are sorted by position and leave out events that are not published or have finished, and entries outside of their period. `state` filters by the state of the venue.',
    access: anyone,
    query: Type.Object({ method: Type.Optional(oneOf(['events', 'banner'])), state: Type.Optional(State), fields }),
    answer: { status: 200, body: pageOf(Type.Union([EventPart, Banner])) },
    cached: { tag: 'all' },
    examples: { query: { state: 'SP' }, answer: { data: [exampleEvent], nextCursor: null } },
  }),
  listFeatured: route({
    method: 'GET',
    path: '/featured/entries',
    group: 'event',
    summary: 'List the featured entries',
    description: 'Returns all entries, sorted by position, including entries that are not shown now. Only administrators may list them.',
    access: admin,
    answer: { status: 200, body: pageOf(FeaturedEntry) },
    examples: { answer: { data: [exampleFeatured], nextCursor: null } },
  }),
  createFeatured: route({
    method: 'POST',
    path: '/featured',
    group: 'event',
    summary: 'Feature an event, or show a banner',
    description:
      'Creates a featured entry. An entry with `eventId` is shown in the featured events, an entry with a picture in the banners. Send at least `eventId`, `image` or `target`. To upload the picture of a banner, create the entry with its `target` and then send `POST /featured/{id}/image`. `showFrom` and `showUntil` limit when the home page shows it. The event must be published. There can be at most 100 entries.',
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
    summary: 'Update a featured entry',
    description: 'Changes only the fields that are present; null clears a field. A new event must be published.',
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
    summary: 'Delete a featured entry',
    description: 'Deletes the entry. Its event is not changed.',
    access: admin,
    params: idParams,
    answer: { status: 204 },
    examples: { params: { id: 1 } },
  }),
  uploadBannerImage: route({
    method: 'POST',
    path: '/featured/{id}/image',
    group: 'event',
    summary: 'Upload the picture of a featured entry',
    description: `Replaces the picture. The entry is then also shown in the banners. ${pictureRules}`,
    access: admin,
    params: idParams,
    upload: pictureUpload,
    answer: { status: 201, body: Picture },
    problems: ['rule_violation'],
    concurrency: 4,
    examples: { params: { id: 1 }, answer: examplePicture },
  }),
  deleteBannerImage: route({
    method: 'DELETE',
    path: '/featured/{id}/image',
    group: 'event',
    summary: 'Remove the picture of a featured entry',
    description:
      'Removes the picture. The entry is then no longer shown in the banners. Returns 404 if the entry has no picture, and 422 if it has neither an event nor a target.',
    access: admin,
    params: idParams,
    answer: { status: 204 },
    problems: ['rule_violation'],
    examples: { params: { id: 1 } },
  }),
  getHomeSettings: route({
    method: 'GET',
    path: '/home/settings',
    group: 'event',
    summary: 'Get everything that the home page can show',
    description:
      'Returns the cover, the featured entries and the sections, including what is not shown now, for the editor of the home page.',
    access: admin,
    answer: { status: 200, body: HomeSettings },
    examples: {
      answer: {
        cover: { ...exampleCover, picture: null },
        featured: [exampleFeatured],
        sections: [{ ...exampleSection, eventIds: [12] }],
        events: [{ id: 12, title: 'Noite de Samba', isShown: true }],
      },
    },
  }),
  getHomeSections: route({
    method: 'GET',
    path: '/home/sections',
    group: 'event',
    summary: 'Get the sections of the home page',
    description: 'Returns the sections, sorted by position. Each section contains its events that are published and have not finished.',
    access: anyone,
    answer: { status: 200, body: pageOf(HomeSection) },
    cached: { tag: 'all' },
    examples: { answer: { data: [{ ...exampleSection, events: [exampleShort] }], nextCursor: null } },
  }),
  createSection: route({
    method: 'POST',
    path: '/home/sections',
    group: 'event',
    summary: 'Create a section of the home page',
    description:
      'Creates a section. If another section has the same slug, the response is 409. The events must be published. There can be at most 50 sections.',
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
    summary: 'Update a section of the home page',
    description: 'Changes only the fields that are present. `eventIds` replaces all events of the section.',
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
    summary: 'Delete a section of the home page',
    description: 'Deletes the section. Its events are not changed.',
    access: admin,
    params: idParams,
    answer: { status: 204 },
    examples: { params: { id: 2 } },
  }),
  getHomeCover: route({
    method: 'GET',
    path: '/home/cover',
    group: 'event',
    summary: 'Get the cover of the home page',
    description:
      'Returns the picture, title and link at the top of the home page. All fields are null if no cover is set, or if the event of the cover is not published or has finished.',
    access: anyone,
    answer: { status: 200, body: Cover },
    cached: { tag: 'all' },
    examples: { answer: { ...exampleCover, picture: null } },
  }),
  setCover: route({
    method: 'PUT',
    path: '/home/cover',
    group: 'event',
    summary: 'Set the cover of the home page',
    description: 'Changes only the fields that are present; null clears a field. The event must be published.',
    access: admin,
    body: CoverChanges,
    answer: { status: 200, body: Cover },
    problems: ['rule_violation'],
    examples: { body: exampleCover, answer: { ...exampleCover, picture: null } },
  }),
  uploadCoverImage: route({
    method: 'POST',
    path: '/home/cover/image',
    group: 'event',
    summary: 'Upload the picture of the cover',
    description: `Replaces the picture of the cover. ${pictureRules}`,
    access: admin,
    upload: pictureUpload,
    answer: { status: 201, body: Picture },
    problems: ['rule_violation'],
    versionOf: 'getHomeCover',
    concurrency: 4,
    examples: { answer: examplePicture },
  }),
  deleteCoverImage: route({
    method: 'DELETE',
    path: '/home/cover/image',
    group: 'event',
    summary: 'Remove the picture of the cover',
    description: 'Removes the picture of the cover. Returns 404 if the cover has no picture.',
    access: admin,
    answer: { status: 204 },
    versionOf: 'getHomeCover',
    examples: {},
  }),
};
