import { beforeAll, describe, expect, it } from 'vitest';
import { auditOf } from '../../test/audit.ts';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';

const world = useWorld();

const write = async (method: 'POST' | 'PUT', path: string, body: object) => {
  const answer = await world.call(method, path, { as: 'owner', body });
  expect(answer.statusCode, answer.body).toBeLessThan(300);
  return answer.statusCode === 204 ? null : answer.json();
};
const readItems = async (eventId: number) =>
  (await world.call('GET', `/items?eventId=${eventId}&pageSize=100`, { as: 'owner' })).json().data;
const read = async (path: string) => (await world.call('GET', path, { as: 'owner' })).json();

/** The source: an event in a zone with daylight saving time, with a group, a removed item, sold tickets and a trigger. */
let source: number;
let [evening, matinee, group, lot, pass, removed] = [0, 0, 0, 0, 0, 0];

beforeAll(async () => {
  const basics = { producerId: world.producer, category: 'music', title: 'Fado', timezone: 'Europe/Lisbon', subtitle: 'Live' };
  const more = { description: '<p>Text</p>', faq: [{ question: 'When?', answer: 'Now' }], maximumPerOrder: 7, challenge: 'off' };
  source = (await write('POST', '/event', { ...basics, ...more, venue: { name: 'Casa', city: 'Lisboa', country: 'PT' } })).id;
  evening = (
    await write('POST', `/event/${source}/session`, {
      name: 'Evening',
      start: '2026-03-20 20:00:00',
      finish: '2026-03-20 23:00:00',
      capacity: 50,
    })
  ).id;
  matinee = (
    await write('POST', `/event/${source}/session`, { name: 'Matinee', start: '2026-03-21 15:00:00', finish: '2026-03-21 17:00:00' })
  ).id;
  await write('PUT', `/event/${source}/attributes`, { sponsor: 'Aurora' });
  group = (await write('POST', '/items', { eventId: source, name: 'Floor', type: 'group', quantity: 40, position: 2 })).id;
  lot = (
    await write('POST', '/items', { eventId: source, name: 'Lot 1', parentId: group, sessionIds: [evening], quantity: 30, position: 3 })
  ).id;
  pass = (await write('POST', '/items', { eventId: source, name: 'Pass', hidden: true, salable: false, position: 1 })).id;
  removed = (await write('POST', '/items', { eventId: source, name: 'Removed' })).id;
  await write('POST', `/items/${lot}/values`, { price: 5000, feeSale: 500, feeProducer: 100 });
  await write('POST', `/items/${lot}/attributes`, { key: 'maximum', value: 4, type: 'integer' });
  await write('POST', `/items/${lot}/sales-period`, {
    appCategoryId: 1,
    start: '2026-02-01 10:00:00',
    finish: '2026-03-20 20:00:00',
    available: 30,
  });
  await write('PUT', `/items/${lot}/triggers`, {
    triggers: [
      { on: 'soldout', action: 'open', targetItemId: pass },
      { on: 'start', action: 'open', targetItemId: removed },
    ],
  });
  await write('PUT', `/items/${removed}`, { archived: true });
  await write('POST', `/event/${source}/publish`, {});
  await shopOf(world).buy([{ itemId: lot, quantity: 3 }], { eventId: source });
});

