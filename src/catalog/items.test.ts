import { beforeAll, describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { createSession } from '../events/sessions.ts';
import { systemAct } from '../kernel/act.ts';
import { inTransaction } from '../postgres/transaction.ts';
import type { Item } from './item-schemas.ts';

const world = useWorld();
let sessions: number[];

beforeAll(async () => {
  sessions = await inTransaction(world.db, {}, async (tx) => {
    const made = [];
    for (const day of ['10', '11']) {
      const times = { start: `2026-07-${day} 20:00:00`, finish: `2026-07-${day} 23:00:00` };
      made.push(await createSession(tx, systemAct('test', world.now), world.event, { name: day, capacity: 50, ...times }));
    }
    return made;
  });
});

const post = (body: object, as: 'owner' | 'otherOwner' = 'owner') => world.call('POST', '/items', { as, body });
const put = (id: number, body: object, headers = {}) => world.call('PUT', `/items/${id}`, { as: 'owner', body, headers });
const create = async (body: object): Promise<Item> => (await post({ eventId: world.event, name: 'An item', ...body })).json();
const get = async (id: number): Promise<Item> => (await world.call('GET', `/items/${id}`, { as: 'owner' })).json();
const sell = (id: number, sold: number, held: number) =>
  world.pool.query('update item set sold = $2, held = $3 where id = $1', [id, sold, held]);

describe('GET /types', () => {
  it('returns the types of items', async () => {
    const answer = await world.call('GET', '/types', { as: 'stranger' });
    expect(answer.json<{ data: { id: string }[] }>().data.map(({ id }) => id)).toEqual([
      'ticket',
      'group',
      'passport',
      'courtesy',
      'external',
    ]);
  });
});

describe('POST /items', () => {
  it('returns 201 with all fields that were sent', async () => {
    const group = await create({ name: 'Floor', type: 'group', quantity: 500 });
    const body = {
      eventId: world.event,
      name: 'Pista · 2º lote',
      description: 'Em pé',
      type: 'passport',
      parentId: group.id,
      sessionIds: sessions,
      quantity: 400,
      position: 3,
      hidden: true,
      salable: false,
    };
    const answer = await post(body);
    expect(answer.statusCode).toBe(201);
    const item = answer.json<Item>();
    expect(item).toMatchObject(body);
    expect(item).toMatchObject({
      archived: false,
      attributes: [],
      salesPeriods: [],
      values: null,
      status: 'unavailable',
      sold: 0,
      held: 0,
      remaining: 50,
    });
    expect(await get(item.id)).toEqual(item);
  });

  it('creates a ticket without limits from eventId and name', async () => {
    expect(await create({})).toMatchObject({
      type: 'ticket',
      quantity: null,
      remaining: null,
      parentId: null,
      sessionIds: [],
      salable: true,
    });
  });

  it.each([
    [{ name: 'No event' }, 'eventId'],
    [{ eventId: 1 }, 'name'],
    [{ eventId: 1, name: '' }, 'name'],
    [{ eventId: 1, name: 'x', quantity: -1 }, 'quantity'],
    [{ eventId: 1, name: 'x', quantity: 1.5 }, 'quantity'],
    [{ eventId: 1, name: 'x', type: 'seat' }, 'type'],
    [{ eventId: 1, name: 'x', color: 'red' }, 'color'],
    [{ eventId: 1, name: 'x', sessionIds: [1, 1] }, 'sessionIds'],
  ])('returns 400: %j', async (body, field) => {
    const answer = await world.call('POST', '/items', {
      as: 'admin',
      body: { ...body, ...('eventId' in body && { eventId: world.event }) },
    });
    expect(answer.statusCode).toBe(400);
    expect(answer.json<{ errors: { field: string }[] }>().errors.map((error) => error.field)).toContain(field);
  });

  it('returns 404 for an event of another producer and for an unknown event', async () => {
    expect((await post({ eventId: world.foreignEvent, name: 'x' })).statusCode).toBe(404);
    expect((await post({ eventId: world.missing, name: 'x' })).statusCode).toBe(404);
  });

  it('returns 422 for a parentId that is not a group of the event, for a removed or nested group, and for invalid sessions', async () => {
    const group = await create({ type: 'group' });
    const removed = await create({ type: 'group' });
    await put(removed.id, { archived: true });
    for (const [body, code] of [
      [{ parentId: world.item }, 'no_such_group'],
      [{ parentId: world.foreignItem }, 'no_such_group'],
      [{ parentId: world.missing }, 'no_such_group'],
      [{ parentId: removed.id }, 'archived'],
      [{ parentId: group.id, type: 'group' }, 'group_in_group'],
      [{ sessionIds: [world.missing] }, 'unknown'],
      [{ sessionIds: sessions, type: 'group' }, 'group'],
    ] as const) {
      const answer = await post({ eventId: world.event, name: 'x', ...body });
      expect([answer.statusCode, answer.json().errors?.[0]?.code]).toEqual([422, code]);
    }
  });
});

describe('PUT /items/{id}', () => {
  it('changes only the fields that are present, and null clears a field', async () => {
    const item = await create({ name: 'Before', description: 'Kept', quantity: 10 });
    const answer = await put(item.id, { name: 'After', quantity: null });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({ name: 'After', description: 'Kept', quantity: null });
  });

  it('accepts the whole item as it was read, with one field changed', async () => {
    const ware = { sessionIds: sessions, quantity: 400, description: 'Standing' };
    const { id } = await create(ware);
    const add = (part: string, body: object) => world.call('POST', `/items/${id}/${part}`, { as: 'owner', body });
    await add('attributes', { key: 'maximum', value: 4, type: 'integer' });
    await add('values', { price: 5000, feeSale: 500, feeProducer: 0 });
    await add('sales-period', { appCategoryId: 1, start: '2026-02-01 10:00:00', finish: '2026-06-01 20:00:00', available: 100 });
    await sell(id, 3, 2);
    const read = await get(id);
    const answer = await put(id, { ...read, name: 'Renamed' });
    expect([answer.statusCode, answer.json()]).toEqual([200, { ...read, name: 'Renamed' }]);
  });

  it('returns 422 and names read-only fields with another value', async () => {
    const item = await get(world.item);
    const others = {
      id: world.siblingItem,
      attributes: [],
      salesPeriods: [],
      values: null,
      status: 'soldout',
      sold: 1,
      held: 1,
      remaining: 1,
      createdAt: '2020-01-01T00:00:00.000Z',
      updatedAt: '2020-01-01T00:00:00.000Z',
    };
    for (const [field, value] of Object.entries(others)) {
      const answer = await put(world.item, { ...item, name: 'Not this', [field]: value });
      expect(answer.statusCode).toBe(422);
      expect(answer.json<{ errors: object[] }>().errors).toEqual([expect.objectContaining({ in: 'body', field, code: 'read_only' })]);
    }
    expect(await get(world.item)).toEqual(item);
  });

  it('removes and restores the item with archived', async () => {
    const item = await get(world.item);
    expect(item.status).toBe('available');
    expect((await put(world.item, { archived: true })).json()).toMatchObject({ archived: true, status: 'unavailable' });
    expect((await put(world.item, { archived: false })).json()).toMatchObject({ archived: false, status: 'available' });
  });

  it('returns 400 for an empty body and removes nothing', async () => {
    expect((await put(world.item, {})).statusCode).toBe(400);
    expect((await get(world.item)).archived).toBe(false);
  });

  it('returns 412 when the item or one of its parts has changed since it was read', async () => {
    const { id } = await create({});
    const tag = String((await world.call('GET', `/items/${id}`, { as: 'owner' })).headers.etag);
    world.now = new Date(world.now.getTime() + 1000);
    await world.call('POST', `/items/${id}/values`, { as: 'owner', body: { price: 1, feeSale: 0, feeProducer: 0 } });
    expect((await put(id, { name: 'Late' }, { 'if-match': tag })).statusCode).toBe(412);
    const part = await world.call('PUT', `/items/${id}/values`, { as: 'owner', body: { price: 2 }, headers: { 'if-match': tag } });
    expect(part.statusCode).toBe(412);
    const newest = String((await world.call('GET', `/items/${id}`, { as: 'owner' })).headers.etag);
    expect(
      (await world.call('PUT', `/items/${id}/values`, { as: 'owner', body: { price: 2 }, headers: { 'if-match': newest } })).statusCode,
    ).toBe(200);
  });

  it('returns 422 with sold and held for a quantity below them', async () => {
    const { id } = await create({ quantity: 100 });
    await sell(id, 30, 5);
    const answer = await put(id, { quantity: 34 });
    expect(answer.statusCode).toBe(422);
    expect(answer.json()).toMatchObject({ sold: 30, held: 5, least: 35, errors: [{ field: 'quantity', code: 'below_sold' }] });
    expect((await put(id, { quantity: 35 })).json()).toMatchObject({ quantity: 35, remaining: 0 });
    await expect(world.pool.query('update item set sold = 36 where id = $1', [id])).rejects.toThrow('item_quantity');
  });

  it('returns 422 for another event or type', async () => {
    expect((await put(world.item, { eventId: world.siblingEvent })).json()).toMatchObject({
      errors: [{ field: 'eventId', code: 'fixed' }],
    });
    expect((await put(world.item, { type: 'courtesy' })).json()).toMatchObject({ errors: [{ field: 'type', code: 'fixed' }] });
  });

  it('returns 422 with the item ids when a group with items is removed', async () => {
    const group = await create({ type: 'group' });
    const item = await create({ parentId: group.id });
    const refused = await put(group.id, { archived: true });
    expect([refused.statusCode, refused.json().itemIds]).toEqual([422, [item.id]]);
    expect((await put(item.id, { archived: true })).statusCode).toBe(200);
    expect((await put(group.id, { archived: true })).statusCode).toBe(200);
    expect((await put(item.id, { archived: false })).json()).toMatchObject({ errors: [{ field: 'parentId', code: 'archived' }] });
  });

  it('returns 422 when a sold item leaves its group or loses a session', async () => {
    const group = await create({ type: 'group' });
    const { id } = await create({ sessionIds: sessions });
    await sell(id, 1, 0);
    expect((await put(id, { parentId: group.id })).json()).toMatchObject({ errors: [{ code: 'sold' }] });
    expect((await put(id, { sessionIds: sessions.slice(1) })).json()).toMatchObject({ errors: [{ code: 'sold' }] });
    expect((await put(id, { sessionIds: sessions, name: 'Same' })).statusCode).toBe(200);
  });

  it('never leaves an item in a removed group when both requests run concurrently', async () => {
    for (let round = 0; round < 5; round++) {
      const group = await create({ type: 'group' });
      const { id } = await create({});
      const [moved, removed] = await Promise.all([put(id, { parentId: group.id }), put(group.id, { archived: true })]);
      expect([moved.statusCode, removed.statusCode].toSorted((a, b) => a - b)).toEqual([200, 422]);
    }
  });
});

describe('GET /items', () => {
  const list = async (query: string, as: 'owner' | 'admin' | 'stranger' | 'otherOwner' | 'crew_entrance_operator' = 'owner') =>
    (await world.call('GET', `/items?pageSize=200&${query}`, { as })).json<{ data: Item[]; total: number; nextCursor: string | null }>();

  it('returns the items of all events in which the caller has item.read', async () => {
    const events = async (as: Parameters<typeof list>[1]) => new Set((await list('', as)).data.map(({ eventId }) => eventId));
    expect(await events('owner')).toEqual(new Set([world.event, world.siblingEvent]));
    expect(await events('admin')).toEqual(new Set([world.event, world.siblingEvent, world.foreignEvent]));
    expect(await events('otherOwner')).toEqual(new Set([world.foreignEvent]));
    expect(await events('crew_entrance_operator')).toEqual(new Set([world.event]));
    expect(await events('stranger')).toEqual(new Set());
  });

  it('returns only items of the events of an API token', async () => {
    const body = { name: 'One event', permissions: ['item.read'], eventIds: [world.siblingEvent] };
    const { token } = (await world.call('POST', '/auth/tokens', { as: 'owner', body })).json();
    const { data } = (await world.call('GET', '/items', { token })).json<{ data: Item[] }>();
    expect(new Set(data.map(({ eventId }) => eventId))).toEqual(new Set([world.siblingEvent]));
    expect((await world.call('GET', `/items?eventId=${world.event}`, { token })).statusCode).toBe(404);
  });

  it('filters by event and term, and returns removed items only if archived is true or all', async () => {
    const { id } = await create({ name: '100%_Camarote' });
    expect((await list(`eventId=${world.event}&term=%25_camarote`)).data.map((item) => item.id)).toEqual([id]);
    await put(id, { archived: true });
    const lists = async (query: string) => (await list(query)).data.some((item) => item.id === id);
    const common = `eventId=${world.event}&term=camarote`;
    expect(await lists(common)).toBe(false);
    expect(await lists(`${common}&archived=false`)).toBe(false);
    expect(await lists(`${common}&archived=true`)).toBe(true);
    expect(await lists(`${common}&archived=all`)).toBe(true);
    expect((await list(`eventId=${world.event}&archived=true`)).data.every(({ archived }) => archived)).toBe(true);
    expect((await world.call('GET', '/items?archived=some', { as: 'owner' })).json()).toMatchObject({
      status: 400,
      errors: [{ field: 'archived', message: 'must be one of false, true, all' }],
    });
    expect((await list(`eventId=${world.siblingEvent}&count=true`)).total).toBe(1);
  });

  it('returns 404 for an event of another producer', async () => {
    expect((await world.call('GET', `/items?eventId=${world.foreignEvent}`, { as: 'owner' })).statusCode).toBe(404);
  });
});
