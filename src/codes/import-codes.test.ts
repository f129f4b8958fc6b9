import type { FastifyInstance } from 'fastify';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { auditOf } from '../../test/audit.ts';
import { runBehindLock } from '../../test/behind-lock.ts';
import { useWorld } from '../../test/harness.ts';
import { csvForm, form } from '../../test/multipart.ts';
import type { Caller } from '../../test/world.ts';

const world = useWorld();
let session = 0;

interface Sending {
  query?: string;
  as?: Caller;
  headers?: Record<string, string>;
  event?: number;
  app?: FastifyInstance;
}

const upload = (csv: string | Buffer, { query = '', as = 'owner', headers = {}, event = world.event, app = world.app }: Sending = {}) => {
  const { body, headers: formHeaders } = csvForm(csv);
  return world.call('POST', `/events/${event}/codes${query}`, { as, body, headers: { ...formHeaders, ...headers }, app });
};

const stored = async (event = world.event) =>
  world.db.selectFrom('external_code').selectAll().where('event_id', '=', event).orderBy('id').execute();

const temporaryTables = async () =>
  (await world.pool.query(`select from pg_class where relpersistence = 't' and relname like 'code_upload%'`)).rowCount;

beforeAll(async () => {
  const row = await world.db.selectFrom('event_session').select('id').where('event_id', '=', world.event).executeTakeFirstOrThrow();
  session = row.id;
});

afterEach(async () => {
  if (await temporaryTables()) throw new Error('An upload left its table behind');
  await world.db.deleteFrom('external_code').execute();
});

describe('POST /events/{eventId}/codes returns 201 and', () => {
  it('stores each row and counts the rows per item', async () => {
    const answer = await upload(
      `code,itemId,session,name,document\nA-1,${world.item},${session},Ana Souza,123\nA-2,${world.item},Night,,\n`,
    );
    expect(answer.statusCode).toBe(201);
    expect(answer.json()).toEqual({ imported: 2, items: [{ itemId: world.item, name: 'Standing', imported: 2 }] });
    const common = { event_id: world.event, item_id: world.item, session_id: session, status: 'available', created_at: world.now };
    expect(await stored()).toEqual([
      { ...common, id: expect.any(Number), code: 'A-1', holder_name: 'Ana Souza', holder_document: '123' },
      { ...common, id: expect.any(Number), code: 'A-2', holder_name: null, holder_document: null },
    ]);
  });

  it('writes one audit entry with the counts and without names', async () => {
    const answer = await upload(`code,item,name\nA-1,Standing,Ana Souza\nA-2,Standing,Bia\n`);
    expect(await auditOf(world, answer)).toEqual([
      { by: `user ${world.users.owner}`, operation: 'importCodes', on: `codes ${world.event}`, event: world.event, after: answer.json() },
    ]);
  });

  it.each([
    ['a byte order mark and Windows line breaks', '\ufeffcode;item\r\nA-1;Standing\r\n'],
    ['no line break at the end', 'code,item\nA-1,Standing'],
    ['line breaks with CR only', 'code,item\rA-1,Standing\r'],
    ['any case and order of columns', 'ITEM,Name,CODE\nStanding,,A-1\n'],
    ['quotes in header and fields', '"code";"item"\n"A-1" ; "Standing"\n'],
    ['empty lines and rows of delimiters', '\n\ncode,item,\n\n,,\nA-1,Standing,\n,\n\n'],
    ['spaces around fields, also no-break spaces', 'code,item\n\t A-1\u00a0,  Standing \n'],
    ['a row with fewer fields than the header', 'code,item,name,document\nA-1,Standing\n'],
  ])('accepts %s', async (_, csv) => {
    const answer = await upload(csv);
    expect(answer.json()).toMatchObject({ imported: 1 });
    expect(await stored()).toMatchObject([{ code: 'A-1', item_id: world.item, holder_name: null }]);
  });

  it('stores characters that are special in CSV or SQL unchanged', async () => {
    const codes = ['a,b', 'a"b', 'a\\b', '\\N', '\\.', 'ação', '🎟️', "'; drop table item; --", '=1+1'];
    const csv = `code,item\n${codes.map((code) => `"${code.replaceAll('"', '""')}",Standing`).join('\n')}`;
    expect((await upload(csv)).statusCode).toBe(201);
    expect((await stored()).map(({ code }) => code)).toEqual(codes);
  });

  it('creates one external item per unknown name with createItems', async () => {
    const csv = 'code,item\nA-1,Partner\nA-2,Partner\nA-3,Radio\nA-4,Standing\n';
    const answer = await upload(csv, { query: '?createItems=true', event: world.siblingEvent });
    const items = await world.db.selectFrom('item').selectAll().where('event_id', '=', world.siblingEvent).orderBy('name').execute();
    expect(items).toMatchObject([
      { name: 'Partner', type: 'external' },
      { name: 'Radio', type: 'external' },
      { name: 'Standing', type: 'ticket' },
    ]);
    const counts = [2, 1, 1];
    const expected = items.map(({ id, name }, i) => ({ itemId: id, name, imported: counts[i] }));
    expect(answer.json()).toEqual({ imported: 4, items: expected });
    expect((await auditOf(world, answer)).map(({ on }) => on.split(' ')[0])).toEqual(['item', 'item', 'codes']);
  });

  it('accepts a code that another event already has', async () => {
    expect((await upload('code,item\nA-1,Standing')).statusCode).toBe(201);
    expect((await upload('code,item\nA-1,Standing', { event: world.siblingEvent })).statusCode).toBe(201);
  });

  it('stores codes that differ only in case as two codes', async () => {
    expect((await upload('code,item\nA-1,Standing\na-1,Standing')).json()).toMatchObject({ imported: 2 });
  });
});

