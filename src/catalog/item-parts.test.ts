import { describe, expect, it } from 'vitest';
import { auditOf } from '../../test/audit.ts';
import { useWorld } from '../../test/harness.ts';
import { shopOf } from '../../test/shop.ts';
import { createEvent } from '../events/create-event.ts';
import { systemAct } from '../kernel/act.ts';
import { inTransaction } from '../postgres/transaction.ts';
import type { Item } from './item-schemas.ts';

const world = useWorld();
const shop = shopOf(world);

let links = 0;
const create = async (body: object = {}): Promise<number> =>
  (await world.call('POST', '/items', { as: 'owner', body: { eventId: world.event, name: 'An item', ...body } })).json<Item>().id;
const get = async (id: number): Promise<Item> => (await world.call('GET', `/items/${id}`, { as: 'owner' })).json();
const remove = (id: number, part: string, headers = {}) => world.call('DELETE', `/items/${id}/${part}`, { as: 'owner', headers });
const send = (method: 'POST' | 'PUT', id: number, part: string, body: object) =>
  world.call(method, `/items/${id}/${part}`, { as: 'owner', body });
const codeOf = (answer: { statusCode: number; json(): { errors?: { code: string }[] } }) => [
  answer.statusCode,
  answer.json().errors?.[0]?.code,
];

