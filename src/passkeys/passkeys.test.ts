import fc from 'fast-check';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { auditOf } from '../../test/audit.ts';
import { runBehindLock } from '../../test/behind-lock.ts';
import { useWorld } from '../../test/harness.ts';
import { buffersOf, statementsOf } from '../../test/statements.ts';
import { noon } from '../../test/world.ts';
import { openSession } from '../accounts/session.ts';
import { findUser } from '../accounts/user.ts';
import { createItem } from '../catalog/create-item.ts';
import { updateItem } from '../catalog/update-item.ts';
import { systemAct } from '../kernel/act.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { type Passkey, passkeyStatuses } from './contract.ts';
import { passkeyStatus } from './passkey-status.ts';

const world = useWorld();
let items: number[];
let archivedItem: number;
let counter = 0;

interface PasskeyPage {
  data: Passkey[];
  nextCursor: string | null;
  total?: number;
}

beforeAll(async () => {
  await inTransaction(world.db, {}, async (tx) => {
    const act = systemAct('test', noon);
    const make = async () => (await createItem(tx, act, { eventId: world.event, name: 'Hidden', hidden: true })).id;
    items = [await make(), await make(), await make()];
    archivedItem = await make();
    await updateItem(tx, act, archivedItem, { archived: true });
  });
});

let token: string;
beforeEach(() => moveTo(noon.toISOString()));

/** Moves the clock. The owner logs in again, because a token expires after a few minutes. */
async function moveTo(time: string): Promise<void> {
  world.now = new Date(time);
  token = await inTransaction(world.db, {}, async (tx) => {
    const user = await findUser(tx, world.emails.owner);
    return user ? (await openSession(tx, user, world.now)).login.accessToken : '';
  });
}

const noonBefore = new Date(noon.getTime() - 86_400_000).toISOString();
const freshCode = () => `code ${++counter}`;
const post = (body: object, headers = {}) => world.call('POST', '/passkeys', { token, body, headers });
const put = (id: number, body: object, headers = {}) => world.call('PUT', `/passkeys/${id}`, { token, body, headers });
const putItems = (id: number, itemIds: unknown) => world.call('PUT', `/passkeys/${id}/items`, { token, body: { itemIds } });
const get = (id: number) => world.call('GET', `/passkeys/${id}`, { token });
const list = (query: string) => world.call('GET', `/passkeys?${query}`, { token });
const create = async (body: object = {}): Promise<Passkey> =>
  (await post({ eventId: world.event, passkey: freshCode(), ...body })).json<Passkey>();
const use = (id: number, used: number, held: number) =>
  world.pool.query('update passkey set used = $2, held = $3 where id = $1', [id, used, held]);
const setZone = (zone: string) => world.pool.query('update event set timezone = $2 where id = $1', [world.event, zone]);

