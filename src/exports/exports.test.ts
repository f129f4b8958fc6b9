import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { exportContextOf, exported, insertExport, readCsv, readXlsx, runExport } from '../../test/exports.ts';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import { minutesAfterNoon, noon } from '../../test/world.ts';
import { FileStoreError, type Files } from '../platform/files/files.ts';
import { openFiles } from '../platform/files/open-files.ts';
import type { Export } from './contract.ts';
import { removeStaleFiles, startExports } from './start-exports.ts';

const world = useWorld();
const shop = shopOf(world);
const ask = (body: object = {}, as: 'owner' | 'crew_sales_manager' | 'crew_entrance_manager' | 'manager' = 'owner') =>
  world.call('POST', `/event/${world.event}/export`, { as, body });
const get = async (id: number) => (await world.call('GET', `/exports/${id}`, { as: 'owner' })).json<Export>();
let terms = 0;
/** Returns a body that differs from all earlier requests, so that the request creates a new export. */
const fresh = () => ({ filters: [{ name: 'term', value: `nobody ${++terms}` }] });
const queued = async () => (await ask(fresh())).json<Export>().id;
const mailsOf = async (id: number) =>
  (await world.pool.query<{ payload: { link: string } }>(`select payload from mail where dedupe_key like 'export/${id}/%'`)).rows;

describe('POST /event/{eventId}/export', () => {
  it('returns 202 and by default exports transactions as CSV without filters, in the language of Accept-Language', async () => {
    const response = await world.call('POST', `/event/${world.event}/export`, {
      as: 'owner',
      headers: { 'accept-language': 'es-AR, en;q=0.5' },
    });
    expect(response.statusCode).toBe(202);
    expect(response.json()).toMatchObject({
      type: 'transactions',
      format: 'csv',
      filters: [],
      bom: false,
      status: 'queued',
      rows: 0,
      locale: 'es',
    });
  });

  it('returns 202 and filters passkeys by approved, unless filters is an empty list', async () => {
    expect((await ask({ type: 'passkey' })).json()).toMatchObject({ type: 'passkey', filters: [{ status: 'approved' }], locale: 'pt-BR' });
    expect((await ask({ type: 'passkey', filters: [] })).json()).toMatchObject({ type: 'passkey', filters: [] });
  });

  it('returns 202 and the existing export for the same request of the same user within a minute', async () => {
    world.now = minutesAfterNoon(10);
    const body = { type: 'passkey', filters: [{ status: 'active' }] };
    const [first, second] = await Promise.all([ask(body), ask(body)]);
    expect(first?.json<Export>().id).toBe(second?.json<Export>().id);
    world.now = new Date(minutesAfterNoon(11).getTime() - 1);
    const { id } = (await ask(body)).json<Export>();
    expect(id).toBe(first?.json<Export>().id);
    expect((await ask({ ...body, format: 'xlsx' })).json<Export>().id).not.toBe(id);
    expect((await ask(body, 'manager')).json<Export>().id).not.toBe(id);
    world.now = minutesAfterNoon(12);
    expect((await ask(body)).json<Export>().id).not.toBe(id);
    world.now = noon;
  });

  it.each([
    [{ type: 'transactions', filters: [{ name: 'state', value: 'x' }] }, 'filters[0].name', 'status, channel, term, from, to, itemId'],
    [
      { type: 'guestlist', filters: [{ name: 'from', value: '2026-01-01' }] },
      'filters[0].name',
      'channel, term, status, itemId, sessionId',
    ],
    [{ type: 'passkey', filters: [{ name: 'term', value: 'x' }] }, 'filters[0].name', 'passkey: status'],
    [{ filters: [{ name: 'status', value: 'paid' }] }, 'filters[0].value', 'held, approved, expired, cancelled, refunded'],
    [{ filters: [{ name: 'constructor', value: 'paid' }] }, 'filters[0].name', 'status, channel'],
    [{ filters: [{ name: 'channel', value: '-1' }] }, 'filters[0].value', 'online, offline or a channel number'],
    [{ filters: [{ name: 'from', value: '2026-02-30' }] }, 'filters[0].value', 'a day such as'],
    [{ filters: [{ name: 'itemId', value: '1.5' }] }, 'filters[0].value', 'an id'],
    [{ filters: [{ name: 'term', value: ' ' }] }, 'filters[0].value', 'characters'],
    [{ type: 'guestlist', filters: [{ status: 'present' }] }, 'filters[0].value', 'checked, unchecked'],
    [{ type: 'guestlist', filters: [{ status: 'checked' }, { name: 'status', value: 'checked' }] }, 'filters[1].name', 'twice'],
    [{ type: 'passkey', filters: [{ status: 'nice' }] }, 'filters[0].value', 'approved, active, scheduled'],
    [{ filters: [{ name: 'status' }] }, 'filters[0]', '{"name"'],
    [{ type: 'orders' }, 'type', 'transactions, guestlist, passkey'],
    [{ format: 'pdf' }, 'format', 'csv, xlsx'],
  ])('returns 400 with the allowed values for %j', async (body, field, message) => {
    const response = await ask(body);
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({ errors: [{ field, message: expect.stringContaining(message) }] });
  });

  it('returns 202 to entrance managers for guest lists and 403 for other types', async () => {
    expect((await ask({ type: 'guestlist' }, 'crew_entrance_manager')).statusCode).toBe(202);
    for (const type of ['transactions', 'passkey']) expect((await ask({ type }, 'crew_entrance_manager')).statusCode).toBe(403);
  });

  it('returns 429 with Retry-After to a user with 20 unfinished exports', async () => {
    const statuses = [];
    for (let i = 0; i < 21; i++) statuses.push((await ask(fresh(), 'crew_sales_manager')).statusCode);
    expect(statuses).toEqual([...Array<number>(20).fill(202), 429]);
    expect((await ask(fresh(), 'crew_sales_manager')).headers['retry-after']).toBe('30');
  });
});

