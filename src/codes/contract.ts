import Type, { type Static } from 'typebox';
import { permitted } from '../kernel/access.ts';
import { route } from '../kernel/route.ts';
import { closed, Id, Instant, line, named, nullable, oneOf, pageOf, pageQuery } from '../kernel/schema.ts';

const codeStatuses = ['available', 'assigned', 'used'] as const;
export type CodeStatus = (typeof codeStatuses)[number];

const Code = named('ExternalCode', {
  id: Id,
  eventId: Id,
  itemId: Id,
  sessionId: nullable(Id),
  code: Type.String(),
  status: oneOf(codeStatuses),
  holder: closed({ name: nullable(Type.String()), document: nullable(Type.String()) }),
  createdAt: Instant,
});
export type Code = Static<typeof Code>;

const Import = named('CodeImport', {
  imported: Type.Integer({ description: 'How many codes were stored; of a dry run, how many would be' }),
  items: Type.Array(
    closed({
      itemId: nullable(Type.Integer({ description: 'null for an item that a dry run would create' })),
      name: Type.String(),
      imported: Type.Integer(),
    }),
  ),
});
export type Import = Static<typeof Import>;

const Deleted = named('DeletedCodes', {
  deleted: Type.Integer(),
  kept: Type.Integer({ description: 'Of those asked for: assigned to a ticket or used, which are never deleted' }),
  items: Type.Array(closed({ itemId: Id, name: Type.String(), deleted: Type.Integer(), kept: Type.Integer() }), {
    description: 'The same numbers for each item that had codes to delete or keep',
  }),
});
export type Deleted = Static<typeof Deleted>;

const eventParams = Type.Object({ eventId: Id });
const itemParams = Type.Object({ itemId: Id });
const codeParams = Type.Object({ itemId: Id, codeId: Id });

const ImportQuery = Type.Object({
  dryRun: Type.Optional(Type.Boolean({ description: 'Checks everything and stores nothing' })),
  createItems: Type.Optional(Type.Boolean({ description: 'Makes an item of type `external` for each name that the event does not have' })),
});
export type ImportQuery = Static<typeof ImportQuery>;

const CodeQuery = Type.Object({
  ...pageQuery,
  status: Type.Optional(oneOf(codeStatuses)),
  term: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'The beginning of the code, or of words of the name of the holder' }),
  ),
});
export type CodeQuery = Static<typeof CodeQuery>;

const filter = {
  itemId: Type.Optional(Id),
  name: Type.Optional(line(200)),
  status: Type.Optional(oneOf(codeStatuses)),
};
const DeleteQuery = Type.Object(filter);
export type DeleteFilter = Static<typeof DeleteQuery>;

const exampleCode = {
  id: 7,
  eventId: 1,
  itemId: 42,
  sessionId: null,
  code: 'PARTNER-0001',
  status: 'available',
  holder: { name: 'Ana Souza', document: null },
  createdAt: '2026-11-15T12:00:00.000Z',
};

export const codesContract = {
  importCodes: route({
    method: 'POST',
    path: '/events/{eventId}/codes',
    group: 'ticket',
    summary: 'Import external codes from a CSV file',
    description: [
      'A multipart form with the file in the field `file`: UTF-8, `,` or `;`, quotes by RFC 4180, up to 1,000,000 rows and 256 MiB.',
      'The header names the columns in any order and case: `code`, one of `itemId` and `item` (the name within the event), and if you like `session` (id or name), `name` and `document` of the holder. A column that is not known is refused. Fields are trimmed, rows without text are skipped.',
      'All rows are imported, or none: `codes_rejected` has the `total` of faults and the first 100 as `rows: [{line, field, code, message}]`; codes that the event has already are told in the same way by `already_exists`.',
      '`dryRun=true` checks the file, stores nothing, and answers 200.',
    ].join('\n\n'),
    access: permitted('code.manage', { event: 'path.eventId' }),
    params: eventParams,
    query: ImportQuery,
    upload: { field: 'file', mediaType: 'text/csv', maxBytes: 268_435_456 },
    dryRun: true,
    answer: { status: 201, body: Import },
    problems: ['codes_rejected', 'already_exists'],
    // Each keeps a connection to the database for as long as its sender takes.
    concurrency: 3,
    examples: {
      params: { eventId: 1 },
      query: { dryRun: false, createItems: true },
      answer: { imported: 500, items: [{ itemId: 42, name: 'Sold by partners', imported: 500 }] },
    },
  }),
  listCodes: route({
    method: 'GET',
    path: '/items/{itemId}/codes',
    group: 'ticket',
    summary: 'List the external codes of an item',
    description: 'In the order of their import; with `term` in the order of the codes.',
    access: permitted('code.read', { item: 'path.itemId' }),
    params: itemParams,
    query: CodeQuery,
    answer: { status: 200, body: pageOf(Code) },
    examples: {
      params: { itemId: 42 },
      query: { status: 'available', term: 'PARTNER-' },
      answer: { data: [exampleCode], nextCursor: null },
    },
  }),
  deleteCodes: route({
    method: 'DELETE',
    path: '/events/{eventId}/codes',
    group: 'ticket',
    summary: 'Delete external codes of an event',
    description: [
      'Without filters, all codes of the event are deleted. `itemId` limits it to one item, `name` to the items of that name, `status` to the codes of that status. Codes that belong to a ticket or were used are kept.',
      'The filters are taken from the query and from the payload. A filter that has different values in both is refused with 422.',
    ].join('\n\n'),
    access: permitted('code.manage', { event: 'path.eventId' }),
    params: eventParams,
    query: DeleteQuery,
    body: closed(filter),
    answer: { status: 200, body: Deleted },
    problems: ['rule_violation'],
    examples: {
      params: { eventId: 1 },
      query: { itemId: 42 },
      body: { status: 'available' },
      answer: { deleted: 480, kept: 20, items: [{ itemId: 42, name: 'Sold by partners', deleted: 480, kept: 20 }] },
    },
  }),
  deleteCode: route({
    method: 'DELETE',
    path: '/items/{itemId}/codes/{codeId}',
    group: 'ticket',
    summary: 'Delete one external code of an item',
    access: permitted('code.manage', { item: 'path.itemId' }),
    params: codeParams,
    answer: { status: 204 },
    problems: ['code_in_use'],
    examples: { params: { itemId: 42, codeId: 7 } },
  }),
};