describe('POST /passkeys', () => {
  it('returns 201 with all fields that were sent, trims the text and keeps its case', async () => {
    const body = {
      eventId: world.event,
      passkey: '  Amigos da Casa ',
      start: '2026-03-01 10:00:00',
      finish: '2026-03-20 18:30:00',
      limit: 5,
    };
    const answer = await post(body);
    expect(answer.statusCode).toBe(201);
    const { id, ...passkey } = answer.json<Passkey>();
    expect(passkey).toEqual({
      ...body,
      passkey: 'Amigos da Casa',
      used: 0,
      held: 0,
      itemIds: [],
      status: 'active',
      createdAt: noon.toISOString(),
      updatedAt: noon.toISOString(),
    });
    expect((await get(id)).json()).toEqual({ id, ...passkey });
    expect(await auditOf(world, answer)).toEqual([
      {
        by: `user ${world.users.owner}`,
        operation: 'createPasskey',
        on: `passkey ${id}`,
        event: world.event,
        after: { id, ...passkey },
      },
    ]);
  });

  it('accepts no period, which is always valid, and a date without a time, which means the whole day in the time zone of the event', async () => {
    expect(await create()).toMatchObject({ start: null, finish: null, limit: null, status: 'active' });
    expect(await create({ start: '2026-03-05', finish: '2026-03-05' })).toMatchObject({
      start: '2026-03-05 00:00:00',
      finish: '2026-03-05 23:59:59',
      status: 'scheduled',
    });
  });

  it('accepts RFC 3339 times and returns them as local times of the event', async () => {
    expect(await create({ start: '2026-03-05T03:00:00.750Z', finish: '2026-03-06T12:00:00+09:00' })).toMatchObject({
      start: '2026-03-05 00:00:00',
      finish: '2026-03-06 00:00:00',
    });
  });

  it('returns 201 for a start in the past', async () => {
    expect(await create({ start: '2020-01-01', finish: '2020-01-02' })).toMatchObject({ status: 'finished' });
  });

  it('returns 201 for a text that another event already has', async () => {
    const passkey = freshCode();
    await create({ passkey });
    expect((await post({ eventId: world.siblingEvent, passkey })).statusCode).toBe(201);
  });

  it.each([
    ['eventId', { eventId: undefined }],
    ['passkey', { passkey: undefined }],
    ['passkey', { passkey: 'ab' }],
    ['passkey', { passkey: '  ab    ' }],
    ['passkey', { passkey: 'x'.repeat(65) }],
    ['passkey', { passkey: 'a\nb\nc' }],
    ['start', { start: '2026-3-1' }],
    ['finish', { finish: 'tomorrow' }],
    ['limit', { limit: 0 }],
    ['itemids', { itemids: [] }],
  ])('returns 400 and names %s', async (field, body) => {
    const answer = await post({ eventId: world.event, passkey: freshCode(), ...body });
    expect(answer.statusCode).toBe(400);
    const { errors } = answer.json<{ errors: { field: string }[] }>();
    expect(new Set(errors.map((error) => error.field))).toEqual(new Set([field]));
  });

  it('counts characters, not bytes, for the length limits of 3 and 64', async () => {
    for (const letter of ['a', 'é', '字', '😀']) {
      expect((await post({ eventId: world.event, passkey: letter.repeat(3) })).statusCode).toBe(201);
      expect((await post({ eventId: world.event, passkey: ` ${letter.repeat(64)} ` })).statusCode).toBe(201);
      expect((await post({ eventId: world.event, passkey: letter.repeat(65) })).statusCode).toBe(400);
    }
  });

  it('returns 404 for an event of another producer', async () => {
    expect((await post({ eventId: world.foreignEvent, passkey: freshCode() })).statusCode).toBe(404);
  });

  it('returns 409 for a text that the event already has, in any case and with spaces around it', async () => {
    await create({ passkey: 'São João' });
    for (const passkey of ['São João', 'SÃO JOÃO', ' são joão ']) {
      const answer = await post({ eventId: world.event, passkey }, { 'idempotency-key': `taken-${passkey.length}-${++counter}` });
      expect([answer.statusCode, answer.json().code]).toEqual([409, 'already_exists']);
    }
  });

  it('returns 201 and 409 to two concurrent requests for one text; control: without the index both get 201', async () => {
    const race = (code: string) =>
      runBehindLock(
        world,
        'lock table passkey in share row exclusive mode',
        [code, code.toUpperCase()].map((passkey) => async () => (await post({ eventId: world.event, passkey })).statusCode),
      );
    expect((await race('contested')).toSorted((a, b) => a - b)).toEqual([201, 409]);
    await world.pool.query('alter index passkey_code rename to passkey_code_kept; drop index passkey_code_kept');
    expect(await race('uncontested')).toEqual([201, 201]);
    await world.pool.query(`delete from passkey where code = 'UNCONTESTED'`);
    await world.pool.query('create unique index passkey_code on passkey (event_id, lower(code)) where deleted_at is null');
  });

  it.each([
    ['finish', 'order', { start: '2026-03-05 10:00:01', finish: '2026-03-05 10:00:00' }],
    ['start', 'no_such_time', { start: '2026-02-30' }],
    ['finish', 'no_such_time', { finish: '2026-02-30 10:00:00' }],
    ['finish', 'no_such_time', { finish: '2026-03-01T25:00:00Z' }],
  ])('returns 422 for %s with %s', async (field, code, body) => {
    const answer = await post({ eventId: world.event, passkey: freshCode(), ...body });
    expect(answer.statusCode).toBe(422);
    expect(answer.json()).toMatchObject({ errors: [{ field, code }] });
  });

  it('is valid for one second when start and finish are equal', async () => {
    const { id } = await create({ start: '2026-03-05 10:00:00', finish: '2026-03-05 10:00:00' });
    const statusAt = async (time: string) => {
      await moveTo(time);
      return (await get(id)).json<Passkey>().status;
    };
    expect(await statusAt('2026-03-05T12:59:59.999Z')).toBe('scheduled');
    expect(await statusAt('2026-03-05T13:00:00.000Z')).toBe('active');
    expect(await statusAt('2026-03-05T13:00:00.999Z')).toBe('active');
    expect(await statusAt('2026-03-05T13:00:01.000Z')).toBe('finished');
  });
});