describe('/items/{id}/attributes', () => {
  it.each([
    ['integer', 5, 5],
    ['integer', '-7', -7],
    ['decimal', '12.50', 12.5],
    ['decimal', 0.1, 0.1],
    ['boolean', 'true', true],
    ['boolean', false, false],
    ['string', 'Rua Ação, 7', 'Rua Ação, 7'],
    ['string', 12, '12'],
    ['datetime', '2026-12-31 23:59:59', '2026-12-31 23:59:59'],
    ['datetime', '2026-12-31T23:59:59-03:00', '2026-12-31T23:59:59-03:00'],
  ])('POST returns %s %j as %j', async (type, value, expected) => {
    const id = await create();
    const answer = await send('POST', id, 'attributes', { key: 'own.key', value, type });
    expect([answer.statusCode, answer.json()]).toEqual([201, { key: 'own.key', value: expected, type }]);
    expect((await get(id)).attributes).toEqual([{ key: 'own.key', value: expected, type }]);
  });

  it('PUT can change the type', async () => {
    const id = await create();
    await send('POST', id, 'attributes', { key: 'size', value: 'large', type: 'string' });
    expect((await send('PUT', id, 'attributes', { key: 'size', value: 3, type: 'integer' })).json()).toEqual({
      key: 'size',
      value: 3,
      type: 'integer',
    });
  });

  it('DELETE removes the attribute and its limit', async () => {
    const id = await create();
    await send('POST', id, 'attributes', { key: 'minimum', value: 3, type: 'integer' });
    await send('POST', id, 'attributes', { key: 'maximum', value: 4, type: 'integer' });
    const answer = await remove(id, 'attributes/maximum');
    expect([answer.statusCode, answer.body]).toEqual([204, '']);
    expect((await get(id)).attributes).toEqual([{ key: 'minimum', value: 3, type: 'integer' }]);
    expect(await auditOf(world, answer)).toMatchObject([
      { operation: 'deleteAttribute', on: `item_attribute ${id}`, before: { key: 'maximum', value: 4, type: 'integer' } },
    ]);
    expect((await send('PUT', id, 'attributes', { key: 'minimum', value: 5, type: 'integer' })).statusCode).toBe(200);
  });

  it('DELETE returns 404 for an unknown key, and 412 when If-Match is stale', async () => {
    const id = await create();
    await send('POST', id, 'attributes', { key: 'size', value: 'large', type: 'string' });
    expect((await remove(id, 'attributes/colour')).statusCode).toBe(404);
    expect((await remove(id, 'attributes/size', { 'if-match': '"stale"' })).statusCode).toBe(412);
    expect((await get(id)).attributes).toHaveLength(1);
  });

  it('POST returns 400 for a missing or invalid key, value or type', async () => {
    const id = await create();
    const whole = { key: 'k', value: 1, type: 'integer' };
    const wrong = [
      { key: 'k', type: 'integer' },
      { key: 'k', value: 1 },
      { ...whole, type: 'date' },
      { ...whole, key: '1k' },
      { ...whole, value: null },
      { ...whole, value: [1] },
    ];
    for (const body of wrong) expect((await send('POST', id, 'attributes', body)).statusCode).toBe(400);
  });

  it('PUT returns 404 for an unknown key, and POST returns 409 for an existing one', async () => {
    const id = await create();
    const body = { key: 'k', value: 1, type: 'integer' };
    expect((await send('PUT', id, 'attributes', body)).statusCode).toBe(404);
    expect((await send('POST', id, 'attributes', body)).statusCode).toBe(201);
    expect((await send('POST', id, 'attributes', body)).statusCode).toBe(409);
  });

  it.each([
    ['integer', 1.5],
    ['integer', 'many'],
    ['integer', true],
    ['decimal', '1e5'],
    ['boolean', 'yes'],
    ['boolean', 1],
    ['datetime', '2026-02-30 10:00:00'],
    ['datetime', 'soon'],
  ])('POST returns 422 because %s cannot be %j', async (type, value) => {
    expect(codeOf(await send('POST', await create(), 'attributes', { key: 'k', value, type }))).toEqual([422, 'type']);
  });

  it('returns 422 for a reserved key with the wrong type or value, and names the field', async () => {
    const id = await create();
    for (const [key, value, type] of [
      ['maximum', 'x', 'string'],
      ['maximum', 0, 'integer'],
      ['halfPrice', 1, 'integer'],
      ['customCode', 'true', 'string'],
    ]) {
      expect(codeOf(await send('POST', id, 'attributes', { key, value, type }))).toEqual([422, 'meaning']);
    }
    const fieldOf = async (body: object) => (await send('POST', id, 'attributes', body)).json().errors[0].field;
    expect(await fieldOf({ key: 'maximum', value: 'x', type: 'string' })).toBe('type');
    expect(await fieldOf({ key: 'maximum', value: 0, type: 'integer' })).toBe('value');
    await send('POST', id, 'attributes', { key: 'minimum', value: 3, type: 'integer' });
    expect(codeOf(await send('POST', id, 'attributes', { key: 'maximum', value: 2, type: 'integer' }))).toEqual([422, 'order']);
    expect((await send('POST', id, 'attributes', { key: 'maximum', value: 3, type: 'integer' })).statusCode).toBe(201);
    expect(codeOf(await send('PUT', id, 'attributes', { key: 'minimum', value: 4, type: 'integer' }))).toEqual([422, 'order']);
  });

  it('returns 422 for a minimum above maximum or maximumPerBuyer, in either order', async () => {
    for (const bound of ['maximum', 'maximumPerBuyer']) {
      const id = await create();
      await send('POST', id, 'attributes', { key: 'minimum', value: 3, type: 'integer' });
      expect(codeOf(await send('POST', id, 'attributes', { key: bound, value: 2, type: 'integer' }))).toEqual([422, 'order']);
      expect((await send('POST', id, 'attributes', { key: bound, value: 3, type: 'integer' })).statusCode).toBe(201);
      const raised = await send('PUT', id, 'attributes', { key: 'minimum', value: 4, type: 'integer' });
      expect(codeOf(raised)).toEqual([422, 'order']);
      expect(raised.json().detail).toBe(`minimum 4 would be above ${bound} 3`);
      expect(codeOf(await send('PUT', id, 'attributes', { key: bound, value: 2, type: 'integer' }))).toEqual([422, 'order']);
    }
  });

  it('accepts maximumPerBuyer below maximum', async () => {
    const id = await create();
    await send('POST', id, 'attributes', { key: 'maximum', value: 6, type: 'integer' });
    expect((await send('POST', id, 'attributes', { key: 'maximumPerBuyer', value: 4, type: 'integer' })).statusCode).toBe(201);
  });
});