describe('GET /event/{eventId}/exports and GET /exports/{id}', () => {
  it('return 200 with exports newest first, in pages, filtered by status', async () => {
    const ids = [await queued(), await queued()];
    const first = await world.call('GET', `/event/${world.event}/exports?pageSize=1&count=true`, { as: 'owner' });
    expect(first.json()).toMatchObject({ data: [{ id: ids[1] }], total: expect.any(Number) });
    const next = await world.call(
      'GET',
      `/event/${world.event}/exports?pageSize=1&cursor=${first.json<{ nextCursor: string }>().nextCursor}`,
      {
        as: 'owner',
      },
    );
    expect(next.json()).toMatchObject({ data: [{ id: ids[0] }] });
    expect((await world.call('GET', `/event/${world.event}/exports?status=failed`, { as: 'owner' })).json()).toMatchObject({ data: [] });
  });

  it('return the link only to the user who requested the export', async () => {
    const { made } = await exported(world, { body: fresh() });
    expect(made.link).toMatch(/^\/v1\/exports\/\d+\/file\?signature=[\w-]{43}$/);
    expect((await world.call('GET', `/exports/${made.id}`, { as: 'manager' })).json()).toMatchObject({ status: 'ready', link: null });
  });
});

describe('content of an export', () => {
  it('transactions have one row per order line, with the same values in CSV and XLSX', async () => {
    const itemId = await shop.newItem({ item: { name: 'Pit, "front"' } });
    const order = await shop.buy([{ itemId, quantity: 3 }], { buyer: { name: 'Zoë Álvarez', email: 'zoe@test.test', document: '123' } });
    await shop.refund(order, { lines: [{ itemId, quantity: 1 }] });
    await shop.hold([{ itemId, quantity: 1 }]);
    const body = {
      filters: [
        { name: 'itemId', value: itemId },
        { name: 'status', value: 'approved' },
      ],
    };
    const { made, file, headers } = await exported(world, { body, headers: { 'accept-language': 'en' } });
    expect(headers).toMatchObject({ 'content-type': 'text/csv; charset=utf-8', 'cache-control': 'private, no-store' });
    const [header, ...rows] = readCsv(file.toString());
    expect(header?.slice(0, 4)).toEqual(['Order', 'Status', 'Created', 'Approved']);
    const line = [
      order.id,
      'approved',
      '2026-03-02 09:00:00',
      '2026-03-02 09:00:00',
      1,
      'card',
      'Zoë Álvarez',
      'zoe@test.test',
      '123',
      itemId,
    ];
    expect(rows).toEqual([[...line, 'Pit, "front"', 'Night', '', 3, 1, '50.00', '5.00', '0.00', '165.00', '55.00', 'BRL'].map(String)]);
    expect(made).toMatchObject({ rows: 1, total: 1, bytes: file.length, sha256: createHash('sha256').update(file).digest('hex') });

    const { file: workbook } = await exported(world, { body: { ...body, format: 'xlsx' } });
    const [[titles, cells, ...more] = []] = readXlsx(workbook);
    expect(titles?.map(({ text }) => text).slice(0, 2)).toEqual(['Pedido', 'Situação']);
    expect(more).toEqual([]);
    // Spreadsheets store times as days: 46083.375 is 2026-03-02 09:00:00.
    const typed = [order.id, 'approved', 46083.375, 46083.375, 1, 'card', 'Zoë Álvarez', 'zoe@test.test', '123', itemId];
    const numbers = ['Pit, "front"', 'Night', null, 3, 1, 50, 5, 0, 165, 55, 'BRL'];
    expect(cells?.map(({ text, number }) => text ?? number)).toEqual([...typed, ...numbers]);
  });

  it('transactions contain the orders that match each filter', async () => {
    const itemId = await shop.newItem({ values: { price: 0, feeSale: 0, feeProducer: 0 } });
    const one = await shop.buy([{ itemId, quantity: 1 }], { buyer: { name: 'Filter One', email: 'one@filter.test' } });
    world.now = minutesAfterNoon(60 * 24);
    const two = await shop.buy([{ itemId, quantity: 1 }], { buyer: { name: 'Filter Two', email: 'two@filter.test' } });
    world.now = noon;
    await shop.refund(two);
    const found = async (...filters: { name: string; value: string | number }[]) => {
      const { file } = await exported(world, { body: { filters: [{ name: 'itemId', value: itemId }, ...filters] } });
      return readCsv(file.toString())
        .slice(1)
        .map(([id]) => Number(id));
    };
    expect(await found()).toEqual([one.id, two.id]);
    expect(await found({ name: 'term', value: 'filter tw' })).toEqual([two.id]);
    expect(await found({ name: 'status', value: 'refunded' })).toEqual([two.id]);
    expect(await found({ name: 'to', value: '2026-03-02' })).toEqual([one.id]);
    expect(await found({ name: 'from', value: '2026-03-02 09:00:01' })).toEqual([two.id]);
    expect(await found({ name: 'channel', value: 'online' })).toEqual([one.id, two.id]);
    expect(await found({ name: 'channel', value: 'offline' })).toEqual([]);
    expect(await found({ name: 'channel', value: '1' }, { name: 'term', value: `${one.id}` })).toEqual([one.id]);
    expect(await found({ name: 'term', value: `'; drop table export; -- $1` })).toEqual([]);
  });

  it('passkeys contain by default the passkeys that are valid or were used, or the passkeys with the requested status', async () => {
    const create = async (passkey: string, more: object = {}) =>
      (await shop.write('POST', '/passkeys', { eventId: world.event, passkey, ...more })).id;
    const used = await create('Used', { limit: 5 });
    const later = await create('Later', { start: '2026-05-01' });
    await world.pool.query('update passkey set used = 2, deleted_at = $2 where id = $1', [used, noon]);
    const found = async (body: object) => readCsv((await exported(world, { body: { type: 'passkey', ...body } })).file.toString()).slice(1);
    const approved = await found({});
    expect(approved.map(([id]) => Number(id))).toEqual([world.passkey, used]);
    expect(approved[1]?.slice(1, 9)).toEqual(['Used', 'deleted', '', '', '5', '2', '0', '']);
    expect((await found({ filters: [{ status: 'scheduled' }] })).map(([id]) => Number(id))).toEqual([later]);
    expect(await found({ filters: [{ status: 'all' }] })).toHaveLength(3);
    expect(await found({ filters: [] })).toHaveLength(3);
  });

  it('guest lists contain tickets and imported codes, with the time of the entry', async () => {
    const itemId = await shop.newItem({ item: { type: 'external' } });
    const order = await shop.buy([{ itemId: await shop.newItem(), quantity: 2 }], { buyer: { name: 'Guest', email: 'guest@test.test' } });
    await shop.importCodes(itemId, 'ELSEWHERE-1');
    const { rows: tickets } = await world.pool.query<{ id: number; item_id: number }>(
      'select id, item_id from ticket where order_id = $1 order by id',
      [order.id],
    );
    const { rows: codes } = await world.pool.query<{ id: number }>('select id from external_code where item_id = $1', [itemId]);
    await world.pool.query(
      `insert into checkin (event_id, ticket_id, session_id, item_id, nonce, at, received_at, gate, device, result, state)
       select event_id, id, (select min(id) from event_session s where s.event_id = t.event_id), item_id, 'n', $2, $2, '=Gate', 'd', 'admitted',
              'inside' from ticket t where id = $1`,
      [tickets[0]?.id, noon],
    );
    const found = async (...filters: object[]) =>
      readCsv((await exported(world, { body: { type: 'guestlist', filters } })).file.toString()).slice(1);
    const ofOrder = { name: 'term', value: `${order.id}` };
    const ticket = ['Seat', 'Night', 'Guest', 'guest@test.test', ''];
    expect(await found(ofOrder)).toEqual(
      [
        ['ticket', tickets[0]?.id, '', order.id, tickets[0]?.item_id, ...ticket, 1, 'checked', '2026-03-02 09:00:00', `'=Gate`],
        ['ticket', tickets[1]?.id, '', order.id, tickets[0]?.item_id, ...ticket, 1, 'unchecked', '', ''],
      ].map((row) => row.map(String)),
    );
    expect(await found({ name: 'itemId', value: itemId })).toEqual([
      ['code', codes[0]?.id, 'ELSEWHERE-1', '', itemId, 'Seat', 'Night', '', '', '', '', 'unchecked', '', ''].map(String),
    ]);
    expect(await found(ofOrder, { status: 'checked' })).toHaveLength(1);
    expect(await found({ name: 'itemId', value: itemId }, { name: 'channel', value: 'offline' })).toHaveLength(1);
    expect(await found({ name: 'itemId', value: itemId }, { name: 'channel', value: 'online' })).toHaveLength(0);
    expect(await found({ name: 'term', value: 'gues' })).toHaveLength(2);
    expect(await found({ name: 'sessionId', value: 999_999 })).toHaveLength(0);
    await shop.refund(order, { includeUsed: true });
    expect(await found(ofOrder, { name: 'channel', value: 'online' })).toHaveLength(0);
  });

  it('CSV files start with a byte order mark only if bom is true', async () => {
    expect((await exported(world, { body: { ...fresh(), bom: true } })).file.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
    expect((await exported(world, { body: fresh() })).file.subarray(0, 3)).not.toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
  });
});

describe('runExport', () => {
  it('queues one mail with the download link, including the host', async () => {
    const { made } = await exported(world, { body: fresh() });
    const mails = await mailsOf(made.id);
    expect(mails.map(({ payload }) => payload.link)).toEqual([`https://tickets.example${made.link}`]);
    await runExport(exportContextOf(world), made.id);
    expect(await mailsOf(made.id)).toHaveLength(1);
  });

  it('lets only one of several concurrent workers make the file', async () => {
    const id = await queued();
    const written: string[] = [];
    const files = openFiles(world.config);
    const slow: Files = {
      ...files,
      write: async (key, type, bytes) => {
        written.push(key);
        await files.write(key, type, bytes);
      },
    };
    await Promise.all(Array.from({ length: 4 }, () => runExport(exportContextOf(world, slow), id)));
    expect(written).toEqual([`exports/${id}-1.csv`]);
    expect(await mailsOf(id)).toHaveLength(1);
  });

  it('discards the file of an attempt if a later attempt has started', async () => {
    const id = await queued();
    const files = openFiles(world.config);
    const supersededFiles: Files = {
      ...files,
      write: async (key, type, bytes) => {
        await files.write(key, type, bytes);
        await world.pool.query('update export set attempt = attempt + 1 where id = $1', [id]);
      },
    };
    await runExport(exportContextOf(world, supersededFiles), id);
    expect(await get(id)).toMatchObject({ status: 'running', link: null });
    expect(await mailsOf(id)).toEqual([]);
    expect(await files.read(`exports/${id}-1.csv`, 0, 1)).toBeNull();
    await runExport(exportContextOf(world), id);
    expect(await get(id)).toMatchObject({ status: 'ready' });
    expect(await mailsOf(id)).toHaveLength(1);
  });

  it('leaves out orders that are placed while the file is written', async () => {
    const itemId = await shop.newItem({ values: { price: 0, feeSale: 0, feeProducer: 0 } });
    await shop.buy([{ itemId, quantity: 1 }]);
    const { id } = (await ask({ filters: [{ name: 'itemId', value: itemId }] })).json<Export>();
    const files = openFiles(world.config);
    const meanwhile: Files = {
      ...files,
      write: async (key, type, bytes) => {
        await shop.buy([{ itemId, quantity: 1 }]);
        await files.write(key, type, bytes);
      },
    };
    await runExport(exportContextOf(world, meanwhile), id);
    expect(await get(id)).toMatchObject({ status: 'ready', rows: 1 });
  });

  it('retries a failed attempt, and fails with the reason after three attempts', async () => {
    const id = await queued();
    const full: Files = { ...openFiles(world.config), write: () => Promise.reject(new FileStoreError('There is no space left')) };
    const context = exportContextOf(world, full);
    const attempt = async (n: number) => {
      // The lock is released when PostgreSQL notices that the session of the previous attempt was closed.
      await expect.poll(() => runExport(context, id).then(() => context.errors.length)).toBe(n);
    };
    await attempt(1);
    expect(await get(id)).toMatchObject({ status: 'queued', reason: null });
    await attempt(2);
    await attempt(3);
    expect(await get(id)).toMatchObject({ status: 'failed', reason: 'There is no space left', link: null });
    expect(await mailsOf(id)).toEqual([]);
    expect(context.errors).toHaveLength(3);
  });

  it('removes the file if the export is cancelled while it is written', async () => {
    const id = await queued();
    const files = openFiles(world.config);
    const removed: string[] = [];
    const interrupted: Files = {
      ...files,
      write: async (key, type, bytes) => {
        expect((await world.call('POST', `/exports/${id}/cancel`, { as: 'owner' })).statusCode).toBe(200);
        await files.write(key, type, bytes);
      },
      remove: async (key) => {
        removed.push(key);
        await files.remove(key);
      },
    };
    await runExport(exportContextOf(world, interrupted), id);
    expect(await get(id)).toMatchObject({ status: 'cancelled', link: null, bytes: null });
    expect(removed).toEqual([`exports/${id}-1.csv`]);
    expect(await mailsOf(id)).toEqual([]);
  });

  it('requeues an unfinished export when the worker stops', async () => {
    const { id } = (await ask({ type: 'passkey', format: 'xlsx', filters: [{ status: 'all' }] })).json<Export>();
    const files = openFiles(world.config);
    let stop = async (): Promise<void> => undefined;
    let stopped: Promise<void> | undefined;
    const slow: Files = {
      ...files,
      write: (key, type, bytes) => {
        stopped ??= stop();
        return files.write(key, type, bytes);
      },
    };
    stop = startExports(exportContextOf(world, slow));
    await expect.poll(() => stopped !== undefined).toBe(true);
    await stopped;
    expect(await get(id)).toMatchObject({ status: 'queued' });
    await expect.poll(() => runExport(exportContextOf(world), id).then(() => get(id))).toMatchObject({ status: 'ready' });
    expect(await mailsOf(id)).toHaveLength(1);
  });

  it('is called by the background worker for queued exports', async () => {
    const ids = [await queued(), await queued(), await queued()];
    const stop = startExports(exportContextOf(world));
    await expect.poll(async () => (await get(ids[2] ?? 0)).status).toBe('ready');
    await stop();
    for (const id of ids) expect(await mailsOf(id)).toHaveLength(1);
  });
});

describe('POST /exports/{id}/cancel', () => {
  it('returns 200 to the requester and to event managers, 403 to others, 409 if the export is finished', async () => {
    const id = await insertExport(world, { eventId: world.event, userId: world.users.owner });
    expect((await world.call('POST', `/exports/${id}/cancel`, { as: 'crew_sales_manager' })).statusCode).toBe(403);
    expect((await world.call('POST', `/exports/${id}/cancel`, { as: 'crew_admin' })).json()).toMatchObject({ status: 'cancelled' });
    expect((await world.call('POST', `/exports/${id}/cancel`, { as: 'owner' })).statusCode).toBe(409);
    await runExport(exportContextOf(world), id);
    expect(await get(id)).toMatchObject({ status: 'cancelled' });
  });
});

describe('GET /exports/{id}/events', () => {
  const eventsIn = (body: string) =>
    body
      .split('\n\n')
      .filter((part) => part.startsWith('data: '))
      .map((part) => JSON.parse(part.slice(6)) as Export);

  it('returns 200 and sends every change until the export is finished', async () => {
    const id = await queued();
    const headers = { authorization: `Bearer ${world.tokens.owner}` };
    const response = await world.app.inject({ url: `/v1/exports/${id}/events`, headers, payloadAsStream: true });
    expect(response.headers['content-type']).toBe('text/event-stream');
    let body = '';
    let running: Promise<unknown> | undefined;
    for await (const piece of response.stream()) {
      body += String(piece);
      // The export must not start before the client has received its first state.
      if (eventsIn(body).length > 0) running ??= runExport(exportContextOf(world), id);
    }
    await running;
    const events = eventsIn(body);
    expect(events[0]).toMatchObject({ status: 'queued' });
    expect(events.at(-1)).toMatchObject({ status: 'ready', link: expect.any(String) });
  });

  it('returns 429 to a user who has five streams open, and 200 to others', async () => {
    const id = await queued();
    const statuses: number[] = [];
    const listen = async (as: 'owner' | 'manager') => {
      statuses.push((await world.call('GET', `/exports/${id}/events`, { as })).statusCode);
    };
    const listening = Array.from({ length: 100 }, () => listen('owner'));
    await expect.poll(() => statuses, { timeout: 20_000 }).toEqual(Array<number>(95).fill(429));
    listening.push(listen('manager'));
    await world.call('POST', `/exports/${id}/cancel`, { as: 'owner' });
    await Promise.all(listening);
    expect(statuses.slice(95)).toEqual(Array<number>(6).fill(200));
    expect((await world.call('GET', `/exports/${id}/events`, { as: 'owner' })).statusCode).toBe(200);
  });

  it('returns 404 and 403 as JSON problems, not as a stream', async () => {
    expect((await world.call('GET', `/exports/${world.missing}/events`, { as: 'owner' })).statusCode).toBe(404);
    expect((await world.call('GET', `/exports/${await queued()}/events`, { as: 'crew_sales_operator' })).statusCode).toBe(403);
  });
});

describe('removeStaleFiles', () => {
  it('removes the file of an expired export and keeps the file of a ready one', async () => {
    const { made: kept } = await exported(world, { body: fresh() });
    const { made } = await exported(world, { body: fresh() });
    await world.pool.query('update export set expires_at = $2 where id = $1', [made.id, minutesAfterNoon(-1)]);
    const old = made.id;
    expect(await removeStaleFiles(exportContextOf(world))).toBeGreaterThan(0);
    expect(await get(old)).toMatchObject({ status: 'expired', link: null });
    const { rows: left } = await world.pool.query<{ id: number }>('select id from export where file_key is not null order by id');
    expect(left.map(({ id }) => id)).toContain(kept.id);
    expect(left.map(({ id }) => id)).not.toContain(old);
    expect(await openFiles(world.config).read(`exports/${old}-1.csv`, 0, 10)).toBeNull();
    expect((await world.call('GET', kept.link ?? '')).statusCode).toBe(200);
  });
});