describe('PUT /passkeys/{id}', () => {
  it('returns 200, changes the fields that are present, and clears a field with null', async () => {
    const passkey = await create({ start: '2026-03-01', finish: '2026-03-09', limit: 3 });
    const changed = await put(passkey.id, { passkey: ' Renamed ', finish: '2026-03-10' });
    expect(changed.statusCode).toBe(200);
    expect(changed.json()).toEqual({ ...passkey, passkey: 'Renamed', finish: '2026-03-10 23:59:59' });
    expect(await auditOf(world, changed)).toMatchObject([{ operation: 'updatePasskey', before: passkey, after: changed.json() }]);
    const cleared = await put(passkey.id, { eventId: world.event, start: null, finish: null, limit: null });
    expect(cleared.json()).toEqual({ ...passkey, passkey: 'Renamed', start: null, finish: null, limit: null });
  });

  it('returns 200 when only the case of the text changes', async () => {
    const passkey = await create();
    expect((await put(passkey.id, { passkey: passkey.passkey.toUpperCase() })).json()).toMatchObject({
      passkey: passkey.passkey.toUpperCase(),
    });
  });

  it('keeps a stored start in the past when start is not sent', async () => {
    const { id } = await create({ start: '2020-01-01' });
    expect((await put(id, { limit: 4 })).json()).toMatchObject({ start: '2020-01-01 00:00:00', limit: 4 });
  });

  it('returns 200 for a whole passkey sent back with one field changed', async () => {
    const { id } = await create({ start: '2020-01-01', finish: '2026-03-09', limit: 9 });
    await putItems(id, items);
    await use(id, 3, 2);
    const read = (await get(id)).json<Passkey>();
    expect(read).toMatchObject({ used: 3, held: 2, start: '2020-01-01 00:00:00' });
    const answer = await put(id, { ...read, limit: 10 });
    expect([answer.statusCode, answer.json()]).toEqual([200, { ...read, limit: 10 }]);
  });

  it('does not change a time in the hour that clocks repeat when the time is sent back', async () => {
    await setZone('America/New_York');
    const finish = '2026-11-01T01:15:00-05:00';
    const read = await create({ finish });
    expect((await put(read.id, { ...read, limit: 1 })).statusCode).toBe(200);
    const { rows } = await world.pool.query('select finishes_at from passkey where id = $1', [read.id]);
    expect(rows).toEqual([{ finishes_at: new Date(finish) }]);
    await setZone('America/Sao_Paulo');
  });

  it('returns 422 and names a read-only field that was changed', async () => {
    const read = await create();
    const others = {
      id: world.siblingPasskey,
      used: 1,
      held: 1,
      itemIds: items,
      status: 'finished',
      createdAt: noonBefore,
      updatedAt: noonBefore,
    };
    for (const [field, value] of Object.entries(others)) {
      const answer = await put(read.id, { ...read, limit: 4, [field]: value });
      expect(answer.json()).toMatchObject({ status: 422, errors: [{ field, code: 'read_only' }] });
    }
    expect((await get(read.id)).json()).toEqual(read);
  });

  it('returns 400 for an empty body and for an unknown field', async () => {
    expect((await put(world.passkey, {})).statusCode).toBe(400);
    expect((await world.call('PUT', `/passkeys/${world.passkey}`, { token })).statusCode).toBe(400);
    expect((await put(world.passkey, { itemids: [] })).json()).toMatchObject({ errors: [{ field: 'itemids', code: 'unknown' }] });
  });

  it('returns 404 for an unknown passkey and for a passkey of another producer', async () => {
    for (const id of [world.missing, world.foreignPasskey]) expect((await put(id, { limit: 1 })).statusCode).toBe(404);
  });

  it('returns 409 for the text of another passkey, even for concurrent requests', async () => {
    const [first, second, third] = [await create(), await create(), await create({ passkey: 'Wanted Once' })];
    expect((await put(first.id, { passkey: 'WANTED once' })).statusCode).toBe(409);
    expect((await put(third.id, { passkey: freshCode() })).statusCode).toBe(200);
    const statuses = await runBehindLock(
      world,
      'lock table passkey in share row exclusive mode',
      [first, second].map(
        ({ id }) =>
          async () =>
            (await put(id, { passkey: 'wanted ONCE' })).statusCode,
      ),
    );
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 409]);
  });

  it('returns 412 when the passkey or its items have changed since the client read them', async () => {
    const { id } = await create();
    const tag = String((await get(id)).headers.etag);
    world.now = new Date(noon.getTime() + 1000);
    expect((await putItems(id, items)).statusCode).toBe(200);
    expect((await put(id, { limit: 1 }, { 'if-match': tag })).statusCode).toBe(412);
    const stale = { token, body: { itemIds: [] }, headers: { 'if-match': tag } };
    expect((await world.call('PUT', `/passkeys/${id}/items`, stale)).statusCode).toBe(412);
  });

  it.each([
    ['America/Sao_Paulo', '2026-03-03T02:59:59Z', '2026-03-02', '2026-03-01'],
    ['America/Sao_Paulo', '2026-03-03T03:00:00Z', '2026-03-03', '2026-03-02'],
    ['Pacific/Auckland', '2026-03-02T10:59:59Z', '2026-03-02', '2026-03-01'],
    ['Pacific/Auckland', '2026-03-02T11:00:00Z', '2026-03-03', '2026-03-02'],
    ['Asia/Kathmandu', '2026-03-02T18:15:00Z', '2026-03-03', '2026-03-02'],
    ['UTC', '2026-03-02T23:59:59.999Z', '2026-03-02', '2026-03-01'],
  ])('in %s at %s: accepts a start on %s and returns 422 for a start on %s', async (zone, now, today, yesterday) => {
    await setZone(zone);
    const { id } = await create();
    await moveTo(now);
    for (const start of [today, `${today} 00:00:00`]) {
      expect((await put(id, { start })).json()).toMatchObject({ start: `${today} 00:00:00` });
    }
    for (const start of [yesterday, `${yesterday} 23:59:59`]) {
      const answer = await put(id, { start });
      expect(answer.statusCode).toBe(422);
      expect(answer.json()).toMatchObject({ errors: [{ field: 'start', code: 'past' }] });
    }
    await setZone('America/Sao_Paulo');
  });

  it('returns 422 for another event, whether it exists or not', async () => {
    for (const eventId of [world.siblingEvent, world.foreignEvent, world.missing]) {
      const answer = await put(world.passkey, { eventId });
      expect(answer.statusCode).toBe(422);
      expect(answer.json()).toMatchObject({ errors: [{ field: 'eventId', code: 'fixed' }] });
    }
  });

  it('returns 422 with used and held for a limit below used plus held', async () => {
    const { id } = await create({ limit: 10 });
    await use(id, 3, 2);
    const answer = await put(id, { limit: 4 });
    expect(answer.statusCode).toBe(422);
    expect(answer.json()).toMatchObject({ used: 3, held: 2, least: 5, errors: [{ field: 'limit', code: 'below_used' }] });
    expect((await put(id, { limit: 5 })).json()).toMatchObject({ limit: 5, used: 3, status: 'exhausted' });
  });

  it('returns 422 when the new start is after the stored finish, or the new finish before the stored start', async () => {
    const { id } = await create({ start: '2026-03-05', finish: '2026-03-09' });
    expect((await put(id, { finish: '2026-03-04' })).json()).toMatchObject({ errors: [{ field: 'finish', code: 'order' }] });
    expect((await put(id, { start: '2026-03-10' })).json()).toMatchObject({ errors: [{ field: 'finish', code: 'order' }] });
    expect((await put(id, { start: '2026-03-10', finish: null })).statusCode).toBe(200);
  });
});

