import Type, { type Static } from 'typebox';
import { anyoneIgnoringToken, permitted } from '../kernel/access.ts';
import { locales } from '../kernel/locale.ts';
import { route } from '../kernel/route.ts';
import { closed, Id, Instant, named, nullable, oneOf, pageOf, pageQuery } from '../kernel/schema.ts';

export const exportTypes = ['transactions', 'guestlist', 'passkey'] as const;
const exportFormats = ['csv', 'xlsx'] as const;
const exportStatuses = ['queued', 'running', 'ready', 'failed', 'cancelled', 'expired'] as const;

export const orderStatuses = ['held', 'approved', 'expired', 'cancelled', 'refunded'] as const;
export const passkeyReportStatuses = ['approved', 'active', 'scheduled', 'finished', 'exhausted', 'deleted', 'all'] as const;
export const ways = ['online', 'offline'] as const;
export const guestStatuses = ['checked', 'unchecked'] as const;

const Filter = closed({
  name: Type.Optional(Type.String({ maxLength: 50 })),
  value: Type.Optional(Type.Unsafe<string | number>({ type: ['string', 'integer'], maxLength: 200 })),
  status: Type.Optional(Type.String({ maxLength: 50 })),
});
export type SentFilter = Static<typeof Filter>;

const Export = named('Export', {
  id: Id,
  eventId: Id,
  userId: Id,
  type: oneOf(exportTypes),
  format: oneOf(exportFormats),
  filters: Type.Array(Filter),
  locale: oneOf(locales),
  bom: Type.Boolean(),
  status: oneOf(exportStatuses),
  rows: Type.Integer({ minimum: 0, description: 'Written so far, or in all' }),
  total: nullable(Type.Integer({ minimum: 0, description: 'To be written, as soon as that is known' })),
  bytes: nullable(Type.Integer({ minimum: 0 })),
  sha256: nullable(Type.String({ description: 'Of the file, in hexadecimal' })),
  reason: nullable(Type.String({ description: 'Why it failed' })),
  createdAt: Instant,
  finishedAt: nullable(Instant),
  expiresAt: nullable(Instant),
  link: nullable(Type.String({ description: 'Of the file, below the address of the service; for who asked for it' })),
});
export type Export = Static<typeof Export>;

const NewExport = closed({
  type: Type.Optional(Type.Unsafe<(typeof exportTypes)[number]>({ type: 'string', enum: [...exportTypes], default: 'transactions' })),
  format: Type.Optional(Type.Unsafe<(typeof exportFormats)[number]>({ type: 'string', enum: [...exportFormats], default: 'csv' })),
  filters: Type.Optional(Type.Array(Filter, { maxItems: 20, description: '`{name, value}`, or `{status}` for passkeys' })),
  bom: Type.Optional(Type.Boolean({ description: 'Begin a CSV file with a byte order mark, by which some spreadsheets know UTF-8' })),
});
export type NewExport = Static<typeof NewExport>;

const idParams = Type.Object({ id: Id });
const onExport = permitted('export.request', { export: 'path.id' });

const exampleExport = {
  id: 7,
  eventId: 12,
  userId: 3,
  type: 'transactions',
  format: 'csv',
  filters: [{ name: 'status', value: 'approved' }],
  locale: 'pt-BR',
  bom: false,
  status: 'queued',
  rows: 0,
  total: null,
  bytes: null,
  sha256: null,
  reason: null,
  createdAt: '2026-11-20T13:00:00.000Z',
  finishedAt: null,
  expiresAt: null,
  link: null,
};
const exampleReady = {
  ...exampleExport,
  status: 'ready',
  rows: 1200,
  total: 1200,
  bytes: 187234,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  finishedAt: '2026-11-20T13:00:02.000Z',
  expiresAt: '2026-11-27T13:00:02.000Z',
  link: '/v1/exports/7/file?signature=nJ0gq6wZb3xYq0R1m6iJtTnJ0gq6wZb3xYq0R1m6iJt',
};