describe('POST /events/{eventId}/codes?dryRun=true', () => {
  it('returns 200 with the numbers that would be imported, and stores nothing', async () => {
    const answer = await upload('code,item\nA-1,Standing\nA-2,Nowhere\n', { query: '?dryRun=true&createItems=true' });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({
      imported: 2,
      items: [
        { itemId: null, name: 'Nowhere', imported: 1 },
        { itemId: world.item, name: 'Standing', imported: 1 },
      ],
    });
    expect(await stored()).toEqual([]);
    expect(await auditOf(world, answer)).toEqual([]);
  });

  it('returns 422 for rows with errors', async () => {
    expect((await upload('code,item\n,Standing', { query: '?dryRun=true' })).statusCode).toBe(422);
    expect((await upload('code,item\nA-1,Standing')).statusCode).toBe(201);
    expect((await upload('code,item\nA-1,Standing', { query: '?dryRun=true' })).statusCode).toBe(409);
  });
});

describe('POST /events/{eventId}/codes returns 400 for', () => {
  const send = (parts: Parameters<typeof form>[0]) => world.call('POST', `/events/${world.event}/codes`, { as: 'owner', ...form(parts) });

  it.each([
    ['an empty form', [], /no file/],
    ['another field', [{ name: 'codes', content: 'code,item\nA,Standing' }], /"codes".*"file"/],
    ['a field beside the file', [{ content: 'code,item\nA,Standing' }, { name: 'note', filename: null, content: 'x' }], /"note"/],
    ['text instead of a file', [{ filename: null, content: 'codes.csv' }], /not a file.*@/],
    ['two files', [{ content: 'code,item\nA,Standing' }, { content: 'code,item\nB,Standing' }], /two files/],
    ['an empty file', [{ content: '' }], /empty/],
    ['a file of empty lines', [{ content: '\n\r\n\n' }], /empty/],
    ['a header alone', [{ content: 'code,item\n' }], /no rows/],
  ])('%s', async (_, parts, detail) => {
    const answer = await send(parts);
    expect([answer.statusCode, answer.json()]).toEqual([400, expect.objectContaining({ code: 'malformed_body' })]);
    expect(answer.json<{ detail: string }>().detail).toMatch(detail);
    expect(await stored()).toEqual([]);
  });

  it.each([
    ['no boundary', 'multipart/form-data', /boundary/],
    ['a boundary that is not in the body', 'multipart/form-data; boundary=other', /too early/],
  ])('%s', async (_, type, detail) => {
    const { body } = csvForm('code,item\nA,Standing');
    const answer = await world.call('POST', `/events/${world.event}/codes`, { as: 'owner', body, headers: { 'content-type': type } });
    expect(answer.statusCode).toBe(400);
    expect(answer.json<{ detail: string }>().detail).toMatch(detail);
  });

  it('a form that is cut off', async () => {
    const { body, headers } = csvForm('code,item\nA,Standing\n');
    const answer = await world.call('POST', `/events/${world.event}/codes`, { as: 'owner', body: body.subarray(0, -12), headers });
    expect(answer.statusCode).toBe(400);
    expect(await stored()).toEqual([]);
  });

  it('a query parameter that is not a boolean', async () => {
    expect((await upload('code,item\nA,Standing', { query: '?dryRun=yes' })).json()).toMatchObject({
      code: 'invalid_input',
      errors: [{ in: 'query', field: 'dryRun' }],
    });
  });
});