describe('the counters of a passkey', () => {
  it('allow one of two concurrent updates for the last ticket; control: without the constraint both succeed', async () => {
    const take = (id: number) => async () => {
      try {
        await world.pool.query('update passkey set held = held + 1 where id = $1', [id]);
        return 'taken';
      } catch (error) {
        return (error as { constraint: string }).constraint;
      }
    };
    const race = (id: number) => runBehindLock(world, `select 1 from passkey where id = ${id} for update`, [take(id), take(id)]);
    const { id } = await create({ limit: 1 });
    expect((await race(id)).toSorted()).toEqual(['passkey_limit', 'taken']);
    await world.pool.query('alter table passkey drop constraint passkey_limit');
    await use(id, 0, 0);
    expect(await race(id)).toEqual(['taken', 'taken']);
    await use(id, 0, 0);
    await world.pool.query('alter table passkey add constraint passkey_limit check (used + held <= use_limit)');
  });

  it('never exceed a limit that is lowered during an update', async () => {
    const { id } = await create({ limit: 2 });
    await use(id, 1, 0);
    const [taken, lowered] = await runBehindLock<unknown>(world, `select 1 from passkey where id = ${id} for update`, [
      () => world.pool.query('update passkey set held = held + 1 where id = $1', [id]),
      async () => (await put(id, { limit: 1 })).json<object>(),
    ]);
    expect([taken, lowered]).toMatchObject([{ rowCount: 1 }, { status: 422, used: 1, held: 1 }]);
  });
});

