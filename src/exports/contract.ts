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
export const salesChannels = ['online', 'offline'] as const;
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
  rows: Type.Integer({ minimum: 0, description: 'Rows written so far. When the export is ready, this is the number of all rows' }),
  total: nullable(Type.Integer({ minimum: 0, description: 'Expected number of rows. Null until it is known' })),
  bytes: nullable(Type.Integer({ minimum: 0 })),
  sha256: nullable(Type.String({ description: 'SHA-256 of the file, in hexadecimal' })),
  reason: nullable(Type.String({ description: 'Why the export failed' })),
  createdAt: Instant,
  finishedAt: nullable(Instant),
  expiresAt: nullable(Instant),
  link: nullable(
    Type.String({
      description:
        'Path of the file on this server. The download needs no token. Null unless the export is ready and the caller has requested it',
    }),
  ),
});
export type Export = Static<typeof Export>;

const NewExport = closed({
  type: Type.Optional(Type.Unsafe<(typeof exportTypes)[number]>({ type: 'string', enum: [...exportTypes], default: 'transactions' })),
  format: Type.Optional(Type.Unsafe<(typeof exportFormats)[number]>({ type: 'string', enum: [...exportFormats], default: 'csv' })),
  filters: Type.Optional(
    Type.Array(Filter, { maxItems: 20, description: 'Each filter is `{name, value}`. `{status}` is short for a filter named `status`' }),
  ),
  bom: Type.Optional(
    Type.Boolean({ description: 'If true, a CSV file starts with a byte order mark. Some spreadsheet programs need it to detect UTF-8' }),
  ),
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
    summary: 'Request an export',
    description: [
      'Queues a CSV or XLSX file of orders, guests or passkeys. The file is made in the background. When it is ready, the caller gets a mail with a download link that works for 7 days. Poll `GET /exports/{id}` or watch `GET /exports/{id}/events` for the progress.',
      'Column titles are in the language of `Accept-Language` (pt-BR, en, es). The same request by the same user within one minute returns the existing export. Returns 429 if the user has 20 unfinished exports.',
      'Filters by type. transactions: `status`, `channel` (online, offline or a channel number), `term`, `from`, `to`, `itemId`. guestlist: `channel` (online, offline), `term`, `status` (checked, unchecked), `itemId`, `sessionId`. passkey: `status`. If `filters` is left out, passkeys are filtered by `approved`, which means passkeys that are valid now or were used. `[]` exports all passkeys.',
      'The caller also needs `order.read` for transactions, `passkey.read` for passkeys and `guest.read` for guest lists. Without `order.read` a guest list has no e-mails and documents, and `term` does not search them.',
      'The file contains every row that existed when the worker started, exactly once. All lines of an order show the same state. Different orders may show states of different times, because a large file takes a while to write.',
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
    summary: 'List exports of an event',
    description: 'Returns exports of all users, newest first. Exports of a type that the caller may not request are left out.',
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
    summary: 'Get an export',
    description:
      'Returns status and progress of an export. When `status` is `ready`, the user who requested it gets `link` to download the file. Returns 404 if the caller may not request exports of this type.',
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
    description:
      'Sends the export as server-sent events: one event at the start and one after every change. The stream ends when `finishedAt` is set. A user can have at most five streams open. Another request returns 429.',
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
    summary: 'Cancel an export',
    description:
      'Stops an unfinished export and removes its file. Only the user who requested the export and users with `event.manage` can cancel it. Others get 403. Returns 409 if the export is already finished.',
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
    summary: 'Download an export',
    description:
      'Downloads the file of an export. Use `link` of the export or the link in the mail. The signature replaces the token, so keep the link secret. The link returns 410 after 7 days, and when the user who requested the export may no longer see it. `Range` requests with one range are supported.',
    access: anyoneIgnoringToken,
    params: idParams,
    query: Type.Object({ signature: Type.Optional(Type.String({ maxLength: 100 })) }),
    sends: ['text/csv', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
    answer: { status: 200 },
    problems: ['link_expired', 'range_not_satisfiable'],
    examples: { params: { id: 7 }, query: { signature: 'nJ0gq6wZb3xYq0R1m6iJtTnJ0gq6wZb3xYq0R1m6iJt' } },
  }),
};