describe('POST /events/{eventId}/codes returns 409', () => {
  it('with the rows of a file that was imported before, and stores nothing', async () => {
    const csv = `code,item\n${Array.from({ length: 150 }, (_, i) => `A-${i},Standing`).join('\n')}`;
    expect((await upload(csv)).statusCode).toBe(201);
    const again = await upload(csv);
    const { rows, ...rest } = again.json<{ rows: unknown[] }>();
    expect(rest).toMatchObject({ status: 409, code: 'already_exists', total: 150 });
    expect(rows).toHaveLength(100);
    expect(rows[0]).toEqual({ line: 2, field: 'code', code: 'exists', message: 'The event already has the code A-0.' });
    expect(await stored()).toHaveLength(150);
  });
});

describe('POST /events/{eventId}/codes with another length or type', () => {
  it('returns 413 for a Content-Length above the limit before it reads the body', async () => {
    const answer = await upload('code,item\nA,Standing', { headers: { 'content-length': '300000000' } });
    expect([answer.statusCode, answer.json<{ code: string }>().code]).toEqual([413, 'payload_too_large']);
  });

  it.each(['application/json', 'text/csv', 'application/octet-stream', 'multipart/mixed; boundary=x'])(
    'returns 415 for %s',
    async (type) => {
      const answer = await upload('code,item\nA,Standing', { headers: { 'content-type': type } });
      expect(answer.statusCode).toBe(415);
      expect(answer.json<{ detail: string }>().detail).toMatch(/multipart\/form-data.*"file"/);
    },
  );

  it('returns 415 for multipart on other operations', async () => {
    const answer = await world.call('POST', '/items', { as: 'owner', ...csvForm('x') });
    expect(answer.statusCode).toBe(415);
  });

  it('returns 403 or 404 to callers without permission, even for an invalid body', async () => {
    for (const [as, status] of [
      ['crew_sales_operator', 403],
      ['stranger', 404],
    ] as const) {
      expect((await upload('x', { as, headers: { 'content-type': 'text/csv', 'content-length': '300000000' } })).statusCode).toBe(status);
    }
  });
});