describe('PUT /passkeys/{id}/items', () => {
  it('returns 200, replaces the items, and removes all with an empty list', async () => {
    const { id } = await create();
    expect((await putItems(id, items.toReversed())).json()).toMatchObject({ id, itemIds: items });
    const answer = await putItems(id, items.slice(0, 1));
    expect(answer.json()).toMatchObject({ itemIds: items.slice(0, 1) });
    expect(await auditOf(world, answer)).toMatchObject([{ before: { itemIds: items }, after: { itemIds: items.slice(0, 1) } }]);
    expect((await putItems(id, [])).json()).toMatchObject({ itemIds: [] });
  });

  it('keeps an item that is archived later', async () => {
    const { id } = await create();
    const item = await inTransaction(world.db, {}, (tx) => createItem(tx, systemAct('test', noon), { eventId: world.event, name: 'X' }));
    await putItems(id, [item.id]);
    await world.call('PUT', `/items/${item.id}`, { token, body: { archived: true } });
    expect((await get(id)).json()).toMatchObject({ itemIds: [item.id] });
  });

  it.each([[undefined], ['1'], [['1']], [[1, 1]], [[0]]])('returns 400 for itemIds %j', async (itemIds) => {
    expect((await putItems(world.passkey, itemIds)).statusCode).toBe(400);
  });

  it('returns 404 for an unknown passkey and for a passkey of another producer', async () => {
    for (const id of [world.missing, world.foreignPasskey]) expect((await putItems(id, [])).statusCode).toBe(404);
  });

  it('returns 422 with the ids of unknown, foreign and archived items, and changes nothing', async () => {
    const { id } = await create();
    await putItems(id, items);
    const wrong = [world.missing, world.foreignItem, world.siblingItem, archivedItem];
    const answer = await putItems(id, [items[0], ...wrong]);
    expect(answer.statusCode).toBe(422);
    expect(answer.json()).toMatchObject({ itemIds: wrong, errors: [{ field: 'itemIds', code: 'unknown' }] });
    for (const one of wrong) expect(answer.json().detail).toContain(String(one));
    expect((await get(id)).json()).toMatchObject({ itemIds: items });
  });

  it('cannot link a passkey to an item of another event, because of a foreign key', async () => {
    for (const [event, item] of [
      [world.event, world.siblingItem],
      [world.siblingEvent, world.siblingItem],
    ]) {
      const insert = world.pool.query('insert into passkey_item values ($1, $2, $3)', [event, world.passkey, item]);
      await expect(insert).rejects.toThrow('foreign key');
    }
  });
});