describe('/items/{id}/sales-period', () => {
  const period = { appCategoryId: 1, start: '2026-03-01 10:00:00', finish: '2026-05-31 23:59:59', available: 100 };

  async function itemIn(timezone: string): Promise<number> {
    const eventId = await inTransaction(world.db, {}, (tx) =>
      createEvent(tx, systemAct('test', world.now), {
        producerId: world.producer,
        category: 'music',
        title: timezone,
        link: `in-${timezone.toLowerCase().replaceAll(/[^a-z]/g, '-')}-${++links}`,
        description: '',
        timezone,
        venue: { name: 'Hall', city: 'City', state: 'XX', country: 'XX' },
      }),
    );
    return create({ eventId });
  }

  it.each(['America/Sao_Paulo', 'Europe/Lisbon', 'Asia/Kathmandu', 'Pacific/Apia'])(
    'POST returns the times as they were sent, in %s',
    async (timezone) => {
      const id = await itemIn(timezone);
      const spans = [
        ['2026-03-28 23:00:00', '2026-03-29 04:00:00'],
        ['2026-10-24 23:00:00', '2026-10-25 04:00:00'],
        ['2026-01-01 00:00:00', '2026-12-31 23:59:59'],
      ];
      for (const [i, [start, finish]] of spans.entries()) {
        const body = { appCategoryId: i + 1, start, finish, available: i };
        const answer = await send('POST', id, 'sales-period', body);
        expect([answer.statusCode, answer.json()]).toEqual([201, { ...body, sold: 0, held: 0 }]);
      }
      expect((await get(id)).salesPeriods.map(({ start, finish }) => [start, finish])).toEqual(spans);
    },
  );

  it('accepts RFC 3339 with an offset', async () => {
    const id = await create();
    const body = { ...period, start: '2026-03-01T13:00:00Z', finish: '2026-06-01T02:59:59.000+00:00' };
    expect((await send('POST', id, 'sales-period', body)).json()).toMatchObject({ start: period.start, finish: period.finish });
  });

  it('PUT changes only the fields that are present', async () => {
    const id = await create();
    await send('POST', id, 'sales-period', period);
    expect((await send('PUT', id, 'sales-period', { appCategoryId: 1, available: 7 })).json()).toEqual({
      ...period,
      available: 7,
      sold: 0,
      held: 0,
    });
    expect((await send('PUT', id, 'sales-period', period)).json()).toEqual({ ...period, sold: 0, held: 0 });
  });

  it('PUT accepts the whole sale period as it was read, and returns 422 for other values of sold and held', async () => {
    const id = await create();
    await send('POST', id, 'sales-period', period);
    await world.pool.query('update sale_period set sold = 10, held = 2 where item_id = $1', [id]);
    const [read] = (await get(id)).salesPeriods;
    expect((await send('PUT', id, 'sales-period', { ...read, available: 90 })).json()).toEqual({ ...read, available: 90 });
    for (const field of ['sold', 'held']) {
      const answer = await send('PUT', id, 'sales-period', { ...read, [field]: 0 });
      expect(answer.json()).toMatchObject({ status: 422, errors: [{ field, code: 'read_only' }] });
    }
  });

  it('DELETE closes the channel', async () => {
    const id = await create();
    await send('POST', id, 'values', { price: 100, feeSale: 0, feeProducer: 0 });
    await send('POST', id, 'sales-period', period);
    await send('POST', id, 'sales-period', { ...period, appCategoryId: 4 });
    expect((await get(id)).status).toBe('available');
    const answer = await remove(id, 'sales-period/1');
    expect([answer.statusCode, answer.body]).toEqual([204, '']);
    expect(await get(id)).toMatchObject({ status: 'unavailable', salesPeriods: [{ appCategoryId: 4 }] });
    expect(await auditOf(world, answer)).toMatchObject([
      { operation: 'deleteSalesPeriod', on: `sale_period ${id}`, before: { ...period, sold: 0, held: 0 } },
    ]);
    expect((await send('POST', id, 'sales-period', period)).statusCode).toBe(201);
  });

  it('DELETE returns 404 for a channel without a sale period, and 412 when If-Match is stale', async () => {
    const id = await create();
    await send('POST', id, 'sales-period', period);
    for (const channel of ['2', '0', 'x']) expect((await remove(id, `sales-period/${channel}`)).statusCode).toBe(404);
    expect((await remove(id, 'sales-period/1', { 'if-match': '"stale"' })).statusCode).toBe(412);
    expect((await get(id)).salesPeriods).toHaveLength(1);
  });

  it('DELETE returns 409 while tickets are held or sold through the channel', async () => {
    const id = await shop.newItem();
    const order = await shop.hold([{ itemId: id, quantity: 2 }]);
    expect((await remove(id, 'sales-period/1')).json()).toMatchObject({ status: 409, code: 'wrong_state', sold: 0, held: 2 });
    expect((await shop.pay(order)).statusCode).toBe(201);
    expect((await remove(id, 'sales-period/1')).json()).toMatchObject({ status: 409, code: 'wrong_state', sold: 2, held: 0 });
    expect((await get(id)).salesPeriods).toHaveLength(1);
    expect((await shop.refund(order)).statusCode).toBe(200);
    expect((await remove(id, 'sales-period/1')).statusCode).toBe(204);
  });

  it('closes a channel with available 0, and keeps channels separate', async () => {
    const id = await create();
    await send('POST', id, 'values', { price: 100, feeSale: 0, feeProducer: 0 });
    await send('POST', id, 'sales-period', period);
    await send('POST', id, 'sales-period', { ...period, appCategoryId: 2, start: '2026-04-01 00:00:00' });
    const status = async (channel: number) =>
      (await world.call('GET', `/items/${id}?appCategoryId=${channel}`, { as: 'owner' })).json().status;
    expect([await status(1), await status(2), await status(3)]).toEqual(['available', 'notstarted', 'unavailable']);
    await send('PUT', id, 'sales-period', { appCategoryId: 1, available: 0 });
    expect(await status(1)).toBe('unavailable');
  });

  it('POST returns 400 for a missing or invalid field', async () => {
    const id = await create();
    for (const field of ['appCategoryId', 'start', 'finish', 'available'] as const) {
      expect((await send('POST', id, 'sales-period', { ...period, [field]: undefined })).statusCode).toBe(400);
    }
    for (const start of ['2026-03-01', '01/03/2026 10:00', '2026-03-01T10:00:00', '0000-01-01 00:00:00', '9999-01-01 00:00:00', '']) {
      expect((await send('POST', id, 'sales-period', { ...period, start })).statusCode).toBe(400);
    }
    expect((await send('PUT', id, 'sales-period', { appCategoryId: 1 })).statusCode).toBe(400);
  });

  it('PUT returns 404 for a channel without a sale period, and POST returns 409 for one that has it', async () => {
    const id = await create();
    expect((await send('PUT', id, 'sales-period', period)).statusCode).toBe(404);
    expect((await send('POST', id, 'sales-period', period)).statusCode).toBe(201);
    expect((await send('POST', id, 'sales-period', period)).statusCode).toBe(409);
  });

  it('returns 422 for times that do not exist or are in the wrong order', async () => {
    const id = await itemIn('Europe/Lisbon');
    expect(codeOf(await send('POST', id, 'sales-period', { ...period, start: '2026-03-29 01:30:00' }))).toEqual([422, 'no_such_time']);
    expect(codeOf(await send('POST', id, 'sales-period', { ...period, start: '2026-02-30 01:30:00' }))).toEqual([422, 'no_such_time']);
    expect(codeOf(await send('POST', id, 'sales-period', { ...period, start: '2026-02-30T01:30:00Z' }))).toEqual([422, 'no_such_time']);
    expect(codeOf(await send('POST', id, 'sales-period', { ...period, finish: period.start }))).toEqual([422, 'order']);
  });

  it('returns 422 for available below sold and held, and for a group', async () => {
    const id = await create();
    await send('POST', id, 'sales-period', period);
    await world.pool.query('update sale_period set sold = 10, held = 2 where item_id = $1', [id]);
    const answer = await send('PUT', id, 'sales-period', { appCategoryId: 1, available: 11 });
    expect(answer.json()).toMatchObject({ status: 422, sold: 10, held: 2, least: 12 });
    expect(codeOf(await send('POST', await create({ type: 'group' }), 'sales-period', period))).toEqual([422, 'group']);
  });
});