export const exportsContract = {
  requestExport: route({
    method: 'POST',
    path: '/event/{eventId}/export',
    group: 'event',
    summary: 'Ask for a list as a file',
    description: [
      'The file is made in the background; when it is ready, who asked gets a mail with a link that is good for 7 days.',
      'Headers are in the language of `Accept-Language` (pt-BR, en, es). Who asks for the same again within a minute gets the same export.',
      'Filters. transactions: `status`, `channel` (online, offline or a number), `term`, `from`, `to`, `itemId`. guestlist: `channel` (online, offline), `term`, `status` (checked, unchecked), `itemId`, `sessionId`. passkey: `status`. Without `filters`, passkeys default to `approved`: those that work now or were used. `[]` exports all of them.',
      'Transactions also need `order.read`, passkeys `passkey.read`, guest lists `guest.read`. Guest lists have e-mails and documents, and search by them, only for callers with `order.read`.',
      'The file has everything that existed when the work began, each row once. Every order shows one state, but not all orders that of the same instant.',
    ].join('\n\n'),
    access: permitted('export.request', { event: 'path.eventId' }),
    params: Type.Object({ eventId: Id }),
    body: NewExport,
    answer: { status: 202, body: Export },
    problems: [],
    examples: { params: { eventId: 12 }, body: { filters: [{ name: 'status', value: 'approved' }] }, answer: exampleExport },
  }),
  listExports: route({
    method: 'GET',
    path: '/event/{eventId}/exports',
    group: 'event',
    summary: 'Exports of an event, newest first',
    description: 'Only exports of types that the caller may request now.',
    access: permitted('export.request', { event: 'path.eventId' }),
    params: Type.Object({ eventId: Id }),
    query: Type.Object({ ...pageQuery, status: Type.Optional(oneOf(exportStatuses)) }),
    answer: { status: 200, body: pageOf(Export) },
    examples: { params: { eventId: 12 }, query: { status: 'ready' }, answer: { data: [exampleReady], nextCursor: null } },
  }),
  getExport: route({
    method: 'GET',
    path: '/exports/{id}',
    group: 'event',
    summary: 'How far an export is',
    access: onExport,
    params: idParams,
    answer: { status: 200, body: Export },
    examples: { params: { id: 7 }, answer: exampleReady },
  }),
  watchExport: route({
    method: 'GET',
    path: '/exports/{id}/events',
    group: 'event',
    summary: 'Watch an export',
    description: 'Server-sent events: the export whenever it changes, until it is done.',
    access: onExport,
    params: idParams,
    live: { until: 'finishedAt' },
    answer: { status: 200, body: Export },
    examples: { params: { id: 7 }, answer: exampleReady },
  }),
  cancelExport: route({
    method: 'POST',
    path: '/exports/{id}/cancel',
    group: 'event',
    summary: 'Stop an export that is not done',
    description: 'For who asked for it, and who manages the event.',
    access: onExport,
    params: idParams,
    answer: { status: 200, body: Export },
    problems: ['wrong_state'],
    examples: { params: { id: 7 }, answer: { ...exampleExport, status: 'cancelled', finishedAt: '2026-11-20T13:00:01.000Z' } },
  }),
  getExportFile: route({
    method: 'GET',
    path: '/exports/{id}/file',
    group: 'event',
    summary: 'Download an export by its link',
    description:
      'The link comes by mail and stands in the export; whoever has it needs no token. It ends after 7 days, and when the person who requested the export may no longer see it. Parts can be asked for with `Range`.',
    access: anyoneIgnoringToken,
    params: idParams,
    query: Type.Object({ signature: Type.Optional(Type.String({ maxLength: 100 })) }),
    sends: ['text/csv', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
    answer: { status: 200 },
    problems: ['link_expired', 'range_not_satisfiable'],
    examples: { params: { id: 7 }, query: { signature: 'nJ0gq6wZb3xYq0R1m6iJtTnJ0gq6wZb3xYq0R1m6iJt' } },
  }),
};