describe('DELETE /passkeys/{id}', () => {
  const remove = (id: number, body?: unknown) => world.call('DELETE', `/passkeys/${id}`, { token, body });

  it('returns 204 with and without an empty body, keeps the row, and allows a new passkey with the same text', async () => {
    for (const body of [undefined, {}]) {
      const passkey = await create();
      await putItems(passkey.id, items);
      const answer = await remove(passkey.id, body);
      expect([answer.statusCode, answer.body]).toEqual([204, '']);
      expect(await auditOf(world, answer)).toMatchObject([{ operation: 'deletePasskey', before: { id: passkey.id, itemIds: items } }]);
      expect((await get(passkey.id)).statusCode).toBe(404);
      expect((await put(passkey.id, { limit: 1 })).statusCode).toBe(404);
      expect((await remove(passkey.id)).statusCode).toBe(404);
      const { rows } = await world.pool.query('select deleted_at from passkey where id = $1', [passkey.id]);
      expect(rows).toEqual([{ deleted_at: noon }]);
      expect((await create({ passkey: passkey.passkey })).id).not.toBe(passkey.id);
    }
  });

  it('returns 404 for an unknown passkey and for a passkey of another producer', async () => {
    for (const id of [world.missing, world.foreignPasskey]) expect((await remove(id)).statusCode).toBe(404);
  });

  it('returns 204 and 404 to two concurrent requests', async () => {
    const { id } = await create();
    const statuses = await runBehindLock(
      world,
      `select 1 from passkey where id = ${id} for update`,
      [remove, remove].map((each) => async () => (await each(id)).statusCode),
    );
    expect(statuses.toSorted((a, b) => a - b)).toEqual([204, 404]);
  });
});