describe('/items/{id}/values', () => {
  const values = { price: 8000, feeSale: 800, feeProducer: 0 };

  it('POST and PUT return the values with the final price', async () => {
    const id = await create();
    const created = await send('POST', id, 'values', values);
    expect([created.statusCode, created.json()]).toEqual([201, { ...values, finalPrice: 8800, currency: 'BRL' }]);
    const updated = await send('PUT', id, 'values', { feeSale: 0, feeProducer: 800 });
    expect([updated.statusCode, updated.json()]).toEqual([
      200,
      { price: 8000, feeSale: 0, feeProducer: 800, finalPrice: 8000, currency: 'BRL' },
    ]);
    expect((await get(id)).values).toEqual(updated.json());
  });

  it('PUT accepts the whole values as they were read, and returns 422 for another finalPrice or currency', async () => {
    const id = await create();
    await send('POST', id, 'values', values);
    const read = (await get(id)).values;
    expect((await send('PUT', id, 'values', { ...read, price: 9000 })).json()).toMatchObject({ price: 9000, finalPrice: 9800 });
    for (const [field, value] of [
      ['finalPrice', 1],
      ['currency', 'EUR'],
    ] as const) {
      const answer = await send('PUT', id, 'values', { price: 1, [field]: value });
      expect(answer.json()).toMatchObject({ status: 422, errors: [{ field, code: 'read_only' }] });
    }
  });

  it('returns 400 for fractions of cents and negative amounts', async () => {
    const id = await create();
    for (const price of [-1, 10.5, '8000', null, 1e13])
      expect((await send('POST', id, 'values', { ...values, price })).statusCode).toBe(400);
    expect((await send('POST', id, 'values', { price: 1 })).statusCode).toBe(400);
    expect((await send('PUT', id, 'values', {})).statusCode).toBe(400);
  });

  it('PUT returns 404 before values are set, and POST returns 409 when they are set twice', async () => {
    const id = await create();
    expect((await send('PUT', id, 'values', values)).statusCode).toBe(404);
    expect((await send('POST', id, 'values', values)).statusCode).toBe(201);
    expect((await send('POST', id, 'values', values)).statusCode).toBe(409);
  });

  it('returns 422 for a courtesy with a price and for a group', async () => {
    expect(codeOf(await send('POST', await create({ type: 'courtesy' }), 'values', values))).toEqual([422, 'courtesy']);
    expect((await send('POST', await create({ type: 'courtesy' }), 'values', { ...values, price: 0, feeSale: 0 })).statusCode).toBe(201);
    expect(codeOf(await send('POST', await create({ type: 'group' }), 'values', values))).toEqual([422, 'group']);
  });

  it('POST returns 201 to one of many concurrent requests and 409 to the others', async () => {
    const id = await create();
    const answers = await Promise.all(Array.from({ length: 8 }, () => send('POST', id, 'values', values)));
    expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([201, ...Array.from({ length: 7 }, () => 409)]);
  });
});
