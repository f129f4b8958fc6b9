import Type, { type Static } from 'typebox';
import { permitted } from '../kernel/access.ts';
import { locales } from '../kernel/locale.ts';
import { examplePicture, Picture, pictureRules, pictureUpload } from '../kernel/picture.ts';
import { route } from '../kernel/route.ts';
import { closed, Instant, line, named, nullable, oneOf } from '../kernel/schema.ts';
import { attributeContract } from './attribute-contract.ts';
import { categoryContract } from './category-contract.ts';
import { crewContract } from './crew-contract.ts';
import { Event, EventChanges, eventReadOnly, exampleEvent, idParams, manage, NewEvent } from './event-schemas.ts';
import { sessionContract } from './session-contract.ts';

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
  ...sessionContract,
  ...categoryContract,
  ...crewContract,
  ...attributeContract,
};