describe('GET /passkeys', () => {
  const many = 2_000;

  beforeAll(async () => {
    await world.pool.query(
      `with made as (insert into passkey (event_id, code, created_at, updated_at)
         select $1, 'Many ' || n, $2, $2 from generate_series(1, $3) n returning id)
       insert into passkey_item select $1, id, $4 from made`,
      [world.siblingEvent, noon, many, world.siblingItem],
    );
    await world.pool.query('vacuum analyze passkey, passkey_item');
  });

  const page = async (query: string): Promise<PasskeyPage> => (await list(`eventId=${world.siblingEvent}&${query}`)).json<PasskeyPage>();

  it('returns each passkey once over all pages, in order, without deleted passkeys', async () => {
    const { id } = (await post({ eventId: world.siblingEvent, passkey: 'deleted' })).json<Passkey>();
    await world.call('DELETE', `/passkeys/${id}`, { token });
    const seen: Passkey[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const next: PasskeyPage = await page(`pageSize=200&count=true${cursor && `&cursor=${cursor}`}`);
      seen.push(...next.data);
      cursor = next.nextCursor;
      expect(next.total).toBe(seen.length === 0 ? 0 : (await page('count=true&pageSize=1')).total);
    }
    const ids = seen.map((passkey) => passkey.id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    expect(ids).not.toContain(id);
    expect(seen.filter(({ passkey }) => passkey.startsWith('Many '))).toHaveLength(many);
    expect(seen.find(({ passkey }) => passkey === 'Many 7')).toMatchObject({ itemIds: [world.siblingItem] });
  });

  it('filters by part of the text, ignores case, and treats wildcards as normal characters', async () => {
    await post({ eventId: world.siblingEvent, passkey: '100%_Amigos' });
    expect((await page('term=%25_amigos')).data.map(({ passkey }) => passkey)).toEqual(['100%_Amigos']);
    expect((await page('term=MANY%20199&count=true')).total).toBe(11);
  });

  it('sends the same number of statements for 200 passkeys as for one', async () => {
    const count = async (size: number) => (await statementsOf(() => page(`pageSize=${size}`))).statements.length;
    // One statement each for the caller, the permission, and the passkeys with their items.
    expect([await count(1), await count(200)]).toEqual([3, 3]);
  });

  it('reads about the same number of database pages for the last page of the list as for the first', async () => {
    const costOf = async (cursor: string) => {
      const { statements } = await statementsOf(() => page(`pageSize=50${cursor && `&cursor=${cursor}`}`));
      const select = statements.find(({ text }) => text.includes('from passkey p'));
      return select ? buffersOf(world.pool, select) : Number.NaN;
    };
    let cursor = '';
    for (let i = 0; i < 9; i++) cursor = (await page(`pageSize=200${cursor && `&cursor=${cursor}`}`)).nextCursor ?? '';
    expect((await costOf(cursor)) / (await costOf(''))).toBeLessThan(1.5);
  });

  it('shows and filters by the status that passkeyStatus returns, for any period, limit and counters', async () => {
    const offset = fc.option(fc.constantFrom(-3_600_000, -1001, -1000, -999, -1, 0, 1, 3_600_000));
    const cases = fc.record({
      start: offset,
      length: fc.option(fc.constantFrom(0, 1000, 7_200_000)),
      limit: fc.option(fc.constant(3)),
      used: fc.nat(2),
      held: fc.nat(1),
    });
    const moment = (ms: number | null) => (ms === null ? null : new Date(noon.getTime() + ms));
    const property = fc.asyncProperty(fc.array(cases, { minLength: 4, maxLength: 12 }), async (some) => {
      const expected = new Map<number, string>();
      for (const { start: from, length, ...counter } of some) {
        const [start, finish] = [moment(from), length === null ? null : moment((from ?? -length) + length)];
        const { rows } = await world.pool.query<{ id: number }>(
          `insert into passkey (event_id, code, starts_at, finishes_at, use_limit, used, held, created_at, updated_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $8) returning id`,
          [world.event, freshCode(), start, finish, counter.limit, counter.used, counter.held, noon],
        );
        expected.set(rows[0]?.id ?? 0, passkeyStatus({ start, finish, ...counter }, noon));
      }
      for (const status of passkeyStatuses) {
        const answer = await list(`eventId=${world.event}&term=code%20&status=${status}&pageSize=200&count=true`);
        const { data, total } = answer.json<PasskeyPage>();
        expect(new Set(data.map((passkey) => passkey.status))).toEqual(new Set(data.length > 0 ? [status] : []));
        expect(total).toBe(data.length);
        const listed = new Set(data.map(({ id }) => id));
        for (const [id, should] of expected) expect([id, listed.has(id)]).toEqual([id, should === status]);
      }
      await world.pool.query('delete from passkey where id = any($1)', [[...expected.keys()]]);
    });
    await fc.assert(property, { numRuns: 40 });
  });

  it('returns 400 without an event, for an unknown status, and for an invalid cursor', async () => {
    const answer = await list('pageSize=5');
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ errors: [{ in: 'query', field: 'eventId', code: 'required' }] });
    expect((await list(`eventId=${world.event}&status=used`)).json()).toMatchObject({ errors: [{ field: 'status' }] });
    expect((await list(`eventId=${world.event}&cursor=x`)).json()).toMatchObject({ errors: [{ field: 'cursor' }] });
  });

  it('returns 404 for an event of another producer', async () => {
    expect((await list(`eventId=${world.foreignEvent}`)).statusCode).toBe(404);
  });
});
