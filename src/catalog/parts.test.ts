import { describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { createEvent } from '../events/create-event.ts';
import { systemAct } from '../kernel/act.ts';
import { inTransaction } from '../postgres/transaction.ts';
import type { Item } from './contract.ts';

const world = useWorld();

const create = async (body: object = {}): Promise<number> =>
  (await world.call('POST', '/items', { as: 'owner', body: { eventId: world.event, name: 'An item', ...body } })).json<Item>().id;
const get = async (id: number): Promise<Item> => (await world.call('GET', `/items/${id}`, { as: 'owner' })).json();
const send = (method: 'POST' | 'PUT', id: number, part: string, body: object) =>
  world.call(method, `/items/${id}/${part}`, { as: 'owner', body });
const codeOf = (answer: { statusCode: number; json(): { errors?: { code: string }[] } }) => [
  answer.statusCode,
  answer.json().errors?.[0]?.code,
];

describe('attributes', () => {
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
  ])('201: %s %j is read back as %j', async (type, value, expected) => {
    const id = await create();
    const answer = await send('POST', id, 'attributes', { key: 'own.key', value, type });
    expect([answer.statusCode, answer.json()]).toEqual([201, { key: 'own.key', value: expected, type }]);
    expect((await get(id)).attributes).toEqual([{ key: 'own.key', value: expected, type }]);
  });

  it('200: an update may change the type', async () => {
    const id = await create();
    await send('POST', id, 'attributes', { key: 'size', value: 'large', type: 'string' });
    expect((await send('PUT', id, 'attributes', { key: 'size', value: 3, type: 'integer' })).json()).toEqual({
      key: 'size',
      value: 3,
      type: 'integer',
    });
  });

  it('400: no value, no type, a type that is none, a key that is none', async () => {
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

  it('404: an update of one that is not there; 409: one that is', async () => {
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
  ])('422: %s %j is not of its type', async (type, value) => {
    expect(codeOf(await send('POST', await create(), 'attributes', { key: 'k', value, type }))).toEqual([422, 'type']);
  });

  it('422: keys with a meaning must hold what they mean', async () => {
    const id = await create();
    for (const [key, value, type] of [
      ['maximum', 'x', 'string'],
      ['maximum', 0, 'integer'],
      ['halfPrice', 1, 'integer'],
      ['customCode', 'true', 'string'],
    ]) {
      expect(codeOf(await send('POST', id, 'attributes', { key, value, type }))).toEqual([422, 'meaning']);
    }
    await send('POST', id, 'attributes', { key: 'minimum', value: 3, type: 'integer' });
    expect(codeOf(await send('POST', id, 'attributes', { key: 'maximum', value: 2, type: 'integer' }))).toEqual([422, 'order']);
    expect((await send('POST', id, 'attributes', { key: 'maximum', value: 3, type: 'integer' })).statusCode).toBe(201);
    expect(codeOf(await send('PUT', id, 'attributes', { key: 'minimum', value: 4, type: 'integer' }))).toEqual([422, 'order']);
  });
});

describe('sale periods', () => {
  const period = { appCategoryId: 1, start: '2026-03-01 10:00:00', finish: '2026-05-31 23:59:59', available: 100 };

  async function itemIn(timezone: string): Promise<number> {
    const eventId = await inTransaction(world.db, {}, (tx) =>
      createEvent(tx, systemAct('test', world.now), {
        producerId: world.producer,
        category: 'music',
        title: timezone,
        link: `in-${timezone.toLowerCase().replaceAll(/[^a-z]/g, '-')}-${Math.random().toString(36).slice(2)}`,
        description: '',
        timezone,
        venue: { name: 'Hall', city: 'City', state: 'XX', country: 'XX' },
      }),
    );
    return create({ eventId });
  }

  it.each(['America/Sao_Paulo', 'Europe/Lisbon', 'Asia/Kathmandu', 'Pacific/Apia'])(
    '201: %s reads back what was sent',
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

  it('201: RFC 3339 with an offset is the same moment', async () => {
    const id = await create();
    const body = { ...period, start: '2026-03-01T13:00:00Z', finish: '2026-06-01T02:59:59.000+00:00' };
    expect((await send('POST', id, 'sales-period', body)).json()).toMatchObject({ start: period.start, finish: period.finish });
  });

  it('200: an update changes what is present', async () => {
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

  it('200: available 0 closes the channel, and each channel has its own', async () => {
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

  it('400: a field missing, or not of its form', async () => {
    const id = await create();
    for (const field of ['appCategoryId', 'start', 'finish', 'available'] as const) {
      expect((await send('POST', id, 'sales-period', { ...period, [field]: undefined })).statusCode).toBe(400);
    }
    for (const start of ['2026-03-01', '01/03/2026 10:00', '2026-03-01T10:00:00', '0000-01-01 00:00:00', '9999-01-01 00:00:00', '']) {
      expect((await send('POST', id, 'sales-period', { ...period, start })).statusCode).toBe(400);
    }
    expect((await send('PUT', id, 'sales-period', { appCategoryId: 1 })).statusCode).toBe(400);
  });

  it('404: an update of a channel that has none; 409: one that has', async () => {
    const id = await create();
    expect((await send('PUT', id, 'sales-period', period)).statusCode).toBe(404);
    expect((await send('POST', id, 'sales-period', period)).statusCode).toBe(201);
    expect((await send('POST', id, 'sales-period', period)).statusCode).toBe(409);
  });

  it('422: times that do not exist, or in the wrong order', async () => {
    const id = await itemIn('Europe/Lisbon');
    expect(codeOf(await send('POST', id, 'sales-period', { ...period, start: '2026-03-29 01:30:00' }))).toEqual([422, 'no_such_time']);
    expect(codeOf(await send('POST', id, 'sales-period', { ...period, start: '2026-02-30 01:30:00' }))).toEqual([422, 'no_such_time']);
    expect(codeOf(await send('POST', id, 'sales-period', { ...period, start: '2026-02-30T01:30:00Z' }))).toEqual([422, 'no_such_time']);
    expect(codeOf(await send('POST', id, 'sales-period', { ...period, finish: period.start }))).toEqual([422, 'order']);
  });

  it('422: fewer than are sold or held, with the numbers; a group has none', async () => {
    const id = await create();
    await send('POST', id, 'sales-period', period);
    await world.pool.query('update sale_period set sold = 10, held = 2 where item_id = $1', [id]);
    const answer = await send('PUT', id, 'sales-period', { appCategoryId: 1, available: 11 });
    expect(answer.json()).toMatchObject({ status: 422, sold: 10, held: 2, least: 12 });
    expect(codeOf(await send('POST', await create({ type: 'group' }), 'sales-period', period))).toEqual([422, 'group']);
  });
});

describe('values', () => {
  const values = { price: 8000, feeSale: 800, feeProducer: 0 };

  it('201, 200: read back with the final price', async () => {
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

  it('400: not whole cents, or less than nothing', async () => {
    const id = await create();
    for (const price of [-1, 10.5, '8000', null, 1e13])
      expect((await send('POST', id, 'values', { ...values, price })).statusCode).toBe(400);
    expect((await send('POST', id, 'values', { price: 1 })).statusCode).toBe(400);
    expect((await send('PUT', id, 'values', {})).statusCode).toBe(400);
  });

  it('404: an update before they are set; 409: set twice', async () => {
    const id = await create();
    expect((await send('PUT', id, 'values', values)).statusCode).toBe(404);
    expect((await send('POST', id, 'values', values)).statusCode).toBe(201);
    expect((await send('POST', id, 'values', values)).statusCode).toBe(409);
  });

  it('422: a courtesy is free, a group has no price', async () => {
    expect(codeOf(await send('POST', await create({ type: 'courtesy' }), 'values', values))).toEqual([422, 'courtesy']);
    expect((await send('POST', await create({ type: 'courtesy' }), 'values', { ...values, price: 0, feeSale: 0 })).statusCode).toBe(201);
    expect(codeOf(await send('POST', await create({ type: 'group' }), 'values', values))).toEqual([422, 'group']);
  });

  it('set by many at once: one succeeds, the others are told', async () => {
    const id = await create();
    const answers = await Promise.all(Array.from({ length: 8 }, () => send('POST', id, 'values', values)));
    expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([201, ...Array.from({ length: 7 }, () => 409)]);
  });
});
