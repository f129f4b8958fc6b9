import { describe, expect, it } from 'vitest';
import { useWorld } from '../../test/harness.ts';
import { noon } from '../../test/world.ts';
import { systemAct } from '../kernel/act.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { fireDueTriggers } from './fire-triggers.ts';
import type { Item } from './item-schemas.ts';
import type { Trigger } from './trigger-contract.ts';

const world = useWorld();

const create = async (body: object = {}): Promise<number> =>
  (await world.call('POST', '/items', { as: 'owner', body: { eventId: world.event, name: 'An item', ...body } })).json<Item>().id;
const isSalable = async (id: number) => (await world.call('GET', `/items/${id}`, { as: 'owner' })).json<Item>().salable;
const replace = (id: number, triggers: object[]) => world.call('PUT', `/items/${id}/triggers`, { as: 'owner', body: { triggers } });
const list = async (id: number) => (await world.call('GET', `/items/${id}/triggers`, { as: 'owner' })).json<{ data: Trigger[] }>().data;
const opens = (targetItemId: number, on = 'soldout') => ({ on, action: 'open', targetItemId });
const codeOf = (answer: { statusCode: number; json(): { errors?: { code: string }[] } }) => [
  answer.statusCode,
  answer.json().errors?.[0]?.code,
];

const fire = (at: Date) => inTransaction(world.db, {}, (tx) => fireDueTriggers(tx, systemAct('fireTriggers', at)));

async function createWithPeriod(start: string, finish: string): Promise<number> {
  const id = await create();
  await world.call('POST', `/items/${id}/sales-period`, { as: 'owner', body: { appCategoryId: 1, start, finish, available: 10 } });
  return id;
}

describe('PUT /items/{id}/triggers', () => {
  it('replaces all triggers, and removes them with an empty list', async () => {
    const [a, b, c] = [await create(), await create(), await create()];
    expect((await replace(a, [opens(b), { on: 'finish', action: 'close', targetItemId: c }])).statusCode).toBe(200);
    expect(await list(a)).toMatchObject([
      { ...opens(b), firedAt: null },
      { on: 'finish', action: 'close', targetItemId: c, firedAt: null },
    ]);
    await replace(a, [opens(c)]);
    expect((await list(a)).map(({ targetItemId }) => targetItemId)).toEqual([c]);
    expect((await replace(a, [])).json()).toEqual({ data: [], nextCursor: null });
  });

  it('returns 400 for duplicates and for an unknown on or action', async () => {
    const [a, b] = [await create(), await create()];
    for (const triggers of [
      [opens(b), opens(b)],
      [{ ...opens(b), on: 'refund' }],
      [{ ...opens(b), action: 'delete' }],
      [{ on: 'start' }],
    ]) {
      expect((await replace(a, triggers)).statusCode).toBe(400);
    }
  });

  it('returns 422 for the item itself, an item of another event and an unknown item', async () => {
    const a = await create();
    expect(codeOf(await replace(a, [opens(a)]))).toEqual([422, 'self']);
    expect(codeOf(await replace(a, [opens(world.siblingItem)]))).toEqual([422, 'unknown']);
    expect(codeOf(await replace(a, [opens(world.missing)]))).toEqual([422, 'unknown']);
  });

  it('returns 422 for a cycle of any length and changes nothing', async () => {
    const [a, b, c] = [await create(), await create(), await create()];
    await replace(a, [opens(b)]);
    await replace(b, [opens(c)]);
    const refused = await replace(c, [opens(a)]);
    expect(codeOf(refused)).toEqual([422, 'cycle']);
    expect(refused.json().detail).toContain(`${a} → ${b}`);
    expect(await list(c)).toEqual([]);
  });

  it('returns 422 to one of two concurrent requests that would form a cycle', async () => {
    for (let round = 0; round < 5; round++) {
      const [a, b] = [await create(), await create()];
      const answers = await Promise.all([replace(a, [opens(b)]), replace(b, [opens(a)])]);
      expect(answers.map(({ statusCode }) => statusCode).toSorted((x, y) => x - y)).toEqual([200, 422]);
    }
  });
});

describe('a trigger on start or finish', () => {
  it('fires once when it is due', async () => {
    const source = await createWithPeriod('2026-03-02 09:00:00', '2026-03-02 10:00:00');
    const target = await create({ salable: false });
    await replace(source, [opens(target, 'start'), { on: 'finish', action: 'close', targetItemId: target }]);
    expect(await fire(new Date('2026-03-02T11:59:59.999Z'))).toBe(0);
    expect(await isSalable(target)).toBe(false);
    expect(await fire(noon)).toBe(1);
    expect(await isSalable(target)).toBe(true);
    expect(await fire(noon)).toBe(0);
    expect((await list(source))[0]?.firedAt).toBe(noon.toISOString());
    expect(await fire(new Date('2026-03-02T13:00:00Z'))).toBe(1);
    expect(await isSalable(target)).toBe(false);
  });

  it('does not fire again when it is sent again or when its sale period moves', async () => {
    const source = await createWithPeriod('2026-03-01 09:00:00', '2026-04-01 10:00:00');
    const target = await create({ salable: false });
    await replace(source, [opens(target, 'start')]);
    expect(await fire(noon)).toBe(1);
    await world.call('PUT', `/items/${target}`, { as: 'owner', body: { salable: false } });
    await replace(source, [opens(target, 'start')]);
    await world.call('PUT', `/items/${source}/sales-period`, { as: 'owner', body: { appCategoryId: 1, start: '2026-03-02 08:00:00' } });
    expect(await fire(noon)).toBe(0);
    expect(await isSalable(target)).toBe(false);
  });

  it('fires once when many workers run concurrently, with one audit entry', async () => {
    const source = await createWithPeriod('2026-03-01 09:00:00', '2026-04-01 10:00:00');
    const target = await create({ salable: false });
    await replace(source, [opens(target, 'start')]);
    const fired = await Promise.all(Array.from({ length: 6 }, () => fire(noon)));
    expect(fired.reduce((sum, n) => sum + n, 0)).toBe(1);
    const entries = await world.db
      .selectFrom('audit_log')
      .select('id')
      .where('operation', '=', 'fireTriggers')
      .where('subject_id', '=', String(target))
      .execute();
    expect(entries).toHaveLength(1);
  });
});