describe('POST /event/{id}/duplicate', () => {
  it('copies everything but orders as a draft, and shifts dates by days at the same local time', async () => {
    // Clocks in Lisbon are set forward on 29 March 2026.
    const answer = await world.call('POST', `/event/${source}/duplicate`, { as: 'owner', body: { title: 'Fado again', shiftDays: 14 } });
    expect(answer.statusCode, answer.body).toBe(201);
    const [original, copy] = [await read(`/event/${source}`), answer.json()];
    const { id: _id, ...texts } = original;
    const changed = {
      title: 'Fado again',
      link: 'fado-again',
      status: 'draft',
      start: '2026-04-03 20:00:00',
      finish: '2026-04-04 17:00:00',
    };
    expect(copy).toMatchObject({
      ...texts,
      ...changed,
      sessions: expect.anything(),
      createdAt: expect.anything(),
      updatedAt: expect.anything(),
    });
    expect(copy.sessions).toMatchObject([
      { name: 'Evening', start: '2026-04-03 20:00:00', finish: '2026-04-03 23:00:00', capacity: 50 },
      { name: 'Matinee', start: '2026-04-04 15:00:00', finish: '2026-04-04 17:00:00', capacity: null },
    ]);
    expect(await read(`/event/${copy.id}/attributes`)).toEqual({ sponsor: 'Aurora' });

    const [newPass, newGroup, newLot, ...others] = await readItems(copy.id);
    expect(others).toEqual([]);
    expect(newPass).toMatchObject({ name: 'Pass', hidden: true, salable: false, position: 1, sessionIds: [] });
    expect(newGroup).toMatchObject({ name: 'Floor', type: 'group', quantity: 40, sold: 0 });
    expect(newLot).toMatchObject({
      name: 'Lot 1',
      parentId: newGroup.id,
      sessionIds: [copy.sessions[0].id],
      quantity: 30,
      sold: 0,
      held: 0,
      salable: true,
      values: { price: 5000, feeSale: 500, feeProducer: 100 },
      attributes: [{ key: 'maximum', value: 4, type: 'integer' }],
      salesPeriods: [{ appCategoryId: 1, start: '2026-02-15 10:00:00', finish: '2026-04-03 20:00:00', available: 30, sold: 0, held: 0 }],
    });
    const { data: triggers } = await read(`/items/${newLot.id}/triggers`);
    expect(triggers).toMatchObject([{ on: 'soldout', action: 'open', targetItemId: newPass.id, firedAt: null }]);
    expect((await world.call('GET', `/event/${copy.id}/orders`, { as: 'owner' })).json().data).toEqual([]);
    expect((await world.call('GET', `/event/${copy.id}`)).statusCode).toBe(404);
    expect(await auditOf(world, answer)).toMatchObject([
      { operation: 'duplicateEvent', on: `event ${copy.id}`, after: { duplicateOf: source, sessions: 2, items: 3 } },
    ]);
  });

  it('can be published and sold like any other event, and makes a free link from the title', async () => {
    const first = await write('POST', `/event/${source}/duplicate`, {});
    const second = await write('POST', `/event/${source}/duplicate`, {});
    expect([first.link, second.link]).toEqual(['fado-2', 'fado-3']);
    await write('POST', `/event/${first.id}/publish`, {});
    const [, , copied] = await readItems(first.id);
    expect((await shopOf(world).buy([{ itemId: copied.id, quantity: 1 }], { eventId: first.id })).id).toBeGreaterThan(0);
  });

  it('returns 409 for the link of another event, and 403 to the crew of the event, who may not create events', async () => {
    const taken = await world.call('POST', `/event/${source}/duplicate`, { as: 'owner', body: { link: 'first-event' } });
    expect(taken.json().code).toBe('already_exists');
    expect((await world.call('POST', `/event/${world.event}/duplicate`, { as: 'crew_admin', body: {} })).statusCode).toBe(403);
  });
});

describe('POST /event/{id}/session/{sessionId}/duplicate', () => {
  it('copies the session without sold tickets, at the shifted date', async () => {
    const copy = await write('POST', `/event/${source}/session/${evening}/duplicate`, { name: 'Second evening', shiftDays: 1 });
    expect(copy).toMatchObject({ name: 'Second evening', start: '2026-03-21 20:00:00', finish: '2026-03-21 23:00:00', capacity: 50 });
    const plain = await write('POST', `/event/${source}/session/${matinee}/duplicate`, {});
    expect(plain).toMatchObject({ name: 'Matinee', start: '2026-03-21 15:00:00' });
    const foreign = await world.call('POST', `/event/${world.event}/session/${evening}/duplicate`, { as: 'owner', body: {} });
    expect(foreign.statusCode).toBe(404);
  });
});

describe('POST /items/{id}/duplicate', () => {
  it('copies the item with its parts, not salable and without sold tickets and triggers', async () => {
    const [original, copy] = [await read(`/items/${lot}`), await write('POST', `/items/${lot}/duplicate`, { name: 'Lot 2' })];
    const { id: _id, createdAt: _c, updatedAt: _u, status: _s, remaining: _r, ...fields } = original;
    const salesPeriods = [{ ...original.salesPeriods[0], sold: 0, held: 0 }];
    expect(copy).toMatchObject({ ...fields, name: 'Lot 2', salable: false, sold: 0, salesPeriods });
    expect((await read(`/items/${copy.id}/triggers`)).data).toEqual([]);
  });

  it('copies a group with its items', async () => {
    const copy = await write('POST', `/items/${group}/duplicate`, { name: 'Balcony' });
    const inGroup = async (id: number) => (await readItems(source)).filter(({ parentId }: { parentId: number }) => parentId === id);
    expect((await inGroup(copy.id)).map(({ name }: { name: string }) => name)).toEqual(
      (await inGroup(group)).map(({ name }: { name: string }) => name),
    );
  });
});

describe('PUT /event/{id}/items/order', () => {
  const order = (itemIds: number[]) => world.call('PUT', `/event/${source}/items/order`, { as: 'owner', body: { itemIds } });
  const idsOf = async (): Promise<number[]> => (await readItems(source)).map(({ id }: { id: number }) => id);

  it('sets the positions of all items', async () => {
    const reversed = (await idsOf()).toReversed();
    expect((await order(reversed)).statusCode).toBe(204);
    expect(await idsOf()).toEqual(reversed);
    expect((await read(`/items/${reversed[0]}`)).position).toBe(0);
  });

  it('returns 422 with the ids that are missing, removed or of another event, and changes nothing', async () => {
    const ids = await idsOf();
    const [missing, unknown] = [await order(ids.slice(1)), await order([...ids, removed, world.item])];
    expect(missing.json()).toMatchObject({ status: 422, errors: [{ code: 'missing' }], itemIds: [ids[0]] });
    expect(unknown.json()).toMatchObject({ status: 422, errors: [{ code: 'unknown' }], itemIds: [removed, world.item] });
    expect((await order([...ids, ids[0] as number])).statusCode).toBe(400);
    expect(await idsOf()).toEqual(ids);
  });
});
