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
  imported: Type.Integer({ description: 'The number of stored codes. For a dry run, the number of codes that would be stored' }),
  items: Type.Array(
    closed({
      itemId: nullable(Type.Integer({ description: 'The id of the item. Null in a dry run for an item that the import would create' })),
      name: Type.String(),
      imported: Type.Integer(),
    }),
  ),
});
export type Import = Static<typeof Import>;

const Deleted = named('DeletedCodes', {
  deleted: Type.Integer(),
  kept: Type.Integer({
    description: 'The number of codes that match the filters but are assigned to a ticket or used. Such codes are never deleted',
  }),
  items: Type.Array(closed({ itemId: Id, name: Type.String(), deleted: Type.Integer(), kept: Type.Integer() }), {
    description: 'The numbers of deleted and kept codes for each item with matching codes',
  }),
});
export type Deleted = Static<typeof Deleted>;

const eventParams = Type.Object({ eventId: Id });
const itemParams = Type.Object({ itemId: Id });
const codeParams = Type.Object({ itemId: Id, codeId: Id });

const ImportQuery = Type.Object({
  dryRun: Type.Optional(Type.Boolean({ description: 'Whether to only check the file and store nothing. Default: false' })),
  createItems: Type.Optional(
    Type.Boolean({
      description:
        'Whether to create an item of type `external` for each unknown name in the column `item`, at most 100 items. Default: false',
    }),
  ),
});
export type ImportQuery = Static<typeof ImportQuery>;

const CodeQuery = Type.Object({
  ...pageQuery,
  status: Type.Optional(oneOf(codeStatuses)),
  term: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        'The beginning of the code, or the beginnings of words in the name of the holder. Accents and case of the name are ignored',
    }),
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
    summary: 'Import codes from a CSV file',
    description: [
      'Send a multipart form with a CSV file in the field `file`. The file must be UTF-8 with `,` or `;` between fields and quotes as in RFC 4180. It may have up to 1,000,000 rows and 256 MiB.',
      'The first line names the columns, in any order and case. The columns `code` and either `itemId` or `item` (the name of an item of the event) are required. The columns `session` (id or name), `name` and `document` (of the holder) are optional. Unknown columns are rejected. Fields are trimmed, and empty rows are skipped.',
      'All rows are imported, or none. If rows have errors, the response is 422 `codes_rejected` with the number of errors in `total` and the first 100 errors in `rows: [{line, field, code, message}]`. If the event already has some of the codes, the response is 409 `already_exists` in the same form.',
      'With `dryRun=true` the file is checked and nothing is stored. The response is 200.',
    ].join('\n\n'),
    access: permitted('code.manage', { event: 'path.eventId' }),
    params: eventParams,
    query: ImportQuery,
    upload: { field: 'file', mediaType: 'text/csv', maxBytes: 268_435_456 },
    dryRun: true,
    answer: { status: 201, body: Import },
    problems: ['codes_rejected', 'already_exists'],
    // Each upload occupies a database connection until the client has sent the whole file.
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
    summary: 'List the imported codes of an item',
    description:
      'Returns the imported codes of an item in the order of their import. With `term`, the codes are sorted by code. `status` is `available` until the code is assigned to a ticket, then `assigned`, and `used` after check-in.',
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
    summary: 'Delete imported codes of an event',
    description: [
      'Deletes the imported codes of an event whose status is `available`. Codes that are assigned to a ticket or used are kept. `itemId` limits the deletion to one item, `name` to items with that name, `status` to codes with that status.',
      'Filters can be in the query, in the body, or in both. If a filter has different values in both, the response is 422 and nothing is deleted.',
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
    summary: 'Delete one imported code of an item',
    description:
      'Deletes a code whose status is `available`. If the code is assigned to a ticket or used, the response is 409 `code_in_use`.',
    access: permitted('code.manage', { item: 'path.itemId' }),
    params: codeParams,
    answer: { status: 204 },
    problems: ['code_in_use'],
    examples: { params: { itemId: 42, codeId: 7 } },
  }),
};