describe('POST /events/{eventId}/codes returns 422', () => {
  interface Rejected {
    code: string;
    total: number;
    rows: { line: number; field: string; code: string; message: string }[];
  }
  const errorsOf = async (csv: string, query = '') => {
    const answer = await upload(csv, { query });
    expect([answer.statusCode, answer.json<Rejected>().code]).toEqual([422, 'codes_rejected']);
    expect(await stored()).toEqual([]);
    const { total, rows } = answer.json<Rejected>();
    expect(total).toBeGreaterThanOrEqual(rows.length);
    return rows.map(({ line, field, code }) => [line, field, code].join(' '));
  };

  it('with the line, field and error code of each invalid row', async () => {
    const long = 'x'.repeat(201);
    const csv = [
      'code,item,session,name,document',
      'A-1,Standing,,,',
      ',Standing,,,',
      `${long},Standing,,,`,
      `A-2,Standing,,${long},`,
      `A-3,Standing,,,${long}`,
      'A-4,,,,',
      'A-5,Nowhere,,,',
      'A-6,Standing,Matinée,,',
      'A-7,Standing,,,,more',
      'A"8,Standing,,,',
      '"A-9"x,Standing,,,',
      'A-10,Standing,,"two',
      'lines",',
      'A-11,Standing,,a\u0085b,',
      'A-1,Standing,,,',
      'A-12,Standing,,,',
    ].join('\n');
    expect(await errorsOf(csv)).toEqual([
      '3 code required',
      '4 code length',
      '5 name length',
      '6 document length',
      '7 item required',
      '8 item unknown',
      '9 session unknown',
      '10  columns',
      '11 code quotes',
      '12 code quotes',
      '13 name characters',
      '15 name characters',
      '16 code duplicate',
    ]);
  });

  it('with the first 100 invalid rows and the total number of invalid rows', async () => {
    const csv = `code,item\n${Array.from({ length: 250 }, (_, i) => `A-${i},Nowhere`).join('\n')}`;
    const answer = await upload(csv);
    expect(answer.json<Rejected>()).toMatchObject({ total: 250 });
    expect(answer.json<Rejected>().rows).toHaveLength(100);
  });

  it('for items of other events, archived items, groups and ambiguous names', async () => {
    const make = async (body: object) =>
      (await world.call('POST', '/items', { as: 'owner', body: { eventId: world.event, ...body } })).json<{ id: number }>().id;
    await make({ name: 'Stand', type: 'group' });
    await make({ name: 'Twice' });
    await make({ name: 'Twice' });
    const removed = await make({ name: 'Removed' });
    await world.call('PUT', `/items/${removed}`, { as: 'owner', body: { archived: true } });
    expect(await errorsOf('code,item\nA,Stand\nB,Twice\nC,Removed\nD,standing')).toEqual([
      '2 item group',
      '3 item ambiguous',
      '4 item unknown',
      '5 item unknown',
    ]);
    expect(await errorsOf(`code,itemId\nA,${world.foreignItem}\nB,${removed}\nC,x\nD,-1\nE,99999999999999999999`)).toHaveLength(5);
    expect(await errorsOf(`code,itemId\nA,${world.missing}`, '?createItems=true')).toEqual(['2 item unknown']);
  });

  it('for a session in which the item is not valid', async () => {
    const { id: other } = await world.db
      .insertInto('event_session')
      .values({
        event_id: world.event,
        name: 'Late',
        starts_at: new Date('2026-06-02'),
        finishes_at: new Date('2026-06-03'),
        capacity: null,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await world.call('POST', '/items', { as: 'owner', body: { eventId: world.event, name: 'Only tonight', sessionIds: [session] } });
    expect(await errorsOf(`code,item,session\nA,Only tonight,Late\nB,Only tonight,Night\nC,Standing,${other}`)).toEqual([
      '2 session elsewhere',
    ]);
    await world.db.deleteFrom('event_session').where('id', '=', other).execute();
  });

  it('and creates no items when rows have errors', async () => {
    const before = await world.db.selectFrom('item').select('id').execute();
    await errorsOf('code,item\nA,Made up\n,Made up', '?createItems=true');
    await errorsOf(`code,item\n${Array.from({ length: 101 }, (_, i) => `A-${i},Made up ${i}`).join('\n')}`, '?createItems=true');
    expect(await world.db.selectFrom('item').select('id').execute()).toHaveLength(before.length);
  });
});

describe('POST /events/{eventId}/codes with an Idempotency-Key', () => {
  const csv = 'code,item\nA-1,Standing\n';

  it('imports the same file once and replays the response, for any file name and boundary', async () => {
    const headers = { 'idempotency-key': 'once' };
    const first = await upload(csv, { headers });
    const { body, headers: type } = form([{ filename: 'another.csv', content: csv }]);
    const other = Buffer.from(body.toString().replaceAll('----tessera', '----other'));
    const second = await world.call('POST', `/events/${world.event}/codes`, {
      as: 'owner',
      body: other,
      headers: { 'content-type': String(type['content-type']).replace('----tessera', '----other'), ...headers },
    });
    expect([second.statusCode, second.body, second.headers['idempotency-replayed']]).toEqual([201, first.body, 'true']);
    expect(await stored()).toHaveLength(1);
  });

  it('returns 422 for another file with the same key', async () => {
    const headers = { 'idempotency-key': 'other' };
    await upload(csv, { headers });
    expect((await upload('code,item\nA-2,Standing\n', { headers })).json()).toMatchObject({ code: 'idempotency_key_reused' });
    expect(await stored()).toHaveLength(1);
  });

  it('replays an error response, and stores no codes', async () => {
    const headers = { 'idempotency-key': 'refused' };
    const first = await upload('code,item\nA-1,Later\n', { headers });
    await world.call('POST', '/items', { as: 'owner', body: { eventId: world.event, name: 'Later' } });
    const second = await upload('code,item\nA-1,Later\n', { headers });
    expect([second.statusCode, second.body, second.headers['idempotency-replayed']]).toEqual([422, first.body, 'true']);
    expect(await stored()).toEqual([]);
  });
});

describe('concurrent uploads', () => {
  const lockOfEvent = () => `select from event where id = ${world.event} for update`;

  it('into one event through several processes run one after the other', async () => {
    const [second, third] = [await world.newApp(), await world.newApp()];
    const answers = await runBehindLock(world, lockOfEvent(), [
      () => upload('code,item\nA-1,Standing\nA-2,Standing'),
      () => upload('code,item\nB-1,Standing\nA-2,Standing\nB-2,Standing', { app: second }),
      () => upload('code,item\nC-1,New\n', { query: '?createItems=true', app: third }),
    ]);
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([201, 409, 201]);
    expect((await stored()).map(({ code }) => code).toSorted()).toEqual(['A-1', 'A-2', 'C-1']);
  });

  it('of the same file with the same Idempotency-Key are one import', async () => {
    const send = () => upload('code,item\nA-1,Standing', { headers: { 'idempotency-key': 'twice' } });
    const answers = await Promise.all([send(), send()]);
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([201, 201]);
    expect(answers.filter(({ headers }) => headers['idempotency-replayed'] === 'true')).toHaveLength(1);
    expect(await stored()).toHaveLength(1);
  });
});
